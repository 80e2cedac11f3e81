/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder in C++ share. They know MPI and nothing else: no call, no option
 * and no file is there for checkpoints. The answer that a program prints depends on each step, and
 * is the same in every run with as many ranks and steps.
 */
#ifndef FTMPI_PROGRAMS_PLAIN_H
#define FTMPI_PROGRAMS_PLAIN_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <mpi.h>

/* The last step of splitmix64. */
inline uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* One number of several, of the same ones always the same. */
inline uint64_t mix(uint64_t a, uint64_t b)
{
	return mix(mix(a) ^ b);
}

inline uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	return mix(mix(a, b) ^ c);
}

inline uint64_t mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return mix(mix(a, b, c) ^ d);
}

/* A sentence on stderr, and the job ends with status 1. */
[[noreturn]] __attribute__((format(printf, 2, 3))) inline void wrong(
	const char *program, const char *fmt, ...)
{
	va_list ap;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	std::fprintf(stderr, "%s: rank %d: WRONG: ", program, rank);
	va_start(ap, fmt);
	std::vfprintf(stderr, fmt, ap);
	va_end(ap);
	std::fputc('\n', stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	std::abort();
}

/* The first argument, or so many: from 1 to 10 million. */
inline long steps_wanted(const char *program, int argc, char **argv, long otherwise)
{
	char *end = nullptr;
	long n = argc > 1 ? std::strtol(argv[1], &end, 10) : otherwise;

	if (n < 1 || n > 10000000 || (end != nullptr && *end != '\0'))
		wrong(program, "'%s' is no number of steps from 1 to 10000000", argv[1]);
	return n;
}

inline uint64_t sum_over_ranks(uint64_t mine)
{
	uint64_t all = 0;

	MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

#endif
