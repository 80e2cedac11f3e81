/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of CKPT_OPERATIONS. */
#include "ckpt/section_operations.h"

#include "fuzz.h"

static void read_all(const uint8_t *bytes, size_t len, struct writer *w)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = cursor_u32(&c);
	struct section_operation e;
	const uint8_t *contents;

	writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(
			section_operations_read(&c, &e, &contents), "operation %u was accepted", i);
		FUZZ_CHECK(contents >= bytes &&
				   section_operations_bytes(&e) <= (size_t)(bytes + len - contents),
			"operation %u lies outside", i);
		FUZZ_CHECK(e.tag >= SECTION_OPERATION_TAG &&
				   e.tag < 2 * (uint32_t)SECTION_OPERATION_TAG,
			"its tag");
		FUZZ_CHECK((e.flags & SECTION_OPERATION_ACTIVE) || !section_operations_bytes(&e),
			"it is not active");
		section_operations_write(w, &e);
		writer_bytes(w, contents, (size_t)section_operations_bytes(&e));
	}
}

/* What is accepted is what would be written. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size < FUZZ_INPUT_MAX ? size : FUZZ_INPUT_MAX;
	uint8_t *bytes = malloc(len + 1), *again = malloc(len + 1);
	struct writer w = writer_over(again, len);

	FUZZ_CHECK(bytes && again, "out of memory");
	if (len)
		memcpy(bytes, data, len);
	if (section_operations_valid(bytes, len)) {
		read_all(bytes, len, &w);
		FUZZ_CHECK(!w.bad && w.at == w.end && memcmp(bytes, again, len) == 0,
			"it would be others");
	}
	free(again);
	free(bytes);
	return 0;
}
