/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process learns what it is: rank, size, who the others are and where. From the launcher over
 * the control socket (control.c), from arguments when it was started by hand (manual_start.c), or
 * not at all: then it is a job of one.
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
	int listen_fd;			/* owned until given away; -1 */
	int beat_fd;			/* the socket for heartbeats, listening; as listen_fd */
	int control_fd;			/* owned; -1 without a launcher */
};

/* Finds it out, in one of the three ways. argc and argv are main's, or NULL. 0, or an error with a
 * sentence in err (which stays as it is for FT_ENOMEM). */
int launch_learn(struct launch *l, int *argc, char ***argv, char *err, size_t errsize);

/* Tables for `size` ranks. 0 or FT_ENOMEM. */
int launch_alloc(struct launch *l, int size);

/* Frees the tables, wipes the secret; descriptors are left alone. */
void launch_free(struct launch *l);

/* Was this process started by the launcher (FTMPI_CONTROL_FD is set)? */
bool control_present(void);

/* Waits for the launcher's START message. 0, or an error with a sentence in err. */
int control_start(struct launch *l, char *err, size_t errsize);

/* Pure: the body of a START message. 0, FT_EPROTO or FT_ENOMEM. l->rank and tables are set only on
 * success. */
int control_decode_start(struct launch *l, const void *body, size_t len);

/* Do the arguments hold -ftmpi? */
bool byhand_present(int argc, char **argv);

/* What main was given, for calls that are not given it: a copy, whose array the caller frees. NULL:
 * out of memory. */
char **byhand_arguments(int *argc);

/* Take all from -ftmpi on out of them. */
void byhand_take_out(int *argc, char **argv);

/* Takes `-ftmpi WORKDIR RANK SIZE 0 HOST0 1 HOST1 ...` out of the arguments, resolves the hosts,
 * listens. 0, or an error with a sentence in err. */
int byhand_start(struct launch *l, int *argc, char ***argv, char *err, size_t errsize);

#endif
