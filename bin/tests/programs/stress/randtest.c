/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * randtest: random cases of every collective and every way of sending and receiving, compared with
 * what each rank works out alone. The same seed gives the same cases; `-first C -cases 1` runs case
 * C alone.
 */
#include "rt.h"
#include "rt_soak.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>

enum { SOAK_CASES = 50 }; /* between two looks at the clock */

static struct rt_case now;

uint64_t rt_mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t rng_next(struct rng *rng)
{
	rng->state += UINT64_C(0x9e3779b97f4a7c15);
	return rt_mix(rng->state, 0);
}

size_t rng_below(struct rng *rng, size_t n)
{
	return (size_t)(rng_next(rng) % n);
}

bool rng_chance(struct rng *rng, int percent)
{
	return rng_below(rng, 100) < (size_t)percent;
}

uint64_t rt_stream(const struct rt_case *c, int from, int to, int what)
{
	uint64_t which = rt_mix((uint64_t)c->world[from], (uint64_t)c->world[to]);
	return rt_mix(rt_mix(c->seed, (uint64_t)c->number), rt_mix(which, (uint64_t)what));
}

void rt_wrong(const struct rt_case *c, const char *fmt, ...)
{
	char text[500];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	prog_wrong(c->prog, "seed %llu, case %ld: %s (rank %d of %d): %s: %s",
		(unsigned long long)c->seed, c->number, c->kind, c->rank, c->size, c->detail, text);
}

void rt_describe(struct rt_case *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, ap);
	va_end(ap);
}

/* A case that does not end says which one it is. */
static void on_alarm(int signal_number)
{
	char text[400];
	int n = snprintf(text, sizeof(text),
		"randtest: rank %d: seed %llu, case %ld, %s: %s: has not ended in time\n",
		now.prog->rank, (unsigned long long)now.seed, now.number, now.kind, now.detail);
	ssize_t written = write(STDERR_FILENO, text, (size_t)n);
	_exit(written == n && signal_number == SIGALRM ? 1 : 2);
}

static const struct rt_kind *const families[] = {rt_move_kinds, rt_movev_kinds, rt_reduce_kinds,
	rt_blocking_kinds, rt_nonblocking_kinds, rt_rare_kinds};

/* Kind number n of all, or how many there are in *count. */
static const struct rt_kind *kind_at(size_t n, size_t *count)
{
	const struct rt_kind *found = NULL;
	*count = 0;
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (const struct rt_kind *k = families[f]; k->name != NULL; k++)
			if ((*count)++ == n)
				found = k;
	return found;
}

static const struct rt_kind *kind_named(const char *name)
{
	size_t count = 0, i = 0;
	const struct rt_kind *k = NULL;
	do
		k = kind_at(i++, &count);
	while (k != NULL && strcmp(k->name, name) != 0);
	return k;
}

static const struct rt_kind *kind_draw(struct rng *rng)
{
	size_t count = 0;
	kind_at(0, &count);
	return kind_at(rng_below(rng, count), &count);
}

static void run_case(const struct rt_kind *only, bool verbose)
{
	now.common.state = rt_mix(now.seed, rt_mix((uint64_t)now.number, 7));
	now.own.state = rt_mix(now.common.state, (uint64_t)now.prog->rank + 1000);
	const struct rt_kind *kind = kind_draw(&now.common);
	kind = only != NULL ? only : kind;
	now.kind = kind->name;
	snprintf(now.detail, sizeof(now.detail), "making the communicator");
	if (rt_comm_open(&now)) {
		kind->run(&now);
		if (verbose && now.rank == 0)
			printf("case %ld: %d ranks: %s: %s\n", now.number, now.size, now.kind,
				now.detail);
	}
	rt_comm_close(&now);
}

int main(int argc, char **argv)
{
	long seed = 1, cases = 2000, first = 0, max_bytes = 4 << 20, deadline = 120;
	double seconds = 0;
	int verbose = 0, lines = 0;
	const char *only = NULL;
	const struct rt_kind *kind = NULL;
	const struct prog_option options[] = {
		{"-seed", "S", PROG_LONG, &seed, 0, "seed of the random numbers (default 1)"},
		{"-cases", "N", PROG_LONG, &cases, 0, "how many cases (default 2000)"},
		{"-first", "C", PROG_LONG, &first, 0, "number of the first one (default 0)"},
		{"-max-bytes", "B", PROG_LONG, &max_bytes, 0, "largest buffer (default 4194304)"},
		{"-only", "KIND", PROG_TEXT, &only, 0,
			"only cases of this kind (bcast, flight, ...)"},
		{"-deadline", "S", PROG_LONG, &deadline, 1,
			"seconds that one case may take (default 120)"},
		{"-seconds", "S", PROG_DOUBLE, &seconds, 0,
			"go on for so long, whatever -cases says, and see that memory does not "
			"grow"},
		{"-lines", NULL, PROG_FLAG, &lines, 0,
			"a line may be made at any moment, which ends synchronous sends"},
		{"-v", NULL, PROG_FLAG, &verbose, 0, "print every case"},
	};
	struct prog prog = {
		"randtest", "random cases of every MPI call that moves data", options, 9, 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	now = (struct rt_case){.prog = &prog,
		.seed = (uint64_t)seed,
		.max_bytes = (size_t)max_bytes,
		.lines = lines};
	if (only != NULL && (kind = kind_named(only)) == NULL)
		prog_wrong(&prog, "there is no kind of case called %s", only);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
	rt_soak_begin(&prog, seconds);
	for (now.number = first; seconds > 0 || now.number < first + cases; now.number++) {
		alarm(prog_patience((unsigned)deadline));
		run_case(kind, verbose);
		if (seconds > 0 && now.number % SOAK_CASES == 0 && rt_soak_over(&prog))
			break;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	alarm(0);
	if (prog.rank == 0)
		printf("randtest: %ld cases right, seed %ld, %d ranks\n",
			seconds > 0 ? now.number - first : cases, seed, prog.size);
	MPI_Finalize();
	return 0;
}
