/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_run.h"

#include <stdlib.h>
#include <string.h>

#include "ckpt/section_operations.h"
#include "mpi/handle/fail.h"

static int next_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & (SECTION_OPERATION_TAG - 1));
}

void coll_run_number(struct coll_run *run)
{
	run->tag = next_tag(run->c);
	run->local_tag = run->c->local ? next_tag(run->c->local) : 0;
}

void coll_run_begin(struct coll_run *run, struct comm *c)
{
	run->c = c;
	run->at = (struct sched_place){c->rank, c->size, 0};
	sched_init(&run->s);
	run->op = NULL;
	run->scratch_type = type_bytes();
	memset(run->buf, 0, sizeof run->buf);
	run->offsets = NULL;
	run->scratch = NULL;
	run->scratch_bytes = 0;
	run->numbers = NULL;
	run->spoilt = false;
}

int coll_run_prefix(
	struct coll_run *run, struct sched_numbers counts, size_t unit, const size_t **offsets)
{
	int n = run->at.size;
	size_t sum = 0;

	run->offsets = malloc(((size_t)n + 1) * sizeof *run->offsets);
	if (!run->offsets)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the offsets of %d blocks", n);
	for (int i = 0; i < n; i++) {
		run->offsets[i] = sum;
		sum += (size_t)sched_number(counts, i) * unit;
	}
	run->offsets[n] = sum;
	*offsets = run->offsets;
	return MPI_SUCCESS;
}

/* ---- scratch memory ---- */

static size_t magnitude(MPI_Aint x)
{
	return x < 0 ? (size_t)-x : (size_t)x;
}

/* The number of bytes for n elements of t that begin at some multiple of 64. */
static size_t scratch_need(const struct type *t, size_t n)
{
	size_t span = (size_t)t->true_extent, bytes;

	if (n == 0)
		return 0;
	if (__builtin_mul_overflow(magnitude(t->extent), n - 1, &bytes) ||
		__builtin_add_overflow(bytes, span, &bytes) || bytes > SIZE_MAX / 8)
		return SIZE_MAX / 8;
	return (bytes + 63 + 64) / 64 * 64;
}

/* Unit 0 of a buffer in scratch memory at p: its address is congruent to 0, as the user's buffers'
 * is, and the lowest byte of data of all elements is at p or just above. */
static uintptr_t scratch_base(const struct type *t, size_t n, uintptr_t p)
{
	intptr_t lowest = t->true_lb;

	if (t->extent < 0 && n > 0)
		lowest += t->extent * (intptr_t)(n - 1);
	return (p - (uintptr_t)lowest + 63) & ~(uintptr_t)63;
}

/* Memory for those that are not the caller's, which need so many bytes each. */
static int take_scratch(struct coll_run *run, const size_t need[SCHED_BUFS], size_t total)
{
	uintptr_t p = (uintptr_t)run->small;

	if (total > sizeof run->small) {
		run->scratch_bytes = total;
		run->scratch = coll_scratch_take(&run->scratch_bytes);
		if (!run->scratch)
			return fail_with(MPI_ERR_NO_MEM,
				"no memory for %zu bytes beside the caller's buffers", total);
		p = (uintptr_t)run->scratch;
	}
	for (int i = 0; i < SCHED_BUFS; i++) {
		if (need[i] > 0)
			run->buf[i].base = scratch_base(run->scratch_type, run->s.high[i], p);
		p += need[i];
	}
	return MPI_SUCCESS;
}

/* Every buffer that is not the caller's becomes scratch, also one of no length: steps may name it.
 */
int coll_run_ready(struct coll_run *run, int planned)
{
	size_t need[SCHED_BUFS] = {0}, total = 0;

	if (planned == MPI_SUCCESS && run->s.failed)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the plan of the operation");
	if (planned != MPI_SUCCESS || run->s.n == 0)
		return planned;
	for (int i = 0; i < SCHED_BUFS; i++) {
		if (run->buf[i].type)
			continue;
		if (run->s.high[i] > 0)
			total += need[i] = scratch_need(run->scratch_type, run->s.high[i]);
		run->buf[i].base = (uintptr_t)run->small;
		run->buf[i].type = run->scratch_type;
	}
	return total > 0 ? take_scratch(run, need, total) : MPI_SUCCESS;
}

static void typed_free(struct coll_typed *typed)
{
	for (int i = 0; i < typed->n; i++)
		type_release(typed->types[i]);
	free(typed);
}

void coll_run_free(struct coll_run *run)
{
	if (run->scratch)
		coll_scratch_give(run->scratch, run->scratch_bytes);
	for (int i = SCHED_IN; i <= SCHED_OUT; i++)
		if (run->buf[i].typed)
			typed_free(run->buf[i].typed);
	if (run->offsets)
		free(run->offsets);
	free(run->numbers);
	sched_free(&run->s);
}
