/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments, call by call. None of these calls may communicate: each rank makes all of them.
 */
#include "badcall.h"

#include <stdio.h>
#include <string.h>

#include <mpi.h>

static int calls, wrong;

static void expect(const char *what, int class, int rc)
{
	int got = MPI_SUCCESS;
	char text[MPI_MAX_ERROR_STRING] = "success";
	int length = 0;
	calls++;
	if (rc != MPI_SUCCESS) {
		MPI_Error_class(rc, &got);
		MPI_Error_string(rc, text, &length);
	}
	if (got == class)
		return;
	wrong++;
	fprintf(stderr, "badcall: WRONG: %s: error class %d (%s), not %d\n", what, got, text,
		class);
}

/* A call that makes a communicator: there is none then. */
static void expect_none(const char *what, int class, int rc, MPI_Comm *made)
{
	expect(what, class, rc);
	if (*made != MPI_COMM_NULL) {
		wrong++;
		fprintf(stderr, "badcall: WRONG: %s: not MPI_COMM_NULL\n", what);
	}
	*made = MPI_COMM_WORLD;
}

static MPI_Comm freed_comm(void)
{
	MPI_Comm comm, copy;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	copy = comm;
	MPI_Comm_free(&comm);
	return copy;
}

static void sends(int size)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r;
	MPI_Datatype raw;
	int x = 0;
	MPI_Type_contiguous(2, MPI_INT, &raw);
	expect("Send, negative count", MPI_ERR_COUNT, MPI_Send(&x, -1, MPI_INT, 0, 0, w));
	expect("Send, null type", MPI_ERR_TYPE, MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, w));
	expect("Send, uncommitted type", MPI_ERR_TYPE, MPI_Send(&x, 0, raw, 0, 0, w));
	expect("Send, rank too large", MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, size, 0, w));
	expect("Send, negative rank", MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, -7, 0, w));
	expect("Send, to any source", MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, w));
	expect("Send, negative tag", MPI_ERR_TAG, MPI_Send(&x, 1, MPI_INT, 0, -5, w));
	expect("Send, any tag", MPI_ERR_TAG, MPI_Send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, w));
	expect("Send, null communicator", MPI_ERR_COMM,
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
	expect("Send, freed communicator", MPI_ERR_COMM,
		MPI_Send(&x, 1, MPI_INT, 0, 0, freed_comm()));
	expect("Send_c, negative count", MPI_ERR_COUNT, MPI_Send_c(&x, -1, MPI_INT, 0, 0, w));
	expect("Send_c, 2^62 ints", MPI_ERR_COUNT,
		MPI_Send_c(&x, (MPI_Count)1 << 62, MPI_INT, 0, 0, w));
	expect("Send_c, 2^60 ints", MPI_ERR_COUNT,
		MPI_Send_c(&x, (MPI_Count)1 << 60, MPI_INT, 0, 0, w));
	expect("Recv_c, 2^48 ints", MPI_ERR_COUNT,
		MPI_Recv_c(&x, (MPI_Count)1 << 48, MPI_INT, 0, 0, w, MPI_STATUS_IGNORE));
	expect("Ssend, rank too large", MPI_ERR_RANK, MPI_Ssend(&x, 1, MPI_INT, size, 0, w));
	expect("Isend, negative count", MPI_ERR_COUNT, MPI_Isend(&x, -1, MPI_INT, 0, 0, w, &r));
	expect("Isend, null request", MPI_ERR_ARG, MPI_Isend(&x, 1, MPI_INT, 0, 0, w, NULL));
	expect("Issend, negative tag", MPI_ERR_TAG, MPI_Issend(&x, 1, MPI_INT, 0, -5, w, &r));
	expect("Irsend, null type", MPI_ERR_TYPE,
		MPI_Irsend(&x, 1, MPI_DATATYPE_NULL, 0, 0, w, &r));
	expect("Send_init, rank", MPI_ERR_RANK, MPI_Send_init(&x, 1, MPI_INT, size, 0, w, &r));
	MPI_Type_free(&raw);
}

static void receives(int size)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r;
	MPI_Status s;
	int x = 0, flag;
	expect("Recv, negative count", MPI_ERR_COUNT, MPI_Recv(&x, -1, MPI_INT, 0, 0, w, &s));
	expect("Recv, null type", MPI_ERR_TYPE, MPI_Recv(&x, 1, MPI_DATATYPE_NULL, 0, 0, w, &s));
	expect("Recv, rank too large", MPI_ERR_RANK, MPI_Recv(&x, 1, MPI_INT, size, 0, w, &s));
	expect("Recv, negative rank", MPI_ERR_RANK, MPI_Recv(&x, 1, MPI_INT, -9, 0, w, &s));
	expect("Recv, negative tag", MPI_ERR_TAG, MPI_Recv(&x, 1, MPI_INT, 0, -5, w, &s));
	expect("Recv, null communicator", MPI_ERR_COMM,
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &s));
	expect("Irecv, rank too large", MPI_ERR_RANK, MPI_Irecv(&x, 1, MPI_INT, size, 0, w, &r));
	expect("Recv_init, negative count", MPI_ERR_COUNT,
		MPI_Recv_init(&x, -1, MPI_INT, 0, 0, w, &r));
	expect("Probe, rank too large", MPI_ERR_RANK, MPI_Probe(size, 0, w, &s));
	expect("Iprobe, negative tag", MPI_ERR_TAG, MPI_Iprobe(0, -5, w, &flag, &s));
	expect("Sendrecv, destination", MPI_ERR_RANK,
		MPI_Sendrecv(&x, 1, MPI_INT, size, 0, &x, 0, MPI_INT, 0, 0, w, &s));
	expect("Sendrecv, receive type", MPI_ERR_TYPE,
		MPI_Sendrecv(&x, 1, MPI_INT, 0, 0, &x, 1, MPI_DATATYPE_NULL, 0, 0, w, &s));
	expect("Waitall, negative count", MPI_ERR_COUNT, MPI_Waitall(-1, &r, &s));
	expect("Startall, negative count", MPI_ERR_COUNT, MPI_Startall(-1, &r));
	r = MPI_REQUEST_NULL;
	expect("Startall, null request", MPI_ERR_REQUEST, MPI_Startall(1, &r));
	expect("Cancel, null request", MPI_ERR_REQUEST, MPI_Cancel(&r));
	expect("Request_free, null request", MPI_ERR_REQUEST, MPI_Request_free(&r));
	memset(&s, 0, sizeof(s));
	expect("Get_count, null type", MPI_ERR_TYPE, MPI_Get_count(&s, MPI_DATATYPE_NULL, &x));
}

static void collectives(int size)
{
	MPI_Comm w = MPI_COMM_WORLD;
	double a[8] = {0}, b[8] = {0};
	int counts[1] = {1}, displs[1] = {0};
	expect("Barrier, null communicator", MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
	expect("Bcast, root too large", MPI_ERR_ROOT, MPI_Bcast(a, 1, MPI_INT, size, w));
	expect("Bcast, negative root", MPI_ERR_ROOT, MPI_Bcast(a, 1, MPI_INT, -1, w));
	expect("Bcast, negative count", MPI_ERR_COUNT, MPI_Bcast(a, -1, MPI_INT, 0, w));
	expect("Bcast, null type", MPI_ERR_TYPE, MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, w));
	expect("Gather, root", MPI_ERR_ROOT, MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, size, w));
	expect("Gatherv, root", MPI_ERR_ROOT,
		MPI_Gatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, size, w));
	expect("Scatter, root", MPI_ERR_ROOT, MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, -2, w));
	expect("Scatterv, root", MPI_ERR_ROOT,
		MPI_Scatterv(a, counts, displs, MPI_INT, b, 1, MPI_INT, size, w));
	expect("Allgather, receive type", MPI_ERR_TYPE,
		MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, w));
	expect("Alltoall, send count", MPI_ERR_COUNT,
		MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, w));
	expect("Reduce, root", MPI_ERR_ROOT, MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, size, w));
	expect("Reduce, null operator", MPI_ERR_OP,
		MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, w));
	expect("Allreduce, sum of wchar_t", MPI_ERR_OP,
		MPI_Allreduce(a, b, 1, MPI_WCHAR, MPI_SUM, w));
	expect("Allreduce, and of double", MPI_ERR_OP,
		MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, w));
	expect("Allreduce, maxloc of int", MPI_ERR_OP,
		MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, w));
	expect("Allreduce, max of complex", MPI_ERR_OP,
		MPI_Allreduce(a, b, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, w));
	expect("Allreduce, replace", MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, w));
	expect("Allreduce, one buffer", MPI_ERR_BUFFER,
		MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, w));
	expect("Scan, negative count", MPI_ERR_COUNT, MPI_Scan(a, b, -1, MPI_INT, MPI_SUM, w));
}

static void types_and_operators(void)
{
	MPI_Datatype t = MPI_DATATYPE_NULL, of[1] = {MPI_INT};
	MPI_Op op = MPI_SUM;
	MPI_Aint displs[1] = {0};
	int length[1] = {-1}, size;
	expect("Type_contiguous, negative count", MPI_ERR_COUNT,
		MPI_Type_contiguous(-1, MPI_INT, &t));
	expect("Type_contiguous, null type", MPI_ERR_TYPE,
		MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t));
	expect("Type_vector, negative count", MPI_ERR_COUNT,
		MPI_Type_vector(-1, 1, 1, MPI_INT, &t));
	expect("Type_vector, negative block", MPI_ERR_ARG, MPI_Type_vector(1, -1, 1, MPI_INT, &t));
	expect("Type_create_hvector, null type", MPI_ERR_TYPE,
		MPI_Type_create_hvector(1, 1, 8, MPI_DATATYPE_NULL, &t));
	expect("Type_create_struct, negative block", MPI_ERR_ARG,
		MPI_Type_create_struct(1, length, displs, of, &t));
	t = MPI_INT;
	expect("Type_free, predefined", MPI_ERR_TYPE, MPI_Type_free(&t));
	t = MPI_DATATYPE_NULL;
	expect("Type_commit, null type", MPI_ERR_TYPE, MPI_Type_commit(&t));
	expect("Type_size, null type", MPI_ERR_TYPE, MPI_Type_size(t, &size));
	expect("Type_size, no result", MPI_ERR_ARG, MPI_Type_size(MPI_INT, NULL));
	expect("Op_free, predefined", MPI_ERR_OP, MPI_Op_free(&op));
	op = MPI_OP_NULL;
	expect("Op_free, null operator", MPI_ERR_OP, MPI_Op_free(&op));
}

static void communicators(int size)
{
	MPI_Comm w = MPI_COMM_WORLD, c = MPI_COMM_WORLD;
	MPI_Group all, g = MPI_GROUP_NULL;
	int ranks[2] = {0, 0}, x = 0, flag;
	void *value;
	MPI_Comm_group(w, &all);
	expect("Comm_rank, null communicator", MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &x));
	expect("Comm_rank, no result", MPI_ERR_ARG, MPI_Comm_rank(w, NULL));
	expect("Comm_size, freed communicator", MPI_ERR_COMM, MPI_Comm_size(freed_comm(), &x));
	expect("Comm_free, world", MPI_ERR_COMM, MPI_Comm_free(&c));
	expect_none(
		"Comm_dup, null communicator", MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &c), &c);
	expect_none("Comm_split, negative color", MPI_ERR_ARG, MPI_Comm_split(w, -5, 0, &c), &c);
	expect_none("Comm_split_type, no such type", MPI_ERR_ARG,
		MPI_Comm_split_type(w, -77, 0, MPI_INFO_NULL, &c), &c);
	expect_none("Intercomm_create, leader", MPI_ERR_RANK,
		MPI_Intercomm_create(w, size, w, 0, 0, &c), &c);
	expect_none("Intercomm_merge, no intercommunicator", MPI_ERR_COMM,
		MPI_Intercomm_merge(w, 0, &c), &c);
	expect_none("Comm_create_from_group, null group", MPI_ERR_GROUP,
		MPI_Comm_create_from_group(
			MPI_GROUP_NULL, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
		&c);
	expect_none("Comm_create, null group", MPI_ERR_GROUP,
		MPI_Comm_create(w, MPI_GROUP_NULL, &c), &c);
	expect("Group_incl, rank twice", MPI_ERR_RANK, MPI_Group_incl(all, 2, ranks, &g));
	ranks[0] = size;
	expect("Group_incl, rank too large", MPI_ERR_RANK, MPI_Group_incl(all, 1, ranks, &g));
	expect("Group_incl, null group", MPI_ERR_GROUP,
		MPI_Group_incl(MPI_GROUP_NULL, 1, ranks, &g));
	expect("Group_free, null group", MPI_ERR_GROUP, MPI_Group_free(&g));
	expect("Comm_get_attr, no such key", MPI_ERR_KEYVAL,
		MPI_Comm_get_attr(w, 99999, &value, &flag));
	expect("Comm_set_attr, predefined key", MPI_ERR_KEYVAL,
		MPI_Comm_set_attr(w, MPI_TAG_UB, &x));
	MPI_Group_free(&all);
}

static void topologies(int size)
{
	MPI_Comm w = MPI_COMM_WORLD, c = w;
	int dims[2] = {size + 1, 1}, periods[2] = {0, 0}, from, to;
	expect_none("Cart_create, too many", MPI_ERR_DIMS,
		MPI_Cart_create(w, 2, dims, periods, 0, &c), &c);
	expect_none("Graph_create, too many", MPI_ERR_ARG,
		MPI_Graph_create(w, size + 1, dims, dims, 0, &c), &c);
	expect_none("Dist_graph_create, degree", MPI_ERR_ARG,
		MPI_Dist_graph_create_adjacent(
			w, -1, NULL, NULL, 0, NULL, NULL, MPI_INFO_NULL, 0, &c),
		&c);
	expect("Cart_shift, no topology", MPI_ERR_TOPOLOGY, MPI_Cart_shift(w, 0, 1, &from, &to));
	expect_none("Cart_sub, no topology", MPI_ERR_TOPOLOGY, MPI_Cart_sub(w, periods, &c), &c);
	dims[0] = 4;
	dims[1] = 0;
	expect("Dims_create, not divisible", MPI_ERR_DIMS, MPI_Dims_create(7, 2, dims));
	expect("Dims_create, no nodes", MPI_ERR_ARG, MPI_Dims_create(0, 2, dims));
}

static int handled;

static void note_error(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	MPI_Error_class(*error, &handled);
}

static void others(int size)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Errhandler mine;
	char port[MPI_MAX_PORT_NAME];
	int x = 0;
	expect("Open_port, not in this version", MPI_ERR_UNSUPPORTED_OPERATION,
		MPI_Open_port(MPI_INFO_NULL, port));
	MPI_Comm_create_errhandler(note_error, &mine);
	MPI_Comm_set_errhandler(w, mine);
	MPI_Send(&x, 1, MPI_INT, size, 0, w);
	expect("the user's error handler is told the class", MPI_ERR_RANK, handled);
	MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&mine);
	expect("Errhandler_free, null handler", MPI_ERR_ERRHANDLER, MPI_Errhandler_free(&mine));
}

/* begun: its handler is the one that communicators begin with */
static void null_results(MPI_Comm begun)
{
	MPI_Group group;

	MPI_Comm_group(begun, &group);
	expect("Comm_size, no result, of a handler nobody set", MPI_ERR_ARG, MPI_Comm_size(begun, NULL));
	expect("Comm_group, the same", MPI_ERR_ARG, MPI_Comm_group(begun, NULL));
	expect("Comm_create, the same", MPI_ERR_ARG, MPI_Comm_create(begun, group, NULL));
	MPI_Group_free(&group);
}

int badcall_arguments(const struct prog *prog)
{
	MPI_Comm begun;

	MPI_Comm_dup(MPI_COMM_WORLD, &begun);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	sends(prog->size);
	receives(prog->size);
	collectives(prog->size);
	types_and_operators();
	communicators(prog->size);
	topologies(prog->size);
	others(prog->size);
	null_results(begun);
	MPI_Comm_free(&begun);
	if (wrong > 0)
		prog_wrong(prog, "%d of %d calls gave another error class than the standard's",
			wrong, calls);
	return calls;
}
