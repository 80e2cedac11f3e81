/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused of intercommunicators; what was refused has not begun. */
#include "intercomm.h"

#include <pthread.h>

struct refusal {
	const struct intercomm *in;
	int n;
};

static void expect(struct refusal *r, const char *what, int class, int rc)
{
	int got = MPI_SUCCESS;

	r->n++;
	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &got);
	if (got != class)
		intercomm_wrong(r->in, "%s: error class %d, not %d", what, got, class);
}

static void refuse_messages(struct refusal *r, MPI_Comm c)
{
	int x = 0, n = r->in->them.size;

	expect(r, "Send beyond the remote group", MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, n, 0, c));
	expect(r, "Recv beyond the remote group", MPI_ERR_RANK,
		MPI_Recv(&x, 1, MPI_INT, n, 0, c, MPI_STATUS_IGNORE));
}

/* All of these are collective, and all processes give the same. */
static void refuse_collectives(struct refusal *r, MPI_Comm c)
{
	int x[INTERCOMM_MOST] = {0}, y[INTERCOMM_MOST], n = r->in->them.size;

	expect(r, "Scan", MPI_ERR_COMM, MPI_Scan(x, y, 1, MPI_INT, MPI_SUM, c));
	expect(r, "Exscan", MPI_ERR_COMM, MPI_Exscan(x, y, 1, MPI_INT, MPI_SUM, c));
	expect(r, "Bcast, root beyond", MPI_ERR_ROOT, MPI_Bcast(x, 1, MPI_INT, n, c));
	expect(r, "Bcast, root negative", MPI_ERR_ROOT, MPI_Bcast(x, 1, MPI_INT, -7, c));
	expect(r, "Reduce, root beyond", MPI_ERR_ROOT, MPI_Reduce(x, y, 1, MPI_INT, MPI_SUM, n, c));
	expect(r, "Allreduce in place", MPI_ERR_BUFFER,
		MPI_Allreduce(MPI_IN_PLACE, y, 1, MPI_INT, MPI_SUM, c));
	expect(r, "Allgather in place", MPI_ERR_BUFFER,
		MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, y, 1, MPI_INT, c));
	expect(r, "Alltoall in place", MPI_ERR_BUFFER,
		MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, y, 1, MPI_INT, c));
	expect(r, "Gather in place", MPI_ERR_BUFFER,
		MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, y, 1, MPI_INT, 0, c));
	expect(r, "Bcast, negative count", MPI_ERR_COUNT, MPI_Bcast(x, -1, MPI_INT, 0, c));
}

static void refuse_makers(struct refusal *r, MPI_Comm c)
{
	MPI_Comm w = MPI_COMM_WORLD, out;
	MPI_Group g;
	int n, size = r->in->prog->size, ours = r->in->us.size;

	MPI_Comm_remote_group(c, &g);
	expect(r, "Create of the other side's", MPI_ERR_GROUP, MPI_Comm_create(c, g, &out));
	expect(r, "Create_group", MPI_ERR_COMM, MPI_Comm_create_group(c, g, 0, &out));
	MPI_Group_free(&g);
	expect(r, "Split_type, no such kind", MPI_ERR_ARG,
		MPI_Comm_split_type(c, 4711, 0, MPI_INFO_NULL, &out));
	expect(r, "Remote_size of the world", MPI_ERR_COMM, MPI_Comm_remote_size(w, &n));
	expect(r, "Remote_group of the world", MPI_ERR_COMM, MPI_Comm_remote_group(w, &g));
	expect(r, "Merge of the world", MPI_ERR_COMM, MPI_Intercomm_merge(w, 0, &out));
	expect(r, "Merge, no place for it", MPI_ERR_ARG, MPI_Intercomm_merge(c, 0, NULL));
	expect(r, "create from an intercommunicator", MPI_ERR_COMM,
		MPI_Intercomm_create(c, 0, w, 0, 0, &out));
	expect(r, "create, leader beyond", MPI_ERR_RANK,
		MPI_Intercomm_create(r->in->local, ours, w, 0, 0, &out));
	expect(r, "create, leader negative", MPI_ERR_RANK,
		MPI_Intercomm_create(r->in->local, -1, w, 0, 0, &out));
	expect(r, "create, tag", MPI_ERR_TAG,
		MPI_Intercomm_create(r->in->local, 0, w, 0, -1, &out));
	expect(r, "create, remote leader beyond", MPI_ERR_RANK,
		MPI_Intercomm_create(MPI_COMM_SELF, 0, w, size, 0, &out));
	expect(r, "create, remote leader itself", MPI_ERR_RANK,
		MPI_Intercomm_create(MPI_COMM_SELF, 0, w, r->in->prog->rank, 0, &out));
	expect(r, "create, no peer communicator", MPI_ERR_COMM,
		MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &out));
}

/* Sides whose processes do not say the same. */
static void refuse_mixed_merge(struct refusal *r, MPI_Comm c)
{
	MPI_Comm out;

	if (r->in->us.size > 1 || r->in->them.size > 1)
		expect(r, "merge, mixed", MPI_ERR_ARG,
			MPI_Intercomm_merge(c, r->in->rank > 0, &out));
}

int intercomm_refusals(const struct intercomm *in)
{
	struct refusal r = {in, 0};
	MPI_Comm c;

	MPI_Comm_dup(in->comm, &c);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(in->local, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	refuse_messages(&r, c);
	refuse_collectives(&r, c);
	refuse_makers(&r, c);
	refuse_mixed_merge(&r, c);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	/* what was refused has not begun: the next one works */
	MPI_Barrier(c);
	MPI_Comm_free(&c);
	return r.n;
}

/* ---- overlapping groups ---- */

struct overlap {
	MPI_Comm pair;
	int leader, rc;
};

static void *meet_self(void *arg)
{
	struct overlap *o = arg;
	MPI_Comm out;

	o->rc = MPI_Intercomm_create(o->pair, o->leader, MPI_COMM_WORLD, !o->leader, 5, &out);
	return NULL;
}

void intercomm_overlap(const struct prog *prog)
{
	struct overlap o[2];
	pthread_t thread;
	int class;

	for (int i = 0; i < 2; i++) {
		MPI_Comm_split(MPI_COMM_WORLD, prog->rank < 2, prog->rank, &o[i].pair);
		MPI_Comm_set_errhandler(o[i].pair, MPI_ERRORS_RETURN);
		o[i].leader = i;
	}
	if (prog->rank < 2) {
		if (pthread_create(&thread, NULL, meet_self, &o[1]) != 0)
			prog_wrong(prog, "no thread");
		meet_self(&o[0]);
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < 2; i++) {
		class = MPI_ERR_COMM;
		if (prog->rank < 2)
			MPI_Error_class(o[i].rc, &class);
		if (class != MPI_ERR_COMM)
			prog_wrong(prog, "groups that overlap: error class %d", class);
		MPI_Comm_free(&o[i].pair);
	}
}
