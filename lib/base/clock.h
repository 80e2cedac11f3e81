/* SPDX-License-Identifier: BSD-3-Clause */
/* The monotonic clock: a step of the wall clock never moves a deadline. */
#ifndef FTMPI_BASE_CLOCK_H
#define FTMPI_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* nanoseconds since some fixed moment of this boot */
static inline uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What the program's clock is ahead of clock_ns: 0, but in a process that woke up from an image.
 * Hidden: MPI_Wtime is to find it without asking where it is. */
extern int64_t clock_ahead __attribute__((visibility("hidden")));

/* Where it stands; 0: it does not. Hidden for the same reason. */
extern _Atomic uint64_t clock_stands __attribute__((visibility("hidden")));

/* The program's clock. It is clock_ns, which is another one after a reboot and on another host,
 * until the process wakes up; from then on it goes on from where the image stopped. So it never
 * goes back, and the time from the image to the waking up is none. */
static inline uint64_t clock_program_ns(void)
{
	uint64_t stands = atomic_load_explicit(&clock_stands, memory_order_acquire);

	return __builtin_expect(stands == 0, true) ? clock_ns() + (uint64_t)clock_ahead : stands;
}

/* The program's clock stands from now on, so that nobody has read more than what an image has. It
 * goes on as if it had not stood; or, in a process that woke up, from there. Any thread may read it
 * meanwhile. */
void clock_stand(void);
void clock_go_on(void);
void clock_go_on_from_there(void);

/* A time of clock_ns as the system wants it. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

#endif
