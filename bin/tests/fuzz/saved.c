/* SPDX-License-Identifier: BSD-3-Clause */
/* What else lib/mpi finds in a recovery line. The first byte: 0 CKPT_MESSAGES, 1 the numbers of
 * collective operations (section_numbers.h). Of messages the next byte says how many ranks there
 * are.
 */
#include "base/cursor.h"
#include "ckpt/section_numbers.h"
#include "fuzz.h"
#include "ckpt/section_messages.h"

/* What is accepted is what would be written. */
static void messages(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	uint8_t *again = malloc(len + 1);
	struct writer w = writer_over(again, len);
	const uint8_t *contents;
	struct section_message e;
	uint32_t count = cursor_u32(&c);

	FUZZ_CHECK(again, "out of memory");
	writer_u32(&w, count);
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(section_messages_read(&c, &e, &contents), "message %u was accepted", i);
		FUZZ_CHECK(e.peer >= 0 && e.peer < size && e.tag >= 0, "of rank %d", e.peer);
		FUZZ_CHECK(section_messages_entry(&e) == SECTION_MESSAGES_ENTRY + (e.sync ? 8 : 0),
			"its length");
		section_messages_write(&w, &e);
		writer_bytes(&w, contents, (size_t)e.length);
	}
	FUZZ_CHECK(!w.bad && w.at == w.end && memcmp(bytes, again, len) == 0, "it would be others");
	free(again);
}

/* The first entry of a context counts. */
static void numbers(const uint8_t *bytes, size_t len)
{
	struct section_numbers_bytes n = {0};
	struct section_number found;
	struct cursor c = cursor_over(bytes, len);
	uint64_t context;

	if (!section_numbers_take(&n, bytes, len))
		return;
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		context = cursor_u64(&c);
		cursor_u32(&c);
		FUZZ_CHECK(cursor_u32(&c) < 4, "it has a bit that means nothing");
		FUZZ_CHECK(section_numbers_find(&n, context, &found), "an entry is not found");
	}
	FUZZ_CHECK(cursor_done(&c), "not all of it are entries");
	free(n.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	bool are_messages = !(script_u8(&in) & 1);
	int ranks = are_messages ? script_u8(&in) : 0;
	size_t len = (size_t)(in.end - in.at);
	uint8_t *bytes = malloc(len + 1);

	FUZZ_CHECK(bytes, "out of memory");
	if (len)
		memcpy(bytes, in.at, len);
	if (!are_messages)
		numbers(bytes, len);
	else if (section_messages_valid(bytes, len, ranks))
		messages(bytes, len, ranks);
	free(bytes);
	return 0;
}
