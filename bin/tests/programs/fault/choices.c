/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose ranks depend on everything that MPI does not determine: which message a receive
 * from any source gets, what a probe finds and how often it finds nothing, which request is done
 * first, what a test says, whether a receive can be cancelled. Each rank keeps a hash of all that
 * it has seen, and each message carries it. At the end each rank compares what it has sent to every
 * other with what that has received: were a rank to do something else when it runs again, its
 * messages would not be those that others have.
 *
 * With -save each rank makes checkpoints when they are due, with receives of the next round open;
 * its first rounds (-prefix) come before FTMPI_Restore.
 */
#include <ftmpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { MOST = 8 };

struct content {
	uint64_t number, hash;
};

static int tag; /* of the round: nobody gets a message of another one */
static long rounds = 200, longest = 1 << 17, prefix;
static int trace, by_pid, save, tell;
static const char *gate;

static const struct prog_option options[] = {
	{"rounds", "ROUNDS", PROG_LONG, &rounds, 1, "how many"},
	{"-longest", "BYTES", PROG_LONG, &longest, 512, "the longest message"},
	{"-trace", NULL, PROG_FLAG, &trace, 0, "each rank prints its rounds"},
	{"-pid", NULL, PROG_FLAG, &by_pid, 0,
		"messages to others hold the number of the process, another one the next time"},
	{"-gate", "FILE", PROG_TEXT, &gate, 0,
		"after its rounds each rank waits until this file is there"},
	{"-save", NULL, PROG_FLAG, &save, 0, "each rank makes checkpoints"},
	{"-tell", NULL, PROG_FLAG, &tell, 0, "... and says so behind each"},
	{"-prefix", "ROUNDS", PROG_LONG, &prefix, 0, "as many before FTMPI_Restore"}};
static struct prog prog = {.name = "choices",
	.text = "ranks depend on all that MPI does not determine",
	.options = options,
	.count = 8};

static int rank, size;
static uint64_t seen = 1;		    /* all that this rank has seen */
static uint64_t *sent, *numbers, *received; /* by rank */
static uint64_t exchanged;
static char *out, *in[MOST];
static MPI_Request early[MOST]; /* receives of the next round, with -save */
static char *early_in[MOST];

static uint64_t mix(uint64_t h, uint64_t x)
{
	h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static void see(uint64_t x)
{
	seen = mix(seen, x);
}

/* The same on all ranks. */
static uint64_t plan(int round, int from, int what)
{
	return mix(mix(mix(17, (uint64_t)round), (uint64_t)from), (uint64_t)what);
}

static int messages_of(int round, int from)
{
	return (int)(plan(round, from, 0) % 4);
}

static int target_of(int round, int from, int i)
{
	return (int)(plan(round, from, 1 + i) % (uint64_t)size);
}

static int length_of(int round, int from, int i)
{
	uint64_t h = plan(round, from, 100 + i);

	return h % 16 == 0 ? (int)longest : (int)(sizeof(struct content) + h % 400);
}

static int incoming(int round)
{
	int n = 0;

	for (int from = 0; from < size; from++)
		for (int i = 0; i < messages_of(round, from); i++)
			n += target_of(round, from, i) == rank;
	return n;
}

static void take(const char *bytes, int source, int length)
{
	struct content c;

	memcpy(&c, bytes, sizeof c);
	received[source] += mix(mix(c.number, c.hash), (uint64_t)length);
	see((uint64_t)source);
	see(c.hash);
	exchanged++;
}

static void take_status(const char *bytes, const MPI_Status *status)
{
	int length;

	MPI_Get_count(status, MPI_BYTE, &length);
	take(bytes, status->MPI_SOURCE, length);
}

/* ---- ways to receive ---- */

static void receive_one(void)
{
	MPI_Status status;

	MPI_Recv(in[0], (int)longest, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	take_status(in[0], &status);
}

static void probe_one(void)
{
	MPI_Status status;
	int there = 0;

	for (uint64_t noes = 0; !there; noes++) {
		MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
		if (there)
			see(noes);
	}
	for (uint64_t i = seen % 3; i > 0; i--) {
		MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
		see((uint64_t)there);
		see((uint64_t)status.MPI_SOURCE);
	}
	MPI_Recv(in[0], (int)longest, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
	take_status(in[0], &status);
}

static void find_one(void)
{
	MPI_Message message;
	MPI_Status status;
	int there = 0;

	MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &message, &status);
	see((uint64_t)there);
	if (!there)
		MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
	MPI_Mrecv(in[0], (int)longest, MPI_BYTE, &message, &status);
	take_status(in[0], &status);
}

static void post(int n, MPI_Request *requests)
{
	for (int i = 0; i < n; i++)
		MPI_Irecv(in[i], (int)longest, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
			&requests[i]);
}

static void wait_any(int n)
{
	MPI_Request requests[MOST];
	MPI_Status status;
	int i;

	post(n, requests);
	for (int k = 0; k < n; k++) {
		MPI_Waitany(n, requests, &i, &status);
		see((uint64_t)i);
		take_status(in[i], &status);
	}
}

static void wait_some(int n)
{
	MPI_Request requests[MOST];
	MPI_Status statuses[MOST];
	int indices[MOST], done;

	post(n, requests);
	for (int left = n; left > 0; left -= done) {
		MPI_Waitsome(n, requests, &done, indices, statuses);
		see((uint64_t)done);
		for (int k = 0; k < done; k++) {
			see((uint64_t)indices[k]);
			take_status(in[indices[k]], &statuses[k]);
		}
	}
}

/* What is done is told again and again, with what is done by then. */
static void peek_some(int n)
{
	MPI_Request requests[MOST];
	MPI_Status statuses[MOST];
	int indices[MOST], done = 0, flag, i;
	uint64_t in_vain = 0;

	post(n, requests);
	for (int before = 0; done < n; before = done) {
		MPI_Request_get_status_some(n, requests, &done, indices, statuses);
		in_vain += done == before;
		for (int k = 0; done > before && k < done; k++)
			see((uint64_t)indices[k]);
		if (seen % 2 == 0 || done == 0)
			continue;
		MPI_Request_get_status_any(n, requests, &i, &flag, &statuses[0]);
		see((uint64_t)i);
		MPI_Request_get_status(requests[n - 1], &flag, &statuses[0]);
		see((uint64_t)flag);
	}
	see(in_vain);
	MPI_Waitall(n, requests, statuses);
	for (int k = 0; k < n; k++)
		take_status(in[k], &statuses[k]);
}

static void test_all(int n)
{
	MPI_Request requests[MOST];
	MPI_Status statuses[MOST];
	int done = 0;

	post(n, requests);
	for (uint64_t noes = 0; !done; noes++) {
		MPI_Testall(n, requests, &done, statuses);
		if (done)
			see(noes);
	}
	for (int i = 0; i < n; i++)
		take_status(in[i], &statuses[i]);
}

/* One receive more than there are messages for, and it is taken back; the message that it got
 * instead of another counts. */
static void cancel(int n)
{
	MPI_Request requests[MOST];
	MPI_Status status;
	int cancelled, got = 0;

	post(n, requests);
	MPI_Cancel(&requests[n - 1]);
	for (int i = 0; i < n; i++) {
		MPI_Wait(&requests[i], &status);
		MPI_Test_cancelled(&status, &cancelled);
		see((uint64_t)cancelled);
		if (cancelled)
			continue;
		take_status(in[i], &status);
		got++;
	}
	for (; got < n; got++)
		receive_one();
}

static void receive(int n)
{
	while (n > 0) {
		int batch = n < MOST ? n : MOST;

		switch (seen % 8) {
		case 0:
			receive_one();
			batch = 1;
			break;
		case 1:
			probe_one();
			batch = 1;
			break;
		case 2:
			find_one();
			batch = 1;
			break;
		case 3:
			wait_any(batch);
			break;
		case 4:
			wait_some(batch);
			break;
		case 5:
			test_all(batch);
			break;
		case 6:
			peek_some(batch);
			break;
		default:
			cancel(batch);
			break;
		}
		n -= batch;
	}
}

/* ---- and to send ---- */

static void send_all(int round, MPI_Request *requests, int *n)
{
	*n = 0;
	for (int i = 0; i < messages_of(round, rank); i++) {
		int to = target_of(round, rank, i), length = length_of(round, rank, i);
		struct content c = {.number = ++numbers[to],
			.hash = by_pid && to != rank ? (uint64_t)getpid() : seen};
		char *bytes = out + (size_t)i * (size_t)longest;

		memcpy(bytes, &c, sizeof c);
		sent[to] += mix(mix(c.number, c.hash), (uint64_t)length);
		if (plan(round, rank, 200 + i) % 5 == 0)
			MPI_Issend(bytes, length, MPI_BYTE, to, tag, MPI_COMM_WORLD,
				&requests[(*n)++]);
		else
			MPI_Isend(bytes, length, MPI_BYTE, to, tag, MPI_COMM_WORLD,
				&requests[(*n)++]);
	}
}

/* ---- receives that are open in a checkpoint ---- */

static int earlier(int round)
{
	int n = save && round < rounds ? incoming(round) : 0;

	return n < MOST ? n : MOST;
}

static void post_early(int round)
{
	for (int i = 0; i < earlier(round); i++)
		MPI_Irecv(early_in[i], (int)longest, MPI_BYTE, MPI_ANY_SOURCE, round,
			MPI_COMM_WORLD, &early[i]);
}

static int finish_early(void)
{
	MPI_Status status;
	int n = 0, i;

	for (;; n++) {
		MPI_Waitany(MOST, early, &i, &status);
		if (i == MPI_UNDEFINED)
			return n;
		see((uint64_t)i);
		take_status(early_in[i], &status);
	}
}

/* Operations of all that are under way while messages come and go. */
static void one_round(int round)
{
	uint64_t mine = seen, all = 0;
	MPI_Request requests[8], sum = MPI_REQUEST_NULL;
	int n, done = 0;

	tag = round;
	if (round % 3 == 0)
		MPI_Iallreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD, &sum);
	send_all(round, requests, &n);
	if (round % 6 == 0) {
		MPI_Test(&sum, &done, MPI_STATUS_IGNORE);
		see((uint64_t)done);
	}
	receive(incoming(round) - finish_early());
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	MPI_Wait(&sum, MPI_STATUS_IGNORE);
	if (round % 3 == 0)
		see(all);
	if (round % 10 == 0)
		MPI_Barrier(MPI_COMM_WORLD);
}

static void compare(void)
{
	uint64_t *theirs = calloc((size_t)size, sizeof *theirs), total;

	MPI_Alltoall(sent, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		if (theirs[i] != received[i])
			prog_wrong(&prog,
				"it has received other messages of rank %d than that has sent", i);
	MPI_Reduce(&exchanged, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("choices: right, %llu messages\n", (unsigned long long)total);
	free(theirs);
}

static void *words(void)
{
	return calloc((size_t)size, sizeof(uint64_t));
}

/* ---- checkpoints ---- */

static int64_t next_round;

static void protect(int id, void *at, int n)
{
	if (FTMPI_CKPT_Protect(id, at, n, MPI_UINT64_T) != MPI_SUCCESS)
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
}

static void protect_all(void)
{
	protect(1, &seen, 1);
	protect(2, sent, size);
	protect(3, numbers, size);
	protect(4, received, size);
	protect(5, &exchanged, 1);
	protect(6, &next_round, 1);
}

static void save_if_due(void)
{
	int due;

	if (FTMPI_Checkpoint_due(&due) != MPI_SUCCESS || !due)
		return;
	if (FTMPI_Perform_Checkpoint() == FTMPI_CHECKPOINTED && tell)
		printf("saved\n");
}

/* An image may be taken meanwhile, and checkpoints are made. */
static void wait_at_gate(void)
{
	const struct timespec moment = {0, 10000000};
	struct timespec left;

	while (gate && access(gate, F_OK) != 0) {
		nanosleep(&moment, &left);
		if (save)
			save_if_due();
	}
}

static void all_rounds(void)
{
	for (int round = 0; round < rounds; round++) {
		if (save && round == prefix) {
			if (FTMPI_Restore() == FTMPI_RESTORED)
				round = (int)next_round;
			post_early(round);
		}
		if (round == rounds)
			break;
		one_round(round);
		if (trace)
			printf("round %d\n", round);
		next_round = round + 1;
		if (round >= prefix)
			post_early(round + 1);
		if (save && round >= prefix)
			save_if_due();
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	rank = prog.rank;
	size = prog.size;
	sent = words();
	numbers = words();
	received = words();
	out = prog_alloc(&prog, 4 * (size_t)longest);
	memset(out, 0, 4 * (size_t)longest);
	for (int i = 0; i < MOST; i++) {
		in[i] = prog_alloc(&prog, (size_t)longest);
		early_in[i] = prog_alloc(&prog, (size_t)longest);
		early[i] = MPI_REQUEST_NULL;
	}
	if (save)
		protect_all();
	all_rounds();
	fflush(stdout);
	wait_at_gate();
	compare();
	MPI_Finalize();
	return 0;
}
