/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread goes on: what a function keeps for its caller, as setjmp(3) has it, but without
 * glibc's mangling of addresses, whose key is another one in every process.
 */
#ifndef FTMPI_IMAGE_CONTEXT_H
#define FTMPI_IMAGE_CONTEXT_H

#include <stdint.h>

struct image_context {
	uint64_t word[24];
};

/* 0: it is saved. 1: image_context_load has brought the thread back here. */
int image_context_save(struct image_context *c) __attribute__((returns_twice));

_Noreturn void image_context_load(const struct image_context *c);

/* A new thread that begins there, by clone(2) with these flags and this thread pointer. Its id, or
 * -errno. */
long image_context_begin(const struct image_context *c, long flags, uint64_t thread_pointer);

#endif
