/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs of bench/papers in slices of a few steps. The linker puts these functions in the
 * place of theirs (--wrap). What is counted is the processors' time.
 */
#include <time.h>

#include "../papers/paper.h"
#include "slices.h"

enum { SLICES = 512 };

void __real_paper_start(struct paper *p, long total);
void __wrap_paper_start(struct paper *p, long total);
void __real_paper_step(struct paper *p);
void __wrap_paper_step(struct paper *p);
void __real_paper_stop(struct paper *p);
void __wrap_paper_stop(struct paper *p);

static long each;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void __wrap_paper_start(struct paper *p, long total)
{
	each = total > SLICES ? total / SLICES : 1;
	__real_paper_start(p, total);
	slices_begin(SLICES);
	slices_turn(cpu());
}

void __wrap_paper_step(struct paper *p)
{
	__real_paper_step(p);
	if (p->step % each == 0)
		slices_turn(cpu());
}

void __wrap_paper_stop(struct paper *p)
{
	__real_paper_stop(p);
	slices_say();
}
