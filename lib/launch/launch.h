/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process knows of its job: rank, size, the addresses and hosts of all ranks. It comes from
 * the launcher over the control socket (control.c) or, in a start by hand, from the arguments
 * (manual_start.c). A process with neither is a job of one.
 */
#ifndef FTMPI_LAUNCH_LAUNCH_H
#define FTMPI_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/auth.h"
#include "base/session.h"
#include "settings.h"

enum { LAUNCH_HOST_MAX = 256, LAUNCH_PATH_MAX = 4096, LAUNCH_SIZE_MAX = 1 << 20 };

struct launch {
	int rank, size;
	bool by_hand;
	uint32_t epoch;
	uint8_t session[SESSION_BYTES];
	uint8_t secret[AUTH_KEY_BYTES];
	int verbosity;
	char workdir[LAUNCH_PATH_MAX];
	char session_name[LAUNCH_HOST_MAX];
	struct settings settings;
	char host[LAUNCH_HOST_MAX];	/* this rank's, as the user calls it */
	struct net_address *addresses;	/* by rank; owned */
	struct net_address *beat;	/* by rank: for heartbeats; port 0: none; owned */
	char (*hosts)[LAUNCH_HOST_MAX]; /* by rank; owned */
	int *node;			/* by rank: index of its host; owned */
	int *cores;			/* by rank: of its host; owned */
	uint32_t *incarnations;		/* by rank: how often it was started again alone; owned */
	int listen_fd;			/* owned until given away; -1 */
	int beat_fd;			/* the socket for heartbeats, listening; as listen_fd */
	int control_fd;			/* owned; -1 without a launcher */
};

/* launch.c. Tables for `size` ranks. 0 or FT_ENOMEM. */
int launch_alloc(struct launch *l, int size);

/* Frees the tables, wipes the secret; descriptors are left alone. */
void launch_free(struct launch *l);

/* launch_learn.c. Fills it in, in one of the three ways. argc and argv are main's, or NULL. 0,
 * or an error with a sentence in err (which stays as it is for FT_ENOMEM). */
int launch_learn(struct launch *l, int *argc, char ***argv, char *err, size_t errsize);

#endif
