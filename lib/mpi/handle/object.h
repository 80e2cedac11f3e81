/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles. A predefined MPI handle is a small integer (1..4095, MPI 5.0 section 21.3) cast to a
 * pointer; a user's handle is the address of one of our objects, which begins with struct object.
 * Lookup functions (comm_lookup, type_lookup, ...) turn either into our object and refuse the rest.
 */
#ifndef FTMPI_MPI_OBJECT_H
#define FTMPI_MPI_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

enum object_kind {
	OBJECT_FREED = 0x0bad0000,
	OBJECT_COMM = 0x46540001,
	OBJECT_GROUP,
	OBJECT_TYPE,
	OBJECT_OP,
	OBJECT_REQUEST,
	OBJECT_ERRHANDLER,
	OBJECT_INFO,
	OBJECT_MEM, /* no handle: memory of MPI_Alloc_mem */
	OBJECT_WIN,
	OBJECT_MESSAGE,
	OBJECT_SESSION,
	/* No handles: what else the transport's upcalls are about. */
	OBJECT_STORED,		 /* a message in the library's memory */
	OBJECT_ORPHAN,		 /* messages that are compared and thrown away */
	OBJECT_CONTROL_RECEIVED, /* a control message of the coordination protocol */
	OBJECT_CONTROL_SENT,	 /* the same */
	OBJECT_LOGGED,		 /* a message of the log that is on its way */
	OBJECT_DUPLICATE,	 /* a logged message that is here, and comes again */
	OBJECT_RMA_RECEIVED,	 /* a message of a window */
	OBJECT_RMA_SENT,	 /* the same */
};

/* refs counts the user's handle and every pending operation that needs the object. All fields are
 * guarded by the engine lock. */
struct object {
	enum object_kind kind;
	int refs;
};

/* true when the handle is one of the standard's small integers */
static inline bool handle_is_predefined(const void *handle)
{
	return (uintptr_t)handle < 4096;
}

/* true when the handle can be looked into and says it is of this kind */
static inline bool handle_is(const void *handle, enum object_kind kind)
{
	return !handle_is_predefined(handle) && ((uintptr_t)handle & 7) == 0 &&
	       ((const struct object *)handle)->kind == kind;
}

#endif
