/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_pace.h"

static bool is_full(const struct ckpt_held *held)
{
	return held->copies >= PACE_COPIES_MOST ||
	       (held->copies >= PACE_COPIES && held->bytes >= PACE_BYTES);
}

/* A rank that holds nothing has time for any line, and shall come back to all of them. */
bool ckpt_pace_takes(struct ckpt_pace *p, uint32_t line, const struct ckpt_held *held)
{
	uint32_t stride = p->stride ? p->stride : 1;

	if (held->copies == 0) {
		p->stride = stride > 1 ? stride / 2 : 1;
		return true;
	}
	if (line % stride != 0)
		return false;
	if (!is_full(held))
		return true;
	p->stride = stride < PACE_STRIDE_MOST ? 2 * stride : stride;
	return false;
}
