/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pi: the Monte Carlo method. Each rank throws points at the unit square from its own part of one
 * random sequence and counts those in the quarter circle; at intervals the counts are summed at
 * rank 0. The answer depends on samples, seed and number of ranks only.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#include "prog.h"

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

static double estimate(const struct prog *prog, int64_t samples, long every, uint64_t seed)
{
	struct generator g = generator_for(seed, prog->rank);
	int64_t sum[2] = {0, 0}, mine[2] = {0, 0};
	for (int64_t begin = 0; begin < samples; begin += every) {
		int64_t block = samples - begin < every ? samples - begin : every;
		int64_t points = share(block, prog);
		mine[0] += throw_points(&g, points);
		mine[1] += points;
		MPI_Reduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
		if (prog->rank != 0)
			continue;
		printf("pi is about %.9f after %" PRId64 " samples\n",
			4.0 * (double)sum[0] / (double)sum[1], sum[1]);
		if (sum[1] != begin + block)
			prog_wrong(prog, "%" PRId64 " samples were counted, not %" PRId64, sum[1],
				begin + block);
	}
	return sum[1] > 0 ? 4.0 * (double)sum[0] / (double)sum[1] : 0.0;
}

int main(int argc, char **argv)
{
	long samples = 10000000, seed = 1, every = 1000000;
	const struct prog_option options[] = {
		{"samples", NULL, PROG_LONG, &samples, 1,
			"how many points in all (default 10000000)"},
		{"-seed", "S", PROG_LONG, &seed, 0, "seed of the random numbers (default 1)"},
		{"-every", "N", PROG_LONG, &every, 1,
			"sum up after every N points (default 1000000)"},
	};
	struct prog prog = {"pi", "pi by the Monte Carlo method", options, 3, 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	double begin = MPI_Wtime();
	double pi = estimate(&prog, samples, every, (uint64_t)seed);
	/* The standard deviation of one sample of 4 * (inside) is sqrt(pi (4 - pi)). */
	double error = fabs(pi - M_PI), bound = 6.0 * sqrt(M_PI * (4.0 - M_PI) / (double)samples);
	if (prog.rank == 0) {
		if (!(error <= bound))
			prog_wrong(&prog, "%.9f is off by %.3g, more than six deviations (%.3g)",
				pi, error, bound);
		printf("pi: right, %.12f, error %.2e (bound %.2e), %ld samples, seed %ld, %d "
		       "ranks, %.3f s\n",
			pi, error, bound, samples, seed, prog.size, MPI_Wtime() - begin);
	}
	MPI_Finalize();
	return 0;
}
