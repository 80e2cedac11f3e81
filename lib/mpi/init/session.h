/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions (MPI 5.0 section 11.3). The engine's lock guards them.
 *
 * A session has a number that no other of the process ever has. A group keeps the number of the
 * session it comes from, and a communicator that of its group; so what is derived from a session
 * does not need the session to exist. Its error handler and buffer are looked up by the number.
 */
#ifndef FTMPI_MPI_SESSION_H
#define FTMPI_MPI_SESSION_H

#include <stdint.h>

#include "base/list.h"
#include "mpi.h"
#include "mpi/handle/object.h"

struct buffer;
struct errhandler;
struct group;
struct info;

struct session {
	struct object head;
	struct link link;
	uint64_t number; /* from 1 */
	struct errhandler *errhandler;
	struct info *hints;    /* NULL: the program gave none */
	struct buffer *buffer; /* for MPI_Bsend, once it had one of its own; malloc'ed */
	MPI_Session handle;
};

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_SESSION. */
int session_lookup(MPI_Session handle, struct session **out);

/* NULL: it was finalized, or it is 0, the world's. */
struct session *session_of(uint64_t number);

/* MPI_ERR_SESSION when the group comes from a session that was finalized. */
int session_check_group(const struct group *g);

/* A session that the program gets. It holds e, and owns hints on success. MPI_ERR_NO_MEM. */
int session_new(struct errhandler *e, struct info *hints, struct session **out);

/* Its end. The communicators that are left of it are freed. MPI_ERR_PENDING when operations of them
 * are still under way: it stays as it is. */
int session_free(struct session *s);

/* What is asked for in MPI_Session_init: *hints is NULL before. As hints_set; and all that holds,
 * for MPI_Session_get_info. */
int session_take_hints(struct info **hints, MPI_Info given);
int session_give_hints(const struct session *s, MPI_Info *used);

/* The buffer of the session with this number; NULL: it has none, or is not there any more. */
struct buffer *session_buffer(uint64_t number);

/* Process sets: names, in their order; NULL behind the last. The case of a name does not count. */
const char *session_pset_name(int n);
int session_pset_count(void);

/* MPI_ERR_ARG when there is none of this name. size: its processes; group: a new one of them. */
int session_pset_size(const char *name, int *size);
int session_pset_group(const struct session *s, const char *name, struct group **out);

#endif
