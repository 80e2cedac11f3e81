/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo_dist.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/coll/coll_motion.h"
#include "mpi/handle/fail.h"

static int no_memory(const struct comm *c)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for the edges of a graph on %s of %d",
		comm_label(c), c->size);
}

/* ---- agreement ---- */

enum { BAD, WEIGHTS, NO_WEIGHTS, WEIGHTS_OF_NOTHING, VOTES };

static int most(struct comm *c, const int *mine, int *all, size_t n)
{
	struct coll_reduction r = {.in = mine, .out = all, .count = n};
	int rc = type_lookup(MPI_INT, &r.type);

	if (rc == MPI_SUCCESS)
		rc = op_lookup(MPI_MAX, &r.op);
	return rc ? rc : coll_now_allreduce(c, &r);
}

/* rc is what this process has found. All end with an error when one has. */
static int agree(struct comm *c, int rc, const struct topo_dist *said, int votes[VOTES])
{
	int mine[VOTES] = {0}, agreed;

	if (rc != MPI_SUCCESS)
		mine[BAD] = c->rank + 1;
	else if (said->n > 0)
		mine[said->weighted ? WEIGHTS : NO_WEIGHTS] = 1;
	else
		mine[WEIGHTS_OF_NOTHING] = said->weighted;
	agreed = most(c, mine, votes, VOTES);
	if (rc != MPI_SUCCESS || agreed != MPI_SUCCESS)
		return rc ? rc : agreed;
	if (votes[BAD] > 0)
		return fail_with(
			MPI_ERR_ARG, "rank %d has found an error in its arguments", votes[BAD] - 1);
	if (votes[WEIGHTS] && votes[NO_WEIGHTS])
		return fail_with(MPI_ERR_ARG,
			"some ranks give weights, others MPI_UNWEIGHTED: it must be all or none");
	return MPI_SUCCESS;
}

static bool has_weights(const int votes[VOTES])
{
	return votes[WEIGHTS] || (!votes[NO_WEIGHTS] && votes[WEIGHTS_OF_NOTHING]);
}

/* ---- the communicator ---- */

/* t is given away. */
static int make(struct comm *c, struct topology *t, struct comm **out)
{
	int rc = comm_make_leading(c, c->size, out);

	if (rc == MPI_SUCCESS) {
		(*out)->shaped = (*out)->serial;
		return comm_set_topology(*out, t);
	}
	topo_free(t);
	return rc;
}

/* ---- every process has said all of its edges ---- */

/* The edges to each process have to be as many as that says come from here, or a neighbourhood
 * operation would wait for ever. It is the same on all ranks then whether they are. */
static int compare(struct comm *c, const struct topo_dist *said, int *to, int *from, int *one_way)
{
	int mine = 0, rc;

	for (size_t i = 0; i < said->n; i++)
		to[said->edges[i].other] += said->edges[i].out;
	rc = coll_now_alltoall(c, to, sizeof *to, from);
	for (size_t i = 0; i < said->n && rc == MPI_SUCCESS; i++)
		from[said->edges[i].other] -= !said->edges[i].out;
	for (int i = 0; i < c->size; i++)
		mine |= from[i] != 0;
	return rc ? rc : most(c, &mine, one_way, 1);
}

static int adjacent(struct comm *c, const struct topo_dist *said, struct comm **out)
{
	int *counts = calloc(2 * (size_t)c->size, sizeof *counts), votes[VOTES], one_way = 0;
	struct topology *t = NULL;
	int rc = said->checked;

	if (rc == MPI_SUCCESS && !counts)
		rc = no_memory(c);
	rc = agree(c, rc, said, votes);
	if (rc == MPI_SUCCESS)
		rc = compare(c, said, counts, counts + c->size, &one_way);
	free(counts);
	if (rc != MPI_SUCCESS)
		return rc;
	t = topo_graph_new_dist(said->edges, said->n, has_weights(votes));
	if (t)
		t->one_way = one_way;
	return make(c, t, out);
}

int topo_dist_adjacent(struct comm *c, const struct topo_dist *said, struct comm **out)
{
	int rc;

	comm_hold(c);
	rc = adjacent(c, said, out);
	comm_release(c);
	return rc;
}

/* ---- each has said some ---- */

/* What goes to each process, or comes from it, in bytes: all sides are of bytes. */
struct mail {
	MPI_Count *counts, *at;
	struct topo_edge *edges;
};

static bool mail_new(struct mail *m, int size, size_t n)
{
	m->counts = calloc(2 * (size_t)size, sizeof *m->counts);
	m->at = m->counts + size;
	m->edges = calloc(n + 1, sizeof *m->edges);
	return m->counts && m->edges;
}

static void mail_free(struct mail *m)
{
	free(m->counts);
	free(m->edges);
}

/* at[]: where each one's begin; returns where the last ones end. */
static MPI_Count mail_place(struct mail *m, int size)
{
	MPI_Count end = 0;

	for (int i = 0; i < size; i++) {
		m->at[i] = end;
		end += m->counts[i];
	}
	return end;
}

/* Sorted by whose they are; in the order they were given otherwise. */
static void sort(struct mail *m, const struct topo_dist *said, int size)
{
	for (size_t i = 0; i < said->n; i++)
		m->counts[said->at[i]] += sizeof *m->edges;
	mail_place(m, size);
	for (size_t i = 0; i < said->n; i++) {
		m->edges[(size_t)m->at[said->at[i]] / sizeof *m->edges] = said->edges[i];
		m->at[said->at[i]] += sizeof *m->edges;
	}
	mail_place(m, size);
}

static struct coll_side mail_side(const struct mail *m)
{
	return (struct coll_side){.buf = m->edges,
		.irregular = true,
		.counts.large = m->counts,
		.displs.large = m->at,
		.type = type_bytes()};
}

static int deliver(struct comm *c, const struct mail *from, const struct mail *to)
{
	struct coll_side send = mail_side(from), recv = mail_side(to);
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_alltoall(&run, c, &send, &recv));
}

static int check_edges(const struct comm *c, const struct topo_edge *edges, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (edges[i].other < 0 || edges[i].other >= c->size || edges[i].weight < 0)
			return fail_with(MPI_ERR_INTERN, "an edge to rank %d, of weight %d, came",
				edges[i].other, edges[i].weight);
	}
	return MPI_SUCCESS;
}

/* Counts that others said: positive, whole edges, and few enough for an int. */
static int check_counts(const struct comm *c, const struct mail *m, size_t *n)
{
	const MPI_Count each = sizeof(struct topo_edge);

	*n = 0;
	for (int i = 0; i < c->size; i++) {
		if (m->counts[i] < 0 || m->counts[i] % each != 0 ||
			m->counts[i] / each > INT_MAX - (MPI_Count)*n)
			return fail_with(MPI_ERR_INTERN,
				"the edges that rank %d sends make %lld bytes", i,
				(long long)m->counts[i]);
		*n += (size_t)(m->counts[i] / each);
	}
	return MPI_SUCCESS;
}

static int receive(struct comm *c, const struct mail *from, struct mail *to, size_t *n)
{
	int rc = coll_now_alltoall(c, from->counts, sizeof *from->counts, to->counts);

	if (rc == MPI_SUCCESS)
		rc = check_counts(c, to, n);
	if (rc != MPI_SUCCESS)
		return rc;
	free(to->edges);
	to->edges = calloc(*n + 1, sizeof *to->edges);
	if (!to->edges)
		return no_memory(c);
	mail_place(to, c->size);
	rc = deliver(c, from, to);
	return rc ? rc : check_edges(c, to->edges, *n);
}

static int scattered(struct comm *c, const struct topo_dist *said, struct comm **out)
{
	struct mail from = {0}, to = {0};
	int rc = said->checked, votes[VOTES];
	size_t n = 0;

	if (!mail_new(&from, c->size, said->n) | !mail_new(&to, c->size, 0))
		rc = no_memory(c);
	rc = agree(c, rc, said, votes);
	if (rc == MPI_SUCCESS) {
		sort(&from, said, c->size);
		rc = receive(c, &from, &to, &n);
	}
	if (rc == MPI_SUCCESS)
		rc = make(c, topo_graph_new_dist(to.edges, n, has_weights(votes)), out);
	mail_free(&from);
	mail_free(&to);
	return rc;
}

int topo_dist_scattered(struct comm *c, const struct topo_dist *said, struct comm **out)
{
	int rc;

	comm_hold(c);
	rc = scattered(c, said, out);
	comm_release(c);
	return rc;
}
