/* SPDX-License-Identifier: BSD-3-Clause */
#include "contents.h"

#include <string.h>

#include "process_map.h"

bool contents_next_entry(struct contents_maps *m, struct image_region *r, const char **name)
{
	if (m->left == 0 || m->bad)
		return false;
	m->bad = m->left < sizeof *r;
	if (!m->bad) {
		memcpy(r, m->at, sizeof *r);
		m->bad = r->name_length > m->left - sizeof *r;
	}
	if (m->bad)
		return false;
	*name = (const char *)m->at + sizeof *r;
	m->at += sizeof *r + r->name_length;
	m->left -= sizeof *r + r->name_length;
	return true;
}

bool contents_next_mapping(struct contents_maps *m, struct image_region *r, const char **name)
{
	if (!contents_next_entry(m, r, name))
		return false;
	m->bad = r->low >= r->high || r->low < m->high || r->kind > REGION_KERNEL;
	m->high = r->high;
	return !m->bad;
}

bool contents_next_run(struct contents_runs *c, const struct image_run *run)
{
	c->bad = c->left < sizeof *run || run->bytes > c->left - sizeof *run ||
		 run->address + run->bytes < run->address;
	if (c->bad)
		return false;
	c->at += sizeof *run + run->bytes;
	c->left -= sizeof *run + run->bytes;
	if (run->bytes == 0) {
		c->bad = c->left > 0;
		return false;
	}
	c->runs++;
	c->bytes += run->bytes;
	return true;
}
