/* SPDX-License-Identifier: BSD-3-Clause */
/* A window without a job: what lib/mpi/rma*.c needs of the rest. */
#ifndef FTMPI_TESTS_RMA_WORDS_H
#define FTMPI_TESTS_RMA_WORDS_H

#include <setjmp.h>

#include "fuzz.h"
#include "rma.h"
#include "win.h"

enum { WORDS_RANKS = 3, WORDS_SELF = 1, WORDS_BYTES = 256, WORDS_CONTEXT = 6, WORDS_BLOCKS = 1024 };

extern struct words_fuzz {
	struct win w;
	struct win_peer peers[WORDS_RANKS];
	unsigned asked[WORDS_RANKS];
	char *memory, *result; /* just so large */
	jmp_buf nonsense;      /* the process would end */
} f;

void words_begin(bool dynamic);

/* Nothing was nonsense: all that was allocated is found again. */
void words_end(void);

/* Whatever is left. */
void words_clear(void);

void words_run_chores(void);

#endif
