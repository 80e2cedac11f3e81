/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random datatypes beside their type maps. A layout begins as one unit (a basic type, or a struct
 * of basic types with gaps, in any order in memory) and is then replicated by contiguous, vector,
 * hvector, struct, indexed blocks or a subarray until it has the wanted number of units.
 * Displacements stay multiples of the strictest alignment.
 */
#include "rt_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest list of blocks; one more for an empty block. */
enum { BLOCKS_MAX = RT_UNITS_MAX + 1 };

static void add_name(struct rt_layout *l, const char *outer)
{
	char inner[sizeof(l->name)];
	memcpy(inner, l->name, sizeof(inner));
	snprintf(l->name, sizeof(l->name), "%s(%.60s)", outer, inner);
}

static void find_true_bounds(struct rt_layout *l)
{
	l->true_lb = PTRDIFF_MAX;
	l->true_ub = PTRDIFF_MIN;
	for (int i = 0; i < l->n; i++) {
		ptrdiff_t begin = l->item[i].at;
		ptrdiff_t end = begin + (ptrdiff_t)rt_basics[l->item[i].basic].size;
		l->true_lb = begin < l->true_lb ? begin : l->true_lb;
		l->true_ub = end > l->true_ub ? end : l->true_ub;
	}
}

/* The extent is padded to the strictest alignment (MPI 5.0 section 5.1.6). */
static void pad(struct rt_layout *l)
{
	ptrdiff_t align = (ptrdiff_t)l->align, over = (l->ub - l->lb) % align;
	if (over != 0)
		l->ub += align - over;
}

/* l becomes `copies` of itself at these displacements. */
static void replicate(struct rt_layout *l, const ptrdiff_t *at, int copies)
{
	struct rt_layout old = *l;
	l->n = 0;
	l->units = old.units * copies;
	l->lb = PTRDIFF_MAX;
	l->ub = PTRDIFF_MIN;
	for (int k = 0; k < copies; k++) {
		for (int i = 0; i < old.n; i++)
			l->item[l->n++] =
				(struct rt_item){old.item[i].at + at[k], old.item[i].basic};
		l->lb = old.lb + at[k] < l->lb ? old.lb + at[k] : l->lb;
		l->ub = old.ub + at[k] > l->ub ? old.ub + at[k] : l->ub;
	}
	find_true_bounds(l);
	pad(l);
}

/* The new type stands for the old one, which is no longer needed by its handle. */
static void take_type(struct rt_layout *l, MPI_Datatype type)
{
	if (l->derived)
		MPI_Type_free(&l->type);
	l->type = type;
	l->derived = true;
}

void rt_layout_basic(int basic, struct rt_layout *out)
{
	const struct rt_basic *b = &rt_basics[basic];
	*out = (struct rt_layout){.type = b->type, .n = 1, .units = 1, .align = b->align};
	out->item[0] = (struct rt_item){0, basic};
	out->ub = out->true_ub = (ptrdiff_t)b->size;
	snprintf(out->name, sizeof(out->name), "%s", b->name + strlen("MPI_"));
}

/* A random gap, a multiple of the alignment. */
static ptrdiff_t gap(struct rng *rng, size_t align, bool large)
{
	return (ptrdiff_t)(align * rng_below(rng, large ? 2 : 4));
}

/* Give each of n blocks of these sizes a place of its own, in random order in memory. */
static void place_blocks(
	struct rng *rng, const ptrdiff_t *size, int n, size_t align, bool large, ptrdiff_t *at)
{
	int order[BLOCKS_MAX];
	for (int i = 0; i < n; i++) {
		int j = (int)rng_below(rng, (size_t)i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	ptrdiff_t here = rng_chance(rng, 20) ? -gap(rng, align, large) : gap(rng, align, large);
	for (int i = 0; i < n; i++) {
		at[order[i]] = here;
		ptrdiff_t step = size[order[i]], over = step % (ptrdiff_t)align;
		here += step + (over != 0 ? (ptrdiff_t)align - over : 0) + gap(rng, align, large);
	}
}

/* One unit of a pattern of several basic types, as a struct. */
static void begin_struct(
	struct rng *rng, const struct rt_pattern *p, bool large, struct rt_layout *l)
{
	ptrdiff_t size[RT_PATTERN_MAX], at[RT_PATTERN_MAX];
	int lengths[RT_PATTERN_MAX];
	MPI_Aint displs[RT_PATTERN_MAX];
	MPI_Datatype types[RT_PATTERN_MAX], made;
	size_t align = 1;
	for (int i = 0; i < p->n; i++) {
		const struct rt_basic *b = &rt_basics[p->basic[i]];
		size[i] = (ptrdiff_t)b->size;
		align = b->align > align ? b->align : align;
	}
	place_blocks(rng, size, p->n, align, large, at);
	*l = (struct rt_layout){
		.n = p->n, .units = 1, .align = align, .lb = PTRDIFF_MAX, .ub = PTRDIFF_MIN};
	for (int i = 0; i < p->n; i++) {
		lengths[i] = 1;
		displs[i] = at[i];
		types[i] = rt_basics[p->basic[i]].type;
		l->item[i] = (struct rt_item){at[i], p->basic[i]};
	}
	find_true_bounds(l);
	l->lb = l->true_lb;
	l->ub = l->true_ub;
	pad(l);
	MPI_Type_create_struct(p->n, lengths, displs, types, &made);
	take_type(l, made);
	snprintf(l->name, sizeof(l->name), "struct{%s...%d}", rt_basics[p->basic[0]].name, p->n);
}

static void wrap_contiguous(struct rt_layout *l, int copies)
{
	ptrdiff_t at[RT_UNITS_MAX];
	MPI_Datatype made;
	for (int k = 0; k < copies; k++)
		at[k] = k * (l->ub - l->lb);
	MPI_Type_contiguous(copies, l->type, &made);
	replicate(l, at, copies);
	take_type(l, made);
	add_name(l, "contiguous");
}

static int divisor(struct rng *rng, int n)
{
	int d = 1 + (int)rng_below(rng, (size_t)n);
	while (n % d != 0)
		d--;
	return d;
}

/* Blocks of `length` a stride apart; the stride may be negative. */
static void wrap_vector(struct rng *rng, struct rt_layout *l, int copies, bool in_bytes, bool large)
{
	ptrdiff_t at[RT_UNITS_MAX], extent = l->ub - l->lb;
	int length = divisor(rng, copies), blocks = copies / length;
	int stride = length + (int)rng_below(rng, large ? 2 : 3);
	ptrdiff_t bytes = stride * extent;
	MPI_Datatype made;
	if (in_bytes)
		bytes = length * extent + gap(rng, l->align, large);
	if (rng_chance(rng, 25)) {
		stride = -stride;
		bytes = -bytes;
	}
	for (int k = 0; k < copies; k++)
		at[k] = k / length * bytes + k % length * extent;
	if (in_bytes)
		MPI_Type_create_hvector(blocks, length, bytes, l->type, &made);
	else
		MPI_Type_vector(blocks, length, stride, l->type, &made);
	replicate(l, at, copies);
	take_type(l, made);
	add_name(l, in_bytes ? "hvector" : "vector");
}

/* Copies in blocks of random length at random places, perhaps with an empty block of another type,
 * which must count for nothing. */
static void wrap_struct(struct rng *rng, struct rt_layout *l, int copies, bool large)
{
	ptrdiff_t extent = l->ub - l->lb, size[BLOCKS_MAX] = {0}, place[BLOCKS_MAX],
		  at[RT_UNITS_MAX];
	int lengths[BLOCKS_MAX], blocks = 0, k = 0;
	MPI_Aint displs[BLOCKS_MAX];
	MPI_Datatype types[BLOCKS_MAX], made;
	for (int left = copies; left > 0; left -= lengths[blocks++]) {
		lengths[blocks] = 1 + (int)rng_below(rng, (size_t)left);
		size[blocks] = lengths[blocks] * extent;
		types[blocks] = l->type;
	}
	place_blocks(rng, size, blocks, l->align, large, place);
	for (int b = 0; b < blocks; b++) {
		displs[b] = place[b];
		for (int i = 0; i < lengths[b]; i++)
			at[k++] = place[b] + i * extent;
	}
	if (rng_chance(rng, 20)) {
		lengths[blocks] = 0;
		displs[blocks] = -1000;
		types[blocks++] = MPI_LONG_DOUBLE;
	}
	MPI_Type_create_struct(blocks, lengths, displs, types, &made);
	replicate(l, at, copies);
	take_type(l, made);
	add_name(l, "struct");
}

/* In blocks of one length or not, at multiples of the extent or not. */
struct blocks {
	int n, lengths[BLOCKS_MAX], in_extents[BLOCKS_MAX];
	MPI_Aint in_bytes[BLOCKS_MAX];
};

static MPI_Datatype make_blocks(const struct blocks *b, bool even, bool extents, MPI_Datatype old)
{
	MPI_Datatype made = MPI_DATATYPE_NULL;
	if (even && extents)
		MPI_Type_create_indexed_block(b->n, b->lengths[0], b->in_extents, old, &made);
	else if (even)
		MPI_Type_create_hindexed_block(b->n, b->lengths[0], b->in_bytes, old, &made);
	else if (extents)
		MPI_Type_indexed(b->n, b->lengths, b->in_extents, old, &made);
	else
		MPI_Type_create_hindexed(b->n, b->lengths, b->in_bytes, old, &made);
	return made;
}

static void wrap_indexed(struct rng *rng, struct rt_layout *l, int copies, bool large)
{
	ptrdiff_t extent = l->ub - l->lb, size[BLOCKS_MAX], place[BLOCKS_MAX], at[RT_UNITS_MAX];
	bool even = rng_chance(rng, 50), extents = rng_chance(rng, 50);
	int length = divisor(rng, copies), k = 0;
	struct blocks b = {0};
	for (int left = copies; left > 0; left -= b.lengths[b.n++]) {
		b.lengths[b.n] = even ? length : 1 + (int)rng_below(rng, (size_t)left);
		size[b.n] = b.lengths[b.n] * extent;
	}
	place_blocks(rng, size, b.n, extents ? (size_t)extent : l->align, large, place);
	for (int i = 0; i < b.n; i++) {
		b.in_bytes[i] = place[i];
		b.in_extents[i] = (int)(place[i] / extent);
		for (int j = 0; j < b.lengths[i]; j++)
			at[k++] = place[i] + j * extent;
	}
	MPI_Datatype made = make_blocks(&b, even, extents, l->type);
	replicate(l, at, copies);
	take_type(l, made);
	add_name(l, extents ? "indexed" : "hindexed");
}

/* A rectangle of a larger one, whose bounds the type has. */
static void wrap_subarray(struct rng *rng, struct rt_layout *l, int copies)
{
	ptrdiff_t extent = l->ub - l->lb, at[RT_UNITS_MAX];
	int columns = divisor(rng, copies), sub[] = {copies / columns, columns}, size[2], start[2];
	bool fortran = rng_chance(rng, 50);
	MPI_Datatype made;
	for (int i = 0; i < 2; i++) {
		int more = (int)rng_below(rng, 3);
		size[i] = sub[i] + more;
		start[i] = (int)rng_below(rng, (size_t)more + 1);
	}
	for (int k = 0; k < copies; k++)
		at[k] = ((start[0] + k / columns) * size[1] + start[1] + k % columns) * extent;
	if (fortran) {
		int sizes[] = {size[1], size[0]}, subs[] = {sub[1], sub[0]};
		int starts[] = {start[1], start[0]};
		MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_FORTRAN, l->type, &made);
	} else {
		MPI_Type_create_subarray(2, size, sub, start, MPI_ORDER_C, l->type, &made);
	}
	replicate(l, at, copies);
	l->lb = 0;
	l->ub = size[0] * size[1] * extent;
	take_type(l, made);
	add_name(l, "subarray");
}

static void wrap(struct rng *rng, struct rt_layout *l, int copies, bool large)
{
	switch (rng_below(rng, large ? 5 : 6)) {
	case 0:
		wrap_contiguous(l, copies);
		break;
	case 1:
		wrap_vector(rng, l, copies, false, large);
		break;
	case 2:
		wrap_vector(rng, l, copies, true, large);
		break;
	case 3:
		wrap_indexed(rng, l, copies, large);
		break;
	case 5:
		wrap_subarray(rng, l, copies);
		break;
	default:
		wrap_struct(rng, l, copies, large);
	}
}

/* The library's own opinion of the type must be ours. */
static void verify(struct rt_case *c, const struct rt_layout *l)
{
	MPI_Aint lb = -1, extent = -1;
	int size = -1, want = 0;
	MPI_Type_get_extent(l->type, &lb, &extent);
	MPI_Type_size(l->type, &size);
	for (int i = 0; i < l->n; i++)
		want += (int)rt_basics[l->item[i].basic].data;
	if (lb != l->lb || extent != l->ub - l->lb)
		rt_wrong(c, "%s has lower bound %td and extent %td, not %td and %td", l->name,
			(ptrdiff_t)lb, (ptrdiff_t)extent, l->lb, l->ub - l->lb);
	if (size != want)
		rt_wrong(c, "%s has size %d, not %d", l->name, size, want);
}

void rt_layout_draw(struct rt_case *c, struct rng *rng, const struct rt_pattern *p, int units,
	bool large, struct rt_layout *out)
{
	if (p->n == 1 && !rng_chance(rng, 10))
		rt_layout_basic(p->basic[0], out);
	else
		begin_struct(rng, p, large, out);
	int levels = 0;
	for (int left = units; left > 1; levels++) {
		int copies = levels == 2 || large ? left : divisor(rng, left);
		left /= copies;
		if (copies > 1 || rng_chance(rng, 30))
			wrap(rng, out, copies, large);
	}
	if (out->derived)
		MPI_Type_commit(&out->type);
	verify(c, out);
}

void rt_layout_free(struct rt_layout *l)
{
	if (l->derived)
		MPI_Type_free(&l->type);
}

int rt_units_draw(struct rng *rng, size_t message_units)
{
	static const int choices[] = {1, 2, 3, 4, 6, RT_UNITS_MAX};
	int units = choices[rng_below(rng, sizeof(choices) / sizeof(choices[0]))];
	return message_units % (size_t)units == 0 ? units : 1;
}

size_t rt_amount_draw(
	const struct rt_case *c, struct rng *rng, const struct rt_pattern *p, int parts)
{
	double most = (double)c->max_bytes / parts;
	double part = (double)(rng_next(rng) >> 11) * 0x1p-53;
	if (rng_chance(rng, 8) || most < 1.0)
		return 0;
	size_t units = (size_t)(pow(most, part) / (double)rt_pattern_bytes(p));
	if (units == 0)
		units = rng_below(rng, 2);
	if (rng_chance(rng, 50))
		units -= units % RT_UNITS_MAX;
	return units;
}
