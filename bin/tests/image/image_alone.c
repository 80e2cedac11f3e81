/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that computes, allocates and frees, and whose image is taken once:
 *
 *	image_alone STEPS STEP FILE [MIB [SECOND]]
 *
 * In step STEP its image goes to FILE, of a process with MIB more of memory, and the program ends;
 * with SECOND it goes on, and writes one there 20 steps later. With IMAGE_ALONE=FILE in the
 * environment it is that image, whatever its arguments. At its end it prints what it has computed.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_file.h"

/* Clear memory has whole pages that nobody has touched, in the heap. */
enum { BLOCKS = 300, CLEAR = 10, CLEAR_BYTES = 100000 };

/* What is zero in the image is not in the process that loads it. */
static uint8_t zeros[1 << 16];

void image_file_soil(void)
{
	volatile uint8_t stack[1 << 16];

	memset(zeros, 0xff, sizeof zeros);
	memset((uint8_t *)stack, 0xff, sizeof stack);
	for (int i = 0; i < 1000; i++)
		memset(malloc(1000), 0xff, 1000);
}

static uint64_t digest = 1469598103934665603u;
static __thread int in_thread = 5;

static void compute(int step, uint8_t **block, size_t *bytes)
{
	static uint32_t seed = 7;

	for (int i = 0; i < 50; i++) {
		int k = (int)((seed = seed * 1103515245u + 12345u) >> 8) % BLOCKS;

		free(block[k]);
		bytes[k] = 1 + (seed >> 4) % (step % 100 == 0 ? 300000u : 4000u);
		block[k] = malloc(bytes[k]);
		memset(block[k], (int)seed, bytes[k]);
	}
	for (int k = 0; k < BLOCKS; k++)
		if (block[k])
			digest = (digest ^ block[k][bytes[k] / 2]) * 1099511628211u;
	in_thread += step % 3;
}

int main(int argc, char **argv)
{
	int steps = argc > 3 ? atoi(argv[1]) : 0, at = argc > 3 ? atoi(argv[2]) : 0;
	size_t more = argc > 4 ? (size_t)atoi(argv[4]) << 20 : 0;
	uint8_t *block[BLOCKS] = {NULL}, *memory = malloc(more + 1), *clear[CLEAR];
	size_t bytes[BLOCKS];
	double x = 0.1;

	memset(memory, 3, more + 1);
	for (int i = 0; i < CLEAR; i++)
		clear[i] = calloc(CLEAR_BYTES, 1);
	for (int step = 0; step < steps; step++) {
		compute(step, block, bytes);
		x = x * 1.0000001 + (double)(digest & 255) * 1e-9;
		if (step == at && !image_file_take(argv[3]) && argc < 6)
			return 0;
		if (argc > 5 && step == at + 20)
			image_file_take(argv[5]);
	}
	for (size_t i = 0; i < more; i++)
		digest = (digest ^ memory[i]) * 1099511628211u;
	for (int i = 0; i < CLEAR; i++)
		for (int k = 0; k < CLEAR_BYTES; k++)
			digest += clear[i][k];
	for (size_t i = 0; i < sizeof zeros; i++)
		digest += zeros[i];
	printf("%s %jx %.17g %d\n", argv[3], (uintmax_t)digest, x, in_thread);
	return 0;
}
