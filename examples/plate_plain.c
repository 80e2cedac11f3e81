/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plate that is heated at random places: in each step the equation of heat is solved by conjugate
 * gradients. MPI alone; plate.c is the same with checkpoints, and doc/porting.md the way there.
 *
 *	ftmpicc -O2 -o plate_plain plate_plain.c -lm
 *	ftmpirun -n 4 ./plate_plain 5000 1000
 *
 * Writes plate.log, a line for each step, and after every 1000 steps plate-STEP.txt, the heat of
 * each row.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 240, HEIGHT = 240 };

typedef double row[WIDTH + 2]; /* with the cold frame of the plate at both ends */

static MPI_Comm plate; /* the ranks, one below the other */
static MPI_Datatype one_row;
static int rank, ranks, above, below, rows;
/* rows 1 to rows are this rank's; 0 and rows + 1 are those of its neighbours */
static row *heat, *residual, *direction, *product, *metal;

static row *new_rows(void)
{
	row *made = calloc(rows + 2, sizeof(row));
	if (!made)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return made;
}

static double dot(row *a, row *b)
{
	double mine = 0, all;
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= WIDTH; j++)
			mine += a[i][j] * b[i][j];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, plate);
	return all;
}

static void apply(row *out, row *in)
{
	MPI_Sendrecv(in[1], 1, one_row, above, 0, in[rows + 1], 1, one_row, below, 0, plate,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(in[rows], 1, one_row, below, 1, in[0], 1, one_row, above, 1, plate,
		MPI_STATUS_IGNORE);
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= WIDTH; j++)
			out[i][j] = metal[i][j] * in[i][j] + 4 * in[i][j] - in[i - 1][j] -
				    in[i + 1][j] - in[i][j - 1] - in[i][j + 1];
}

/* One step of time; returns how many iterations it took. */
static int solve(void)
{
	int iterations = 0;
	apply(product, heat);
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= WIDTH; j++)
			direction[i][j] = residual[i][j] = metal[i][j] * heat[i][j] - product[i][j];
	double now = dot(residual, residual), enough = 1e-12 * now;
	while (now > enough && iterations < 1000) {
		apply(product, direction);
		double alpha = now / dot(direction, product), before = now;
		for (int i = 1; i <= rows; i++)
			for (int j = 1; j <= WIDTH; j++) {
				heat[i][j] += alpha * direction[i][j];
				residual[i][j] -= alpha * product[i][j];
			}
		now = dot(residual, residual);
		for (int i = 1; i <= rows; i++)
			for (int j = 1; j <= WIDTH; j++)
				direction[i][j] = residual[i][j] + now / before * direction[i][j];
		iterations++;
	}
	return iterations;
}

static void write_rows(int step)
{
	double mine[HEIGHT] = {0}, all[HEIGHT];
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= WIDTH; j++)
			mine[i - 1] += heat[i][j];
	MPI_Gather(mine, rows, MPI_DOUBLE, all, rows, MPI_DOUBLE, 0, plate);
	if (rank > 0)
		return;
	char name[32];
	snprintf(name, sizeof name, "plate-%06d.txt", step);
	FILE *out = fopen(name, "w");
	for (int i = 0; out && i < HEIGHT; i++)
		fprintf(out, "%.17g\n", all[i]);
	if (!out || fclose(out))
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 5000, every = argc > 2 ? atoi(argv[2]) : 1000;
	int step = 0;
	long iterations = 0;
	FILE *log = NULL;

	MPI_Init(&argc, &argv);
	double began = MPI_Wtime();
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &(int){0}, 0, &plate);
	MPI_Comm_rank(plate, &rank);
	MPI_Cart_shift(plate, 0, 1, &above, &below);
	MPI_Type_contiguous(WIDTH + 2, MPI_DOUBLE, &one_row);
	MPI_Type_commit(&one_row);
	rows = HEIGHT / ranks;
	if (HEIGHT % ranks || every < 1) {
		if (rank == 0)
			fprintf(stderr, "usage: plate STEPS EVERY, with ranks that divide %d\n",
				HEIGHT);
		MPI_Finalize();
		return 2;
	}
	heat = new_rows(), residual = new_rows(), direction = new_rows();
	product = new_rows(), metal = new_rows();
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= WIDTH; j++)
			metal[i][j] = 0.1 * (1 + (rank * rows + i + j) % 7);
	srand48(1);

	if (rank == 0 && !(log = fopen("plate.log", "w")))
		MPI_Abort(MPI_COMM_WORLD, 1);
	while (step < steps) {
		/* a flame somewhere below the plate: all ranks draw the same numbers */
		int y = (int)(drand48() * HEIGHT) - rank * rows;
		int x = 1 + (int)(drand48() * WIDTH);
		double flame = 100 * drand48();
		if (y >= 0 && y < rows)
			heat[y + 1][x] += flame;
		int count = solve();
		iterations += count;
		step++;
		double norm = sqrt(dot(heat, heat));
		if (log) {
			fprintf(log, "step %d iterations %d norm %.12g after %.3f s\n", step, count,
				norm, MPI_Wtime() - began);
			fflush(log);
		}
		if (step % every == 0) {
			write_rows(step);
			if (rank == 0)
				printf("step %d: norm %.12g\n", step, norm);
		}
	}
	if (log && fclose(log))
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (rank == 0)
		printf("plate: %d steps, %ld iterations\n", steps, iterations);
	return MPI_Finalize();
}
