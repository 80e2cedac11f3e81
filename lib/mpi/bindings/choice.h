/* SPDX-License-Identifier: BSD-3-Clause */
/* One choice of message logging (doc/msglog.md): a look at what has come, what is noted of it, and
 * what was said before. */
#ifndef FTMPI_MPI_CHOICE_H
#define FTMPI_MPI_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "coord/outcomes.h"

/* Is it done, perhaps after a look at what has come? */
bool choice_look(bool (*done)(void *arg, int *expect), void *arg);

/* The same; one that is asked again and again in vain waits for a moment. */
bool choice_look_at_times(bool (*done)(void *arg, int *expect), void *arg);

/* It has happened, and nothing was expected. */
void choice_note(enum outcome_kind kind, uint64_t value);

/* Was no said before (what is expected)? Then it is said again. */
bool choice_said_no(const struct outcome *expected);

/* The value of what was said before, which has to be of this kind; choice_said: it is said again.
 */
uint64_t choice_to_say(enum outcome_kind kind);
uint64_t choice_said(enum outcome_kind kind);

#endif
