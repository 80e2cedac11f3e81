/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong is answered with the standard's class, on the right error handler, and hurts
 * nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onesided.h"

static MPI_Win raised_on;
static int raised;

static void on_error(MPI_Win *win, int *code, ...)
{
	raised_on = *win;
	raised = *code;
}

static void handlers(void)
{
	MPI_Errhandler mine, got;
	int *memory, x = 0;
	MPI_Win win = os_window(&memory, 1, 0);

	MPI_Win_get_errhandler(win, &got);
	os_expect(got == MPI_ERRORS_ARE_FATAL, "a new window's error handler is another");
	MPI_Win_create_errhandler(on_error, &mine);
	MPI_Win_set_errhandler(win, mine);
	MPI_Win_get_errhandler(win, &got);
	os_expect(got == mine, "the error handler is not the one that was set");
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&mine);
	os_error("a rank that is not there", MPI_Put(&x, 1, MPI_INT, os.size, 0, 1, MPI_INT, win),
		MPI_ERR_RANK);
	os_expect(raised_on == win && raised == MPI_ERR_RANK, "the handler got %d", raised);
	MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
	os_expect(raised == MPI_ERR_OTHER, "the handler got %d", raised);
	os_free(&win);
}

static void arguments(void)
{
	int *memory, x = 0, y = 0, flag;
	double d = 0;
	MPI_Win win = os_window(&memory, 1, 0);
	MPI_Datatype raw, mixed;
	MPI_Aint at[2] = {0, 8};
	int n[2] = {1, 1};
	MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};

	os_return(win);
	MPI_Type_contiguous(2, MPI_INT, &raw);
	MPI_Type_create_struct(2, n, at, parts, &mixed);
	MPI_Type_commit(&mixed);
	MPI_Win_fence(0, win);
	os_error(
		"a negative count", MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
	os_error("a negative count there", MPI_Put(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, win),
		MPI_ERR_COUNT);
	os_error("a type not committed", MPI_Put(&x, 1, raw, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
	os_error("the null type", MPI_Get(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win),
		MPI_ERR_TYPE);
	os_error("a rank below 0", MPI_Get(&x, 1, MPI_INT, -7, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	os_error(
		"a null pointer", MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
	os_error("more than fits there", MPI_Put(&x, 2, MPI_INT, 0, 0, 1, MPI_INT, win),
		MPI_ERR_TRUNCATE);
	os_error("more than fits here", MPI_Get(&x, 1, MPI_SHORT, 0, 0, 1, MPI_INT, win),
		MPI_ERR_TRUNCATE);
	os_error("more than there is memory",
		MPI_Put_c(&x, INT64_MAX, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
	os_error("behind the window", MPI_Put(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, win),
		MPI_ERR_RMA_RANGE);
	os_error("before the window", MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win),
		MPI_ERR_RMA_RANGE);
	os_error("partly behind", MPI_Get(&x, 4, MPI_BYTE, 0, 0, 5, MPI_BYTE, win),
		MPI_ERR_TRUNCATE);
	os_error("the null operator",
		MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
	os_error("MPI_NO_OP without a result",
		MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
	os_error("an operator for other types",
		MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BOR, win), MPI_ERR_OP);
	os_error("a type of several kinds",
		MPI_Accumulate(memory, 1, mixed, 0, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
	os_error("swapping doubles", MPI_Compare_and_swap(&d, &d, &d, MPI_DOUBLE, 0, 0, win),
		MPI_ERR_TYPE);
	os_error("fetching a derived type", MPI_Fetch_and_op(&x, &y, mixed, 0, 0, MPI_REPLACE, win),
		MPI_ERR_TYPE);
	os_error("no place for the flag", MPI_Win_test(win, NULL), MPI_ERR_ARG);
	os_error("an assertion from elsewhere", MPI_Win_fence(MPI_MODE_NOCHECK, win),
		MPI_ERR_ASSERT);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	os_error("a kind of lock", MPI_Win_lock(99, 0, 0, win), MPI_ERR_LOCKTYPE);
	os_error("a lock of nobody", MPI_Win_lock(MPI_LOCK_SHARED, os.size, 0, win), MPI_ERR_RANK);
	os_error("attaching to another kind", MPI_Win_attach(win, &x, 4), MPI_ERR_RMA_FLAVOR);
	os_error("a predefined attribute", MPI_Win_set_attr(win, MPI_WIN_BASE, &x), MPI_ERR_KEYVAL);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &(MPI_Aint *){NULL}, &flag);
	os_expect(*memory == 0, "something was written");
	MPI_Type_free(&raw);
	MPI_Type_free(&mixed);
	os_free(&win);
}

/* Handles are refused by MPI_COMM_WORLD's error handler, as no window is known. */
static void handles(void)
{
	MPI_Win win = MPI_WIN_NULL;
	int x = 0, *memory;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	os_error("the null handle", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN);
	os_error("freeing the null handle", MPI_Win_free(&win), MPI_ERR_WIN);
	os_error("a communicator", MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD), MPI_ERR_WIN);
	os_error("a negative size",
		MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
		MPI_ERR_SIZE);
	os_error("no unit", MPI_Win_allocate(4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
		MPI_ERR_DISP);
	/* one rank's mistake is everybody's failure */
	os_error(os.rank ? "another's mistake" : "a negative size on one rank",
		MPI_Win_allocate(os.rank ? 4 : -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
		os.rank ? MPI_ERR_OTHER : MPI_ERR_SIZE);
	os_expect(win == MPI_WIN_NULL, "a window that was not made has a handle");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void epochs(void)
{
	int *memory, x = 0;
	MPI_Group group;
	MPI_Win win = os_window(&memory, 1, 0);
	MPI_Request request;

	os_return(win);
	MPI_Win_get_group(win, &group);
	os_error("a put outside", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	os_error("an unlock outside", MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
	os_error("an unlock of all outside", MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
	os_error("a flush outside", MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
	os_error("a flush of all outside", MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
	os_error("complete outside", MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	os_error("wait outside", MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
	os_error("test outside", MPI_Win_test(win, &x), MPI_ERR_RMA_SYNC);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	os_error("a second lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	os_error("a lock of all beside", MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	os_error("a fence in a lock", MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	os_error("start in a lock", MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC);
	os_error("freeing it", MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
	if (os.size > 1)
		os_error("a put to one that is not locked",
			MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	MPI_Win_unlock(0, win);
	MPI_Win_fence(0, win);
	os_error("a request behind a fence",
		MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
	MPI_Put(&x, 1, MPI_INT, os.rank, 0, 1, MPI_INT, win);
	os_error("a lock behind a fence", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win),
		MPI_ERR_RMA_SYNC);
	os_error("freeing it behind a fence", MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	os_error("a put behind the last fence", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win),
		MPI_ERR_RMA_SYNC);
	MPI_Win_post(group, 0, win);
	os_error("a second post", MPI_Win_post(group, 0, win), MPI_ERR_RMA_SYNC);
	MPI_Win_start(group, 0, win);
	os_error("a second start", MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC);
	os_error("a lock in between", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	MPI_Group_free(&group);
	os_free(&win);
}

/* Who is asked finds it out, and the origin is told where the epoch ends, or by the request. */
static void attached_memory(void)
{
	int memory[4] = {0}, x = 1;
	MPI_Aint here, there;
	MPI_Request request;
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	os_return(win);
	MPI_Win_attach(win, memory, 2 * sizeof(int));
	os_error("attaching it twice", MPI_Win_attach(win, memory + 1, 8), MPI_ERR_RMA_ATTACH);
	os_error("detaching another", MPI_Win_detach(win, memory + 1), MPI_ERR_RMA_ATTACH);
	os_error("what others reach", MPI_Win_shared_query(win, 0, &here, &x, &request),
		MPI_ERR_RMA_FLAVOR);
	MPI_Get_address(memory, &here);
	MPI_Sendrecv(&here, 1, MPI_AINT, os_left(), 0, &there, 1, MPI_AINT, os_right(), 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock(MPI_LOCK_SHARED, os_right(), 0, win);
	MPI_Put(&x, 1, MPI_INT, os_right(), there + 8, 1, MPI_INT, win);
	os_error("not attached: a put", MPI_Win_flush(os_right(), win), MPI_ERR_RMA_RANGE);
	os_error("the error is told once", MPI_Win_flush(os_right(), win), MPI_SUCCESS);
	MPI_Rget(&x, 1, MPI_INT, os_right(), there + 6, 1, MPI_INT, win, &request);
	os_error("not attached: a get", MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_RMA_RANGE);
	MPI_Put(&x, 1, MPI_INT, os_right(), there + 4, 1, MPI_INT, win);
	os_error("attached", MPI_Win_unlock(os_right(), win), MPI_SUCCESS);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(memory[1] == 1 && memory[2] == 0, "%d %d", memory[1], memory[2]);
	os_free(&win);
}

const struct prog_case os_wrongs[] = {
	{"handlers", handlers},
	{"arguments", arguments},
	{"handles", handles},
	{"epochs", epochs},
	{"attached memory", attached_memory},
	{NULL, NULL},
};
