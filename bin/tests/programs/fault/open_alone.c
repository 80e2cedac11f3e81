/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is open in a checkpoint of data under message logging. Rank 0 kills itself behind its
 * checkpoints, the first time that it comes there (a file tells), and goes on alone. Three ranks.
 *
 *     send       a synchronous send that nobody has received is over with the checkpoint, and the
 *		  message comes once
 *     sent       the same, where that checkpoint comes to nothing: as before, it is over there
 *     self       the same of a message to this rank itself
 *     sum        a collective operation goes on
 *     over       a checkpoint that could be made before such a send is begun again is not made
 *     found      what MPI_Mprobe has found is found again, and no receive gets it
 *     two        the same of two, of which the next checkpoint finds one found again
 *     comms      communicators are made again, though nobody else makes them
 *     rest       the same of two, of which the next checkpoint finds one made again
 *     copy       a communicator that is copied meanwhile is copied again, with another operation
 *open order      receives for other tags are posted again in another order got        the same of
 *two that each fit both messages, and have got them
 */
#include <fcntl.h>
#include <ftmpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "prog.h"

enum { DATA = 1, SAY, OVER };

static struct prog prog = {.name = "open_alone", .text = "has much open in checkpoints"};
static int rank, state, restored;
static const char *marks; /* a path, to which names are added */

/* false: not the first time. */
static int die_once(const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s.%s", marks, name);
	if (open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		return 0;
	return kill(getpid(), SIGKILL);
}

static void must(int is, int wanted, const char *what)
{
	if (is != wanted)
		prog_wrong(&prog, "%s: %d, and not %d", what, is, wanted);
}

static void save(int next)
{
	state = next;
	must(FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED, "FTMPI_Perform_Checkpoint");
	must(FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED, "FTMPI_CKPT_Wait");
}

static void send(int value, int to, int tag, MPI_Comm c)
{
	MPI_Send(&value, 1, MPI_INT, to, tag, c);
}

static int receive(int from, int tag, MPI_Comm c)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, from, tag, c, MPI_STATUS_IGNORE);
	return value;
}

static void restore(void)
{
	must(FTMPI_CKPT_Protect(1, &state, 1, MPI_INT), MPI_SUCCESS, "FTMPI_CKPT_Protect");
	restored = FTMPI_Restore() == FTMPI_RESTORED;
}

static int test(MPI_Request *r)
{
	int flag;

	MPI_Test(r, &flag, MPI_STATUS_IGNORE);
	return flag;
}

/* ---- sends ---- */

static void begin_send(int to, MPI_Request *r)
{
	static int one = 1;

	MPI_Issend(&one, 1, MPI_INT, to, DATA, MPI_COMM_WORLD, r);
	must(test(r), 0, "a test of a send that nobody has received");
}

/* The other one receives it behind all that. */
static void end_send(int to)
{
	send(0, to, SAY, MPI_COMM_WORLD);
	send(2, to, DATA, MPI_COMM_WORLD);
}

static void receive_late(void)
{
	if (rank != 1)
		return;
	receive(0, SAY, MPI_COMM_WORLD);
	must(receive(0, DATA, MPI_COMM_WORLD), 1, "the first message");
	must(receive(0, DATA, MPI_COMM_WORLD), 2, "the second message");
}

static void send_case(void)
{
	MPI_Request r;

	restore();
	receive_late();
	if (rank != 0)
		return;
	if (!restored) {
		begin_send(1, &r);
		save(1);
		must(test(&r), 1, "a test of a send behind the checkpoint");
		die_once("send");
	}
	end_send(1);
}

/* Rank 2 has heard what was seen, so it is durable. */
static void tell_and_die(int over, const char *at)
{
	send(over, 2, SAY, MPI_COMM_WORLD);
	receive(2, SAY, MPI_COMM_WORLD);
	die_once(at);
}

/* FTMPI_FAULT lets the second checkpoint fail. What rank 2 hears has left because outcomes are
 * durable by then; the last of them keeps the process that comes back from making the checkpoint.
 */
static void sent_case(void)
{
	MPI_Request r;
	int over, more;

	restore();
	receive_late();
	if (rank == 2)
		send(receive(0, SAY, MPI_COMM_WORLD), 0, SAY, MPI_COMM_WORLD);
	if (rank != 0)
		return;
	if (!restored)
		save(1);
	begin_send(1, &r);
	FTMPI_Perform_Checkpoint();
	FTMPI_CKPT_Wait();
	over = test(&r);
	must(over, 1, "a test of a send behind the checkpoint");
	MPI_Iprobe(MPI_ANY_SOURCE, OVER, MPI_COMM_WORLD, &more, MPI_STATUS_IGNORE);
	must(more, 0, "a message that nobody sends");
	tell_and_die(over, "sent");
	must(restored, 1, "has it come back from the first checkpoint");
	end_send(1);
}

/* Goes on from the first checkpoint, behind which the send was over. */
static void over_case(void)
{
	MPI_Request r;
	int over, one = 1;

	restore();
	receive_late();
	if (rank == 2)
		send(receive(0, SAY, MPI_COMM_WORLD), 0, SAY, MPI_COMM_WORLD);
	if (rank != 0)
		return;
	if (!restored)
		save(1);
	else
		must(FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR, "a checkpoint before the send");
	MPI_Issend(&one, 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, &r);
	if (!restored) {
		FTMPI_Perform_Checkpoint();
		FTMPI_CKPT_Wait();
	}
	over = test(&r);
	must(over, 1, "a test of a send behind the checkpoint");
	tell_and_die(over, "over");
	end_send(1);
}

static void self_case(void)
{
	static int many[100000] = {5}, in[100000];
	MPI_Request sync, standard;

	restore();
	if (rank != 0)
		return;
	if (!restored) {
		begin_send(0, &sync);
		MPI_Isend(many, 100000, MPI_INT, 0, OVER, MPI_COMM_WORLD, &standard);
		must(test(&standard), 1, "a test of a standard send");
		save(1);
		must(test(&sync), 1, "a test of a send behind the checkpoint");
		die_once("self");
	}
	must(receive(0, DATA, MPI_COMM_WORLD), 1, "what it has sent to itself");
	MPI_Recv(in, 100000, MPI_INT, 0, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	must(in[0], 5, "the long message to itself");
}

/* ---- operations ---- */

static void sum_case(void)
{
	int mine = rank + 1, sum = 0;
	MPI_Request r;
	MPI_Comm c;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	restore();
	if (rank != 0)
		receive(0, SAY, MPI_COMM_WORLD);
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c, &r);
	if (rank == 0) {
		must(test(&r), 0, "a test of a sum");
		if (!restored)
			save(1);
		send(0, 1, SAY, MPI_COMM_WORLD);
		die_once("sum");
		send(0, 2, SAY, MPI_COMM_WORLD);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	must(sum, 6, "the sum");
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
	must(sum, 6, "the next sum");
	MPI_Comm_free(&c);
}

/* ---- messages that are found ---- */

static void found_case(void)
{
	MPI_Message m;
	MPI_Request r;
	int first = 0, second = 0;

	restore();
	if (rank == 1) {
		send(1, 0, DATA, MPI_COMM_WORLD);
		send(2, 0, DATA, MPI_COMM_WORLD);
	}
	if (rank != 0)
		return;
	if (!restored) {
		MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
		save(1);
		die_once("found");
	}
	MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, DATA, MPI_COMM_WORLD, &r);
	MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(&first, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	must(first, 1, "what was found");
	must(second, 2, "what is received");
}

static int receive_found(void)
{
	MPI_Message m;
	int value;

	MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(&value, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	return value;
}

static void two_case(void)
{
	MPI_Message m;

	restore();
	for (int i = 1; rank == 1 && i <= 2; i++)
		send(i, 0, DATA, MPI_COMM_WORLD);
	if (rank != 0)
		return;
	for (int i = 0; i < 2 && !restored; i++)
		MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	if (!restored) {
		save(1);
		die_once("first");
	}
	if (state == 1) {
		MPI_Mprobe(1, DATA, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
		save(2);
		die_once("second");
	}
	must(receive_found(), 1, "the first that was found");
	must(receive_found(), 2, "the second that was found");
}

/* ---- communicators ---- */

enum { COPY, NONE, PART, TWO, GRID, BETWEEN, MERGED, COMMS }; /* NONE: rank 0 is not in it */

static void make(MPI_Comm base, MPI_Comm half, MPI_Comm c[COMMS])
{
	int dims[1] = {3}, periods[1] = {1}, two[2] = {0, 1};
	MPI_Group all, g;

	MPI_Comm_dup(base, &c[COPY]);
	MPI_Comm_split(base, rank == 0 ? MPI_UNDEFINED : 0, 0, &c[NONE]);
	MPI_Comm_split(base, rank == 2, -rank, &c[PART]);
	MPI_Comm_group(base, &all);
	MPI_Group_incl(all, 2, two, &g);
	MPI_Comm_create(base, g, &c[TWO]);
	MPI_Cart_create(base, 1, dims, periods, 0, &c[GRID]);
	MPI_Intercomm_create(half, 0, base, rank == 2 ? 0 : 2, OVER, &c[BETWEEN]);
	MPI_Intercomm_merge(c[BETWEEN], rank == 2, &c[MERGED]);
	MPI_Group_free(&all);
	MPI_Group_free(&g);
}

/* Ranks 0 and 1 are the other way round in one. */
static void use(MPI_Comm c, int i)
{
	int zero = i == PART ? 1 : 0, size, one = 1, sum, inter;

	MPI_Comm_test_inter(c, &inter);
	MPI_Comm_size(c, &size);
	if (inter)
		MPI_Comm_remote_size(c, &size);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
	must(sum, size, "those in a communicator");
	if (rank == 1 && !inter && i != NONE)
		send(10 + i, zero, DATA, c);
	if (rank == 0 && !inter)
		must(receive(1 - zero, DATA, c), 10 + i, "the message of a communicator");
}

static void comms_case(void)
{
	MPI_Comm base, half, c[COMMS];

	MPI_Comm_dup(MPI_COMM_WORLD, &base);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &half);
	restore();
	make(base, half, c);
	if (rank == 0 && !restored) {
		save(1);
		die_once("comms");
	}
	for (int i = 0; i < COMMS; i++)
		if (c[i] != MPI_COMM_NULL)
			use(c[i], i);
	MPI_Comm_dup(base, &half);
	use(half, COMMS);
}

static void rest_case(void)
{
	MPI_Comm a, b;

	restore();
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	if (rank == 0 && state == 1) {
		save(2);
		die_once("second");
	}
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &b);
	if (rank == 0 && !restored) {
		save(1);
		die_once("first");
	}
	MPI_Barrier(b);
	MPI_Barrier(a);
}

/* Rank 0 names the contexts. */
static void copy_case(void)
{
	int mine = rank + 1, sum = 0;
	MPI_Request copying, r;
	MPI_Comm base, c, next;

	MPI_Comm_dup(MPI_COMM_WORLD, &base);
	restore();
	MPI_Comm_idup(base, &c, &copying);
	if (rank != 0)
		receive(0, SAY, MPI_COMM_WORLD);
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, base, &r);
	if (rank == 0 && !restored)
		save(1);
	MPI_Wait(&copying, MPI_STATUS_IGNORE);
	MPI_Comm_dup(c, &next);
	if (rank == 0) {
		die_once("copy");
		for (int i = 1; i < 3; i++)
			send(0, i, SAY, MPI_COMM_WORLD);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	must(sum, 6, "the sum");
	MPI_Barrier(next);
}

/* ---- receives ---- */

/* One from any source, then one from rank 1; posted again the other way round. */
static void got_case(void)
{
	int values[2] = {0, 0};
	MPI_Request r[2];

	restore();
	if (rank == 1) {
		receive(0, SAY, MPI_COMM_WORLD);
		send(11, 0, DATA, MPI_COMM_WORLD);
		send(12, 0, DATA, MPI_COMM_WORLD);
		send(0, 0, SAY, MPI_COMM_WORLD);
	}
	if (rank != 0)
		return;
	for (int i = 0; i < 2; i++) {
		int which = restored ? 1 - i : i;

		MPI_Irecv(&values[which], 1, MPI_INT, which ? 1 : MPI_ANY_SOURCE, DATA,
			MPI_COMM_WORLD, &r[which]);
	}
	if (!restored) {
		send(0, 1, SAY, MPI_COMM_WORLD);
		receive(1, SAY, MPI_COMM_WORLD);
		save(1);
		die_once("got");
	}
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	must(values[0], 11, "the first receive");
	must(values[1], 12, "the second receive");
}

/* Ranks 1 and 2 both send what the first fits; it gets that of rank 1. */
static void order_case(void)
{
	int values[2] = {0, 0};
	MPI_Request r[2];

	restore();
	if (rank != 0) {
		receive(0, SAY, MPI_COMM_WORLD);
		send(rank, 0, DATA, MPI_COMM_WORLD);
		send(0, 0, SAY, MPI_COMM_WORLD);
		if (rank == 2)
			send(7, 0, OVER, MPI_COMM_WORLD);
		return;
	}
	for (int i = 0; i < 2; i++) {
		int which = restored ? 1 - i : i;

		MPI_Irecv(&values[which], 1, MPI_INT, MPI_ANY_SOURCE, which ? OVER : DATA,
			MPI_COMM_WORLD, &r[which]);
	}
	if (!restored)
		save(1);
	for (int i = 1; i < 3; i++) {
		send(0, i, SAY, MPI_COMM_WORLD);
		receive(i, SAY, MPI_COMM_WORLD);
	}
	die_once("order");
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	must(values[0], 1, "the first receive");
	must(values[1], 7, "the second receive");
	must(receive(MPI_ANY_SOURCE, DATA, MPI_COMM_WORLD), 2, "what is left");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {{"send", send_case}, {"sent", sent_case}, {"over", over_case}, {"self", self_case},
	{"sum", sum_case}, {"found", found_case}, {"two", two_case}, {"comms", comms_case},
	{"rest", rest_case}, {"copy", copy_case}, {"order", order_case}, {"got", got_case}};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	prog.rank = rank;
	if (argc != 3)
		prog_wrong(&prog, "open_alone CASE MARKS");
	marks = argv[2];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	if (rank == 0)
		printf("open_alone: right\n");
	MPI_Finalize();
	return 0;
}
