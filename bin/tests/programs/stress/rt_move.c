/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier, Bcast, Gather, Scatter, Allgather, Alltoall with random data. Every rank draws its own
 * layout of the common signature. Arguments that mean nothing on a rank are given as nonsense.
 */
#include "rt_data.h"

/* What the blocks of one collective have in common. */
struct plan {
	struct rt_pattern pattern;
	size_t units; /* of one block */
	int root;
	bool in_place;
};

static struct plan plan_draw(struct rt_case *c, int parts)
{
	struct plan p;
	p.pattern = rt_pattern_draw(&c->common);
	p.units = rt_amount_draw(c, &c->common, &p.pattern, parts);
	p.root = (int)rng_below(&c->common, (size_t)c->size);
	p.in_place = rng_chance(&c->common, 30);
	rt_describe(c, "%zu units of %d basic types from %s, root %d%s", p.units, p.pattern.n,
		rt_basics[p.pattern.basic[0]].name, p.root, p.in_place ? ", in place" : "");
	return p;
}

/* A rank's one block, with its data in it. */
static void block_make(struct rt_side *s, struct rt_case *c, const struct plan *p, uint64_t stream)
{
	rt_side_make(s, c, &p->pattern, p->units, p->units);
	rt_image_put(&s->image, RT_BOTH, 0, p->units, stream);
}

/* Block number r of a buffer with one block per rank. */
static void put(
	struct rt_side *s, enum rt_sides sides, const struct plan *p, int r, uint64_t stream)
{
	rt_image_put(
		&s->image, sides, (size_t)r * (size_t)rt_side_count(s, p->units), p->units, stream);
}

static void all_make(struct rt_side *s, struct rt_case *c, const struct plan *p)
{
	rt_side_make(s, c, &p->pattern, p->units, p->units * (size_t)c->size);
}

static void run_barrier(struct rt_case *c)
{
	rt_describe(c, "on %d ranks", c->size);
	MPI_Barrier(c->comm);
}

static void run_bcast(struct rt_case *c)
{
	struct plan p = plan_draw(c, 1);
	struct rt_side s;
	uint64_t stream = rt_stream(c, p.root, 0, 0);
	rt_side_make(&s, c, &p.pattern, p.units, p.units);
	rt_image_put(&s.image, c->rank == p.root ? RT_BOTH : RT_WANT, 0, p.units, stream);
	MPI_Bcast(s.image.buf, rt_side_count(&s, p.units), s.layout.type, p.root, c->comm);
	rt_side_close(&s, "buffer");
}

static void gather_at_root(struct rt_case *c, const struct plan *p)
{
	struct rt_side in, out;
	all_make(&in, c, p);
	block_make(&out, c, p, rt_stream(c, c->rank, 0, 0));
	for (int r = 0; r < c->size; r++)
		put(&in, p->in_place && r == c->rank ? RT_BOTH : RT_WANT, p, r,
			rt_stream(c, r, 0, 0));
	if (p->in_place)
		MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in.image.buf,
			rt_side_count(&in, p->units), in.layout.type, p->root, c->comm);
	else
		MPI_Gather(out.image.buf, rt_side_count(&out, p->units), out.layout.type,
			in.image.buf, rt_side_count(&in, p->units), in.layout.type, p->root,
			c->comm);
	rt_side_close(&in, "receive buffer");
	rt_side_close(&out, "send buffer");
}

static void run_gather(struct rt_case *c)
{
	struct plan p = plan_draw(c, c->size);
	if (c->rank == p.root) {
		gather_at_root(c, &p);
		return;
	}
	struct rt_side out;
	block_make(&out, c, &p, rt_stream(c, c->rank, 0, 0));
	MPI_Gather(out.image.buf, rt_side_count(&out, p.units), out.layout.type, NULL, -1,
		MPI_DATATYPE_NULL, p.root, c->comm);
	rt_side_close(&out, "send buffer");
}

static void scatter_at_root(struct rt_case *c, const struct plan *p)
{
	struct rt_side in, out;
	all_make(&out, c, p);
	rt_side_make(&in, c, &p->pattern, p->units, p->units);
	for (int r = 0; r < c->size; r++)
		put(&out, RT_BOTH, p, r, rt_stream(c, 0, r, 0));
	if (p->in_place) {
		MPI_Scatter(out.image.buf, rt_side_count(&out, p->units), out.layout.type,
			MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, p->root, c->comm);
	} else {
		rt_image_put(&in.image, RT_WANT, 0, p->units, rt_stream(c, 0, c->rank, 0));
		MPI_Scatter(out.image.buf, rt_side_count(&out, p->units), out.layout.type,
			in.image.buf, rt_side_count(&in, p->units), in.layout.type, p->root,
			c->comm);
	}
	rt_side_close(&in, "receive buffer");
	rt_side_close(&out, "send buffer");
}

static void run_scatter(struct rt_case *c)
{
	struct plan p = plan_draw(c, c->size);
	if (c->rank == p.root) {
		scatter_at_root(c, &p);
		return;
	}
	struct rt_side in;
	rt_side_make(&in, c, &p.pattern, p.units, p.units);
	rt_image_put(&in.image, RT_WANT, 0, p.units, rt_stream(c, 0, c->rank, 0));
	MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, in.image.buf, rt_side_count(&in, p.units),
		in.layout.type, p.root, c->comm);
	rt_side_close(&in, "receive buffer");
}

static void run_allgather(struct rt_case *c)
{
	struct plan p = plan_draw(c, c->size);
	struct rt_side in, out;
	all_make(&in, c, &p);
	block_make(&out, c, &p, rt_stream(c, c->rank, 0, 0));
	for (int r = 0; r < c->size; r++)
		put(&in, p.in_place && r == c->rank ? RT_BOTH : RT_WANT, &p, r,
			rt_stream(c, r, 0, 0));
	if (p.in_place)
		MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in.image.buf,
			rt_side_count(&in, p.units), in.layout.type, c->comm);
	else
		MPI_Allgather(out.image.buf, rt_side_count(&out, p.units), out.layout.type,
			in.image.buf, rt_side_count(&in, p.units), in.layout.type, c->comm);
	rt_side_close(&in, "receive buffer");
	rt_side_close(&out, "send buffer");
}

static void run_alltoall(struct rt_case *c)
{
	struct plan p = plan_draw(c, c->size);
	struct rt_side in, out;
	all_make(&in, c, &p);
	all_make(&out, c, &p);
	for (int r = 0; r < c->size; r++) {
		if (p.in_place)
			put(&in, RT_HAVE, &p, r, rt_stream(c, c->rank, r, 0));
		put(&out, RT_BOTH, &p, r, rt_stream(c, c->rank, r, 0));
		put(&in, RT_WANT, &p, r, rt_stream(c, r, c->rank, 0));
	}
	if (p.in_place)
		MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in.image.buf,
			rt_side_count(&in, p.units), in.layout.type, c->comm);
	else
		MPI_Alltoall(out.image.buf, rt_side_count(&out, p.units), out.layout.type,
			in.image.buf, rt_side_count(&in, p.units), in.layout.type, c->comm);
	rt_side_close(&in, "receive buffer");
	rt_side_close(&out, "send buffer");
}

const struct rt_kind rt_move_kinds[] = {
	{"barrier", run_barrier},
	{"bcast", run_bcast},
	{"gather", run_gather},
	{"scatter", run_scatter},
	{"allgather", run_allgather},
	{"alltoall", run_alltoall},
	{NULL, NULL},
};
