/* SPDX-License-Identifier: BSD-3-Clause */
/* mail's messages on their way: what is open, what was received. */
#ifndef FTMPI_PROGRAMS_MAIL_H
#define FTMPI_PROGRAMS_MAIL_H

#include <mpi.h>

#include "mail_plan.h"
#include "prog.h"

/* A receive that was posted and not waited for, or a send that is not done. */
struct mail_open {
	MPI_Request request;
	int queue; /* of a receive */
	uint8_t *buffer;
};

struct mail_list {
	struct mail_open *at;
	size_t count, room;
};

/* Of a queue, so far. */
struct mail_count {
	int64_t ripe; /* messages that may be waited for */
	int64_t posted, done;
};

struct mailbox {
	const struct prog *prog;
	struct mail_plan plan;
	MPI_Comm comm[MAIL_COMMS];
	int queues;
	struct mail_count *count; /* of each queue */
	uint64_t *chain;	  /* of each queue and source */
	struct mail_list receives, sends;
	int64_t received;
};

/* Collective. */
void mailbox_make(struct mailbox *box, const struct prog *prog, const struct mail_plan *plan);
void mailbox_free(struct mailbox *box);

/* This step's receives, sends, and what must be waited for. */
void mailbox_step(struct mailbox *box, long step);

/* Post a receive for this queue: in a step, and again after a restore. */
void mailbox_post(struct mailbox *box, int queue);

/* Collective, after the last step: everything has come once and in order, and nothing else. */
void mailbox_verify(struct mailbox *box);

/* All that this rank received, in one number. */
uint64_t mailbox_sum(const struct mailbox *box);

#endif
