/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of a checkpoint that depend on the number of ranks: a byte for that, then the section.
 */
#ifndef FTMPI_TESTS_FUZZ_SECTION_H
#define FTMPI_TESTS_FUZZ_SECTION_H

#include "base/cursor.h"
#include "fuzz.h"

/* What `valid` accepts is what would be written: write_again reads it, and writes it to w. */
static inline void fuzz_section(const uint8_t *data, size_t size,
	bool (*valid)(const uint8_t *bytes, size_t len, int ranks),
	void (*write_again)(const uint8_t *bytes, size_t len, int ranks, struct writer *w))
{
	size_t len = size < FUZZ_INPUT_MAX ? size : FUZZ_INPUT_MAX;
	uint8_t *bytes = malloc(len + 1), *again = malloc(len + 1);
	int ranks = len > 0 ? data[0] : 0;
	struct writer w = writer_over(again, len);

	FUZZ_CHECK(bytes && again, "out of memory");
	len -= len > 0;
	if (len)
		memcpy(bytes, data + 1, len);
	if (valid(bytes, len, ranks)) {
		write_again(bytes, len, ranks, &w);
		FUZZ_CHECK(!w.bad && w.at == again + len && memcmp(bytes, again, len) == 0,
			"it would be others");
	}
	free(again);
	free(bytes);
}

#endif
