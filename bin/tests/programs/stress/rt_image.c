/* SPDX-License-Identifier: BSD-3-Clause */
#include "rt_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 48 };

static uint64_t scramble(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* Items of a stream are random bytes; a bool stays a bool, and padding stays as it was. */
static void write_random(const void *arg, size_t k, int basic, void *at)
{
	const struct rt_basic *b = &rt_basics[basic];
	uint64_t stream = *(const uint64_t *)arg;
	uint64_t word = scramble(stream + k * UINT64_C(0x9e3779b97f4a7c15));
	unsigned char bytes[32];
	if (b->class == RT_BOOL)
		word &= 1;
	if (b->solid[0] <= 8 && b->solid[1] == 0) {
		memcpy(at, &word, b->solid[0]);
		return;
	}
	for (size_t i = 0; i < sizeof(bytes) / 8; i++) {
		memcpy(bytes + 8 * i, &word, 8);
		word = scramble(word + i);
	}
	memcpy(at, bytes, b->solid[0]);
	memcpy((char *)at + b->second, bytes + 16, b->solid[1]);
}

void rt_image_make(
	struct rt_image *m, struct rt_case *c, const struct rt_layout *l, size_t elements)
{
	ptrdiff_t low = l->true_lb < 0 ? l->true_lb : 0, high = 0;
	if (elements > 0)
		high = (ptrdiff_t)(elements - 1) * (l->ub - l->lb) + l->true_ub;
	high = high > 0 ? high : 0;
	size_t origin = (GUARD + (size_t)-low + 15) / 16 * 16 + l->align * rng_below(&c->own, 4);
	*m = (struct rt_image){.c = c, .layout = l, .elements = elements};
	m->bytes = origin + (size_t)high + GUARD;
	m->have = prog_alloc(c->prog, m->bytes);
	m->want = prog_alloc(c->prog, m->bytes);
	m->buf = m->have + origin;
	rt_image_clear(m);
}

/* Holes of one buffer must not look like those of another: then a copied hole is seen. */
void rt_image_clear(struct rt_image *m)
{
	int fill = (int)(1 + rng_below(&m->c->own, 255));
	memset(m->have, fill, m->bytes);
	memset(m->want, fill, m->bytes);
}

void rt_image_write(struct rt_image *m, enum rt_sides sides, size_t first, size_t units,
	rt_writer *writer, const void *arg)
{
	const struct rt_layout *l = m->layout;
	size_t per_unit = (size_t)(l->n / l->units), items = units * per_unit, k = 0;
	ptrdiff_t extent = l->ub - l->lb, origin = m->buf - m->have;
	if (units > (m->elements - first) * (size_t)l->units)
		rt_wrong(m->c, "the test itself writes behind its buffer");
	for (ptrdiff_t base = origin + (ptrdiff_t)first * extent; k < items; base += extent)
		for (int i = 0; i < l->n && k < items; i++, k++) {
			ptrdiff_t at = base + l->item[i].at;
			if (sides & RT_HAVE)
				writer(arg, k, l->item[i].basic, m->have + at);
			if (sides & RT_WANT)
				writer(arg, k, l->item[i].basic, m->want + at);
		}
}

void rt_image_put(
	struct rt_image *m, enum rt_sides sides, size_t first, size_t units, uint64_t stream)
{
	rt_image_write(m, sides, first, units, write_random, &stream);
}

/* Padding inside a basic type may be copied or not. */
static void clear_padding_of(unsigned char *at, const struct rt_basic *b)
{
	size_t end = b->solid[1] > 0 ? b->second : b->size;
	memset(at + b->solid[0], 0, end - b->solid[0]);
	if (b->solid[1] > 0)
		memset(at + b->second + b->solid[1], 0, b->size - b->second - b->solid[1]);
}

static void clear_padding(struct rt_image *m)
{
	const struct rt_layout *l = m->layout;
	for (int i = 0; i < l->n; i++) {
		const struct rt_basic *b = &rt_basics[l->item[i].basic];
		if (b->solid[0] + b->solid[1] == b->size)
			continue;
		for (size_t e = 0; e < m->elements; e++) {
			ptrdiff_t at =
				m->buf - m->have + (ptrdiff_t)e * (l->ub - l->lb) + l->item[i].at;
			clear_padding_of(m->have + at, b);
			clear_padding_of(m->want + at, b);
		}
	}
}

static void report(const struct rt_image *m, const char *what, size_t byte)
{
	const struct rt_layout *l = m->layout;
	ptrdiff_t rel = (ptrdiff_t)byte - (m->buf - m->have), extent = l->ub - l->lb;
	char place[100] = "in a hole";
	for (size_t e = 0; e < m->elements; e++)
		for (int i = 0; i < l->n; i++) {
			ptrdiff_t at = (ptrdiff_t)e * extent + l->item[i].at;
			ptrdiff_t size = (ptrdiff_t)rt_basics[l->item[i].basic].size;
			if (rel >= at && rel < at + size)
				snprintf(place, sizeof(place), "in item %d (%s) of element %zu", i,
					rt_basics[l->item[i].basic].name, e);
		}
	rt_wrong(m->c, "%s: byte %td of %zu elements %s, %s, is 0x%02x, not 0x%02x", what, rel,
		m->elements, l->name, place, m->have[byte], m->want[byte]);
}

void rt_image_check(struct rt_image *m, const char *what)
{
	size_t byte = 0;
	clear_padding(m);
	if (memcmp(m->have, m->want, m->bytes) == 0)
		return;
	while (m->have[byte] == m->want[byte])
		byte++;
	report(m, what, byte);
}

void rt_image_free(struct rt_image *m)
{
	free(m->have);
	free(m->want);
}

void rt_side_make(
	struct rt_side *s, struct rt_case *c, const struct rt_pattern *p, size_t units, size_t room)
{
	int per_element = rt_units_draw(&c->own, units);
	bool large = room * rt_pattern_bytes(p) > 65536;
	rt_layout_draw(c, &c->own, p, per_element, large, &s->layout);
	rt_image_make(
		&s->image, c, &s->layout, (room + (size_t)per_element - 1) / (size_t)per_element);
}

int rt_side_count(const struct rt_side *s, size_t units)
{
	return (int)(units / (size_t)s->layout.units);
}

void rt_side_close(struct rt_side *s, const char *what)
{
	rt_image_check(&s->image, what);
	rt_image_free(&s->image);
	rt_layout_free(&s->layout);
}
