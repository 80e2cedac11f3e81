/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same for the same seed. */
#ifndef FTMPI_TESTS_RNG_H
#define FTMPI_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline unsigned rng_below(struct rng *r, unsigned n)
{
	return (unsigned)(rng_next(r) >> 33) % n;
}

/* true `of_1000` times in a thousand */
static inline bool rng_chance(struct rng *r, unsigned of_1000)
{
	return rng_below(r, 1000) < of_1000;
}

#endif
