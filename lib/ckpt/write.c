/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of one rank, of sections that are all there. */
#include "ckpt/rank_folder.h"
#include "ckpt/ckpt.h"
#include "ckpt/out.h"

struct written {
	uint64_t seal, bytes;
};

static int write_all(struct ckpt_out_plan *plan, const struct ckpt_section *s, size_t n,
	struct written *out, struct ckpt_err err)
{
	struct ckpt_out *o;
	int rc;

	plan->sections = n;
	for (size_t i = 0; i < n; i++)
		plan->bytes += s[i].len;
	rc = ckpt_out_begin(&o, plan, err.text, err.size);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (ckpt_out_append(o, &s[i]) != 0)
			break;
	return ckpt_out_finish(o, &out->seal, &out->bytes, err.text, err.size);
}

int ckpt_write(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_identity *id,
	uint32_t line, const struct ckpt_section *s, size_t n, uint64_t *seal, uint64_t *bytes,
	char *err, size_t errsize)
{
	struct ckpt_out_plan plan = {.fs = fs, .session_dir = session_dir, .id = *id, .line = line};
	struct written w = {0};
	int rc = write_all(&plan, s, n, &w, (struct ckpt_err){err, errsize});

	*seal = w.seal;
	*bytes = w.bytes;
	return rc;
}

int ckpt_rank_folder_write(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_identity *id, uint32_t number, const struct ckpt_section *s, size_t n,
	struct ckpt_err err)
{
	struct ckpt_out_plan plan = {
		.fs = fs, .session_dir = session_dir, .id = *id, .line = number, .alone = true};
	struct written w;

	return write_all(&plan, s, n, &w, err);
}
