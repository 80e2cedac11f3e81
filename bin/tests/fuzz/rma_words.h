/* SPDX-License-Identifier: BSD-3-Clause */
/* A window without a job: what lib/mpi/rma needs of the rest. */
#ifndef FTMPI_TESTS_RMA_WORDS_H
#define FTMPI_TESTS_RMA_WORDS_H

#include <setjmp.h>

#include "fuzz.h"
#include "mpi/rma/rma.h"
#include "mpi/rma/win.h"

enum { WORDS_RANKS = 3, WORDS_SELF = 1, WORDS_BYTES = 256, WORDS_CONTEXT = 6, WORDS_BLOCKS = 1024 };

enum { WORDS_STEPS = 200 };

/* What it wants of a rank: bytes of the answer, 0 for none, in the order in which it asked. */
struct words_wishes {
	size_t bytes[WORDS_STEPS];
	unsigned next, end;
};

extern struct words_fuzz {
	struct win w;
	struct win_peer peers[WORDS_RANKS];
	struct words_wishes wishes[WORDS_RANKS];
	unsigned said;	       /* kinds, a bit for each: its answers to the last words */
	uint64_t data;	       /* bytes that it gave then */
	char *memory, *result; /* just so large */
	jmp_buf nonsense;      /* the process would end */
} f;

void words_begin(bool dynamic);

/* Nothing was nonsense: all that was allocated is found again. */
void words_end(void);

/* Whatever is left. */
void words_clear(void);

void words_run_deferred(void);

/* ---- rma_judge.c ---- */

void words_note_wish(int peer, size_t bytes);

/* These words were heard, with len bytes behind the head: was it right to obey them? */
void words_judge(int peer, const struct rma_head *say, size_t len);

#endif
