/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of mpibench share. */
#ifndef MPIBENCH_H
#define MPIBENCH_H

#include <stdbool.h>

enum { WINDOW = 64, TENS = 10, MESSAGE_MAX = 256 << 20 };

/* who we are, what is measured, and a buffer of `bytes` for each rank to send from and to receive
 * in */
extern int rank, size, bytes;
extern char *in, *out;

/* One thing that can be measured. A `run` is timed and repeated; a `number` measures itself and is
 * asked once: its answer counts on rank 0. With a window the time is cut into pieces of so many
 * seconds, and the fastest one counts: what disturbs now and then does not, what comes in each
 * piece does. synchronised: a barrier comes before each run, outside the time; so a root that only
 * sends cannot be many operations ahead of the others. own_buffers: it makes its own, and gets
 * none; what is `bytes` to others is its size. messages: rank 0 and 1 have so many at once, each in
 * a buffer of its own. */
struct bench {
	const char *name;
	void (*run)(void);
	double (*number)(void);
	double (*shown)(double seconds); /* from the seconds of one run to what is printed */
	double window;
	bool synchronised;
	bool own_buffers;
	int messages;
};

/* NULL when there is none of that name. */
const struct bench *bench_find(const char *name);

double own_memory(void);
double own_waiting(void);
double own_beating(void);

/* matching.c: `bytes` is how many */
void matching_reverse(void);
double matching_us(double seconds);

/* strided.c: messages in blocks of so many bytes */
double strided_8(void);
double strided_1k(void);
double strided_64k(void);
double holding_8(void);
double holding_1k(void);
double holding_64k(void);

#endif
