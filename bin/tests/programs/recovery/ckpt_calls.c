/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ckpt_calls: what the calls of ftmpi.h answer, right and wrong arguments alike, before MPI_Init,
 * while MPI runs and after MPI_Finalize. Prints "ckpt_calls: all right".
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <ftmpi.h>

#include "asleep.h"
#include "prog.h"

static struct prog prog = {.name = "ckpt_calls", .text = "what the checkpoint calls answer"};
static int wrong;

#define IS(call, expected) is(#call, (long long)(call), (long long)(expected))

static void is(const char *call, long long got, long long expected)
{
	if (got == expected)
		return;
	wrong = 1;
	fprintf(stderr, "ckpt_calls: WRONG: %s gives %lld, not %lld\n", call, got, expected);
}

static void outside(void)
{
	int n = 7;

	IS(FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR);
	IS(FTMPI_Restore(), FTMPI_CKPTERROR);
	IS(FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	IS(FTMPI_CKPT_Set_coordination("blocking"), MPI_ERR_OTHER);
	IS(FTMPI_Checkpoint_due(&n), MPI_ERR_OTHER);
	IS(FTMPI_Get_restart_count(&n), MPI_ERR_OTHER);
	IS(FTMPI_Progress(0.5, "half"), MPI_ERR_OTHER);
	IS(n, 7);
	IS(FTMPI_CKPT_Protect(0, &n, 1, MPI_INT), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_Unprotect(0), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_AllocBuffer(1), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_ReAllocBuffer(1), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_DeAllocBuffer(), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_ResetBufPtr(), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_CUR), -1);
	IS(FTMPI_CKPT_AddToBuffer(&n, 1), MPI_ERR_OTHER);
	IS(FTMPI_CKPT_GetFromBuffer(&n, 1), MPI_ERR_OTHER);
}

static void no_buffer(void)
{
	char c = 0;

	IS(FTMPI_CKPT_ResetBufPtr(), MPI_ERR_BUFFER);
	IS(FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_SET), -1);
	IS(FTMPI_CKPT_AddToBuffer(&c, 1), MPI_ERR_BUFFER);
	IS(FTMPI_CKPT_GetFromBuffer(&c, 1), MPI_ERR_BUFFER);
	IS(FTMPI_CKPT_DeAllocBuffer(), MPI_SUCCESS);
	IS(FTMPI_CKPT_AllocBuffer(-1), MPI_ERR_ARG);
	IS(FTMPI_CKPT_AllocBuffer((MPI_Count)1 << 60), MPI_ERR_NO_MEM);
}

/* Report 3.2.5: a random access file. */
static void buffer(void)
{
	char out[16] = "";

	IS(FTMPI_CKPT_AllocBuffer(10), MPI_SUCCESS);
	IS(FTMPI_CKPT_AddToBuffer("hello", 5), MPI_SUCCESS);
	IS(FTMPI_CKPT_AddToBuffer("world!", 6), MPI_ERR_TRUNCATE);
	IS(FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_CUR), 5);
	IS(FTMPI_CKPT_AddToBuffer("world", 5), MPI_SUCCESS);
	IS(FTMPI_CKPT_SeekBufPtr(5, FTMPI_SEEK_END), 10);
	IS(FTMPI_CKPT_GetFromBuffer(out, 5), MPI_SUCCESS);
	IS(strcmp(out, "world"), 0);
	IS(FTMPI_CKPT_GetFromBuffer(out, 1), MPI_ERR_TRUNCATE);
	IS(FTMPI_CKPT_SeekBufPtr(1, FTMPI_SEEK_CUR), -1);
	IS(FTMPI_CKPT_SeekBufPtr(11, FTMPI_SEEK_END), -1);
	IS(FTMPI_CKPT_SeekBufPtr(-1, FTMPI_SEEK_SET), -1);
	IS(FTMPI_CKPT_SeekBufPtr(0, 3), -1);
	IS(FTMPI_CKPT_ReAllocBuffer(7), MPI_SUCCESS);
	IS(FTMPI_CHKPT_SeekBufPtr(0, FTMPISEEK_CUR), 7);
	IS(FTMPI_CKPT_ResetBufPtr(), MPI_SUCCESS);
	IS(FTMPI_CKPT_ReAllocBuffer(12), MPI_SUCCESS);
	IS(FTMPI_CKPT_GetFromBuffer(out, 12), MPI_SUCCESS);
	IS(memcmp(out, "hellowo\0\0\0\0\0", 12), 0);
	IS(FTMPI_CKPT_AddToBuffer(NULL, 1), MPI_ERR_ARG);
	IS(FTMPI_CKPT_GetFromBuffer(out, -1), MPI_ERR_ARG);
	IS(FTMPI_CKPT_DeAllocBuffer(), MPI_SUCCESS);
	IS(FTMPI_CKPT_ResetBufPtr(), MPI_ERR_BUFFER);
}

static void variables(void)
{
	MPI_Datatype raw;
	int n = 0;

	MPI_Type_contiguous(3, MPI_INT, &raw);
	IS(FTMPI_CKPT_Protect(-1, &n, 1, MPI_INT), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Protect(FTMPI_CKPT_ID_MAX + 1, &n, 1, MPI_INT), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Protect(1, NULL, 1, MPI_INT), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Protect(1, &n, -1, MPI_INT), MPI_ERR_COUNT);
	IS(FTMPI_CKPT_Protect(1, &n, 1, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
	IS(FTMPI_CKPT_Protect(1, &n, 1, raw), MPI_ERR_TYPE);
	IS(FTMPI_CKPT_Unprotect(1), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Unprotect(-1), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Protect(1, NULL, 0, MPI_INT), MPI_SUCCESS);
	IS(FTMPI_CKPT_Protect(1, &n, 1, MPI_INT), MPI_SUCCESS);
	IS(FTMPI_CKPT_Protect(FTMPI_CKPT_ID_MAX, &n, 1, MPI_INT), MPI_SUCCESS);
	IS(FTMPI_CKPT_Unprotect(FTMPI_CKPT_ID_MAX), MPI_SUCCESS);
	IS(FTMPI_CKPT_Unprotect(FTMPI_CKPT_ID_MAX), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Unprotect(1), MPI_SUCCESS);
	MPI_Type_free(&raw);
}

/* What the launcher said stays. Under auto the program has one choice. */
static void protocols(int automatic, const char *choice)
{
	const char *other = strcmp(choice, "tagging") == 0 ? "eventlog" : "tagging";
	int late = automatic ? MPI_ERR_OTHER : MPI_SUCCESS;

	IS(FTMPI_CKPT_Set_coordination(NULL), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Set_coordination(""), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Set_coordination("auto"), MPI_ERR_ARG);
	IS(FTMPI_CKPT_Set_coordination("Blocking"), MPI_ERR_ARG);
	if (*choice) {
		IS(FTMPI_CKPT_Set_coordination(choice), MPI_SUCCESS);
		IS(FTMPI_CKPT_Set_coordination(other), late);
		IS(FTMPI_CKPT_Set_coordination(choice), MPI_SUCCESS);
	}
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Set_coordination(other), late);
	IS(FTMPI_CKPT_Set_coordination(*choice ? choice : "eventlog"), MPI_SUCCESS);
	IS(FTMPI_CKPT_Set_coordination("none"), MPI_ERR_ARG);
}

static void lines(int in_time)
{
	int n = 7, flag = 7;

	IS(FTMPI_Get_restart_count(&n), MPI_SUCCESS);
	IS(n, 0);
	IS(FTMPI_Get_restart_count(NULL), MPI_ERR_ARG);
	IS(FTMPI_Progress(-0.1, NULL), MPI_ERR_ARG);
	IS(FTMPI_Progress(1.1, "past the end"), MPI_ERR_ARG);
	IS(FTMPI_Progress(NAN, NULL), MPI_ERR_ARG);
	IS(FTMPI_Progress(0.25, "a quarter\n of it, in more words than anybody wants to read of a program"), MPI_SUCCESS);
	IS(FTMPI_Progress(0.5, NULL), MPI_SUCCESS);
	IS(FTMPI_Checkpoint_due(NULL), MPI_ERR_ARG);
	IS(FTMPI_Restore(), FTMPI_NOTHING);
	IS(FTMPI_Checkpoint_due(&flag), MPI_SUCCESS);
	while (in_time && !flag)
		IS(FTMPI_Checkpoint_due(&flag), MPI_SUCCESS);
	IS(flag, in_time);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_Restore(), FTMPI_NOTHING);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
}

static _Atomic long receiver;

static void *receive(void *arg)
{
	receiver = asleep_self();
	MPI_Recv(arg, 1, MPI_INT, prog.rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

/* A thread of the last rank is inside MPI: no rank gets a line, until it is not. Others are told at
 * once when they wait for all ranks anyway. */
static void threads(int waits)
{
	pthread_t thread;
	int one = 1, got = 0;
	bool mine = prog.rank == prog.size - 1;

	if (mine && pthread_create(&thread, NULL, receive, &got) != 0)
		prog_wrong(&prog, "no thread");
	if (mine)
		asleep_wait(&prog, &receiver, ASLEEP_WATCHING);
	IS(FTMPI_Perform_Checkpoint(), mine || waits ? FTMPI_CKPTERROR : FTMPI_CHECKPOINTED);
	if (mine) {
		MPI_Send(&one, 1, MPI_INT, prog.rank, 7, MPI_COMM_WORLD);
		pthread_join(thread, NULL);
		IS(got, 1);
	}
	IS(FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
}

/* A fault point breaks the last rank's part of the first line: nobody gets that. Who finds out
 * while the program waits for its copy says so at once. */
static void broken(const char *how)
{
	bool at_once = strcmp(how, "copy") == 0 && prog.rank == prog.size - 1;

	IS(FTMPI_Perform_Checkpoint(), at_once ? FTMPI_CKPTERROR : FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	IS(FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
}

/* Two pieces of memory as one variable; what lies between them is not the program's. */
static void protect_two(void *first, size_t n, void *second, size_t m)
{
	int lengths[] = {(int)n, (int)m};
	MPI_Aint from, places[2] = {0};
	MPI_Datatype both;

	MPI_Get_address(first, &from);
	MPI_Get_address(second, &places[1]);
	places[1] -= from;
	MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &both);
	MPI_Type_commit(&both);
	IS(FTMPI_CKPT_Protect(9, first, 1, both), MPI_SUCCESS);
	MPI_Type_free(&both);
}

/* The last rank gives memory of a variable back to the system, and forgets that it is protected. */
static void freed(int waits)
{
	static char part[100];
	size_t len = 1 << 20;
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool mine = prog.rank == prog.size - 1;

	if (memory == MAP_FAILED)
		prog_wrong(&prog, "no memory");
	protect_two(part, sizeof part, memory, len);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
	if (mine)
		munmap(memory, len);
	IS(FTMPI_Perform_Checkpoint(), mine || waits ? FTMPI_CKPTERROR : FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	IS(FTMPI_CKPT_Unprotect(9), MPI_SUCCESS);
	if (!mine)
		munmap(memory, len);
	IS(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	IS(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
}

int main(int argc, char **argv)
{
	int in_time = 0, with_thread = 0, with_freed = 0, automatic = 0, local = 0, level;
	const char *choice = "", *how = "";
	const struct prog_option options[] = {
		{"-in-time", NULL, PROG_FLAG, &in_time, 0, "there is an interval: wait for it"},
		{"-thread", NULL, PROG_FLAG, &with_thread, 0, "another thread is inside MPI"},
		{"-auto", NULL, PROG_FLAG, &automatic, 0, "the protocol is the program's choice"},
		{"-choose", "NAME", PROG_TEXT, &choice, 0, "ask for this protocol"},
		{"-broken", "HOW", PROG_TEXT, &how, 0,
			"the first line cannot be made: copy or write"},
		{"-freed", NULL, PROG_FLAG, &with_freed, 0, "a variable's memory is freed"},
		{"-local", NULL, PROG_FLAG, &local, 0, "the protocol does not wait"}};

	outside();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog.options = options;
	prog.count = sizeof options / sizeof *options;
	prog_begin(&prog, argc, argv);
	IS(FTMPI_Restore(), FTMPI_NOTHING);
	no_buffer();
	buffer();
	variables();
	if (*how)
		broken(how);
	protocols(automatic, choice);
	lines(in_time);
	if (with_thread)
		threads(!local);
	if (with_freed)
		freed(!local);
	MPI_Finalize();
	outside();
	if (!wrong && prog.rank == 0)
		puts("ckpt_calls: all right");
	return wrong;
}
