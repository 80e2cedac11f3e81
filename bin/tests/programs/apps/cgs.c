/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgs: solves A x = b for a symmetric positive definite matrix from a Matrix Market file by
 * conjugate gradients with Jacobi preconditioning. Without -rhs, b is A times ones, so that x
 * should be ones.
 *
 * Conjugate gradients carry their residual along by a recurrence, which drifts away from b - A x on
 * ill-conditioned matrices; so when the recurrence says "done", the residual is computed anew and
 * the iteration starts again from the x in hand if that is not small enough. At the end rank 0
 * computes the true residual once more from the whole matrix, without any of the parallel code.
 *
 * Sums over ranks are made in the order of ranks, so that x is the same to the last bit wherever
 * the ranks run, and however often the job is restarted: the vectors and numbers of the iteration
 * are protected.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "mtx.h"
#include "prog.h"
#include "spread.h"
#include "steps.h"

enum { ERROR_SIZE = 1000 };

struct problem {
	const char *path, *rhs_path;
	struct mtx matrix; /* at rank 0 */
	double *rhs;	   /* at rank 0 */
	double *solution;  /* at rank 0 */
};

/* Where the iteration is. */
struct place {
	double target; /* for |b - A x| */
	double best;   /* |b - A x| where the iteration began anew */
	double rz, norm;
	int64_t inside; /* in the middle of an iteration; else it is about to begin */
	int64_t iterations, restarts;
};

struct solver {
	const struct prog *prog;
	struct steps *steps;
	struct spread *a;
	double *b, *x, *r, *z, *p, *ap; /* each rank its rows */
	double *terms;			/* of a sum over ranks */
	struct place at;
	double goal; /* for |b - A x| / |b| */
	long limit;
};

static void sum_over_ranks(const struct solver *s, const double *mine, double *all, int n)
{
	MPI_Allgather(mine, n, MPI_DOUBLE, s->terms, n, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		all[i] = 0.0;
	for (int i = 0; i < s->prog->size * n; i++)
		all[i % n] += s->terms[i];
}

static double dot(const struct solver *s, const double *u, const double *v)
{
	double mine = 0.0, all;
	for (int i = 0; i < s->a->rows; i++)
		mine += u[i] * v[i];
	sum_over_ranks(s, &mine, &all, 1);
	return all;
}

static void precondition(const struct solver *s)
{
	for (int i = 0; i < s->a->rows; i++)
		s->z[i] = s->r[i] / s->a->diagonal[i];
}

/* r = b - A x; returns its norm. */
static double compute_residual(struct solver *s)
{
	spread_multiply(s->a, s->x, s->r);
	for (int i = 0; i < s->a->rows; i++)
		s->r[i] = s->b[i] - s->r[i];
	return sqrt(dot(s, s->r, s->r));
}

/* One step: the new r.z, and what the recurrence takes for |r|. */
static void step(struct solver *s)
{
	int n = s->a->rows;
	double sums[2] = {0.0, 0.0}, all[2];
	spread_multiply(s->a, s->p, s->ap);
	double curvature = dot(s, s->p, s->ap);
	if (!(curvature > 0.0))
		prog_wrong(s->prog,
			"the matrix is not positive definite: p'Ap = %g in iteration %ld",
			curvature, (long)s->at.iterations);
	double alpha = s->at.rz / curvature;
	for (int i = 0; i < n; i++) {
		s->x[i] += alpha * s->p[i];
		s->r[i] -= alpha * s->ap[i];
	}
	precondition(s);
	for (int i = 0; i < n; i++) {
		sums[0] += s->r[i] * s->z[i];
		sums[1] += s->r[i] * s->r[i];
	}
	sum_over_ranks(s, sums, all, 2);
	for (int i = 0; i < n; i++)
		s->p[i] = s->z[i] + all[0] / s->at.rz * s->p[i];
	s->at.norm = sqrt(all[1]);
	s->at.rz = all[0];
	s->at.iterations++;
}

static void line_and_trace(struct solver *s)
{
	long iteration = (long)s->at.iterations;
	if (steps_line_wanted(s->steps, iteration))
		steps_line(s->steps, iteration, FTMPI_Perform_Checkpoint());
	steps_done(s->steps, iteration);
}

static void begin_iteration(struct solver *s)
{
	precondition(s);
	memcpy(s->p, s->z, (size_t)s->a->rows * sizeof(double));
	s->at.rz = dot(s, s->r, s->z);
	s->at.norm = INFINITY;
	s->at.inside = 1;
}

static void iterate(struct solver *s)
{
	if (!s->at.inside)
		begin_iteration(s);
	while (s->at.norm > 0.5 * s->at.target && s->at.iterations < s->limit) {
		step(s);
		line_and_trace(s);
	}
	s->at.inside = 0;
}

static void solve(struct solver *s)
{
	struct place *at = &s->at;
	while (at->inside || (at->best > at->target && at->iterations < s->limit)) {
		iterate(s);
		double now = compute_residual(s);
		if (!(now < at->best))
			break; /* rounding allows no better */
		at->best = now;
		at->restarts++;
	}
}

static void protect(const struct solver *s, int id, double *vector)
{
	int rc = FTMPI_CKPT_Protect(id, vector, s->a->rows, MPI_DOUBLE);
	if (rc != MPI_SUCCESS)
		prog_wrong(s->prog, "FTMPI_CKPT_Protect of vector %d returned %d", id, rc);
}

/* From the beginning, or from where the latest line was made. */
static void begin_or_restore(struct solver *s)
{
	protect(s, 1, s->x);
	protect(s, 2, s->r);
	protect(s, 3, s->p);
	int rc = FTMPI_CKPT_Protect(0, &s->at, sizeof(s->at), MPI_BYTE);
	if (rc != MPI_SUCCESS)
		prog_wrong(s->prog, "FTMPI_CKPT_Protect returned %d", rc);
	if (FTMPI_Restore() == FTMPI_RESTORED) {
		steps_restored(s->steps, (long)s->at.iterations);
		return;
	}
	s->at.restarts = -1;
	s->at.target = s->goal * sqrt(dot(s, s->b, s->b));
	s->at.best = compute_residual(s);
}

/* Every diagonal entry must be positive for the preconditioner (and is, in such a matrix). */
static void check_diagonal(const struct solver *s)
{
	for (int i = 0; i < s->a->rows; i++)
		if (!(s->a->diagonal[i] > 0.0))
			prog_wrong(s->prog,
				"the matrix is not positive definite: diagonal entry %d is %g",
				s->a->first[s->prog->rank] + i + 1, s->a->diagonal[i]);
}

static void multiply_whole(const struct mtx *m, const double *x, double *y)
{
	for (int row = 0; row < m->rows; row++) {
		long double sum = 0.0L;
		for (size_t i = m->start[row]; i < m->start[row + 1]; i++)
			sum += (long double)m->value[i] * (long double)x[m->col[i]];
		y[row] = (double)sum;
	}
}

static int load(struct problem *p, char *error)
{
	if (mtx_read(p->path, &p->matrix, error, ERROR_SIZE) < 0)
		return -1;
	int n = p->matrix.rows;
	if (n != p->matrix.cols) {
		snprintf(error, ERROR_SIZE, "%s: %d rows and %d columns: a square matrix is needed",
			p->path, n, p->matrix.cols);
		return -1;
	}
	p->solution = malloc((size_t)n * sizeof(double));
	if (p->solution != NULL && p->rhs_path != NULL)
		return mtx_read_vector(p->rhs_path, n, &p->rhs, error, ERROR_SIZE);
	p->rhs = malloc((size_t)n * sizeof(double));
	if (p->solution == NULL || p->rhs == NULL) {
		snprintf(error, ERROR_SIZE, "out of memory for %d rows", n);
		return -1;
	}
	for (int i = 0; i < n; i++)
		p->solution[i] = 1.0;
	multiply_whole(&p->matrix, p->solution, p->rhs);
	return 0;
}

/* Rank 0 reads; all ranks end with status 2 when it could not. */
static void load_or_leave(const struct prog *prog, struct problem *p)
{
	char error[ERROR_SIZE] = "no matrix was named; try cgs -h";
	int good = 1;
	if (prog->rank == 0) {
		good = p->path != NULL && load(p, error) == 0;
		if (!good)
			fprintf(stderr, "cgs: %s\n", error);
	}
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (good)
		return;
	MPI_Finalize();
	exit(2);
}

static struct solver *solver_make(const struct prog *prog, const struct problem *p)
{
	struct solver *s = prog_alloc(prog, sizeof(*s));
	*s = (struct solver){.prog = prog};
	s->a = spread_make(prog, prog->rank == 0 ? &p->matrix : NULL);
	s->terms = prog_alloc(prog, 2 * (size_t)prog->size * sizeof(double));
	double **vectors[] = {&s->b, &s->x, &s->r, &s->z, &s->p, &s->ap};
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		*vectors[i] = prog_alloc(prog, (size_t)s->a->rows * sizeof(double));
		memset(*vectors[i], 0, (size_t)s->a->rows * sizeof(double));
	}
	spread_scatter(s->a, p->rhs, s->b);
	check_diagonal(s);
	return s;
}

static void solver_free(struct solver *s)
{
	double *vectors[] = {s->b, s->x, s->r, s->z, s->p, s->ap, s->terms};
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		free(vectors[i]);
	spread_free(s->a);
	free(s);
}

static double true_residual(const struct prog *prog, const struct problem *p)
{
	long double above = 0.0L, below = 0.0L;
	double *ax = prog_alloc(prog, (size_t)p->matrix.rows * sizeof(double));
	multiply_whole(&p->matrix, p->solution, ax);
	for (int i = 0; i < p->matrix.rows; i++) {
		long double d = (long double)p->rhs[i] - (long double)ax[i];
		above += d * d;
		below += (long double)p->rhs[i] * (long double)p->rhs[i];
	}
	free(ax);
	return below > 0.0L ? (double)sqrtl(above / below) : (double)sqrtl(above);
}

/* FNV-1a over the bits of the solution. */
static uint64_t fingerprint(const struct problem *p)
{
	const unsigned char *byte = (const unsigned char *)p->solution;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < (size_t)p->matrix.rows * sizeof(double); i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void report(const struct solver *s, const struct problem *p, double tol, double seconds)
{
	double residual = true_residual(s->prog, p), off = 0.0;
	if (p->rhs_path == NULL) {
		for (int i = 0; i < p->matrix.rows; i++)
			off = fmax(off, fabs(p->solution[i] - 1.0));
		printf("cgs: largest error of x %.3e\n", off);
	}
	if (!(residual <= tol))
		prog_wrong(s->prog,
			"%s: after %ld iterations the true relative residual is %.3e, not %.1e",
			p->path, (long)s->at.iterations, residual, tol);
	printf("cgs: right, %s, %d rows, %zu nonzeros, %d ranks, %ld iterations, begun anew %ld "
	       "times, true relative residual %.3e, x is %016" PRIx64 ", %.3f s\n",
		p->path, p->matrix.rows, p->matrix.start[p->matrix.rows], s->prog->size,
		(long)s->at.iterations, s->at.restarts > 0 ? (long)s->at.restarts : 0L, residual,
		fingerprint(p), seconds);
}

int main(int argc, char **argv)
{
	double tol = 1e-9;
	long limit = 0;
	struct problem problem = {0};
	struct steps steps = STEPS_DEFAULT;
	const struct prog_option options[] = {
		{"MATRIX.mtx", NULL, PROG_TEXT, &problem.path, 0,
			"symmetric positive definite matrix"},
		{"-rhs", "FILE", PROG_TEXT, &problem.rhs_path, 0,
			"right-hand side (default: A * ones)"},
		{"-tol", "T", PROG_DOUBLE, &tol, 0,
			"true relative residual to reach (default 1e-9)"},
		{"-maxit", "N", PROG_LONG, &limit, 1,
			"most iterations (default 50 times the rows)"},
		STEPS_OPTIONS(steps),
	};
	struct prog prog = {"cgs", "solves A x = b by conjugate gradients", options,
		sizeof(options) / sizeof(options[0]), 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	steps_begin(&steps, &prog);
	load_or_leave(&prog, &problem);
	struct solver *s = solver_make(&prog, &problem);
	s->steps = &steps;
	s->goal = 0.5 * tol;
	s->limit = limit > 0 ? limit : 50L * s->a->n;
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	begin_or_restore(s);
	solve(s);
	double seconds = MPI_Wtime() - begin;
	spread_gather(s->a, s->x, problem.solution);
	if (prog.rank == 0)
		report(s, &problem, tol, seconds);
	solver_free(s);
	mtx_free(&problem.matrix);
	free(problem.rhs);
	free(problem.solution);
	MPI_Finalize();
	return 0;
}
