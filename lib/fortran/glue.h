/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the Fortran wrappers (made by gen.pl) are made of. Arguments come by reference; a handle is
 * the INTEGER that MPI_X_toint gives; a LOGICAL is 0 or 1; a string has no NUL and a hidden length
 * behind all arguments; what C knows by its value (MPI_IN_PLACE, MPI_STATUS_IGNORE, ...) is a
 * variable in a COMMON block, known by its address. gfortran's conventions: names in small letters
 * with one underscore.
 */
#ifndef FTMPI_FORTRAN_GLUE_H
#define FTMPI_FORTRAN_GLUE_H

#include <stdbool.h>
#include <stddef.h>

#include "ftmpi.h"

typedef void(ftn_function)(void);

/* Words that a wrapper needs for its call: from a small room of its own, else from malloc. */
struct ftn_room {
	size_t used;
	bool failed; /* there was no memory: the call must not be made */
	void *more[8];
	int nmore;
	_Alignas(16) char bytes[512];
};

/* NULL, and failed is set, when there is no memory; n < 0 counts as 0. */
void *ftn_take(struct ftn_room *room, long long n, size_t size);
void ftn_room_done(struct ftn_room *room);

/* Strings. in: trailing blanks (or those at both ends) go, a NUL comes; out: cut or filled with
 * blanks. */
enum ftn_strip { FTN_END, FTN_BOTH_ENDS };
char *ftn_string_in(struct ftn_room *room, const char *text, size_t len, enum ftn_strip strip);
char *ftn_text(struct ftn_room *room, size_t bytes); /* "" */
void ftn_string_out(char *text, size_t len, const char *from);

/* gfortran's .true. is 1, and any odd number counts as such. */
static inline int ftn_true(int logical)
{
	return logical & 1;
}

int *ftn_logicals_in(struct ftn_room *room, const int *logicals, int n);
void ftn_logicals_out(int *logicals, const int *from, int n);

/* C's indices begin with 0. -1: C has not set it. */
void ftn_index_out(int *index, int c_index);
void ftn_indices_out(int *indices, int *count, int c_count);

/* Variables of the COMMON blocks become C's values. */
void *ftn_buffer(const void *buffer);
MPI_Status *ftn_status(const int *status);
MPI_Status *ftn_status_array(const int *statuses);
int *ftn_weights(const int *weights);
bool ftn_in_place(const void *buffer);

static inline int (*ftn_ranges(const int *ranges))[3]
{
	return (int(*)[3])(size_t)ranges;
}

/* How many ranks a collective call of comm goes to (or, neighbourhoods: sends to or receives from);
 * 0 when sendbuf is MPI_IN_PLACE and the sender's arguments mean nothing, or comm is wrong. */
int ftn_peers(int comm, bool send, const void *sendbuf);
int ftn_neighbours(int comm, bool send, const void *sendbuf);
int ftn_dimensions(int comm);

/* ierror may be missing in mpi_f08. */
static inline void ftn_error_out(int *ierror, int rc)
{
	if (ierror)
		*ierror = rc;
}

/* Raise an error of the call that C does not know of; returns what the call shall return. */
int ftn_fail(const char *name, int errclass, const char *sentence);
int ftn_no_memory(const char *name);

#endif
