/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte for the ranks of the job, then the bytes of CKPT_COMMUNICATORS. */
#include "ckpt/section_communicators.h"

#include "section.h"

static void write_again(const uint8_t *bytes, size_t len, int size, struct writer *w)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_section(data, size, section_communicators_valid, write_again);
	return 0;
}
