/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What may come of words about a window, by rules of its own: those that were obeyed were as long
 * as they said, and an answer that was taken is one to the oldest questions.
 */
#include "mpi/rma/rma_wire.h"
#include "rma_words.h"
#include "mpi/type/type_table.h"

void words_note_wish(int peer, size_t bytes)
{
	struct words_wishes *wishes = &f.wishes[peer];

	wishes->bytes[wishes->end++] = bytes;
}

/* ---- what another asks ---- */

static bool is_question(uint32_t kind)
{
	return kind >= RMA_PUT && kind <= RMA_COMPARE_AND_SWAP;
}

/* It was not refused. */
static bool was_obeyed(void)
{
	return f.said & (1u << RMA_DONE | 1u << RMA_DATA);
}

static uint64_t data_of(const struct rma_head *say)
{
	switch ((enum rma_kind)say->kind) {
	case RMA_GET:
		return 0;
	case RMA_COMPARE_AND_SWAP:
		return 2 * say->bytes;
	case RMA_GET_ACCUMULATE:
		return (MPI_Op)(uintptr_t)say->op == MPI_NO_OP ? 0 : say->bytes;
	default:
		return say->bytes;
	}
}

static bool has_whole_elements(const struct rma_head *say)
{
	const struct type *t = type_predefined((MPI_Datatype)(uintptr_t)say->basic);

	return t && t->size && say->bytes % t->size == 0;
}

static void judge_question(const struct rma_head *say, size_t len)
{
	uint64_t layout = (say->layout_len + UINT64_C(15)) / 16 * 16;

	FUZZ_CHECK(layout <= len, "a layout of %u bytes in %zu", say->layout_len, len);
	FUZZ_CHECK(len - layout == data_of(say), "kind %u has %zu bytes of data", say->kind,
		(size_t)(len - layout));
	if (say->kind == RMA_ACCUMULATE || say->kind == RMA_GET_ACCUMULATE)
		FUZZ_CHECK(
			has_whole_elements(say), "%zu bytes of such elements", (size_t)say->bytes);
	if (f.said & 1u << RMA_DATA)
		FUZZ_CHECK(f.data == say->bytes, "%zu bytes for %zu", (size_t)f.data,
			(size_t)say->bytes);
}

/* ---- what it is answered ---- */

static void judge_answer(int peer, const struct rma_head *say, size_t len, unsigned settled)
{
	struct words_wishes *wishes = &f.wishes[peer];

	FUZZ_CHECK(say->kind == RMA_DONE ? settled == say->bytes : settled == 1,
		"%u questions are settled by kind %u", settled, say->kind);
	for (unsigned i = 0; i < settled; i++) {
		size_t wish = wishes->bytes[wishes->next++];

		FUZZ_CHECK(wishes->next <= wishes->end, "rank %d answers more", peer);
		if (say->kind == RMA_DONE)
			FUZZ_CHECK(wish == 0, "no data for %zu bytes", wish);
		if (say->kind == RMA_DATA)
			FUZZ_CHECK(wish && len == say->bytes && len <= wish,
				"%zu bytes of %zu for %zu", len, (size_t)say->bytes, wish);
	}
}

void words_judge(int peer, const struct rma_head *say, size_t len)
{
	unsigned left = f.wishes[peer].end - f.wishes[peer].next;
	unsigned settled = left - f.w.peers[peer].unanswered;

	if (is_question(say->kind) && was_obeyed())
		judge_question(say, len);
	if (settled)
		judge_answer(peer, say, len, settled);
}
