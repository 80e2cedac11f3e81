/* SPDX-License-Identifier: BSD-3-Clause */
/* The heartbeats of a launched rank: what they need of the rest of the library. */
#ifndef FTMPI_MPI_BEATING_H
#define FTMPI_MPI_BEATING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/launch.h"

struct descriptor_list;
struct hb;
struct net_address;

struct beating {
	pthread_mutex_t lock;
	struct hb *hb;	/* NULL: none */
	bool observing; /* was ordered, perhaps before there were any */
};

#define BEATING_NONE                                                                               \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}

/* Begins, where the job wants heartbeats; they take l->beat_fd then. 0 or an error. */
int beating_start(struct beating *b, struct launch *l);

/* Every rank of the job sends heartbeats by now, so a rank without any may be suspected from here
 * on. Any thread. */
void beating_observe(struct beating *b);

/* As hb_moved. */
void beating_moved(struct beating *b, int peer, const struct net_address *to);

/* MPI_Finalize: the observers are told that it is no failure. Closes l->beat_fd too. */
void beating_stop(struct beating *b, struct launch *l);

/* As hb_pause and hb_go_on; 0 where there are none. */
int beating_pause(struct beating *b, uint64_t until_ns);
int beating_go_on(struct beating *b);

/* Adds all that is open for them, l->beat_fd too. While they pause. */
void beating_own_descriptors(
	const struct beating *b, const struct launch *l, struct descriptor_list *list);

/* In a process that woke up from an image, which was taken while they paused (hb_forget): there are
 * none, and nobody has ordered any. While no other thread uses them. */
void beating_forget(struct beating *b);

#endif
