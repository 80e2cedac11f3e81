/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that loads the MPI library itself, as an interpreter does with a module, and then maps
 * memory where the dynamic linker has its own while it loads a library:
 *
 *	image_dlopen LIBRARY FILE
 *
 * It computes until FILE is there.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 60, PAGE = 4096 };

static int is_right(char *const *piece)
{
	for (int i = 0; i < PIECES; i++)
		if (piece[i][0] != i)
			return 0;
	return 1;
}

static int is_first(void)
{
	return strcmp(getenv("FTMPI_RANK"), "0") == 0;
}

static volatile double number = 1;

static void compute_until(const char *file)
{
	while (access(file, F_OK) != 0) {
		double x = number;

		for (int i = 0; i < 1 << 20; i++)
			x = x * 0.999999 + 0.000001;
		number = x;
	}
}

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	int (*init)(int *, char ***), (*finalize)(void);
	char *piece[PIECES];

	if (!library) {
		fprintf(stderr, "image_dlopen: %s\n", argc == 3 ? dlerror() : "LIBRARY FILE");
		return 2;
	}
	*(void **)&init = dlsym(library, "MPI_Init");
	*(void **)&finalize = dlsym(library, "MPI_Finalize");
	init(&argc, &argv);
	for (int i = 0; i < PIECES; i++) {
		piece[i] = mmap(NULL, (size_t)(1 + i % 5) * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		piece[i][0] = (char)i;
	}
	if (is_first())
		printf("regions: rank 0 is there\n");
	fflush(stdout);
	compute_until(argv[2]);
	finalize();
	if (is_first() && is_right(piece))
		printf("regions: right, dlopen\n");
	return !is_right(piece);
}
