/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between the ranks of a case: a list that all ranks know. */
#ifndef FTMPI_PROGRAMS_RT_MESSAGE_H
#define FTMPI_PROGRAMS_RT_MESSAGE_H

#include "rt_data.h"

struct rt_message {
	int number; /* in the list; messages of one pair are sent in this order */
	int src, dst, tag;
	size_t units;
	bool synchronous;
	int round; /* of a persistent request */
	bool used; /* this rank, its receiver, has found it */
};

struct rt_list {
	struct rt_pattern pattern;
	struct rt_message *message;
	int n;
	size_t most; /* units of the largest */
};

/* Up to `most` messages between random ranks (also from a rank to itself), tags below `tags`. */
struct rt_list rt_list_draw(struct rt_case *c, int most, int tags);
void rt_list_free(struct rt_list *l);

/* The buffer of one message at one end. With absolute set, MPI is given MPI_BOTTOM and a type of
 * one element that holds the address. */
struct rt_end {
	struct rt_side side;
	void *buf;
	int count;
	MPI_Datatype type;
	bool absolute;
};

/* At the sender: with the data in it. */
void rt_end_send(
	struct rt_end *e, struct rt_case *c, const struct rt_list *l, const struct rt_message *m);
/* At the receiver: room for `room` units. */
void rt_end_recv(struct rt_end *e, struct rt_case *c, const struct rt_list *l, size_t room);
void rt_end_close(struct rt_end *e, const char *what);

/* What arrived at e must be m, and the status, when there is one, must say so. */
void rt_end_arrived(struct rt_end *e, const struct rt_message *m, const MPI_Status *status);

/* Of the messages to this rank that are not used yet, the first from this source, with this tag
 * unless any_tag; marked as used. */
const struct rt_message *rt_list_claim(
	struct rt_case *c, struct rt_list *l, int source, int tag, bool any_tag);

uint64_t rt_message_stream(const struct rt_case *c, const struct rt_message *m);

#endif
