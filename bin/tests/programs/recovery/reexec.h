/* SPDX-License-Identifier: BSD-3-Clause */
/* What reexec does to its own process. */
#ifndef FTMPI_PROGRAMS_REEXEC_H
#define FTMPI_PROGRAMS_REEXEC_H

/* Does what this argument says; argv is the one that main was given. */
void reexec_obey(char **argv, const char *word);

#endif
