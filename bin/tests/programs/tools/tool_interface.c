/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool_interface: the tools interface before MPI_Init, while MPI runs and after MPI_Finalize: what it
 * shows is true, and what cannot be is refused with its own codes.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "expect.h"
#include "prog.h"

enum { SHORT = 1000 };

static struct prog prog = {.name = "tool_interface", .text = "the tools interface"};

static void not_initialized(void)
{
	char name[8];
	int n = -1, len = sizeof name;
	MPI_T_cvar_handle handle;
	MPI_T_pvar_session session;

	IS(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_pvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_category_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_event_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_source_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, name, &len), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_cvar_handle_alloc(0, NULL, &handle, &n), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
	IS(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
	IS(n, -1);
}

/* ---- control variables ---- */

static int cvar_read(const char *name)
{
	int index = -1, count = 0, value = -1;
	MPI_T_cvar_handle handle;

	IS(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
	IS(count, 1);
	IS(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
	IS(handle == MPI_T_CVAR_HANDLE_NULL, 1);
	return value;
}

static void cvars(void)
{
	char name[64], desc[256], cut[6];
	int num = 0, index = -1, n, desc_n, verbosity, bind, scope;
	MPI_Datatype type;
	MPI_T_enum items;

	IS(MPI_T_cvar_get_num(&num), MPI_SUCCESS);
	for (int i = 0; i < num; i++) {
		n = sizeof name;
		desc_n = sizeof desc;
		IS(MPI_T_cvar_get_info(
			   i, name, &n, &verbosity, &type, &items, desc, &desc_n, &bind, &scope),
			MPI_SUCCESS);
		IS(n, strlen(name) + 1);
		IS(desc_n > 10, 1);
		IS(type == MPI_INT && items == MPI_T_ENUM_NULL, 1);
		IS(bind, MPI_T_BIND_NO_OBJECT);
		IS(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
		IS(index, i);
		n = sizeof cut;
		IS(MPI_T_cvar_get_info(i, cut, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			MPI_SUCCESS);
		IS(n, strlen(name) + 1);
		IS(strlen(cut), sizeof cut - 1);
		IS(strncmp(cut, name, sizeof cut - 1), 0);
	}
	IS(MPI_T_cvar_get_info(num, name, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_cvar_get_info(-1, name, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_cvar_get_index("no such name", &index), MPI_T_ERR_INVALID_NAME);
	IS(cvar_read("FTMPI_EAGER_LIMIT"), 4096); /* from the environment */
}

static void cvar_write(void)
{
	int index, count, value = 77, bad = -5;
	MPI_T_cvar_handle handle, gone, other;

	IS(MPI_T_cvar_get_index("FTMPI_SPIN_US", &index), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_alloc(index, NULL, &other, &count), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
	IS(MPI_T_cvar_write(handle, &value), MPI_SUCCESS);
	IS(cvar_read("FTMPI_SPIN_US"), 77);
	IS(MPI_T_cvar_write(handle, &bad), MPI_T_ERR_INVALID);
	IS(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
	IS(cvar_read("FTMPI_SPIN_US"), 77);
	gone = handle;
	IS(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
	IS(MPI_T_cvar_read(gone, &value), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_cvar_handle_free(&other), MPI_SUCCESS);
	IS(MPI_T_cvar_get_index("FTMPI_EAGER_LIMIT", &index), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
	IS(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
	IS(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
	IS(MPI_T_cvar_handle_alloc(10000, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
}

/* ---- performance variables ---- */

static MPI_T_pvar_session session;

static MPI_T_pvar_handle open_pvar(const char *name, int class)
{
	int index = -1, count = 0;
	MPI_T_pvar_handle handle;

	IS(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
	IS(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
	IS(count, 1);
	return handle;
}

static unsigned long long pvar_read(const char *name, int class)
{
	MPI_T_pvar_handle handle = open_pvar(name, class);
	unsigned long long value = 0;

	IS(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
	IS(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
	IS(handle == MPI_T_PVAR_HANDLE_NULL, 1);
	return value;
}

#define LEVEL(name) pvar_read(name, MPI_T_PVAR_CLASS_LEVEL)
#define COUNTER(name) pvar_read(name, MPI_T_PVAR_CLASS_COUNTER)

static void pvars(void)
{
	char name[64], desc[256];
	int num = 0, index, n, desc_n, verbosity, class, bind, readonly, continuous, atomic;
	MPI_Datatype type;
	MPI_T_enum items;

	IS(MPI_T_pvar_get_num(&num), MPI_SUCCESS);
	for (int i = 0; i < num; i++) {
		n = sizeof name;
		desc_n = sizeof desc;
		IS(MPI_T_pvar_get_info(i, name, &n, &verbosity, &class, &type, &items, desc,
			   &desc_n, &bind, &readonly, &continuous, &atomic),
			MPI_SUCCESS);
		IS(readonly * 100 + continuous * 10 + atomic, 110);
		IS(class == MPI_T_PVAR_CLASS_STATE, type == MPI_INT && items != MPI_T_ENUM_NULL);
		IS(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
		IS(index, i);
		IS(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_TIMER, &index),
			MPI_T_ERR_INVALID_NAME);
	}
	IS(MPI_T_pvar_get_info(
		   num, name, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_T_ERR_INVALID_INDEX);
}

/* The item of ftmpi_state that holds. */
static void state_is(const char *expected)
{
	MPI_T_pvar_handle handle = open_pvar("ftmpi_state", MPI_T_PVAR_CLASS_STATE);
	char name[64];
	int index, n = sizeof name, value = -1, items = 0;
	MPI_T_enum type;

	IS(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
	IS(MPI_T_pvar_get_index("ftmpi_state", MPI_T_PVAR_CLASS_STATE, &index), MPI_SUCCESS);
	IS(MPI_T_pvar_get_info(
		   index, NULL, NULL, NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_SUCCESS);
	IS(MPI_T_enum_get_info(type, &items, NULL, NULL), MPI_SUCCESS);
	IS(items, 3);
	IS(MPI_T_enum_get_item(type, value, &index, name, &n), MPI_SUCCESS);
	IS(index, value);
	if (strcmp(name, expected) != 0)
		prog_wrong(&prog, "the state is '%s', not '%s'", name, expected);
	IS(MPI_T_enum_get_item(type, 3, &index, name, &n), MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &index, name, &n), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
}

static void pvar_refusals(void)
{
	MPI_T_pvar_handle handle = open_pvar("ftmpi_calls", MPI_T_PVAR_CLASS_COUNTER), gone;
	MPI_T_pvar_handle other = open_pvar("ftmpi_sleeps", MPI_T_PVAR_CLASS_COUNTER);
	MPI_T_pvar_session none = MPI_T_PVAR_SESSION_NULL;
	unsigned long long value = 0;
	int count;

	IS(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
	IS(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
	IS(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
	IS(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
	IS(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
	IS(MPI_T_pvar_reset(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
	IS(MPI_T_pvar_write(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
	IS(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
	IS(MPI_T_pvar_read(none, handle, &value), MPI_T_ERR_INVALID_SESSION);
	IS(MPI_T_pvar_read(session, handle, NULL), MPI_T_ERR_INVALID);
	IS(MPI_T_pvar_handle_alloc(session, -1, NULL, &gone, &count), MPI_T_ERR_INVALID_INDEX);
	gone = handle;
	IS(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
	IS(MPI_T_pvar_read(session, gone, &value), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_pvar_handle_free(session, &other), MPI_SUCCESS);
	IS(MPI_T_pvar_session_free(&none), MPI_T_ERR_INVALID_SESSION);
}

/* What a rank knows of itself is what the variables say. */
static void truth(void)
{
	unsigned long long frames = COUNTER("ftmpi_frames_sent"), calls = COUNTER("ftmpi_calls");
	int next = (prog.rank + 1) % prog.size, before = (prog.rank + prog.size - 1) % prog.size;
	char out[SHORT], in[SHORT];
	MPI_Request receives[3];
	MPI_Status status;

	memset(out, 'x', sizeof out);
	IS(LEVEL("ftmpi_posted_receives"), 0);
	for (int i = 0; i < 3; i++)
		MPI_Irecv(in, SHORT, MPI_CHAR, before, 100 + i, MPI_COMM_WORLD, &receives[i]);
	IS(LEVEL("ftmpi_posted_receives"), 3);
	IS(LEVEL("ftmpi_requests"), 3);
	for (int i = 0; i < 3; i++) {
		MPI_Cancel(&receives[i]);
		MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
	}
	IS(LEVEL("ftmpi_posted_receives"), 0);
	IS(LEVEL("ftmpi_requests"), 0);
	MPI_Send(out, SHORT, MPI_CHAR, next, 7, MPI_COMM_WORLD);
	MPI_Probe(before, 7, MPI_COMM_WORLD, &status);
	IS(LEVEL("ftmpi_unexpected_messages"), 1);
	if (prog.size > 1) /* the library's own messages are counted here */
		IS(LEVEL("ftmpi_unexpected_bytes") >= SHORT, 1);
	MPI_Recv(in, SHORT, MPI_CHAR, before, 7, MPI_COMM_WORLD, &status);
	IS(LEVEL("ftmpi_unexpected_messages"), 0);
	IS(COUNTER("ftmpi_calls") - calls >= 12, 1);
	if (prog.size > 1) {
		IS(COUNTER("ftmpi_frames_sent") > frames, 1);
		IS(LEVEL("ftmpi_connections") >= 1, 1);
	}
	IS(COUNTER("ftmpi_restarts"), 0);
}

/* ---- categories and events ---- */

static void categories(void)
{
	char name[64];
	int num = 0, cvars = 0, pvars = 0, found, n, cv, pv, ca, index, list[64], top = -1;

	IS(MPI_T_category_get_num(&num), MPI_SUCCESS);
	for (int i = 0; i < num; i++) {
		n = sizeof name;
		IS(MPI_T_category_get_info(i, name, &n, NULL, NULL, &cv, &pv, &ca), MPI_SUCCESS);
		IS(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
		IS(index, i);
		cvars += cv;
		pvars += pv;
		IS(MPI_T_category_get_cvars(i, 64, list), MPI_SUCCESS);
		IS(MPI_T_category_get_pvars(i, 64, list), MPI_SUCCESS);
		IS(MPI_T_category_get_num_events(i, &n), MPI_SUCCESS);
		IS(n, 0);
		IS(MPI_T_category_get_events(i, 64, list), MPI_SUCCESS);
		if (ca > 0)
			top = i;
	}
	IS(MPI_T_cvar_get_num(&found), MPI_SUCCESS);
	IS(found, cvars);
	IS(MPI_T_pvar_get_num(&found), MPI_SUCCESS);
	IS(found, pvars);
	IS(MPI_T_category_get_categories(top, 64, list), MPI_SUCCESS);
	for (int i = 0; i < num - 1; i++)
		IS(list[i] != top && list[i] >= 0 && list[i] < num, 1);
	IS(MPI_T_category_get_cvars(num, 0, NULL), MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_category_get_index("no such name", &index), MPI_T_ERR_INVALID_NAME);
	IS(MPI_T_category_changed(&index), MPI_SUCCESS);
}

static void events(void)
{
	char name[8];
	int n = -1, len = sizeof name, data[4];
	MPI_Count when;
	MPI_T_event_registration none = NULL;

	IS(MPI_T_event_get_num(&n), MPI_SUCCESS);
	IS(n, 0);
	IS(MPI_T_source_get_num(&n), MPI_SUCCESS);
	IS(n, 0);
	IS(MPI_T_event_get_index("any", &n), MPI_T_ERR_INVALID_NAME);
	IS(MPI_T_event_get_info(
		   0, name, &len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &none), MPI_T_ERR_INVALID_INDEX);
	IS(MPI_T_event_handle_free(none, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_event_read(NULL, 0, data), MPI_T_ERR_INVALID_HANDLE);
	IS(MPI_T_source_get_timestamp(0, &when), MPI_T_ERR_INVALID_INDEX);
}

static void everything(const char *state)
{
	IS(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
	cvars();
	cvar_write();
	pvars();
	state_is(state);
	pvar_refusals();
	categories();
	events();
	if (strcmp(state, "running") == 0)
		truth();
	else
		IS(LEVEL("ftmpi_connections") + COUNTER("ftmpi_frames_sent"), 0);
	(void)open_pvar("ftmpi_calls", MPI_T_PVAR_CLASS_COUNTER); /* goes with its session */
	IS(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	int provided = -1;

	not_initialized();
	IS(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
	IS(provided, MPI_THREAD_MULTIPLE);
	IS(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL), MPI_SUCCESS);
	IS(MPI_T_finalize(), MPI_SUCCESS);
	everything("before MPI_Init");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &prog.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &prog.size);
	everything("running");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	everything("after MPI_Finalize");
	IS(MPI_T_pvar_session_create(&session), MPI_SUCCESS); /* freed by the end */
	IS(MPI_T_finalize(), MPI_SUCCESS);
	not_initialized();
	IS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
	IS(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);
	IS(MPI_T_finalize(), MPI_SUCCESS);
	if (prog.rank == 0)
		printf("tool_interface: right, %d ranks\n", prog.size);
	return 0;
}
