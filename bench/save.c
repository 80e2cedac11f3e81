/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a checkpoint takes:
 *
 *	save FILE
 *
 * Each rank protects what the file holds, and rank 0 prints "save BYTES SECONDS": those of the call
 * on the slowest rank.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ftmpi.h>

enum { ID = 1, BYTES_MAX = 1 << 30 };

static void wrong(const char *what)
{
	fprintf(stderr, "save: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static char *contents(const char *name, long *bytes)
{
	FILE *f = fopen(name, "rb");
	char *data;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		wrong("cannot read the file");
	*bytes = ftell(f);
	if (*bytes < 1 || *bytes > BYTES_MAX)
		wrong("the file is empty or too large");
	data = malloc((size_t)*bytes);
	rewind(f);
	if (data == NULL || fread(data, 1, (size_t)*bytes, f) != (size_t)*bytes)
		wrong("cannot read the file into memory");
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	double mine, slowest = 0;
	char *data;
	int rank, got;
	long bytes;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc != 2)
		wrong("usage: save FILE");
	data = contents(argv[1], &bytes);
	if (FTMPI_CKPT_Protect(ID, data, bytes, MPI_BYTE) != MPI_SUCCESS)
		wrong("FTMPI_CKPT_Protect failed");
	MPI_Barrier(MPI_COMM_WORLD);
	mine = MPI_Wtime();
	got = FTMPI_Perform_Checkpoint();
	mine = MPI_Wtime() - mine;
	if (got != FTMPI_CHECKPOINTED)
		wrong("there is no recovery line");
	MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("save %ld %.6f\n", bytes, slowest);
	MPI_Finalize();
	free(data);
	return 0;
}
