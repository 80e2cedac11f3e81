/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the cases of the point-to-point test share. Ranks 0 and 1 play, unless a case says
 * otherwise; MPI_COMM_WORLD returns its errors.
 */
#ifndef FTMPI_PROGRAMS_POINT_H
#define FTMPI_PROGRAMS_POINT_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "prog.h"

/* Bytes: one message that is sent at once, one that waits for its receive; and a tag that tells the
 * other of the two to go on. */
enum { POINT_SHORT = 100, POINT_LONG = 300000, POINT_GO = 999 };

struct point_case {
	const char *name;
	void (*run)(void);
	int ranks; /* fewest */
};

/* Each ends with a NULL name. Those of point_last are run by name only: they end the program. */
extern const struct point_case point_buffered[], point_matched[], point_pair[], point_requests[],
	point_generalised[], point_partitioned[], point_uneven[], point_nothing[],
	point_last[];

extern struct prog point;

/* Ends the job with a sentence unless `right`. */
void point_want(bool right, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* That the call returned an error of this class. */
void point_error(const char *what, int class, int rc);

/* n bytes that depend on seed; and whether those are there. */
unsigned char *point_bytes(int seed, size_t n);
void point_check(const char *what, const unsigned char *bytes, int seed, size_t n);

/* Tell `other` to go on; wait until told. */
void point_tell(int other);
void point_wait(int other);

/* What a status says. */
void point_status(const char *what, const MPI_Status *s, int source, int tag, int bytes);

/* Receive n bytes of this seed. */
void point_recv(const char *what, int source, int tag, int seed, int n, MPI_Comm comm);

/* What a request was freed for comes at some moment, without a word: to look for it is a race in
 * the eyes of the thread sanitizer. */
unsigned char point_seen(const volatile unsigned char *byte);

#endif
