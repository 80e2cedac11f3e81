/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_check.h"
#include "mpi/handle/fail.h"

#include <stdint.h>

int coll_check_counts(int n, const char *name, struct sched_numbers counts, MPI_Count *sum)
{
	*sum = 0;
	if (n > 0 && !sched_given(counts))
		return fail_with(MPI_ERR_ARG, "the array of counts for %s is a null pointer", name);
	for (int i = 0; i < n; i++) {
		int64_t count = sched_number(counts, i);

		if (count < 0)
			return fail_with(MPI_ERR_COUNT, "counts[%d] for %s is %lld, less than 0", i,
				name, (long long)count);
		if (__builtin_add_overflow(*sum, count, sum))
			return fail_with(MPI_ERR_COUNT,
				"the counts for %s make more than 2^63 together", name);
	}
	return MPI_SUCCESS;
}

static int check_count(const char *name, MPI_Count count)
{
	if (count < 0)
		return fail_with(MPI_ERR_COUNT, "the count for %s is %lld, less than 0", name,
			(long long)count);
	return MPI_SUCCESS;
}

int coll_check_bytes(const char *name, MPI_Count count, size_t blocks, const struct type *t)
{
	size_t bytes;

	if (!__builtin_mul_overflow((size_t)count, t->size, &bytes) &&
		!__builtin_mul_overflow(bytes, blocks, &bytes) && bytes <= PTRDIFF_MAX)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_COUNT,
		"%s would be larger than all memory: %lld elements of %zu "
		"bytes, times %zu",
		name, (long long)count, t->size, blocks);
}

/* MPI_BOTTOM makes sense with a type of absolute addresses only (MPI 5.0 section 5.1.12). */
int coll_check_buffer(const char *name, const void *buf, const struct type *t, bool empty)
{
	if (buf == MPI_IN_PLACE)
		return fail_with(MPI_ERR_BUFFER, "%s cannot be MPI_IN_PLACE here", name);
	if (buf == MPI_BOTTOM && !empty && t->contiguous)
		return fail_with(
			MPI_ERR_BUFFER, "%s is a null pointer and the count is not 0", name);
	return MPI_SUCCESS;
}

static int check_irregular(int blocks, const struct coll_said *said, MPI_Count *total)
{
	int rc = coll_check_counts(blocks, said->name, said->counts, total);

	if (rc == MPI_SUCCESS && blocks > 0 && !sched_given(said->displs))
		rc = fail_with(MPI_ERR_ARG, "the array of displacements for %s is a null pointer",
			said->name);
	return rc;
}

int coll_check_side(int blocks, const struct coll_said *said, struct coll_side *out)
{
	struct coll_side s = {.buf = (void *)(uintptr_t)said->buf,
		.irregular = said->irregular,
		.counts = said->counts,
		.displs = said->displs};
	MPI_Count total = said->count;
	int rc = said->irregular ? check_irregular(blocks, said, &total)
				 : check_count(said->name, total);

	if (rc == MPI_SUCCESS)
		rc = type_lookup_for(said->datatype, total, &s.type);
	if (rc == MPI_SUCCESS)
		rc = coll_check_bytes(
			said->name, total, said->irregular ? 1 : (size_t)blocks, s.type);
	if (rc != MPI_SUCCESS)
		return rc;
	if (!said->irregular)
		s.count = (size_t)total;
	s.empty = total == 0 || blocks == 0 || s.type->size == 0;
	rc = coll_check_buffer(said->name, said->buf, s.type, s.empty);
	if (rc == MPI_SUCCESS)
		*out = s;
	return rc;
}

struct coll_side coll_check_no_side(const struct coll_said *said)
{
	return (struct coll_side){.irregular = said->irregular};
}

/* The i-th blocks, where both have one, begin at the same byte. */
static bool same_place(const struct coll_side *a, const struct coll_side *b, int i)
{
	return sched_number(a->counts, i) > 0 && sched_number(b->counts, i) > 0 &&
	       (uint64_t)sched_number(a->displs, i) * (uint64_t)a->type->extent ==
		       (uint64_t)sched_number(b->displs, i) * (uint64_t)b->type->extent;
}

/* With displacements both may lie in one array, as a field and its borders do. */
static bool overlap(const struct coll_side *a, const struct coll_side *b, int blocks)
{
	bool same = !a->irregular || !b->irregular;

	for (int i = 0; i < blocks && !same; i++)
		same = same_place(a, b, i);
	return same;
}

int coll_check_apart(const struct coll_side *a, const struct coll_side *b, int blocks)
{
	if (a->buf != b->buf || a->buf == MPI_BOTTOM || a->empty || b->empty ||
		!overlap(a, b, blocks))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same memory: give "
					 "MPI_IN_PLACE instead of one of them");
}

/* Where the data of the first element at buf begins. */
static uintptr_t data_at(const struct type *t, const void *buf, MPI_Aint displ)
{
	return (uintptr_t)buf + (uintptr_t)displ * (uintptr_t)t->extent + (uintptr_t)t->true_lb;
}

int coll_check_own(const struct coll_side *own, const struct coll_side *other, int i)
{
	MPI_Aint n, displ;

	if (own->buf == MPI_IN_PLACE || own->empty || other->empty)
		return MPI_SUCCESS;
	n = other->irregular ? sched_number(other->counts, i) : (MPI_Aint)other->count;
	displ = other->irregular ? sched_number(other->displs, i) : i * n;
	if (n == 0 || data_at(own->type, own->buf, 0) != data_at(other->type, other->buf, displ))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_BUFFER,
		"this rank's block of sendbuf and of recvbuf are the same memory: give "
		"MPI_IN_PLACE instead of it");
}

int coll_check_both(int blocks, const struct coll_said *said_own, struct coll_side *own,
	const struct coll_said *said_other, struct coll_side *other)
{
	int rc = coll_check_side(blocks, said_other, other);

	if (rc != MPI_SUCCESS)
		return rc;
	if (said_own->buf == MPI_IN_PLACE) {
		*own = coll_check_no_side(said_own);
		own->buf = MPI_IN_PLACE;
		return MPI_SUCCESS;
	}
	rc = coll_check_side(blocks, said_own, own);
	return rc ? rc : coll_check_apart(own, other, blocks);
}

static int check_vectors(const struct coll_said_reduction *said, const struct type *t)
{
	bool empty = said->count == 0 || t->size == 0;
	bool in_place = said->has_result && said->in == MPI_IN_PLACE;
	int rc = in_place ? MPI_SUCCESS : coll_check_buffer("sendbuf", said->in, t, empty);

	if (rc == MPI_SUCCESS && said->has_result)
		rc = coll_check_buffer("recvbuf", said->out, t, empty);
	if (rc == MPI_SUCCESS && said->has_result && said->in == said->out && !empty &&
		said->in != MPI_BOTTOM)
		rc = fail_with(MPI_ERR_BUFFER,
			"sendbuf and recvbuf are the same memory: give MPI_IN_PLACE as sendbuf");
	return rc;
}

int coll_check_reduction(const struct coll_said_reduction *said, struct coll_reduction *out)
{
	struct coll_reduction r = {.in = said->in, .out = said->out};
	int rc = check_count("the reduction", said->count);

	if (rc == MPI_SUCCESS)
		rc = type_lookup_for(said->datatype, said->count, &r.type);
	if (rc == MPI_SUCCESS)
		rc = coll_check_bytes("the vector", said->count,
			said->blocks > 0 ? (size_t)said->blocks : 1, r.type);
	if (rc == MPI_SUCCESS)
		rc = op_lookup(said->op, &r.op);
	if (rc == MPI_SUCCESS && said->datatype != MPI_DATATYPE_NULL)
		rc = op_check(r.op, r.type);
	if (rc == MPI_SUCCESS)
		rc = check_vectors(said, r.type);
	if (rc != MPI_SUCCESS)
		return rc;
	r.count = (size_t)said->count;
	*out = r;
	return MPI_SUCCESS;
}
