/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gatherv, Scatterv, Allgatherv, Alltoallv with random parts: each rank lays the parts out in its
 * own random order, with gaps that must stay untouched.
 */
#include "rt_data.h"

#include <stdlib.h>

enum { GAP_MAX = 2 }; /* elements between two parts */

struct plan {
	struct rt_pattern pattern;
	size_t most;	 /* units of the largest part that may be */
	size_t multiple; /* every part is a multiple of it */
	int root;
	bool in_place;
	uint64_t salt;
};

/* One rank's buffer of p parts. */
struct parts {
	struct rt_side side;
	size_t *units;
	int *counts, *displs; /* elements */
};

static struct plan plan_draw(struct rt_case *c)
{
	struct plan p;
	p.pattern = rt_pattern_draw(&c->common);
	p.most = rt_amount_draw(c, &c->common, &p.pattern, c->size);
	p.multiple = p.most % RT_UNITS_MAX == 0 ? RT_UNITS_MAX : 1;
	p.root = (int)rng_below(&c->common, (size_t)c->size);
	p.in_place = rng_chance(&c->common, 30);
	p.salt = rng_next(&c->common);
	rt_describe(c, "up to %zu units of %d basic types from %s, root %d%s", p.most, p.pattern.n,
		rt_basics[p.pattern.basic[0]].name, p.root, p.in_place ? ", in place" : "");
	return p;
}

/* Units that go from a to b. */
static size_t part(const struct plan *p, int a, int b)
{
	struct rng rng = {rt_mix(p->salt, rt_mix((uint64_t)a, (uint64_t)b))};
	return rng_below(&rng, p->most / p->multiple + 1) * p->multiple;
}

/* units[r] says how large part r is. */
static void parts_make(struct parts *s, struct rt_case *c, const struct plan *p, size_t *units)
{
	size_t n = (size_t)c->size, total = 0;
	int here = (int)rng_below(&c->own, GAP_MAX + 1);
	s->units = units;
	s->counts = prog_alloc(c->prog, 3 * n * sizeof(int));
	s->displs = s->counts + n;
	int *order = s->displs + n;
	for (int r = 0; r < c->size; r++) {
		int j = (int)rng_below(&c->own, (size_t)r + 1);
		order[r] = order[j];
		order[j] = r;
		total += units[r];
	}
	rt_side_make(
		&s->side, c, &p->pattern, p->multiple, total + (n + 1) * GAP_MAX * RT_UNITS_MAX);
	for (int i = 0; i < c->size; i++) {
		int r = order[i];
		s->counts[r] = rt_side_count(&s->side, units[r]);
		s->displs[r] = here;
		here += s->counts[r] + (int)rng_below(&c->own, GAP_MAX + 1);
	}
}

static void parts_put(struct parts *s, enum rt_sides sides, int r, uint64_t stream)
{
	rt_image_put(&s->side.image, sides, (size_t)s->displs[r], s->units[r], stream);
}

static void parts_close(struct parts *s, const char *what)
{
	rt_side_close(&s->side, what);
	free(s->counts);
	free(s->units);
}

/* All parts' sizes: part r goes from r to one place, so only r counts. */
static size_t *sizes(const struct rt_case *c, const struct plan *p)
{
	size_t *units = prog_alloc(c->prog, (size_t)c->size * sizeof(*units));
	for (int r = 0; r < c->size; r++)
		units[r] = part(p, r, 0);
	return units;
}

static void mine_make(struct rt_side *s, struct rt_case *c, const struct plan *p, size_t units)
{
	rt_side_make(s, c, &p->pattern, p->multiple, units);
}

static void gatherv_at_root(struct rt_case *c, const struct plan *p, struct rt_side *out)
{
	struct parts in;
	parts_make(&in, c, p, sizes(c, p));
	for (int r = 0; r < c->size; r++)
		parts_put(&in, p->in_place && r == c->rank ? RT_BOTH : RT_WANT, r,
			rt_stream(c, r, 0, 0));
	if (p->in_place)
		MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in.side.image.buf, in.counts,
			in.displs, in.side.layout.type, p->root, c->comm);
	else
		MPI_Gatherv(out->image.buf, rt_side_count(out, part(p, c->rank, 0)),
			out->layout.type, in.side.image.buf, in.counts, in.displs,
			in.side.layout.type, p->root, c->comm);
	parts_close(&in, "receive buffer");
}

static void run_gatherv(struct rt_case *c)
{
	struct plan p = plan_draw(c);
	size_t units = part(&p, c->rank, 0);
	struct rt_side out;
	mine_make(&out, c, &p, units);
	rt_image_put(&out.image, RT_BOTH, 0, units, rt_stream(c, c->rank, 0, 0));
	if (c->rank == p.root)
		gatherv_at_root(c, &p, &out);
	else
		MPI_Gatherv(out.image.buf, rt_side_count(&out, units), out.layout.type, NULL, NULL,
			NULL, MPI_DATATYPE_NULL, p.root, c->comm);
	rt_side_close(&out, "send buffer");
}

static void scatterv_at_root(struct rt_case *c, const struct plan *p, struct rt_side *in)
{
	struct parts out;
	parts_make(&out, c, p, sizes(c, p));
	for (int r = 0; r < c->size; r++)
		parts_put(&out, RT_BOTH, r, rt_stream(c, 0, r, 0));
	if (p->in_place)
		MPI_Scatterv(out.side.image.buf, out.counts, out.displs, out.side.layout.type,
			MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, p->root, c->comm);
	else
		MPI_Scatterv(out.side.image.buf, out.counts, out.displs, out.side.layout.type,
			in->image.buf, rt_side_count(in, part(p, c->rank, 0)), in->layout.type,
			p->root, c->comm);
	parts_close(&out, "send buffer");
}

static void run_scatterv(struct rt_case *c)
{
	struct plan p = plan_draw(c);
	size_t units = part(&p, c->rank, 0);
	struct rt_side in;
	mine_make(&in, c, &p, units);
	if (!p.in_place || c->rank != p.root)
		rt_image_put(&in.image, RT_WANT, 0, units, rt_stream(c, 0, c->rank, 0));
	if (c->rank == p.root)
		scatterv_at_root(c, &p, &in);
	else
		MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, in.image.buf,
			rt_side_count(&in, units), in.layout.type, p.root, c->comm);
	rt_side_close(&in, "receive buffer");
}

static void run_allgatherv(struct rt_case *c)
{
	struct plan p = plan_draw(c);
	size_t units = part(&p, c->rank, 0);
	struct rt_side out;
	struct parts in;
	mine_make(&out, c, &p, units);
	rt_image_put(&out.image, RT_BOTH, 0, units, rt_stream(c, c->rank, 0, 0));
	parts_make(&in, c, &p, sizes(c, &p));
	for (int r = 0; r < c->size; r++)
		parts_put(&in, p.in_place && r == c->rank ? RT_BOTH : RT_WANT, r,
			rt_stream(c, r, 0, 0));
	if (p.in_place)
		MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in.side.image.buf, in.counts,
			in.displs, in.side.layout.type, c->comm);
	else
		MPI_Allgatherv(out.image.buf, rt_side_count(&out, units), out.layout.type,
			in.side.image.buf, in.counts, in.displs, in.side.layout.type, c->comm);
	parts_close(&in, "receive buffer");
	rt_side_close(&out, "send buffer");
}

/* In place, what goes from a to b is as much as what comes back. */
static size_t exchanged(const struct plan *p, int from, int to)
{
	return p->in_place && from > to ? part(p, to, from) : part(p, from, to);
}

static void run_alltoallv(struct rt_case *c)
{
	struct plan p = plan_draw(c);
	struct parts in, out;
	size_t *coming = prog_alloc(c->prog, (size_t)c->size * sizeof(*coming));
	size_t *going = prog_alloc(c->prog, (size_t)c->size * sizeof(*going));
	for (int r = 0; r < c->size; r++) {
		coming[r] = exchanged(&p, r, c->rank);
		going[r] = exchanged(&p, c->rank, r);
	}
	parts_make(&in, c, &p, coming);
	parts_make(&out, c, &p, going);
	for (int r = 0; r < c->size; r++) {
		if (p.in_place)
			parts_put(&in, RT_HAVE, r, rt_stream(c, c->rank, r, 0));
		parts_put(&in, RT_WANT, r, rt_stream(c, r, c->rank, 0));
		parts_put(&out, RT_BOTH, r, rt_stream(c, c->rank, r, 0));
	}
	if (p.in_place)
		MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in.side.image.buf,
			in.counts, in.displs, in.side.layout.type, c->comm);
	else
		MPI_Alltoallv(out.side.image.buf, out.counts, out.displs, out.side.layout.type,
			in.side.image.buf, in.counts, in.displs, in.side.layout.type, c->comm);
	parts_close(&in, "receive buffer");
	parts_close(&out, "send buffer");
}

const struct rt_kind rt_movev_kinds[] = {
	{"gatherv", run_gatherv},
	{"scatterv", run_scatterv},
	{"allgatherv", run_allgatherv},
	{"alltoallv", run_alltoallv},
	{NULL, NULL},
};
