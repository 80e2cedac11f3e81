/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of sessions.c share. */
#ifndef FTMPI_PROGRAMS_SESSIONS_H
#define FTMPI_PROGRAMS_SESSIONS_H

#include <mpi.h>

#include "expect.h"
#include "prog.h"

extern struct prog prog;

/* A session that returns its errors. */
MPI_Session begin_session(void);

/* The ranks of a process set; a communicator of them, and its end. */
MPI_Group pset_group(MPI_Session session, const char *name);
MPI_Comm pset_comm(MPI_Session session, const char *name, const char *tag);

/* The ranks of c can talk: what each says comes to all. */
void talks(MPI_Comm c);

/* Fill in prog.rank and prog.size, with a session that is there for a moment. */
void find_place(void);

void right(const char *what);

/* What MPI_Initialized and MPI_Finalized say. */
void flags(int initialized, int finalized);

/* sessions_only.c: a whole session, used; its groups in two sides */
void alone(void);
void groups_and_comms(void);
void between_groups(void);

/* sessions_errors.c */
void errors_with_world(void);
void errors_of_session(void);
void errors_in_init(void);
void errors_anytime(void);

/* sessions_buffer.c */
void buffers(void);

/* sessions_exit.c */
void end_open(void);
void end_open_beside_world(void);
void end_late_call(void);
void end_world_named(void);
void end_world_gone(void);
void end_with_status(void);
void end_at_exit(void);
void end_child(void);
void steps(void);

/* what the program was called with, behind the case */
extern char **words;

#endif
