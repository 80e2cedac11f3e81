/* SPDX-License-Identifier: BSD-3-Clause */
/* What inflight.c and inflight_line.c share, and nobody else sees. */
#ifndef FTMPI_MPI_INFLIGHT_INSIDE_H
#define FTMPI_MPI_INFLIGHT_INSIDE_H

#include "inflight.h"

struct inflight {
	struct link link; /* of its peer */
	struct coord_message m;
	int tag, source;
	uint64_t sync;		   /* p2p_sync_name */
	uint64_t arrived, matched; /* sequence numbers; 0: has not */
	uint64_t left; /* when the program had received it, or an image had it, by inflights.clock;
			  0: neither */
	struct match_msg *msg;	 /* while it waits for a receive */
	struct request *receive; /* while it is open */
	struct stored *contents; /* NULL: not in our memory */
	uint64_t copied;	 /* bytes of contents that are here for lines alone */
};

struct inflights {
	const struct coord *coord;
	bool (*pull)(struct match_msg *msg);
	int peers;
	struct link *of;   /* by peer: in the order in which they were noted */
	struct link lines; /* oldest first */
	uint64_t clock;	   /* counts lines begun and messages received */
	uint64_t copied;   /* of all messages */
	uint64_t most;	   /* what that may be */
};

extern struct inflights inflights;

/* What the protocol knows, for this line. */
enum coord_fate inflight_fate(const struct inflight_line *l, const struct inflight *f);

/* None that may have to hold it can be made. */
void inflight_break_lines(const struct inflight *f, const char *why);

#endif
