/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of OpenMP comes back with an image: image_openmp FILE between|inside. The image is taken
 * between two parallel regions, or by one thread inside of one while the others go on computing,
 * and the process ends; the one that wakes up ends with what they have computed.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_file.h"

enum { TEAM = 4, ROUNDS = 60, AT = 30, EACH = 20000, SLOTS = 64 };

static uint64_t part[TEAM][8];
static int own;
#pragma omp threadprivate(own)

void image_file_soil(void)
{
	memset(part, 0xff, sizeof part);
}

static void take(const char *path)
{
	if (!image_file_take(path))
		exit(0);
}

static void compute(int thread, int round)
{
	void *block[SLOTS] = {NULL};

	for (int i = 0; i < EACH; i++) {
		int k = (int)(part[thread][0] % SLOTS);

		free(block[k]);
		block[k] = malloc(1 + part[thread][0] % 3000);
		part[thread][0] = (part[thread][0] ^ (uint64_t)(round * EACH + i)) * 1099511628211u;
		own++;
	}
	for (int k = 0; k < SLOTS; k++)
		free(block[k]);
}

/* What each thread does in a round depends on what all did in the one before. */
static void one_round(int round, const char *path)
{
#pragma omp parallel num_threads(TEAM)
	{
		int me = omp_get_thread_num();
		uint64_t next;

		if (path && me == TEAM - 1)
			take(path);
		compute(me, round);
#pragma omp barrier
		next = part[me][0] + part[(me + 1) % TEAM][0];
#pragma omp barrier
		part[me][0] = next;
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	int all = 0;

	if (argc < 3)
		return 2;
	for (int i = 0; i < TEAM; i++)
		part[i][0] = (uint64_t)i + 1;
	for (int round = 0; round < ROUNDS; round++) {
		if (round == AT && strcmp(argv[2], "between") == 0)
			take(argv[1]);
		one_round(round, round == AT && strcmp(argv[2], "inside") == 0 ? argv[1] : NULL);
	}
#pragma omp parallel for num_threads(TEAM) reduction(+ : sum, all)
	for (int i = 0; i < TEAM; i++) {
		sum += part[i][0];
		all += own;
	}
	printf("%jx %d\n", (uintmax_t)sum, all);
	return 0;
}
