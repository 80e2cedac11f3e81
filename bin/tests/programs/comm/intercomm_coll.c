/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives between two sides: movements and barriers. Roots are all processes of both sides. */
#include "intercomm.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = -1 };

/* How elements lie: ints one after the other, or each with a gap behind it. */
struct lay {
	MPI_Datatype type;
	int step; /* ints from one element to the next */
};

static struct lay dense(void)
{
	return (struct lay){MPI_INT, 1};
}

static struct lay gapped(void)
{
	struct lay l = {MPI_DATATYPE_NULL, 2};

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &l.type);
	MPI_Type_commit(&l.type);
	return l;
}

static int value(int from, int to, int i)
{
	return from * 1000003 + to * 1009 + i;
}

/* n elements, of block `at`; a block is `most` elements long, whatever of it is used. */
static void fill(int *buf, struct lay l, int n, int from, int to)
{
	for (int i = 0; i < n; i++)
		buf[i * l.step] = value(from, to, i);
}

static void check(const struct intercomm *in, const char *what, const int *buf, struct lay l, int n,
	int from, int to)
{
	for (int i = 0; i < n; i++) {
		if (buf[i * l.step] != value(from, to, i))
			intercomm_wrong(in, "%s: element %d of %d from %d is %d, not %d", what, i,
				n, from, buf[i * l.step], value(from, to, i));
		if (l.step > 1 && buf[i * l.step + 1] != GAP)
			intercomm_wrong(in, "%s: the gap behind element %d is %d", what, i,
				buf[i * l.step + 1]);
	}
}

/* Memory for so many ints, all GAP. */
static int *blank(const struct intercomm *in, int n)
{
	int *p = prog_alloc(in->prog, ((size_t)n + 1) * sizeof *p);

	for (int i = 0; i <= n; i++)
		p[i] = GAP;
	return p;
}

/* One operation to try: `most` is how long a block is at most. */
struct trial {
	const struct intercomm *in;
	struct lay send, recv;
	int most;
};

static int me(const struct trial *t)
{
	return t->in->prog->rank;
}

/* The root argument of this process, when the root is rank `root` of that side. */
static int root_for(const struct trial *t, int side, int root)
{
	if (t->in->side != side)
		return root;
	return t->in->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static const struct intercomm_side *side_of(const struct trial *t, int side)
{
	return t->in->side == side ? &t->in->us : &t->in->them;
}

static void bcast(const struct trial *t, int side, int root)
{
	int n = t->most, *buf = blank(t->in, 2 * n), arg = root_for(t, side, root);
	int from = side_of(t, side)->world[root];

	if (arg == MPI_ROOT)
		fill(buf, t->send, n, from, 0);
	if (arg == MPI_PROC_NULL) /* nothing of it counts */
		MPI_Bcast(NULL, -3, MPI_DATATYPE_NULL, arg, t->in->comm);
	else
		MPI_Bcast(buf, n, arg == MPI_ROOT ? t->send.type : t->recv.type, arg, t->in->comm);
	if (arg >= 0)
		check(t->in, "Bcast", buf, t->recv, n, from, 0);
	free(buf);
}

/* ---- blocks of one length ---- */

static void gather(const struct trial *t, int side, int root)
{
	int n = t->most, arg = root_for(t, side, root), peers = t->in->them.size;
	int *send = blank(t->in, 2 * n), *recv = blank(t->in, 2 * n * peers);

	fill(send, t->send, n, me(t), 0);
	MPI_Gather(send, n, t->send.type, recv, n, t->recv.type, arg, t->in->comm);
	for (int i = 0; i < peers && arg == MPI_ROOT; i++)
		check(t->in, "Gather", recv + i * n * t->recv.step, t->recv, n,
			t->in->them.world[i], 0);
	if (arg != MPI_ROOT && recv[0] != GAP)
		intercomm_wrong(t->in, "Gather wrote where there is no root");
	free(send);
	free(recv);
}

static void scatter(const struct trial *t, int side, int root)
{
	int n = t->most, arg = root_for(t, side, root), peers = t->in->them.size;
	int *send = blank(t->in, 2 * n * peers), *recv = blank(t->in, 2 * n);

	for (int i = 0; i < peers; i++)
		fill(send + i * n * t->send.step, t->send, n, me(t), t->in->them.world[i]);
	MPI_Scatter(send, n, t->send.type, recv, n, t->recv.type, arg, t->in->comm);
	if (arg >= 0)
		check(t->in, "Scatter", recv, t->recv, n, t->in->them.world[arg], me(t));
	else if (recv[0] != GAP)
		intercomm_wrong(t->in, "Scatter wrote on the root's side");
	free(send);
	free(recv);
}

/* Each side may give another length; one of them nothing at all. */
static int given(const struct trial *t, int side)
{
	return side == 0 ? t->most : t->most / 2;
}

static void allgather(const struct trial *t)
{
	int n = given(t, t->in->side), m = given(t, !t->in->side), peers = t->in->them.size;
	int *send = blank(t->in, 2 * n), *recv = blank(t->in, 2 * m * peers);

	fill(send, t->send, n, me(t), 0);
	MPI_Allgather(send, n, t->send.type, recv, m, t->recv.type, t->in->comm);
	for (int i = 0; i < peers; i++)
		check(t->in, "Allgather", recv + i * m * t->recv.step, t->recv, m,
			t->in->them.world[i], 0);
	free(send);
	free(recv);
}

static void alltoall(const struct trial *t)
{
	int n = given(t, t->in->side), m = given(t, !t->in->side), peers = t->in->them.size;
	int *send = blank(t->in, 2 * n * peers), *recv = blank(t->in, 2 * m * peers);

	for (int i = 0; i < peers; i++)
		fill(send + i * n * t->send.step, t->send, n, me(t), t->in->them.world[i]);
	MPI_Alltoall(send, n, t->send.type, recv, m, t->recv.type, t->in->comm);
	for (int i = 0; i < peers; i++)
		check(t->in, "Alltoall", recv + i * m * t->recv.step, t->recv, m,
			t->in->them.world[i], me(t));
	free(send);
	free(recv);
}

/* ---- blocks of many lengths ---- */

static int length(const struct trial *t, int from, int to)
{
	return t->most * ((from + 2 * to) % 3) / 2;
}

/* Blocks for or from each of the other side, the last first, one element between them. */
struct blocks {
	int counts[INTERCOMM_MOST], displs[INTERCOMM_MOST];
	int *buf;
};

static void lay_out(struct blocks *b, const struct trial *t, struct lay l, int sending, int one)
{
	int at = 1;

	for (int i = t->in->them.size - 1; i >= 0; i--) {
		int peer = t->in->them.world[i];

		b->counts[i] = one	 ? length(t, peer, 0)
			       : sending ? length(t, me(t), peer)
					 : length(t, peer, me(t));
		b->displs[i] = at;
		at += b->counts[i] + 1;
	}
	b->buf = blank(t->in, at * l.step);
}

static int *block(const struct blocks *b, struct lay l, int i)
{
	return b->buf + b->displs[i] * l.step;
}

static void gatherv(const struct trial *t, int side, int root)
{
	int n = length(t, me(t), 0), arg = root_for(t, side, root);
	int *send = blank(t->in, 2 * n);
	struct blocks b;

	lay_out(&b, t, t->recv, 0, 1);
	fill(send, t->send, n, me(t), 0);
	MPI_Gatherv(send, n, t->send.type, b.buf, arg == MPI_ROOT ? b.counts : NULL, b.displs,
		t->recv.type, arg, t->in->comm);
	for (int i = 0; i < t->in->them.size && arg == MPI_ROOT; i++)
		check(t->in, "Gatherv", block(&b, t->recv, i), t->recv, b.counts[i],
			t->in->them.world[i], 0);
	free(send);
	free(b.buf);
}

static void scatterv(const struct trial *t, int side, int root)
{
	int arg = root_for(t, side, root), n = 0, *recv;
	struct blocks b;

	if (arg >= 0)
		n = length(t, t->in->them.world[arg], me(t));
	recv = blank(t->in, 2 * n);
	lay_out(&b, t, t->send, 1, 0);
	for (int i = 0; i < t->in->them.size; i++)
		fill(block(&b, t->send, i), t->send, b.counts[i], me(t), t->in->them.world[i]);
	MPI_Scatterv(b.buf, arg == MPI_ROOT ? b.counts : NULL, b.displs, t->send.type, recv, n,
		t->recv.type, arg, t->in->comm);
	if (arg >= 0)
		check(t->in, "Scatterv", recv, t->recv, n, t->in->them.world[arg], me(t));
	free(recv);
	free(b.buf);
}

static void allgatherv(const struct trial *t)
{
	int n = length(t, me(t), 0), *send = blank(t->in, 2 * n);
	struct blocks b;

	lay_out(&b, t, t->recv, 0, 1);
	fill(send, t->send, n, me(t), 0);
	MPI_Allgatherv(send, n, t->send.type, b.buf, b.counts, b.displs, t->recv.type, t->in->comm);
	for (int i = 0; i < t->in->them.size; i++)
		check(t->in, "Allgatherv", block(&b, t->recv, i), t->recv, b.counts[i],
			t->in->them.world[i], 0);
	free(send);
	free(b.buf);
}

static void alltoallv(const struct trial *t)
{
	struct blocks s, r;

	lay_out(&s, t, t->send, 1, 0);
	lay_out(&r, t, t->recv, 0, 0);
	for (int i = 0; i < t->in->them.size; i++)
		fill(block(&s, t->send, i), t->send, s.counts[i], me(t), t->in->them.world[i]);
	MPI_Alltoallv(s.buf, s.counts, s.displs, t->send.type, r.buf, r.counts, r.displs,
		t->recv.type, t->in->comm);
	for (int i = 0; i < t->in->them.size; i++)
		check(t->in, "Alltoallv", block(&r, t->recv, i), t->recv, r.counts[i],
			t->in->them.world[i], me(t));
	free(s.buf);
	free(r.buf);
}

/* ---- all of it ---- */

static void one_trial(const struct trial *t)
{
	for (int side = 0; side < 2; side++) {
		for (int root = 0; root < side_of(t, side)->size; root++) {
			bcast(t, side, root);
			gather(t, side, root);
			scatter(t, side, root);
			gatherv(t, side, root);
			scatterv(t, side, root);
		}
	}
	allgather(t);
	alltoall(t);
	allgatherv(t);
	alltoallv(t);
}

void intercomm_collectives(const struct intercomm *in)
{
	static const int lengths[] = {0, 1, 2, 700};
	struct lay d = dense(), g = gapped();

	for (int i = 0; i < 4; i++) {
		struct trial plain = {in, d, d, lengths[i]}, mixed = {in, d, g, lengths[i]};
		struct trial other = {in, g, d, lengths[i]};

		one_trial(&plain);
		one_trial(i % 2 ? &mixed : &other);
	}
	MPI_Type_free(&g.type);
}

/* Nobody leaves before all of the other side have come. */
void intercomm_barriers(const struct intercomm *in, volatile unsigned char *board)
{
	for (int i = 0; i < INTERCOMM_BARRIERS; i++) {
		volatile unsigned char *seen = board + i * in->prog->size;

		seen[in->prog->rank] = 1;
		__sync_synchronize();
		MPI_Barrier(in->comm);
		for (int k = 0; k < in->them.size; k++) {
			if (!seen[in->them.world[k]])
				intercomm_wrong(
					in, "barrier %d was left before rank %d came", i, k);
		}
	}
}
