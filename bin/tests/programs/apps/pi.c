/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pi: the Monte Carlo method. Each rank throws points at the unit square from its own part of one
 * random sequence and counts those in the quarter circle; after each round the counts are summed at
 * rank 0. The answer depends on samples, seed and number of ranks only, however often the job is
 * restarted: what a rank needs to go on it packs into the data buffer before each checkpoint.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <ftmpi.h>

#include "prog.h"
#include "steps.h"

/* xoshiro256** of Blackman and Vigna, seeded by splitmix64; jump() skips 2^128 numbers, so that the
 * ranks' sequences cannot overlap. */
struct generator {
	uint64_t s[4];
};

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

static uint64_t next(struct generator *g)
{
	uint64_t *s = g->s;
	uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

static void jump(struct generator *g)
{
	static const uint64_t polynomial[] = {UINT64_C(0x180ec6d33cfd0aba),
		UINT64_C(0xd5a61266f0c9392c), UINT64_C(0xa9582618e03fc9aa),
		UINT64_C(0x39abdc4529b1661c)};
	uint64_t sum[4] = {0, 0, 0, 0};
	for (int word = 0; word < 4; word++)
		for (int bit = 0; bit < 64; bit++) {
			if (polynomial[word] >> bit & 1)
				for (int i = 0; i < 4; i++)
					sum[i] ^= g->s[i];
			next(g);
		}
	for (int i = 0; i < 4; i++)
		g->s[i] = sum[i];
}

static struct generator generator_for(uint64_t seed, int rank)
{
	struct generator g;
	for (int i = 0; i < 4; i++)
		g.s[i] = splitmix(&seed);
	for (int i = 0; i < rank; i++)
		jump(&g);
	return g;
}

static int64_t throw_points(struct generator *g, int64_t n)
{
	int64_t inside = 0;
	for (int64_t i = 0; i < n; i++) {
		double x = (double)(next(g) >> 11) * 0x1p-53, y = (double)(next(g) >> 11) * 0x1p-53;
		inside += x * x + y * y < 1.0;
	}
	return inside;
}

/* How many of `total` samples fall to this rank. */
static int64_t share(int64_t total, const struct prog *prog)
{
	return total / prog->size + (prog->rank < total % prog->size);
}

/* How far a rank is: all that it needs to go on. */
struct state {
	struct generator numbers;
	int64_t inside, points; /* of this rank */
	int64_t begin;		/* the first sample of the next round, of all ranks */
	int64_t round;
};

struct run {
	const struct prog *prog;
	struct steps steps;
	long samples, seed, every;
	int late; /* the first checkpoint restores, not FTMPI_Restore */
	int64_t sum[2];
	struct state state;
};

static void must(const struct run *r, int rc, const char *call)
{
	if (rc != MPI_SUCCESS)
		prog_wrong(r->prog, "%s returned %d", call, rc);
}

static void pack(struct run *r)
{
	struct state *s = &r->state;
	must(r, FTMPI_CKPT_ResetBufPtr(), "FTMPI_CKPT_ResetBufPtr");
	must(r, FTMPI_CKPT_AddToBuffer(&s->round, sizeof(s->round)), "FTMPI_CKPT_AddToBuffer");
	must(r, FTMPI_CKPT_AddToBuffer(&s->begin, sizeof(s->begin)), "FTMPI_CKPT_AddToBuffer");
	must(r, FTMPI_CKPT_AddToBuffer(&s->inside, sizeof(s->inside)), "FTMPI_CKPT_AddToBuffer");
	must(r, FTMPI_CKPT_AddToBuffer(&s->points, sizeof(s->points)), "FTMPI_CKPT_AddToBuffer");
	must(r, FTMPI_CKPT_AddToBuffer(s->numbers.s, sizeof(s->numbers.s)),
		"FTMPI_CKPT_AddToBuffer");
}

static void unpack(struct run *r)
{
	struct state *s = &r->state;
	must(r, FTMPI_CKPT_ResetBufPtr(), "FTMPI_CKPT_ResetBufPtr");
	must(r, FTMPI_CKPT_GetFromBuffer(&s->round, sizeof(s->round)), "FTMPI_CKPT_GetFromBuffer");
	must(r, FTMPI_CKPT_GetFromBuffer(&s->begin, sizeof(s->begin)), "FTMPI_CKPT_GetFromBuffer");
	must(r, FTMPI_CKPT_GetFromBuffer(&s->inside, sizeof(s->inside)),
		"FTMPI_CKPT_GetFromBuffer");
	must(r, FTMPI_CKPT_GetFromBuffer(&s->points, sizeof(s->points)),
		"FTMPI_CKPT_GetFromBuffer");
	must(r, FTMPI_CKPT_GetFromBuffer(s->numbers.s, sizeof(s->numbers.s)),
		"FTMPI_CKPT_GetFromBuffer");
	steps_restored(&r->steps, (long)s->round);
}

static void checkpoint(struct run *r)
{
	long round = (long)r->state.round;
	pack(r);
	int verdict = FTMPI_Perform_Checkpoint();
	if (verdict == FTMPI_RESTORED)
		unpack(r);
	else
		steps_line(&r->steps, round, verdict);
}

static void sum_up(struct run *r)
{
	int64_t mine[2] = {r->state.inside, r->state.points};
	MPI_Reduce(mine, r->sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (r->prog->rank == 0 && r->sum[1] != r->state.begin)
		prog_wrong(r->prog, "%" PRId64 " samples were counted, not %" PRId64, r->sum[1],
			r->state.begin);
}

static void play_round(struct run *r)
{
	struct state *s = &r->state;
	int64_t left = r->samples - s->begin, block = left < r->every ? left : r->every;
	int64_t points = share(block, r->prog);
	s->inside += throw_points(&s->numbers, points);
	s->points += points;
	s->begin += block;
	s->round++;
	sum_up(r);
}

static double estimate(struct run *r)
{
	r->state.numbers = generator_for((uint64_t)r->seed, r->prog->rank);
	must(r, FTMPI_CKPT_AllocBuffer(sizeof(r->state)), "FTMPI_CKPT_AllocBuffer");
	if (!r->late && FTMPI_Restore() == FTMPI_RESTORED)
		unpack(r);
	while (r->state.begin < r->samples) {
		play_round(r);
		if (steps_line_wanted(&r->steps, (long)r->state.round))
			checkpoint(r);
		steps_done(&r->steps, (long)r->state.round);
	}
	sum_up(r); /* the last line may be that of the last round */
	return r->sum[1] > 0 ? 4.0 * (double)r->sum[0] / (double)r->sum[1] : 0.0;
}

static void judge(const struct run *r, double pi, double seconds)
{
	/* The standard deviation of one sample of 4 * (inside) is sqrt(pi (4 - pi)). */
	double error = fabs(pi - M_PI);
	double bound = 6.0 * sqrt(M_PI * (4.0 - M_PI) / (double)r->samples);
	if (!(error <= bound))
		prog_wrong(r->prog, "%.9f is off by %.3g, more than six deviations (%.3g)", pi,
			error, bound);
	printf("pi: right, %.12f, error %.2e (bound %.2e), %ld samples, seed %ld, %d ranks, %.3f "
	       "s\n",
		pi, error, bound, r->samples, r->seed, r->prog->size, seconds);
}

int main(int argc, char **argv)
{
	struct run r = {.steps = STEPS_DEFAULT, .samples = 10000000, .seed = 1, .every = 1000000};
	const struct prog_option options[] = {
		{"samples", NULL, PROG_LONG, &r.samples, 1,
			"how many points in all (default 10000000)"},
		{"-seed", "S", PROG_LONG, &r.seed, 0, "seed of the random numbers (default 1)"},
		{"-every", "N", PROG_LONG, &r.every, 1,
			"points of a round, of all ranks (default 1000000)"},
		{"-late", NULL, PROG_FLAG, &r.late, 0,
			"restore in the first checkpoint, not at the beginning"},
		STEPS_OPTIONS(r.steps),
	};
	struct prog prog = {"pi", "pi by the Monte Carlo method", options,
		sizeof(options) / sizeof(options[0]), 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	r.prog = &prog;
	steps_begin(&r.steps, &prog);
	double begin = MPI_Wtime();
	double pi = estimate(&r);
	if (prog.rank == 0)
		judge(&r, pi, MPI_Wtime() - begin);
	must(&r, FTMPI_CKPT_DeAllocBuffer(), "FTMPI_CKPT_DeAllocBuffer");
	MPI_Finalize();
	return 0;
}
