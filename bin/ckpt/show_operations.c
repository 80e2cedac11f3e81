/* SPDX-License-Identifier: BSD-3-Clause */
/* What a section of open collective operations holds. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/plural.h"
#include "json.h"
#include "ckpt/section_operations.h"
#include "tool.h"

static void one_operation(const struct options *o, const struct section_operation *e)
{
	bool persistent = e->flags & SECTION_OPERATION_PERSISTENT,
	     active = e->flags & SECTION_OPERATION_ACTIVE;

	if (!o->json) {
		printf("             context %#" PRIx64 ", operation %" PRIu32 "%s: ", e->context,
			e->tag & (SECTION_OPERATION_TAG - 1), persistent ? ", persistent" : "");
		if (active)
			printf("%" PRIu32 " round%s, %" PRIu64 " byte%s\n", e->rounds,
				e->rounds == 1 ? " is over" : "s are over", e->length,
				plural(e->length));
		else
			printf("not active\n");
		return;
	}
	json_open(NULL, '{');
	json_unsigned("context", e->context);
	json_unsigned("operation", e->tag & (SECTION_OPERATION_TAG - 1));
	json_bool("persistent", persistent);
	json_bool("active", active);
	json_unsigned("rounds", e->rounds);
	json_unsigned("error", e->error);
	json_unsigned("bytes", e->length);
	json_close('}');
}

static void each_operation(const struct options *o, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_operation e;
	const uint8_t *contents;

	for (uint32_t left = cursor_u32(&c); left > 0 && section_operations_read(&c, &e, &contents);
		left--)
		one_operation(o, &e);
}

/* 0 and the section's bytes, malloc'ed; or an error with a sentence in err. */
static int read_bytes(struct ckpt_reader *r, uint32_t i, uint8_t **out, struct ckpt_err err)
{
	size_t len = (size_t)r->entries[i].len;
	uint8_t *bytes = malloc(len + 1);
	int rc = bytes ? ckpt_reader_section(r, i, bytes, err)
		       : ckpt_says(err, FT_ENOMEM, r->path.text, "no memory for its operations");

	if (rc == 0 && !section_operations_valid(bytes, len))
		rc = ckpt_says(err, FT_EDAMAGED, r->path.text,
			"section %u holds no operations, although it says so", i);
	if (rc == 0)
		*out = bytes;
	else
		free(bytes);
	return rc;
}

bool show_operations(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	char problem[SENTENCE_BYTES] = "";
	uint8_t *bytes = NULL;
	bool well = read_bytes(r, i, &bytes, (struct ckpt_err){problem, sizeof problem}) == 0;

	if (o->json) {
		json_string_or_null("problem", problem);
		json_open("operations", '[');
	} else if (!well) {
		printf("             %s\n", problem);
	}
	if (well)
		each_operation(o, bytes, (size_t)r->entries[i].len);
	if (o->json)
		json_close(']');
	free(bytes);
	return well;
}
