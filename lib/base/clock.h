/* SPDX-License-Identifier: BSD-3-Clause */
/* The monotonic clock: a step of the wall clock never moves a deadline. */
#ifndef FTMPI_BASE_CLOCK_H
#define FTMPI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* nanoseconds since some fixed moment of this boot */
static inline uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The same as the system wants it. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

#endif
