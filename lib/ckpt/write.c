/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of one rank, of sections that are all there. */
#include "ckpt/ckpt.h"
#include "ckpt/out.h"

int ckpt_write(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_identity *id,
	uint32_t line, const struct ckpt_section *s, size_t n, uint64_t *seal, uint64_t *bytes,
	char *err, size_t errsize)
{
	struct ckpt_out_plan plan = {
		.fs = fs, .session_dir = session_dir, .id = *id, .line = line, .sections = n};
	struct ckpt_out *o;
	int rc;

	for (size_t i = 0; i < n; i++)
		plan.bytes += s[i].len;
	rc = ckpt_out_begin(&o, &plan, err, errsize);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (ckpt_out_append(o, &s[i]) != 0)
			break;
	return ckpt_out_finish(o, seal, bytes, err, errsize);
}
