/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What outcomes of before say of receives, while a rank runs again under message logging (M8):
 * which message a receive from any source got, and which receives were cancelled. A receive is
 * matched when its message comes, at no certain place of the program; so these are looked up by the
 * receive's number instead of being followed one after the other. Pure.
 *
 * A receive of which nothing is known may get what fits it first, as ever: had another one of
 * before got that, this one would have got it before, or been cancelled.
 */
#ifndef FTMPI_COORD_EXPECTED_RECEIVES_H
#define FTMPI_COORD_EXPECTED_RECEIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outcome;

enum receive_fate {
	FATE_OPEN,	/* nothing is known: it gets what fits it first */
	FATE_MESSAGE,	/* it gets that message */
	FATE_CANCELLED, /* it gets none, and MPI_Cancel of it succeeds */
};

struct expected_receive {
	uint64_t receive;
	uint64_t message; /* 0: it was cancelled */
	uint32_t peer;
	bool over; /* it has happened again */
};

struct expected_receives {
	struct expected_receive *v; /* in the order of receives */
	size_t n;
	size_t left; /* that have not happened again */
};

/* Of these outcomes, in place of all. false: no memory, or two of them are of one receive. */
bool expected_receives_begin(struct expected_receives *e, const struct outcome *v, size_t n);
void expected_receives_free(struct expected_receives *e);

/* Of one that is posted. */
enum receive_fate expected_receives_fate(
	const struct expected_receives *e, uint64_t receive, uint32_t *peer, uint64_t *message);

/* It has got its message, or was cancelled. false: that was not expected of it. */
bool expected_receives_over(struct expected_receives *e, uint64_t receive);

#endif
