/* SPDX-License-Identifier: BSD-3-Clause */
/* How many messages a section of messages in transit holds, and of how many bytes. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/plural.h"
#include "ckpt/section_messages.h"
#include "json.h"
#include "tool.h"

struct sum {
	uint32_t messages;
	uint64_t bytes;
};

/* The section is valid. */
static struct sum sum_of(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct sum s = {.messages = cursor_u32(&c)};
	struct section_message e;
	const uint8_t *contents;

	for (uint32_t i = 0; i < s.messages && section_messages_read(&c, &e, &contents); i++)
		s.bytes += e.length;
	return s;
}

/* 0, or an error with a sentence in err. */
static int read_sum(struct ckpt_reader *r, uint32_t i, struct sum *out, struct ckpt_err err)
{
	size_t len = (size_t)r->entries[i].len;
	uint8_t *bytes = malloc(len + 1);
	int rc = bytes ? ckpt_reader_section(r, i, bytes, err)
		       : ckpt_says(err, FT_ENOMEM, r->path.text, "no memory for its messages");

	if (rc == 0 && !section_messages_valid(bytes, len, (int)r->header.id.size))
		rc = ckpt_says(err, FT_EDAMAGED, r->path.text,
			"section %u holds no messages, although it says so", i);
	if (rc == 0)
		*out = sum_of(bytes, len);
	free(bytes);
	return rc;
}

bool show_messages(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	char problem[SENTENCE_BYTES] = "";
	struct sum sum = {0};
	bool well = read_sum(r, i, &sum, (struct ckpt_err){problem, sizeof problem}) == 0;

	if (o->json) {
		json_string_or_null("problem", problem);
		json_unsigned("messages", sum.messages);
		json_unsigned("message_bytes", sum.bytes);
	} else if (well) {
		printf("             %" PRIu32 " message%s in transit, %s\n", sum.messages,
			plural(sum.messages), text_bytes(sum.bytes).v);
	} else {
		printf("             %s\n", problem);
	}
	return well;
}
