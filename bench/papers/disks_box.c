/* SPDX-License-Identifier: BSD-3-Clause */
#include "disks_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell is not smaller than what box_near looks at, so only neighbours count. */
#define CELL 1.2

void box_make(struct box *b, const struct paper *p, long edge, double fraction)
{
	double distance = sqrt(M_PI / (2.0 * sqrt(3.0) * fraction));

	b->edge = edge;
	b->disks = edge * edge;
	b->width = distance * (double)edge;
	b->height = distance * (double)edge * sqrt(3.0) / 2.0;
	b->across = (long)(b->width / CELL);
	b->down = (long)(b->height / CELL);
	b->first = paper_array(p, (size_t)(b->across * b->down), sizeof *b->first);
	b->next = paper_array(p, (size_t)b->disks, sizeof *b->next);
	b->x = paper_array(p, 2 * (size_t)b->disks, sizeof *b->x);
}

void box_free(struct box *b)
{
	free(b->x);
	free(b->next);
	free(b->first);
}

void box_lattice(const struct box *b, double *x)
{
	for (long i = 0; i < b->disks; i++) {
		long row = i / b->edge, col = i % b->edge;
		x[2 * i] = ((double)col + (row % 2 ? 0.75 : 0.25)) * b->width / (double)b->edge;
		x[2 * i + 1] = ((double)row + 0.5) * b->height / (double)b->edge;
	}
}

/* ---- cells ---- */

static long cell_of(const struct box *b, double x, double y)
{
	long col = (long)(x / b->width * (double)b->across);
	long row = (long)(y / b->height * (double)b->down);

	return (row < b->down ? row : b->down - 1) * b->across +
	       (col < b->across ? col : b->across - 1);
}

static void put(struct box *b, long i)
{
	long cell = cell_of(b, b->x[2 * i], b->x[2 * i + 1]);

	b->next[i] = b->first[cell];
	b->first[cell] = (int32_t)i;
}

static void take_out(struct box *b, long i)
{
	int32_t *at = &b->first[cell_of(b, b->x[2 * i], b->x[2 * i + 1])];

	while (*at != i)
		at = &b->next[*at];
	*at = b->next[i];
}

/* The nine cells around this one. */
static void around(const struct box *b, long cell, long cells[9])
{
	long row = cell / b->across, col = cell % b->across;

	for (int k = 0; k < 9; k++) {
		long r = (row + k / 3 - 1 + b->down) % b->down;
		long c = (col + k % 3 - 1 + b->across) % b->across;
		cells[k] = r * b->across + c;
	}
}

/* ---- distances ---- */

/* The nearest image. */
static double nearest(double d, double length)
{
	return d > length / 2.0 ? d - length : d < -length / 2.0 ? d + length : d;
}

static double squared(const struct box *b, double x, double y, long j)
{
	double dx = nearest(x - b->x[2 * j], b->width);
	double dy = nearest(y - b->x[2 * j + 1], b->height);

	return dx * dx + dy * dy;
}

static int is_free(const struct box *b, double x, double y, long self)
{
	long cells[9];

	around(b, cell_of(b, x, y), cells);
	for (int k = 0; k < 9; k++)
		for (int32_t j = b->first[cells[k]]; j >= 0; j = b->next[j])
			if (j != self && squared(b, x, y, j) < 1.0)
				return 0;
	return 1;
}

int box_fill(struct box *b, const double *x)
{
	int good = 1;

	memcpy(b->x, x, 2 * (size_t)b->disks * sizeof *x);
	for (long c = 0; c < b->across * b->down; c++)
		b->first[c] = -1;
	for (long i = 0; i < b->disks && good; i++) {
		good = x[2 * i] >= 0.0 && x[2 * i] < b->width && x[2 * i + 1] >= 0.0 &&
		       x[2 * i + 1] < b->height && is_free(b, x[2 * i], x[2 * i + 1], i);
		if (good)
			put(b, i);
	}
	return good;
}

/* ---- moves ---- */

/* Into 0 .. length, the end excluded: what is a hair below 0 may be rounded up to it. */
static double wrapped(double x, double length)
{
	x = x < 0.0 ? x + length : x >= length ? x - length : x;
	return x < length ? x : 0.0;
}

static int try_move(struct box *b, long i, double dx, double dy)
{
	double x = wrapped(b->x[2 * i] + dx, b->width);
	double y = wrapped(b->x[2 * i + 1] + dy, b->height);

	if (!is_free(b, x, y, i))
		return 0;
	take_out(b, i);
	b->x[2 * i] = x;
	b->x[2 * i + 1] = y;
	put(b, i);
	return 1;
}

int64_t box_sweep(struct box *b, long sweeps, double reach, uint64_t seed)
{
	int64_t moves = 0;

	for (long s = 0; s < sweeps; s++)
		for (long i = 0; i < b->disks; i++) {
			double dx = reach * (2.0 * paper_unit(paper_mix(seed++)) - 1.0);
			double dy = reach * (2.0 * paper_unit(paper_mix(seed++)) - 1.0);
			moves += try_move(b, i, dx, dy);
		}
	return moves;
}

void box_near(const struct box *b, double shell, int64_t counts[2])
{
	double inner = (1.0 + shell) * (1.0 + shell);
	double outer = (1.0 + 2.0 * shell) * (1.0 + 2.0 * shell);

	for (long i = 0; i < b->disks; i++) {
		long cells[9];
		around(b, cell_of(b, b->x[2 * i], b->x[2 * i + 1]), cells);
		for (int k = 0; k < 9; k++)
			for (int32_t j = b->first[cells[k]]; j >= 0; j = b->next[j]) {
				double d = squared(b, b->x[2 * i], b->x[2 * i + 1], j);
				if (j > i && d < outer)
					counts[d >= inner]++;
			}
	}
}
