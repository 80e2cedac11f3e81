/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronous sends that wait for their receives: none is done before its receive is begun, however
 * many recovery lines are made meanwhile, and each is then.
 *
 * With a file: each rank has sent to the next one and to itself, and looks at these sends until the
 * file is there; then all receive. Else so many steps: each rank sends to the next one, looks for a
 * while for what the previous one says when its own send is done, receives and says so itself. At
 * some steps it takes a send back that nobody receives.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { LONG = 300000, VECTORS = 2000, TAKEN_BACK = 101, DONE, LAST, LOOKS = 200 };

static const char *file;
static long steps;
static int strict;
static const struct prog_option options[] = {
	{"-until", "FILE", PROG_TEXT, &file, 0, "all wait until this file is there"},
	{"-steps", "N", PROG_LONG, &steps, 1, "so many steps"},
	{"-strict", NULL, PROG_FLAG, &strict, 0,
		"ranks go back all at once: a send is never done before its receive is begun"}};
static struct prog prog = {.name = "unmatched",
	.text = "synchronous sends that wait for their receives",
	.options = options,
	.count = 3};

static int next(void)
{
	return (prog.rank + 1) % prog.size;
}

static int previous(void)
{
	return (prog.rank + prog.size - 1) % prog.size;
}

static char value(int rank, long what, size_t i)
{
	return (char)(rank * 31 + what * 7 + (long)i);
}

static void set(char *buf, size_t len, int rank, long what)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = value(rank, what, i);
}

static void check(const char *buf, size_t len, int rank, long what)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != value(rank, what, i))
			prog_wrong(&prog, "byte %zu of %zu, sent by rank %d (%ld), is %d", i, len,
				rank, what, buf[i]);
}

/* ---- until a file is there ---- */

/* A message of each kind; its number is its tag. */
static struct offer {
	int count, to_itself;
	enum { BYTES, EVERY_SECOND } type;
	int persistent;
	char *out, *in;
	MPI_Request r;
} offers[] = {{8, 0, BYTES, 0, NULL, NULL, MPI_REQUEST_NULL},
	{0, 0, BYTES, 0, NULL, NULL, MPI_REQUEST_NULL},
	{LONG, 0, BYTES, 0, NULL, NULL, MPI_REQUEST_NULL},
	{LONG, 0, EVERY_SECOND, 0, NULL, NULL, MPI_REQUEST_NULL},
	{100, 0, BYTES, 1, NULL, NULL, MPI_REQUEST_NULL},
	{8, 1, BYTES, 0, NULL, NULL, MPI_REQUEST_NULL},
	{LONG, 1, BYTES, 0, NULL, NULL, MPI_REQUEST_NULL}};

enum { OFFERS = sizeof offers / sizeof *offers };

static MPI_Datatype type_of(const struct offer *o)
{
	MPI_Datatype t = MPI_BYTE;

	if (o->type == EVERY_SECOND) {
		MPI_Type_vector(o->count / VECTORS, 1, 2, MPI_BYTE, &t);
		MPI_Type_commit(&t);
	}
	return t;
}

static int number_of(const struct offer *o)
{
	return o->type == EVERY_SECOND ? VECTORS / 2 : o->count;
}

static void begin(struct offer *o, int tag)
{
	int to = o->to_itself ? prog.rank : next();
	MPI_Datatype t = type_of(o);

	o->out = prog_alloc(&prog, LONG);
	o->in = prog_alloc(&prog, LONG);
	set(o->out, LONG, prog.rank, tag);
	set(o->in, LONG, o->to_itself ? prog.rank : previous(), tag);
	if (o->persistent)
		MPI_Ssend_init(o->out, number_of(o), t, to, tag, MPI_COMM_WORLD, &o->r);
	if (o->persistent)
		MPI_Start(&o->r);
	else
		MPI_Issend(o->out, number_of(o), t, to, tag, MPI_COMM_WORLD, &o->r);
	if (t != MPI_BYTE)
		MPI_Type_free(&t);
}

static void look(void)
{
	for (int i = 0; i < OFFERS; i++) {
		int done;

		MPI_Test(&offers[i].r, &done, MPI_STATUS_IGNORE);
		if (done)
			prog_wrong(&prog, "send %d is done, and its receive is not begun", i);
	}
}

/* What is not received stays as it is: it is what is expected. */
static void receive(struct offer *o, int tag)
{
	int from = o->to_itself ? prog.rank : previous();
	MPI_Datatype t = type_of(o);

	if (o->count > 0)
		o->in[0] ^= 1;
	MPI_Recv(o->in, number_of(o), t, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(o->in, LONG, from, tag);
	if (t != MPI_BYTE)
		MPI_Type_free(&t);
}

static void end(struct offer *o)
{
	MPI_Wait(&o->r, MPI_STATUS_IGNORE);
	if (o->persistent)
		MPI_Request_free(&o->r);
	free(o->out);
	free(o->in);
}

static void until_there(void)
{
	for (int i = 0; i < OFFERS; i++)
		begin(&offers[i], i);
	MPI_Send(NULL, 0, MPI_BYTE, next(), LAST, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0) {
		printf("unmatched: all wait\n");
		fflush(stdout);
	}
	while (access(file, F_OK) != 0) {
		const struct timespec moment = {0, 1000000};
		struct timespec left;

		look();
		nanosleep(&moment, &left);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_BYTE, previous(), LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = OFFERS; i-- > 0;)
		receive(&offers[i], i);
	for (int i = 0; i < OFFERS; i++)
		end(&offers[i]);
}

/* ---- steps ---- */

static void look_for_done(long n)
{
	int there;

	for (long i = 0; i < LOOKS * (n % 4); i++) {
		MPI_Iprobe(previous(), DONE, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (there && strict)
			prog_wrong(&prog, "step %ld: rank %d is done, and the receive is not begun",
				n, previous());
	}
}

static void take_back(long n)
{
	MPI_Request r;
	MPI_Status s;
	int is;

	MPI_Issend(&n, 1, MPI_LONG, next(), TAKEN_BACK, MPI_COMM_WORLD, &r);
	for (long i = 0; i < n % 3 * LOOKS; i++)
		MPI_Iprobe(previous(), LAST, MPI_COMM_WORLD, &is, MPI_STATUS_IGNORE);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	MPI_Test_cancelled(&s, &is);
	if (!is)
		prog_wrong(&prog, "step %ld: a send is not taken back", n);
}

static void step(long n)
{
	static char out[LONG], in[LONG];
	size_t len = n % 5 == 1 ? LONG : (size_t)n % 5 * 50;
	long said = -1;
	MPI_Request r[2];

	set(out, len, prog.rank, n);
	MPI_Issend(out, (int)len, MPI_BYTE, next(), (int)(n % 2), MPI_COMM_WORLD, &r[0]);
	look_for_done(n);
	if (n % 4 == 0)
		take_back(n);
	memset(in, 0, sizeof in);
	MPI_Irecv(in, LONG, MPI_BYTE, previous(), (int)(n % 2), MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	check(in, len, previous(), n);
	MPI_Send(&n, 1, MPI_LONG, next(), DONE, MPI_COMM_WORLD);
	MPI_Recv(&said, 1, MPI_LONG, previous(), DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (said != n)
		prog_wrong(&prog, "step %ld: rank %d was at %ld", n, previous(), said);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (file)
		until_there();
	for (long n = 0; n < steps; n++)
		step(n);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("unmatched: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
