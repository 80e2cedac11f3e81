/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_map.h"

#include <stdlib.h>

static void add(struct map *m, struct map_entry e)
{
	m->entries = realloc(m->entries, (m->n + 1) * sizeof(e));
	if (!m->entries)
		abort();
	m->entries[m->n++] = e;
}

struct map map_basic(size_t size, size_t align)
{
	struct map m = {0};

	add(&m, (struct map_entry){0, size, align, 0});
	return m;
}

struct map map_pair(ptrdiff_t second, size_t size1, size_t size2, size_t align)
{
	struct map m = {0};

	add(&m, (struct map_entry){0, size1, align, 0});
	add(&m, (struct map_entry){second, size2, align, 0});
	map_pad(&m);
	return m;
}

void map_append(struct map *all, const struct map *m, size_t count, ptrdiff_t at, ptrdiff_t stride)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < m->n; k++) {
			struct map_entry e = m->entries[k];

			e.at += at + (ptrdiff_t)i * stride;
			add(all, e);
		}
		/* the old type's padding counts as part of it */
		if (m->pad) {
			struct map_entry e = {map_lb(m) + map_extent(m), 0, 1, 2};

			e.at += at + (ptrdiff_t)i * stride;
			add(all, e);
		}
	}
}

void map_free(struct map *m)
{
	free(m->entries);
	*m = (struct map){0};
}

size_t map_size(const struct map *m)
{
	size_t size = 0;

	for (size_t i = 0; i < m->n; i++)
		size += m->entries[i].size;
	return size;
}

/* The least (which < 0) or greatest end of the entries that count. */
static bool data_end(const struct map *m, int which, bool padded, ptrdiff_t *end)
{
	bool any = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct map_entry *e = &m->entries[i];
		bool counts = e->size > 0 || (padded && e->bound == 2 && which > 0);
		ptrdiff_t here = which < 0 ? e->at : e->at + (ptrdiff_t)e->size;

		if (!counts)
			continue;
		if (!any || (which < 0 ? here < *end : here > *end))
			*end = here;
		any = true;
	}
	return any;
}

static bool bound_end(const struct map *m, int which, ptrdiff_t *end)
{
	bool any = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct map_entry *e = &m->entries[i];

		if (e->size > 0 || e->bound != which)
			continue;
		if (!any || (which < 0 ? e->at < *end : e->at > *end))
			*end = e->at;
		any = true;
	}
	return any;
}

ptrdiff_t map_lb(const struct map *m)
{
	ptrdiff_t lb = 0;

	if (!bound_end(m, -1, &lb))
		data_end(m, -1, true, &lb);
	return lb;
}

ptrdiff_t map_extent(const struct map *m)
{
	ptrdiff_t ub = 0;

	if (!bound_end(m, 1, &ub))
		data_end(m, 1, true, &ub);
	return ub + m->pad - map_lb(m);
}

ptrdiff_t map_true_lb(const struct map *m)
{
	ptrdiff_t lb = 0;

	data_end(m, -1, false, &lb);
	return lb;
}

ptrdiff_t map_true_extent(const struct map *m)
{
	ptrdiff_t ub = 0;

	data_end(m, 1, false, &ub);
	return ub - map_true_lb(m);
}

void map_pad(struct map *m)
{
	ptrdiff_t ub, align = 1, extent = map_extent(m);

	if (bound_end(m, 1, &ub))
		return;
	for (size_t i = 0; i < m->n; i++) {
		if ((ptrdiff_t)m->entries[i].align > align)
			align = (ptrdiff_t)m->entries[i].align;
	}
	while ((extent + m->pad) % align != 0)
		m->pad++;
}

void map_resize(struct map *m, ptrdiff_t lb, ptrdiff_t extent)
{
	size_t n = 0;

	m->pad = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (m->entries[i].size > 0)
			m->entries[n++] = m->entries[i];
	}
	m->n = n;
	add(m, (struct map_entry){lb, 0, 1, -1});
	add(m, (struct map_entry){lb + extent, 0, 1, 1});
}

void map_bytes(const struct map *m, size_t count, ptrdiff_t *out)
{
	ptrdiff_t extent = map_extent(m);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < m->n; k++) {
			for (size_t b = 0; b < m->entries[k].size; b++)
				*out++ = m->entries[k].at + (ptrdiff_t)(i * (size_t)extent + b);
		}
	}
}
