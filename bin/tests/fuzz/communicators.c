/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte for the ranks of the job, then the bytes of CKPT_COMMUNICATORS. */
#include "ckpt/section_communicators.h"

#include "fuzz.h"

static void read_all(const uint8_t *bytes, size_t len, int size, struct writer *w)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_communicator e;
	const uint8_t *ranks;
	uint32_t count;

	writer_u32(w, cursor_u32(&c));
	count = cursor_u32(&c);
	writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(section_communicators_read(&c, size, &e, &ranks),
			"communicator %u was accepted", i);
		FUZZ_CHECK(e.n > 0 && e.n <= (uint32_t)size && e.nremote <= (uint32_t)size,
			"communicator %u has too many processes", i);
		FUZZ_CHECK(ranks + 4 * (size_t)(e.n + e.nremote) == c.at, "its ranks");
		section_communicators_write(w, &e);
		writer_bytes(w, ranks, 4 * (size_t)(e.n + e.nremote));
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
	if (section_communicators_valid(bytes, len, ranks)) {
		read_all(bytes, len, ranks, &w);
		FUZZ_CHECK(!w.bad && w.at == again + len && memcmp(bytes, again, len) == 0,
			"it would be others");
	}
	free(again);
	free(bytes);
	return 0;
}
