/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools interface (MPI 5.0 section 15.3): what its calls share, and what there is to be seen.
 * The calls return MPI_T_ERR_* and call no error handler; they are legal at any time between
 * MPI_T_init_thread and MPI_T_finalize, whatever MPI itself does. The engine lock guards them.
 *
 * Control variables are the knobs of the environment (base/knob.h); performance variables are
 * counted or looked up when they are read, so nothing is counted for them alone. There are no
 * events.
 */
#ifndef FTMPI_MPI_TOOL_H
#define FTMPI_MPI_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/knob.h"
#include "base/list.h"
#include "mpi.h"

/* Takes the lock. MPI_SUCCESS, or MPI_T_ERR_NOT_INITIALIZED. tool_leave gives it back. */
int tool_enter(void);
int tool_leave(int rc);

/* Hand out a text as section 15.3.3 says: *len, the room at out, becomes the length with the NUL;
 * out gets what fits. out or len may be NULL. */
void tool_string(const char *text, char *out, int *len);

/* An out argument that the caller may leave out. */
static inline void tool_int(int value, int *out)
{
	if (out)
		*out = value;
}

/* ---- what there is (tool_vars.c) ---- */

struct tool_enum {
	const char *name;
	int count;
	const char *const *items; /* item i has the value i */
};

struct tool_pvar {
	const char *name, *text;
	int verbosity, class;
	MPI_Datatype datatype; /* MPI_INT: of the enumeration; else MPI_UNSIGNED_LONG_LONG */
	const struct tool_enum *items;
	uint64_t (*read)(void);
	int category;
};

struct tool_category {
	const char *name, *text;
	int parent; /* -1 at the top */
};

extern const struct tool_pvar tool_pvars[];
extern const int tool_pvar_count;
extern const struct tool_category tool_categories[];
extern const int tool_category_count;

/* The category of a knob; whether it may be written while the program runs. */
int tool_knob_category(enum knob k);
bool tool_knob_writable(enum knob k);

/* ---- handles: what the program may hold; anything else is refused ---- */

struct tool_cvar {
	struct link link;
	enum knob knob;
};

struct tool_pvar_handle {
	struct link link; /* of its session */
	const struct tool_pvar *pvar;
};

struct tool_session {
	struct link link;
	struct link handles;
};

/* Calls of MPI_T_init_thread less calls of MPI_T_finalize. The last one frees what is left. */
void tool_begin(void);
bool tool_end(void);

/* The lists of what is in use. */
struct link *tool_cvar_list(void);
struct link *tool_session_list(void);

/* Is this the address of a member's link? */
bool tool_member(const struct link *head, const void *address);

#endif
