/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that a user starts by hand, one terminal a rank, with -ftmpi among its arguments. */
#ifndef FTMPI_LAUNCH_MANUAL_START_H
#define FTMPI_LAUNCH_MANUAL_START_H

#include <stdbool.h>
#include <stddef.h>

struct launch;

/* Do the arguments hold -ftmpi? */
bool manual_start_given(int argc, char **argv);

/* When the library is loaded: those of main, or NULL. */
void manual_start_keep(int argc, char **argv);

/* A copy of main's arguments, whose array the caller frees, for calls that do not get them. NULL:
 * out of memory. */
char **manual_start_arguments(int *argc);

/* Take all from -ftmpi on out of them. */
void manual_start_take_out(int *argc, char **argv);

/* Takes `-ftmpi WORKDIR RANK SIZE 0 HOST0 1 HOST1 ...` out of the arguments, resolves the hosts,
 * listens. 0, or an error with a sentence in err. */
int manual_start(struct launch *l, int *argc, char ***argv, char *err, size_t errsize);

#endif
