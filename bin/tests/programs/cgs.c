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
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "mtx.h"
#include "prog.h"
#include "spread.h"

enum { ERROR_SIZE = 1000 };

struct problem {
	const char *path, *rhs_path;
	struct mtx matrix; /* at rank 0 */
	double *rhs;	   /* at rank 0 */
	double *solution;  /* at rank 0 */
};

struct solver {
	const struct prog *prog;
	struct spread *a;
	double *b, *x, *r, *z, *p, *ap; /* each rank its rows */
	double goal;			/* for |b - A x| / |b| */
	long iterations, limit;
	int restarts;
};

static double dot(const struct solver *s, const double *u, const double *v)
{
	double mine = 0.0, all = 0.0;
	for (int i = 0; i < s->a->rows; i++)
		mine += u[i] * v[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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

/* One step; returns the new r.z, and says in *norm what the recurrence takes for |r|. */
static double step(struct solver *s, double rz, double *norm)
{
	int n = s->a->rows;
	double sums[2] = {0.0, 0.0}, all[2];
	spread_multiply(s->a, s->p, s->ap);
	double curvature = dot(s, s->p, s->ap);
	if (!(curvature > 0.0))
		prog_wrong(s->prog,
			"the matrix is not positive definite: p'Ap = %g in iteration %ld",
			curvature, s->iterations);
	double alpha = rz / curvature;
	for (int i = 0; i < n; i++) {
		s->x[i] += alpha * s->p[i];
		s->r[i] -= alpha * s->ap[i];
	}
	precondition(s);
	for (int i = 0; i < n; i++) {
		sums[0] += s->r[i] * s->z[i];
		sums[1] += s->r[i] * s->r[i];
	}
	MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		s->p[i] = s->z[i] + all[0] / rz * s->p[i];
	*norm = sqrt(all[1]);
	return all[0];
}

static void iterate(struct solver *s, double target)
{
	precondition(s);
	memcpy(s->p, s->z, (size_t)s->a->rows * sizeof(double));
	double rz = dot(s, s->r, s->z), norm = INFINITY;
	while (norm > target && s->iterations < s->limit) {
		rz = step(s, rz, &norm);
		s->iterations++;
	}
}

static void solve(struct solver *s)
{
	double target = s->goal * sqrt(dot(s, s->b, s->b));
	double norm = compute_residual(s);
	for (s->restarts = -1; norm > target && s->iterations < s->limit; s->restarts++) {
		iterate(s, 0.5 * target);
		double now = compute_residual(s);
		if (!(now < norm))
			break; /* rounding allows no better */
		norm = now;
	}
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
	double *vectors[] = {s->b, s->x, s->r, s->z, s->p, s->ap};
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
			p->path, s->iterations, residual, tol);
	printf("cgs: right, %s, %d rows, %zu nonzeros, %d ranks, %ld iterations, %d restarts, "
	       "true relative residual %.3e, %.3f s\n",
		p->path, p->matrix.rows, p->matrix.start[p->matrix.rows], s->prog->size,
		s->iterations, s->restarts > 0 ? s->restarts : 0, residual, seconds);
}

int main(int argc, char **argv)
{
	double tol = 1e-9;
	long limit = 0;
	struct problem problem = {0};
	const struct prog_option options[] = {
		{"MATRIX.mtx", NULL, PROG_TEXT, &problem.path, 0,
			"symmetric positive definite matrix"},
		{"-rhs", "FILE", PROG_TEXT, &problem.rhs_path, 0,
			"right-hand side (default: A * ones)"},
		{"-tol", "T", PROG_DOUBLE, &tol, 0,
			"true relative residual to reach (default 1e-9)"},
		{"-maxit", "N", PROG_LONG, &limit, 1,
			"most iterations (default 50 times the rows)"},
	};
	struct prog prog = {"cgs", "solves A x = b by conjugate gradients", options, 4, 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	load_or_leave(&prog, &problem);
	struct solver *s = solver_make(&prog, &problem);
	s->goal = 0.5 * tol;
	s->limit = limit > 0 ? limit : 50L * s->a->n;
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
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
