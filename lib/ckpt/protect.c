/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/protect.h"

#include <stdlib.h>

#include "base/error.h"

static struct ckpt_protected *slot(const struct ckpt_registry *r, uint32_t id)
{
	struct ckpt_protected *page = id <= CKPT_ID_MAX ? r->pages[id / CKPT_IDS_PAGE] : NULL;

	return page ? &page[id % CKPT_IDS_PAGE] : NULL;
}

int ckpt_protect(struct ckpt_registry *r, uint32_t id, void *addr, uint64_t bytes, uint32_t type,
	uint64_t count)
{
	struct ckpt_protected **page, *p;

	if (id > CKPT_ID_MAX || !addr)
		return FT_EINVAL;
	page = &r->pages[id / CKPT_IDS_PAGE];
	if (!*page)
		*page = calloc(CKPT_IDS_PAGE, sizeof **page);
	if (!*page)
		return FT_ENOMEM;
	p = slot(r, id);
	r->count += !p->used;
	*p = (struct ckpt_protected){true, id, type, addr, bytes, count};
	return 0;
}

int ckpt_unprotect(struct ckpt_registry *r, uint32_t id)
{
	struct ckpt_protected *p = slot(r, id);

	if (!p || !p->used)
		return FT_ENONE;
	p->used = false;
	r->count--;
	return 0;
}

const struct ckpt_protected *ckpt_protected_find(const struct ckpt_registry *r, uint32_t id)
{
	struct ckpt_protected *p = slot(r, id);

	return p && p->used ? p : NULL;
}

const struct ckpt_protected *ckpt_protected_next(
	const struct ckpt_registry *r, const struct ckpt_protected *after)
{
	for (uint32_t id = after ? after->id + 1 : 0; id <= CKPT_ID_MAX; id++) {
		struct ckpt_protected *p = slot(r, id);

		if (!p)
			id |= CKPT_IDS_PAGE - 1; /* to the end of a page without any */
		else if (p->used)
			return p;
	}
	return NULL;
}

void ckpt_registry_free(struct ckpt_registry *r)
{
	for (size_t i = 0; i < sizeof r->pages / sizeof *r->pages; i++)
		free(r->pages[i]);
	*r = (struct ckpt_registry){0};
}
