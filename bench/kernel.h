/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels: small whole programs with an answer that is known. Each is measured as mpibench's
 * NAME:SIZE is, on any number of ranks that its size allows.
 */
#ifndef KERNEL_H
#define KERNEL_H

/* One kernel; `self` is what it computes with. `before` makes the input of run number `run` (from
 * 0), which differs from that of the other runs, so the result of an earlier run is no right
 * answer. `run` is timed. `after` calls kernel_wrong when the answer of that run is wrong. Any of
 * them may communicate. */
struct kernel {
	void (*before)(void *self, int run);
	void (*run)(void *self);
	void (*after)(void *self, int run);
};

/* Milliseconds of a run, the mean of the slowest rank: of as many as fit in half a second, at
 * least one, after one that does not count. */
double kernel_ms(const struct kernel *k, void *self);

/* Says on standard error what is wrong with the answer on this rank, and ends the job with a
 * status that is not 0. */
__attribute__((format(printf, 1, 2), noreturn)) void kernel_wrong(const char *format, ...);

/* n elements, all zero; ends the job when there is no memory. The caller frees them. */
void *kernel_array(long n, size_t each);

/* The first of n things that part number `part` of `parts` has, in order; part == parts: n. */
long kernel_first(long n, int parts, int part);

double cg(void);
double transpose(void);
double halo(void);
double sample_sort(void);

#endif
