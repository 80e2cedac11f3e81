/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a target's data. The first byte: how many copies, less 1; the second: bytes from
 * one to the next, in eights. The rest is the layout. */
#include "mpi/rma/rma_layout.h"

#include "fuzz.h"
#include "mpi/type/type.h"

enum { MEMORY_MOST = 1 << 20 };

/* What is written is what was understood. */
static void again(const struct layout *l)
{
	size_t len = rma_layout_bytes(l);
	uint8_t *bytes = malloc(len);
	struct layout *same;

	FUZZ_CHECK(bytes, "out of memory");
	rma_layout_write(l, bytes);
	same = rma_layout_read(bytes, len);
	FUZZ_CHECK(same && same->size == l->size, "it would not be read");
	layout_release(same);
	free(bytes);
}

/* Nothing outside the bounds is touched: the memory ends there. */
static void use(struct layout *l, uint64_t count, int64_t extent)
{
	struct type t = {.layout = l, .size = l->size, .extent = extent};
	int64_t low, high;
	char *memory, *packed;

	if (!rma_layout_bounds(l, count, extent, &low, &high))
		return;
	FUZZ_CHECK(low < high, "no bytes");
	if ((uint64_t)high - (uint64_t)low > MEMORY_MOST || count * l->size > MEMORY_MOST)
		return;
	memory = calloc(1, (size_t)(high - low));
	packed = malloc(count * l->size);
	FUZZ_CHECK(memory && packed, "out of memory");
	type_pack(&t, (char *)((uintptr_t)memory - (uintptr_t)low), count, packed);
	free(memory);
	free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	uint64_t count = 1 + (uint64_t)script_u8(&in);
	int64_t extent = 8 * (int64_t)(int8_t)script_u8(&in);
	struct layout *l = rma_layout_read(in.at, (size_t)(in.end - in.at));

	if (!l)
		return 0;
	again(l);
	use(l, count, extent);
	layout_release(l);
	return 0;
}
