/* SPDX-License-Identifier: BSD-3-Clause */
#include "paper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void paper_begin(struct paper *p, int argc, char **argv)
{
	prog_begin(&p->prog, argc, argv);
	steps_begin(&p->steps, &p->prog);
}

void paper_refuse(const struct paper *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (p->prog.rank == 0) {
		fprintf(stderr, "%s: ", p->prog.name);
		vfprintf(stderr, fmt, ap);
		fprintf(stderr, "; try %s -h\n", p->prog.name);
	}
	va_end(ap);
	MPI_Finalize();
	exit(2);
}

void paper_at_most(const struct paper *p, const char *what, long value, long most)
{
	if (value > most)
		paper_refuse(p, "%ld %s are too many: at most %ld", value, what, most);
}

void *paper_array(const struct paper *p, size_t count, size_t each)
{
	void *a = calloc(count > 0 ? count : 1, each);

	if (a == NULL)
		prog_wrong(&p->prog, "out of memory for %zu times %zu bytes", count, each);
	return a;
}

void paper_protect(const struct paper *p, int id, void *addr, size_t count, MPI_Datatype type)
{
	int rc;

	if (p->steps.every == 0)
		return;
	rc = FTMPI_CKPT_Protect(id, addr, (MPI_Count)count, type);
	if (rc != MPI_SUCCESS)
		prog_wrong(&p->prog, "FTMPI_CKPT_Protect of %d returned %d", id, rc);
}

/* ---- clocks ---- */

/* Of all threads of this process. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The run is cut into pieces at the same steps whatever was restored. */
static long piece_end(const struct paper *p)
{
	long n = 1;

	while (n < PAPER_PIECES && p->total * n / PAPER_PIECES <= p->step)
		n++;
	return p->total * n / PAPER_PIECES;
}

static void clock_piece(struct paper_clock *c, int piece, double now)
{
	c->piece[piece] = now - c->begin;
	c->total += c->piece[piece];
}

static void clocks_go_on(struct paper *p)
{
	p->cpu.begin = cpu_seconds();
	p->wall.begin = MPI_Wtime();
	p->piece_end = piece_end(p);
}

static void start_clocks(struct paper *p)
{
	MPI_Barrier(MPI_COMM_WORLD);
	turn_begin(&p->turn, &p->prog);
	clocks_go_on(p);
}

/* While the others have their turn nothing of ours goes on: the line that was begun is written, and
 * all ranks are here. */
static void come_to_rest(struct paper *p)
{
	if (p->turn.from == NULL)
		return;
	if (p->line_begun)
		FTMPI_CKPT_Wait();
	p->line_begun = 0;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void end_piece(struct paper *p)
{
	if (p->step < p->piece_end || p->pieces == PAPER_PIECES)
		return;
	come_to_rest(p);
	clock_piece(&p->cpu, p->pieces, cpu_seconds());
	clock_piece(&p->wall, p->pieces, MPI_Wtime());
	p->pieces++;
	turn_next(&p->turn, &p->prog);
	clocks_go_on(p);
}

/* ---- the run ---- */

void paper_start(struct paper *p, long total)
{
	paper_at_most(p, "steps", total, PAPER_STEPS_MOST);
	p->total = total;
	paper_protect(p, 0, &p->step, 1, MPI_INT64_T);
	if (p->steps.every > 0 && FTMPI_Restore() == FTMPI_RESTORED)
		steps_restored(&p->steps, (long)p->step);
	start_clocks(p);
}

void paper_step(struct paper *p)
{
	p->step++;
	/* after the last step there is nothing to go on with */
	if (p->steps.every > 0 && p->step % p->steps.every == 0 && p->step < p->total) {
		steps_line(&p->steps, (long)p->step, FTMPI_Perform_Checkpoint());
		p->line_begun = 1;
	}
	end_piece(p);
	steps_done(&p->steps, (long)p->step);
}

/* All ranks have worked for rank 0. */
static void sum_up(struct paper *p)
{
	double mine[PAPER_PIECES + 1];

	memcpy(mine, p->cpu.piece, sizeof p->cpu.piece);
	mine[PAPER_PIECES] = p->cpu.total;
	if (p->prog.rank != 0) {
		MPI_Reduce(mine, NULL, PAPER_PIECES + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Reduce(MPI_IN_PLACE, mine, PAPER_PIECES + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	memcpy(p->cpu.piece, mine, sizeof p->cpu.piece);
	p->cpu.total = mine[PAPER_PIECES];
}

void paper_stop(struct paper *p)
{
	/* what is still being written counts; whether it could be is no matter of the answer */
	if (p->steps.every > 0)
		FTMPI_CKPT_Wait();
	MPI_Barrier(MPI_COMM_WORLD);
	p->wall.total += MPI_Wtime() - p->wall.begin;
	p->cpu.total += cpu_seconds() - p->cpu.begin;
	sum_up(p);
}

static void say_clock(const struct paper *p, const char *what, const struct paper_clock *c)
{
	printf("%s: %s %.6f s, pieces", p->prog.name, what, c->total);
	for (int i = 0; i < p->pieces; i++)
		printf(" %.6f", c->piece[i]);
	printf("\n");
}

void paper_right(struct paper *p, const char *fmt, ...)
{
	va_list ap;

	if (p->prog.rank != 0)
		return;
	if (p->clock) {
		say_clock(p, "wall", &p->wall);
		say_clock(p, "cpu", &p->cpu);
	}
	va_start(ap, fmt);
	printf("%s: right, ", p->prog.name);
	vprintf(fmt, ap);
	printf(", %d ranks\n", p->prog.size);
	va_end(ap);
	turn_end(&p->turn, &p->prog);
}

/* ---- numbers ---- */

/* The last step of splitmix64. */
uint64_t paper_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

double paper_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

double paper_worst(double so_far, double x)
{
	return isnan(so_far) || x <= so_far ? so_far : x;
}

uint64_t paper_print_of(const double *x, size_t n, uint64_t first)
{
	uint64_t sum = 0, bits;

	for (size_t i = 0; i < n; i++) {
		memcpy(&bits, &x[i], sizeof bits);
		sum += paper_mix(bits ^ paper_mix(first + i));
	}
	return sum;
}

uint64_t paper_sum(uint64_t mine)
{
	uint64_t all = 0;

	MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return all;
}
