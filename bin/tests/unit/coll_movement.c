/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts, gathers, scatters, exchanges: by either function, where a side does not count with
 * garbage for it. */
#include "coll_case.h"

#include <string.h>

static bool rooted(enum kind k)
{
	return k == GATHER || k == GATHERV || k == SCATTER || k == SCATTERV || k == REDUCE;
}

static bool scatters(enum kind k)
{
	return k == SCATTER || k == SCATTERV;
}

static bool alltoalls(enum kind k)
{
	return k == ALLTOALL || k == ALLTOALLV;
}

struct wide {
	MPI_Count counts[TEAM_MOST];
	MPI_Aint displs[TEAM_MOST];
};

static void widen(struct wide *w, const struct side *s, int size)
{
	for (int i = 0; i < size; i++) {
		w->counts[i] = s->counts[i];
		w->displs[i] = s->displs[i];
	}
}

static int call_movement_c(
	const struct coll_case *t, struct comm *c, struct side *s, struct side *r, bool in_place)
{
	MPI_Comm comm = c->handle;
	void *in = in_place && !scatters(t->kind) ? MPI_IN_PLACE : s->area.base;
	void *out = in_place && scatters(t->kind) ? MPI_IN_PLACE : r->area.base;
	MPI_Datatype st = side_handle(s), rt = side_handle(r);
	struct wide ws, wr;

	widen(&ws, s, c->size);
	widen(&wr, r, c->size);
	switch (t->kind) {
	case GATHER:
		return MPI_Gather_c(in, s->n, st, out, r->n, rt, t->root, comm);
	case GATHERV:
		return MPI_Gatherv_c(in, s->n, st, out, wr.counts, wr.displs, rt, t->root, comm);
	case SCATTER:
		return MPI_Scatter_c(in, s->n, st, out, r->n, rt, t->root, comm);
	case SCATTERV:
		return MPI_Scatterv_c(in, ws.counts, ws.displs, st, out, r->n, rt, t->root, comm);
	case ALLGATHER:
		return MPI_Allgather_c(in, s->n, st, out, r->n, rt, comm);
	case ALLGATHERV:
		return MPI_Allgatherv_c(in, s->n, st, out, wr.counts, wr.displs, rt, comm);
	case ALLTOALL:
		return MPI_Alltoall_c(in, s->n, st, out, r->n, rt, comm);
	default:
		return MPI_Alltoallv_c(
			in, ws.counts, ws.displs, st, out, wr.counts, wr.displs, rt, comm);
	}
}

static int call_movement(
	const struct coll_case *t, struct comm *c, struct side *s, struct side *r, bool in_place)
{
	MPI_Comm comm = c->handle;
	void *in = in_place && !scatters(t->kind) ? MPI_IN_PLACE : s->area.base;
	void *out = in_place && scatters(t->kind) ? MPI_IN_PLACE : r->area.base;
	MPI_Datatype st = side_handle(s), rt = side_handle(r);

	switch (t->kind) {
	case GATHER:
		return MPI_Gather(in, s->n, st, out, r->n, rt, t->root, comm);
	case GATHERV:
		return MPI_Gatherv(in, s->n, st, out, r->counts, r->displs, rt, t->root, comm);
	case SCATTER:
		return MPI_Scatter(in, s->n, st, out, r->n, rt, t->root, comm);
	case SCATTERV:
		return MPI_Scatterv(in, s->counts, s->displs, st, out, r->n, rt, t->root, comm);
	case ALLGATHER:
		return MPI_Allgather(in, s->n, st, out, r->n, rt, comm);
	case ALLGATHERV:
		return MPI_Allgatherv(in, s->n, st, out, r->counts, r->displs, rt, comm);
	case ALLTOALL:
		return MPI_Alltoall(in, s->n, st, out, r->n, rt, comm);
	default:
		return MPI_Alltoallv(
			in, s->counts, s->displs, st, out, r->counts, r->displs, rt, comm);
	}
}

/* At a rank where the receiving side does not count, garbage stands for it. */
static int call_without_recv(const struct coll_case *t, struct comm *c, struct side *s)
{
	MPI_Datatype none = MPI_DATATYPE_NULL;

	if (t->kind == GATHER)
		return MPI_Gather(
			s->area.base, s->n, side_handle(s), NULL, -1, none, t->root, c->handle);
	return MPI_Gatherv(
		s->area.base, s->n, side_handle(s), NULL, NULL, NULL, none, t->root, c->handle);
}

static int call_without_send(const struct coll_case *t, struct comm *c, struct side *r)
{
	MPI_Datatype none = MPI_DATATYPE_NULL;

	if (t->kind == SCATTER)
		return MPI_Scatter(
			NULL, -1, none, r->area.base, r->n, side_handle(r), t->root, c->handle);
	return MPI_Scatterv(
		NULL, NULL, NULL, none, r->area.base, r->n, side_handle(r), t->root, c->handle);
}

static void fill_send(const struct coll_case *t, int rank, struct side *s, int blocks)
{
	for (int i = 0; i < blocks; i++)
		side_put(s, t, i, rank, i);
	if (blocks == 0)
		side_put(s, t, 0, rank, 0);
}

static void fill_result(
	const struct coll_case *t, int rank, struct side *r, int blocks, bool in_place)
{
	if (scatters(t->kind) && in_place)
		return;
	for (int i = 0; i < blocks; i++)
		side_put(r, t, i, i, rank);
	if (blocks == 0)
		side_put(r, t, 0, t->root, rank);
}

void case_movement(const struct coll_case *t, struct comm *c)
{
	int p = c->size, rank = c->rank;
	bool at_root = rank == t->root, in_place = t->in_place && (!rooted(t->kind) || at_root);
	int in_blocks = (scatters(t->kind) && at_root) || alltoalls(t->kind) ? p : 0;
	int out_blocks = scatters(t->kind) ? 0 : p;
	struct side s, r, want, s_before;
	int rc;

	side_make(&s, t, rank, true, in_blocks);
	side_make(&r, t, rank, false, out_blocks);
	fill_send(t, rank, &s, in_blocks);
	for (int i = 0; in_place && i < p; i++) {
		if (alltoalls(t->kind))
			side_put(&r, t, i, rank, i);
		else if (!scatters(t->kind) && i == rank)
			side_put(&r, t, i, rank, 0);
	}
	side_copy(&want, &r);
	side_copy(&s_before, &s);
	if (!rooted(t->kind) || at_root || scatters(t->kind))
		fill_result(t, rank, &want, out_blocks, in_place);
	if (case_wide(t, c) && (!rooted(t->kind) || at_root))
		rc = call_movement_c(t, c, &s, &r, in_place);
	else if (!rooted(t->kind) || at_root)
		rc = call_movement(t, c, &s, &r, in_place);
	else
		rc = scatters(t->kind) ? call_without_send(t, c, &r) : call_without_recv(t, c, &s);
	team_must(rc == MPI_SUCCESS, "kind %d: class %d", t->kind, rc);
	area_compare(t, rank, &r.area, &want.area, "recvbuf");
	area_compare(t, rank, &s.area, &s_before.area, "sendbuf");
	area_free(&s.area);
	area_free(&r.area);
	area_free(&want.area);
	area_free(&s_before.area);
}

void case_bcast(const struct coll_case *t, struct comm *c)
{
	struct side s, want;

	side_make(&s, t, c->rank, true, 0);
	side_copy(&want, &s);
	side_put(&want, t, 0, 0, 0);
	if (c->rank == t->root)
		side_put(&s, t, 0, 0, 0);
	int rc = case_wide(t, c)
			 ? MPI_Bcast_c(s.area.base, s.n, side_handle(&s), t->root, c->handle)
			 : MPI_Bcast(s.area.base, s.n, side_handle(&s), t->root, c->handle);

	team_must(rc == MPI_SUCCESS, "bcast: class %d", rc);
	area_compare(t, c->rank, &s.area, &want.area, "buffer");
	area_free(&s.area);
	area_free(&want.area);
}
