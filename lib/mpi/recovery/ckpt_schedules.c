/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_schedules.h"

#include <stdio.h>

#include "base/cursor.h"
#include "base/error.h"
#include "ckpt/section_messages.h"
#include "ckpt/section_schedules.h"
#include "coord/orphans.h"
#include "mpi/sched/sched.h"

static uint32_t version_of(const struct ckpt_loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->sections[i].kind == CKPT_SCHEDULES) {
			struct cursor c = cursor_over(l->sections[i].data, SECTION_SCHEDULES_BYTES);

			return section_schedules_read(&c);
		}
	return SECTION_SCHEDULES_UNNAMED;
}

/* ---- does it cut an operation? ---- */

/* The library's own plane; messages about windows have a context of their own. */
static bool is_of_operation(uint64_t context)
{
	return (context & 1) && !(context >> 63);
}

static bool messages_cut(const struct ckpt_section *s)
{
	struct cursor c = cursor_over(s->data, (size_t)s->len);
	const uint8_t *contents;
	struct section_message e;

	for (uint32_t left = cursor_u32(&c); left > 0 && section_messages_read(&c, &e, &contents);
		left--)
		if (is_of_operation(e.context))
			return true;
	return false;
}

static int orphans_cut(const struct ckpt_section *s, bool *cut)
{
	struct orphans o = {0};
	bool ok = orphans_decode(&o, s->data, (size_t)s->len);

	for (size_t i = 0; ok && i < o.n; i++)
		*cut = *cut || is_of_operation(o.v[i].context);
	orphans_free(&o);
	return ok ? 0 : FT_ENOMEM;
}

/* A persistent one that is not active counts, too: the line knows it by its schedule. */
static bool operations_cut(const struct ckpt_section *s)
{
	struct cursor c = cursor_over(s->data, (size_t)s->len);

	return cursor_u32(&c) > 0;
}

static int cuts(const struct ckpt_loaded *l, bool *cut)
{
	int rc = 0;

	*cut = false;
	for (size_t i = 0; i < l->n && rc == 0 && !*cut; i++) {
		const struct ckpt_section *s = &l->sections[i];

		if (s->kind == CKPT_MESSAGES)
			*cut = messages_cut(s);
		else if (s->kind == CKPT_OPERATIONS)
			*cut = operations_cut(s);
		else if (s->kind == CKPT_ORPHANS)
			rc = orphans_cut(s, cut);
	}
	return rc;
}

int ckpt_schedules_fit(const struct ckpt_loaded *l, char *err, size_t errsize)
{
	uint32_t version = version_of(l);
	bool cut;
	int rc;

	if (version == SCHED_VERSION)
		return 0;
	rc = cuts(l, &cut);
	if (rc)
		snprintf(err, errsize, "%s", ft_error_text(rc));
	if (rc || !cut)
		return rc;
	snprintf(err, errsize,
		"it cuts collective operations, which the library that made it does in another way "
		"than this one (schedules of version %u, here %u): restore it with that library",
		version, SCHED_VERSION);
	return FT_EMISMATCH;
}
