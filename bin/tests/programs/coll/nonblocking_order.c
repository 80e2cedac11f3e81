/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operation in every form, many at once, finished in any order, and while nobody calls MPI.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nonblocking.h"

enum { OPERATIONS_MOST = 25, DEADLINE_S = 20 };

/* One operation, and what it has to give. */
struct one {
	const struct nb_operation *what;
	struct nb_call call;
	MPI_Request request;
	int in[NB_WORDS], out[NB_WORDS], want[NB_WORDS];
};

static int word(int rank, int i, int turn)
{
	return (rank + 1) * 1000 + i * 7 + turn * 31;
}

/* What it is given; a broadcast's buffer is what the root gives, too. */
static void give(struct one *o, int *out, int turn)
{
	for (int i = 0; i < NB_WORDS; i++)
		o->in[i] = word(nb.rank, i, turn);
	memset(out, 0xff, sizeof o->out);
	if (strcmp(o->what->name, "Bcast") == 0 && nb.rank == o->call.root)
		memcpy(out, o->in, sizeof o->in);
}

static void prepare(struct one *o, const struct nb_operation *what, enum nb_way way, int turn)
{
	struct nb_call blocking;
	o->what = what;
	o->call = (struct nb_call){.way = way,
		.root = turn % nb.size,
		.in = o->in,
		.out = o->out,
		.comm = MPI_COMM_WORLD,
		.request = &o->request};
	give(o, o->want, turn);
	blocking = o->call;
	blocking.way = NB_BLOCKING;
	blocking.out = o->want;
	what->call(&blocking);
	give(o, o->out, turn);
}

static void check(const struct one *o)
{
	if (memcmp(o->out, o->want, sizeof o->out) != 0)
		prog_wrong(&nb, "MPI_%s, form %d, root %d: not what the blocking one gives",
			o->what->name, o->call.way, o->call.root);
}

static int prepare_table(
	struct one *all, const struct nb_operation *table, enum nb_way way, int turn)
{
	int n = 0;
	for (; table[n].name != NULL; n++)
		prepare(&all[n], &table[n], way, turn + n);
	return n;
}

static int prepare_all(struct one *all, enum nb_way way, int turn)
{
	int n = prepare_table(all, nb_moves, way, turn);
	n += prepare_table(&all[n], nb_reductions, way, turn + n);
	return n + prepare_table(&all[n], nb_neighbors, way, turn + n);
}

static struct one *new_ones(int n)
{
	return prog_alloc(&nb, (size_t)n * sizeof(struct one));
}

/* ---- one at a time ---- */

static void each_form(void)
{
	struct one *all = new_ones(OPERATIONS_MOST);
	for (enum nb_way way = NB_BEGIN; way < NB_WAYS; way++) {
		int n = prepare_all(all, way, (int)way);
		for (int i = 0; i < n; i++) {
			MPI_Status status;
			all[i].what->call(&all[i].call);
			if (way >= NB_INIT)
				MPI_Start(&all[i].request);
			nb_class(MPI_Wait(&all[i].request, &status), MPI_SUCCESS, "MPI_Wait");
			if (way >= NB_INIT)
				MPI_Request_free(&all[i].request);
			nb_expect(all[i].request == MPI_REQUEST_NULL, "the request is gone");
			check(&all[i]);
		}
	}
	free(all);
}

/* ---- many at once ---- */

enum finish { WAITALL, WAITANY, TESTSOME, TESTALL, BACKWARDS, FINISHES };

static void finish_any(MPI_Request *r, int n)
{
	for (int left = n, index; left > 0; left--) {
		nb_class(MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Waitany");
		nb_expect(index >= 0 && index < n, "MPI_Waitany finds one");
	}
}

static void finish_some(MPI_Request *r, int n)
{
	int *indices = prog_alloc(&nb, (size_t)n * sizeof(int));
	for (int left = n, some; left > 0; left -= some)
		nb_class(MPI_Testsome(n, r, &some, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS,
			"MPI_Testsome");
	free(indices);
}

static void finish(enum finish how, MPI_Request *r, int n)
{
	int flag = 0;
	switch (how) {
	case WAITALL:
		nb_class(MPI_Waitall(n, r, MPI_STATUSES_IGNORE), MPI_SUCCESS, "MPI_Waitall");
		break;
	case WAITANY:
		finish_any(r, n);
		break;
	case TESTSOME:
		finish_some(r, n);
		break;
	case TESTALL:
		while (!flag)
			nb_class(MPI_Testall(n, r, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS,
				"MPI_Testall");
		break;
	default:
		for (int i = n; i-- > 0;)
			nb_class(MPI_Wait(&r[i], MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
	}
}

/* Every rank finishes them in its own way. Between two of them something blocking. */
static void at_once(int copies)
{
	int most = copies * OPERATIONS_MOST, n = 0;
	struct one *all = new_ones(most);
	MPI_Request *r = prog_alloc(&nb, (size_t)most * sizeof(MPI_Request));
	for (int turn = 0; turn < FINISHES; turn++) {
		n = 0;
		for (int copy = 0; copy < copies; copy++)
			n += prepare_all(&all[n], (copy + turn) % 2 ? NB_BEGIN : NB_BEGIN_C, copy);
		for (int i = 0; i < n; i++) {
			all[i].call.request = &r[i];
			all[i].what->call(&all[i].call);
			if (i % 10 == 3)
				MPI_Barrier(MPI_COMM_WORLD);
		}
		finish((enum finish)((turn + nb.rank) % FINISHES), r, n);
		for (int i = 0; i < n; i++)
			check(&all[i]);
	}
	free(r);
	free(all);
}

static void many(void)
{
	at_once(5);
}

/* ---- long vectors ---- */

/* Long enough for a rendezvous and for algorithms of many rounds. */
static void long_ones(void)
{
	enum { WORDS = 300000 };
	int *in = prog_alloc(&nb, WORDS * sizeof(int)), *sum = prog_alloc(&nb, WORDS * sizeof(int));
	int *told = prog_alloc(&nb, WORDS * sizeof(int));
	MPI_Request r[2];
	for (int i = 0; i < WORDS; i++) {
		in[i] = word(nb.rank, i, 0);
		told[i] = nb.rank == 0 ? i : -1;
	}
	MPI_Iallreduce(in, sum, WORDS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Ibcast(told, WORDS, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
	nb_class(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS, "MPI_Waitall");
	for (int i = 0; i < WORDS; i++) {
		int want = 0;
		for (int rank = 0; rank < nb.size; rank++)
			want += word(rank, i, 0);
		nb_expect(sum[i] == want && told[i] == i, "long vectors are right");
	}
	free(told);
	free(sum);
	free(in);
}

/* ---- while nobody calls MPI ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All ranks compute until the result is in their memory: they look where they must not until the
 * operation is over, so it is a race in the eyes of the thread sanitizer. */
__attribute__((no_sanitize("thread"))) static void computing(void)
{
	volatile int sum = -1;
	int mine = nb.rank + 1, want = nb.size * (nb.size + 1) / 2;
	double until = now() + prog_patience(DEADLINE_S);
	volatile double work = 1;
	MPI_Request request;
	MPI_Iallreduce(
		&mine, (int *)(uintptr_t)&sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	while (sum != want && now() < until)
		for (int i = 0; i < 10000; i++)
			work = work * 1.0000001 + 1e-9;
	if (sum != want)
		prog_wrong(&nb, "after %d s without a call the sum is %d, not %d", DEADLINE_S, sum,
			want);
	nb_class(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
	MPI_Barrier(MPI_COMM_WORLD);
}

/* A barrier is not over before the last has come, who is told how often the others have looked. */
static void barrier_waits(void)
{
	enum { LOOKS = 100 };
	int last = nb.size - 1, flag = 0, nothing = 0;
	MPI_Request request;
	if (nb.rank == last)
		for (int i = 0; i < last; i++)
			MPI_Recv(&nothing, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	if (nb.rank != last) {
		for (int i = 0; i < LOOKS && !flag; i++)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		nb_expect(!flag, "a barrier waits for the last");
		MPI_Send(&nothing, 1, MPI_INT, last, 0, MPI_COMM_WORLD);
	}
	nb_class(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
}

const struct prog_case nb_orders[] = {
	{"forms", each_form},
	{"many", many},
	{"long", long_ones},
	{"computing", computing},
	{"barrier", barrier_waits},
	{NULL, NULL},
};
