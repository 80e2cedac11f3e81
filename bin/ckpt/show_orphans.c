/* SPDX-License-Identifier: BSD-3-Clause */
/* What a section of orphans holds. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "coord/orphans.h"
#include "json.h"
#include "tool.h"

static void one_range(const struct options *o, const struct orphan_range *r)
{
	if (!o->json) {
		printf("             peer %" PRIu32 ", context %#" PRIx64 ", tag %" PRId32
		       ": %" PRIu64 " to %" PRIu64 "\n",
			r->peer, r->context, r->tag, r->first, r->first + r->count - 1);
		return;
	}
	json_open(NULL, '{');
	json_unsigned("peer", r->peer);
	json_unsigned("context", r->context);
	json_number("tag", r->tag);
	json_unsigned("first", r->first);
	json_unsigned("count", r->count);
	json_close('}');
}

/* 0, or an error with a sentence in err. */
static int read_ranges(struct ckpt_reader *r, uint32_t i, struct orphans *out, struct ckpt_err err)
{
	size_t len = (size_t)r->entries[i].len;
	uint8_t *bytes = malloc(len + 1);
	int rc = bytes ? ckpt_reader_section(r, i, bytes, err)
		       : ckpt_says(err, FT_ENOMEM, r->path.text, "no memory for its orphans");

	if (rc == 0 && !orphans_valid(bytes, len, (int)r->header.id.size))
		rc = ckpt_says(err, FT_EDAMAGED, r->path.text,
			"section %u holds no orphans, although it says so", i);
	if (rc == 0 && !orphans_decode(out, bytes, len))
		rc = ckpt_says(err, FT_ENOMEM, r->path.text, "no memory for its orphans");
	free(bytes);
	return rc;
}

bool show_orphans(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	char problem[SENTENCE_BYTES] = "";
	struct orphans ranges = {0};
	bool well = read_ranges(r, i, &ranges, (struct ckpt_err){problem, sizeof problem}) == 0;

	if (o->json) {
		json_string_or_null("problem", problem);
		json_open("ranges", '[');
	} else if (!well) {
		printf("             %s\n", problem);
	}
	for (size_t k = 0; k < ranges.n; k++)
		one_range(o, &ranges.v[k]);
	if (o->json)
		json_close(']');
	orphans_free(&ranges);
	return well;
}
