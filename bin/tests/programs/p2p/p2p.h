/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the cases of the point-to-point test share. Ranks 0 and 1 play, unless a case says
 * otherwise; MPI_COMM_WORLD returns its errors.
 */
#ifndef FTMPI_PROGRAMS_P2P_H
#define FTMPI_PROGRAMS_P2P_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "prog.h"

/* Bytes: one message that is sent at once, one that waits for its receive; and a tag that tells the
 * other of the two to go on. */
enum { P2P_SHORT = 100, P2P_LONG = 300000, P2P_GO = 999 };

struct p2p_case {
	const char *name;
	void (*run)(void);
	int ranks; /* fewest */
};

/* Each ends with a NULL name. Those of p2p_last are run by name only: they end the program. */
extern const struct p2p_case p2p_buffered[], p2p_matched[], p2p_sendrecv[], p2p_requests[],
	p2p_generalised[], p2p_partitioned[], p2p_short[], p2p_no_data[], p2p_last[];

extern struct prog p2p;

/* Ends the job with a sentence unless `right`. */
void p2p_want(bool right, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* That the call returned an error of this class. */
void p2p_error(const char *what, int class, int rc);

/* n bytes that depend on seed; and whether those are there. */
unsigned char *p2p_bytes(int seed, size_t n);
void p2p_check(const char *what, const unsigned char *bytes, int seed, size_t n);

/* Tell `other` to go on; wait until told. */
void p2p_tell(int other);
void p2p_wait(int other);

/* What a status says. */
void p2p_status(const char *what, const MPI_Status *s, int source, int tag, int bytes);

/* Receive n bytes of this seed. */
void p2p_recv(const char *what, int source, int tag, int seed, int n, MPI_Comm comm);

/* What a request was freed for comes at some moment, without a word: to look for it is a race in
 * the eyes of the thread sanitizer. */
unsigned char p2p_seen(const volatile unsigned char *byte);

#endif
