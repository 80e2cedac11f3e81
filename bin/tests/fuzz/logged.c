/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte for the ranks of the job, then the bytes of CKPT_LOGGED. */
#include "ckpt/section_logged.h"

#include "section.h"

static void write_again(const uint8_t *bytes, size_t len, int size, struct writer *w)
{
	struct cursor c = cursor_over(bytes, len);
	const uint8_t *contents;
	struct section_logged e;
	uint32_t count = cursor_u32(&c);

	writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++) {
		struct section_logged_receive r = section_logged_read_receive(&c);

		section_logged_write_receive(w, &r);
	}
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_section(data, size, section_logged_valid, write_again);
	return 0;
}
