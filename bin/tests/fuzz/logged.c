/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte for the ranks of the job, then the bytes of CKPT_LOGGED. */
#include "ckpt/section_logged.h"

#include "fuzz.h"

static void read_all(const uint8_t *bytes, size_t len, int size, struct writer *w)
{
	struct cursor c = cursor_over(bytes, len);
	const uint8_t *contents;
	struct section_logged e;
	uint32_t count = cursor_u32(&c);

	writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++)
		writer_u64(w, cursor_u64(&c));
	count = cursor_u32(&c);
	writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(section_logged_read(&c, &e, &contents), "message %u was accepted", i);
		FUZZ_CHECK(e.peer >= 0 && e.peer < size, "message %u is of rank %d", i, e.peer);
		section_logged_write(w, &e);
		if (contents)
			writer_bytes(w, contents, (size_t)e.length);
	}
}

/* What is accepted is what would be written. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size < FUZZ_INPUT_MAX ? size : FUZZ_INPUT_MAX;
	uint8_t *bytes = malloc(len + 1), *again = malloc(len + 1);
	int ranks = len > 0 ? data[0] : 0;
	struct writer w = writer_over(again, len);

	FUZZ_CHECK(bytes && again, "out of memory");
	len -= len > 0;
	if (len)
		memcpy(bytes, data + 1, len);
	if (section_logged_valid(bytes, len, ranks)) {
		read_all(bytes, len, ranks, &w);
		FUZZ_CHECK(!w.bad && w.at == again + len && memcmp(bytes, again, len) == 0,
			"it would be others");
	}
	free(again);
	free(bytes);
	return 0;
}
