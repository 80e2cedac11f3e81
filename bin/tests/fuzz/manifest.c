/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a manifest, and names in a session's folder. The first byte: 1 the checksum in the
 * last line is mended, 2 it is a name and not a manifest. The rest is the text.
 */
#include <xxhash.h>

#include "base/error.h"
#include "ckpt/manifest.h"
#include "ckpt/name.h"
#include "fuzz.h"

enum { MEND = 1, NAME = 2, CHECK_BYTES = 23 };

/* What is taken for ours is what would be written. */
static void name(const char *text)
{
	struct ckpt_name n = ckpt_name_parse(text);
	struct ckpt_path path;

	if (n.kind == CKPT_NAME_FOREIGN)
		return;
	ckpt_name_format(&path, "dir", n);
	FUZZ_CHECK(strncmp(path.text, "dir/", 4) == 0 && strcmp(path.text + 4, text) == 0,
		"%s was taken for %s", text, path.text);
}

static void mend(char *text, size_t len)
{
	char check[CHECK_BYTES + 1];

	if (len < CHECK_BYTES)
		return;
	snprintf(check, sizeof check, "check %016llx\n",
		(unsigned long long)XXH3_64bits(text, len - CHECK_BYTES));
	memcpy(text + len - CHECK_BYTES, check, CHECK_BYTES);
}

/* What is accepted is what would be written. */
static void manifest(const char *text, size_t len)
{
	struct ckpt_manifest m = {0};
	char err[512] = "", *again;
	int rc = ckpt_manifest_decode(&m, text, len, "PATH", (struct ckpt_err){err, sizeof err});
	size_t wrote;

	if (rc) {
		FUZZ_CHECK(rc == FT_EDAMAGED || rc == FT_EMISMATCH, "refused with %d", rc);
		fuzz_check_sentence(err, sizeof err);
		FUZZ_CHECK(strncmp(err, "PATH: ", 6) == 0, "no path: %s", err);
		FUZZ_CHECK(!m.ranks, "refused, and yet given");
		return;
	}
	FUZZ_CHECK(m.size > 0 && m.ranks, "a line of no ranks");
	again = ckpt_manifest_encode(&m, &wrote);
	FUZZ_CHECK(again, "out of memory");
	FUZZ_CHECK(
		wrote == len && memcmp(again, text, len) == 0, "it would be written as %s", again);
	free(again);
	ckpt_manifest_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int how = script_u8(&in);
	size_t len = (size_t)(in.end - in.at);
	char *text = script_text(&in, FUZZ_INPUT_MAX);

	if (how & MEND)
		mend(text, len);
	if (how & NAME)
		name(text);
	else
		manifest(text, len);
	free(text);
	return 0;
}
