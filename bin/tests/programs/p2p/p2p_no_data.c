/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of no elements: MPI_DATATYPE_NULL is taken as its type; and collective operations in which
 * one rank means nothing and the others mean something. */
#include "p2p.h"

static void nowhere(void)
{
	const MPI_Datatype none = MPI_DATATYPE_NULL;
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status s;
	int x = 7;

	p2p_error("Send", MPI_SUCCESS, MPI_Send(&x, 3, none, MPI_PROC_NULL, 1, w));
	p2p_error("Recv", MPI_SUCCESS, MPI_Recv(&x, 3, none, MPI_PROC_NULL, 1, w, &s));
	p2p_status("Recv", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	p2p_error("Isend", MPI_SUCCESS, MPI_Isend(&x, 1, none, MPI_PROC_NULL, 1, w, &r));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	p2p_error("Recv_init", MPI_SUCCESS, MPI_Recv_init(&x, 1, none, MPI_PROC_NULL, 1, w, &r));
	MPI_Request_free(&r);
	p2p_error("negative", MPI_ERR_COUNT, MPI_Send(&x, -1, none, MPI_PROC_NULL, 1, w));
	p2p_error("no tag", MPI_ERR_TAG, MPI_Send(&x, 1, none, MPI_PROC_NULL, -5, w));
	p2p_want(x == 7, "a receive from nobody wrote %d", x);
}

static void no_elements(void)
{
	const MPI_Datatype none = MPI_DATATYPE_NULL;
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Status s;
	int me = p2p.rank, x = 7, y = 8;

	p2p_error("Sendrecv", MPI_SUCCESS,
		MPI_Sendrecv(NULL, 0, none, me, 1, NULL, 0, none, me, 1, w, &s));
	p2p_status("Sendrecv", &s, me, 1, 0);
	p2p_error("Send", MPI_ERR_TYPE, MPI_Send(&x, 1, none, me, 1, w));
	p2p_error("Bcast", MPI_SUCCESS, MPI_Bcast(&x, 0, none, 0, w));
	p2p_error("Gather", MPI_SUCCESS, MPI_Gather(&x, 0, none, &y, 0, none, 0, w));
	p2p_error("Allreduce", MPI_SUCCESS, MPI_Allreduce(&x, &y, 0, none, MPI_SUM, w));
	p2p_error("Allreduce", MPI_ERR_TYPE, MPI_Allreduce(&x, &y, 1, none, MPI_SUM, w));
	p2p_want(x == 7 && y == 8, "no elements are %d and %d", x, y);
}

static void window(void)
{
	MPI_Win win;
	int x = 7, y = 8;

	MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_fence(0, win);
	p2p_error("Put", MPI_SUCCESS,
		MPI_Put(&y, 0, MPI_DATATYPE_NULL, 0, 0, 0, MPI_DATATYPE_NULL, win));
	p2p_error("Put", MPI_ERR_TYPE, MPI_Put(&y, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	p2p_want(x == 7, "no elements are %d", x);
}

/* To and from MPI_PROC_NULL nothing goes, whatever one of the types is, or both. */
static void window_nowhere(void)
{
	const MPI_Datatype none = MPI_DATATYPE_NULL;
	const int nobody = MPI_PROC_NULL;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Win win;
	int x = 7, y = 8, z = 9;

	MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	p2p_error("Put", MPI_SUCCESS, MPI_Put(&y, 1, none, nobody, 0, 1, none, win));
	p2p_error("Put", MPI_SUCCESS, MPI_Put(&y, 1, MPI_INT, nobody, 0, 1, none, win));
	p2p_error("Get", MPI_SUCCESS, MPI_Get(&y, 1, none, nobody, 0, 1, MPI_INT, win));
	p2p_error("Accumulate", MPI_SUCCESS,
		MPI_Accumulate(&y, 1, none, nobody, 0, 1, MPI_INT, MPI_SUM, win));
	p2p_error("Get_accumulate", MPI_SUCCESS,
		MPI_Get_accumulate(&y, 1, none, &z, 2, none, nobody, 0, 1, none, MPI_SUM, win));
	p2p_error("Fetch_and_op", MPI_SUCCESS,
		MPI_Fetch_and_op(&y, &z, none, nobody, 0, MPI_SUM, win));
	p2p_error("Compare_and_swap", MPI_SUCCESS,
		MPI_Compare_and_swap(&y, &y, &z, none, nobody, 0, win));
	p2p_error("Rput", MPI_SUCCESS, MPI_Rput(&y, 1, none, nobody, 0, 1, none, win, &r));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	p2p_error("Rget", MPI_SUCCESS, MPI_Rget(&y, 1, none, nobody, 0, 1, none, win, &r));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	p2p_error("negative", MPI_ERR_COUNT, MPI_Put(&y, -1, none, nobody, 0, 1, none, win));
	p2p_error(
		"too long", MPI_ERR_TRUNCATE, MPI_Put(&y, 2, MPI_INT, nobody, 0, 1, MPI_INT, win));
	MPI_Win_free(&win);
	p2p_want(x == 7 && y == 8 && z == 9, "nobody gave %d, %d and %d", x, y, z);
}

static void packed(void)
{
	const MPI_Datatype none = MPI_DATATYPE_NULL;
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Aint far = 3;
	char bytes[8];
	int x = 7, at = 3, n = 1;

	p2p_error("Pack_size", MPI_SUCCESS, MPI_Pack_size(0, none, w, &n));
	p2p_error("Pack", MPI_SUCCESS, MPI_Pack(&x, 0, none, bytes, sizeof bytes, &at, w));
	p2p_error("Unpack", MPI_SUCCESS, MPI_Unpack(bytes, sizeof bytes, &at, &x, 0, none, w));
	p2p_error("Pack_external", MPI_SUCCESS,
		MPI_Pack_external("external32", &x, 0, none, bytes, sizeof bytes, &far));
	p2p_want(n == 0 && at == 3 && far == 3 && x == 7, "no elements are %d bytes, from 3 to %d",
		n, at);
}

/* The error class that all ranks but one get, and then all are well again. */
static void all_but(const char *what, int one, int class, int rc)
{
	int mine = 1, sum = 0;

	p2p_error(what, p2p.rank == one ? MPI_SUCCESS : class, rc);
	p2p_error("after it", MPI_SUCCESS,
		MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	p2p_want(sum == p2p.size, "after %s: %d ranks, not %d", what, sum, p2p.size);
}

/* The root means nothing and the others something: they are told, at whatever length. */
static void root_has_nothing(void)
{
	static char data[4096];
	const int lengths[] = {1, 100, sizeof data};
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r;

	for (int i = 0; i < 3; i++) {
		int n = p2p.rank == 0 ? 0 : lengths[i];

		all_but("Bcast of nothing", 0, MPI_ERR_TRUNCATE,
			MPI_Bcast(data, n, MPI_BYTE, 0, w));
		MPI_Ibcast(data, n, MPI_BYTE, 0, w, &r);
		all_but("Ibcast of nothing", 0, MPI_ERR_TRUNCATE, MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
}

/* And the other way: a rank without room hears of what it is sent. */
static void one_has_no_room(void)
{
	char data[100] = {0};
	int last = p2p.size - 1;
	int rc = MPI_Bcast(data, p2p.rank == last ? 0 : 100, MPI_BYTE, 0, MPI_COMM_WORLD);

	p2p_error("Bcast without room", p2p.rank == last ? MPI_ERR_TRUNCATE : MPI_SUCCESS, rc);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* A reduction where one rank has nothing: its root knows. */
static void reduction(void)
{
	int x = 1, sum = 0, rc;

	rc = MPI_Reduce(&x, &sum, p2p.rank == 1 ? 0 : 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (p2p.rank == 0)
		p2p_error("Reduce, one has nothing", MPI_ERR_TRUNCATE, rc);
	MPI_Barrier(MPI_COMM_WORLD);
}

const struct p2p_case p2p_no_data[] = {
	{"nothing-nowhere", nowhere, 1},
	{"nothing-elements", no_elements, 1},
	{"nothing-window", window, 1},
	{"nothing-to-nobody", window_nowhere, 1},
	{"nothing-packed", packed, 1},
	{"nothing-root", root_has_nothing, 2},
	{"nothing-room", one_has_no_room, 2},
	{"nothing-reduced", reduction, 2},
	{NULL, NULL, 0},
};
