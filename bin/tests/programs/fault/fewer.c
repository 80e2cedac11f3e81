/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 of two kills itself once (a file tells) and, when it runs again under message logging,
 * asks for less than before, as a program does that looks at the clock; or (-same) for the same.
 * Each case is what would be waited for in vain then, or would not be noticed:
 *
 *     found     a probe's message, which a receive took before the probe
 *     mprobed   a receive's message, which MPI_Mprobe took before it
 *     cancel    the message of a receive whose cancellation was to succeed, behind fewer probes
 *     wait      the message of a receive that was cancelled
 *     test      the same, by the request that MPI_Testany named
 *     live      in MPI_Cancel, another receive, which is not posted
 *     any       a receive's message from any source, in the midst of probes
 *     send      nothing: a message is sent in the midst of probes
 *     operation nothing: an operation begins there
 *     finalize  nothing: the program ends without any probe
 *     restore   in FTMPI_Restore, a receive that was cancelled before it
 */
#include <fcntl.h>
#include <ftmpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "prog.h"

enum { DATA = 1, SYNC, ANSWER, NEVER };

static int same;
static const char *what, *mark;
static const struct prog_option options[] = {{"case", "CASE", PROG_TEXT, &what, 0, "which"},
	{"mark", "FILE", PROG_TEXT, &mark, 0, "is there when rank 0 runs again"},
	{"-same", NULL, PROG_FLAG, &same, 0, "it asks for the same again"}};
static struct prog prog = {.name = "fewer",
	.text = "asks for less when it runs again",
	.options = options,
	.count = 3};
static int fewer; /* this run does */
static int in;
static MPI_Request request, second;

static void send(int to, int tag)
{
	MPI_Send(&in, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int tag)
{
	MPI_Recv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void post(int from, int tag, MPI_Request *r)
{
	MPI_Irecv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, r);
}

/* In vain: five, or three. */
static void probe(void)
{
	int there;

	for (int i = 0; i < (fewer ? 3 : 5); i++) {
		MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (there)
			prog_wrong(&prog, "a message that nobody sent");
	}
}

/* What rank 0 has seen is durable when the answer is there. */
static void die_once(void)
{
	send(1, SYNC);
	receive(1, ANSWER);
	if (open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		kill(getpid(), SIGKILL);
}

static void cancel(void)
{
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- cases ---- */

static void found(void)
{
	int there = 0;

	if (fewer)
		receive(1, DATA);
	while (!there)
		MPI_Iprobe(MPI_ANY_SOURCE, DATA, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	receive(1, DATA);
	die_once();
}

static void mprobed(void)
{
	MPI_Message message;

	if (fewer) {
		MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	}
	receive(MPI_ANY_SOURCE, DATA);
	die_once();
}

static void cancelled(void)
{
	post(1, NEVER, &request);
	probe();
	cancel();
	die_once();
}

static void waited(void)
{
	post(1, NEVER, &request);
	if (!fewer)
		MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	die_once();
}

static void tested(void)
{
	MPI_Request both[2];
	int i = MPI_UNDEFINED, done = 0;

	post(1, fewer ? NEVER : DATA, &both[0]);
	post(1, NEVER, &both[1]);
	while (!done)
		MPI_Testany(2, fewer ? (MPI_Request[]){both[1], both[0]} : both, &i, &done,
			MPI_STATUS_IGNORE);
	MPI_Cancel(&both[1]);
	MPI_Wait(&both[1], MPI_STATUS_IGNORE);
	die_once();
}

static void live(void)
{
	post(MPI_ANY_SOURCE, DATA, &request);
	if (fewer)
		MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	receive(MPI_ANY_SOURCE, DATA);
	die_once();
}

static void any(void)
{
	receive(MPI_ANY_SOURCE, DATA);
	probe();
	if (fewer)
		receive(MPI_ANY_SOURCE, NEVER);
	die_once();
}

static void sent(void)
{
	probe();
	send(1, DATA);
	die_once();
}

static void operation(void)
{
	probe();
	MPI_Ibarrier(MPI_COMM_WORLD, &second);
	MPI_Wait(&second, MPI_STATUS_IGNORE);
	die_once();
}

static void finalized(void)
{
	if (!fewer)
		probe();
	die_once();
}

static void restored(void)
{
	post(1, NEVER, &request);
	if (!fewer)
		cancel();
	if (FTMPI_Restore() == FTMPI_RESTORED)
		return;
	if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED ||
		FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "there is no checkpoint");
	die_once();
}

static const struct prog_case cases[] = {{"found", found}, {"mprobed", mprobed},
	{"cancel", cancelled}, {"wait", waited}, {"test", tested}, {"live", live}, {"any", any},
	{"send", sent}, {"operation", operation}, {"finalize", finalized}, {"restore", restored}};

static const struct prog_case *chosen;

/* As many messages as rank 0 may receive, and an answer. */
static void serve(void)
{
	if (chosen->run == restored)
		FTMPI_Restore();
	if (chosen->run == sent)
		receive(0, DATA);
	if (chosen->run == operation) {
		MPI_Ibarrier(MPI_COMM_WORLD, &second);
		MPI_Wait(&second, MPI_STATUS_IGNORE);
	}
	if (chosen->run == found || chosen->run == mprobed || chosen->run == tested ||
		chosen->run == live || chosen->run == any)
		send(0, DATA);
	if (chosen->run == live)
		send(0, DATA);
	receive(0, SYNC);
	send(0, ANSWER);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	chosen =
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, what ? what : "(none)");
	if (!mark)
		prog_wrong(&prog, "fewer CASE MARK");
	fewer = !same && access(mark, F_OK) == 0;
	if (prog.rank == 0)
		chosen->run();
	else
		serve();
	if (prog.rank == 0)
		printf("fewer: right\n");
	MPI_Finalize();
	return 0;
}
