/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dims_create: among all ways to write n as a product of k factors that do not increase, those
 * whose first and last are the closest to each other; of several the one with the largest last,
 * then with the largest last but one, and so on.
 */
#include <string.h>

#include "topo.h"

/* No int has more divisors (2095133040 has 1600, the next record is beyond 2^31). */
#define MAX_DIVISORS 1600

/* An int has at most 30 prime factors: all further dimensions are 1. */
#define MAX_FACTORS 32

struct search {
	int divisors[MAX_DIVISORS];
	int count;
	int k;					 /* factors */
	int least;				 /* no smaller ones are wanted */
	int now[MAX_FACTORS], best[MAX_FACTORS]; /* best[0] is 0 as long as there is none */
};

static void find_divisors(struct search *s, int n)
{
	s->count = 0;
	for (int d = 1; d <= n / d; d++) {
		if (n % d == 0)
			s->divisors[s->count++] = d;
	}
	for (int i = s->count; i-- > 0;) {
		int other = n / s->divisors[i];

		if (other != s->divisors[i])
			s->divisors[s->count++] = other;
	}
}

/* d to the power of k is at least n */
static bool power_reaches(int d, int k, int n)
{
	long long p = 1;

	for (int i = 0; i < k && p < n; i++) {
		p *= d;
		if (d == 1)
			break;
	}
	return p >= n;
}

/* d to the power of k is at most n */
static bool power_stays(int d, int k, int n)
{
	long long p = 1;

	if (d == 1)
		return true;
	for (int i = 0; i < k && p <= n; i++)
		p *= d;
	return p <= n;
}

static bool found(const struct search *s)
{
	return s->best[0] > 0;
}

static int spread(const struct search *s, const int *factors)
{
	return factors[0] - factors[s->k - 1];
}

static bool is_better(const struct search *s)
{
	int i = s->k - 1;

	if (!found(s) || spread(s, s->now) != spread(s, s->best))
		return !found(s) || spread(s, s->now) < spread(s, s->best);
	while (i > 0 && s->now[i] == s->best[i])
		i--;
	return s->now[i] > s->best[i];
}

/* A way is found, which asks more of the next. */
static void consider(struct search *s)
{
	if (!is_better(s))
		return;
	memcpy(s->best, s->now, sizeof s->best);
	s->least = s->best[s->k - 1];
}

/* Write n as factors from s->now[at] on, each at most `limit` and at least s->least. */
static void factorise(struct search *s, int at, int n, int limit)
{
	int left = s->k - at;

	if (left == 0 && n == 1)
		consider(s);
	for (int i = 0; left > 0 && i < s->count && s->divisors[i] <= limit; i++) {
		int d = s->divisors[i];

		if (!power_stays(s->least, left, n))
			return;
		if (d < s->least || n % d != 0 || !power_reaches(d, left, n))
			continue;
		s->now[at] = d;
		factorise(s, at + 1, n / d, d);
	}
}

/* The k-th root, rounded down. */
static int root_of(int n, int k)
{
	int low = 1, high = n; /* the root is from low to high */

	while (low < high) {
		int middle = high - (high - low) / 2;

		if (power_stays(middle, k, n))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The largest factor is tried upwards from the k-th root. No least factor is above the root, which
 * is when to stop. */
static void search(struct search *s, int n)
{
	int root = root_of(n, s->k);

	for (int i = 0; i < s->count; i++) {
		int d = s->divisors[i];

		if (!power_reaches(d, s->k, n))
			continue;
		if (found(s) && d - root > spread(s, s->best))
			return;
		s->least = found(s) && d > spread(s, s->best) ? d - spread(s, s->best) : 1;
		s->now[0] = d;
		factorise(s, 1, n / d, d);
	}
}

/* nnodes divided by the dimensions that are given; 0 when that is no whole number. */
static int remaining(int nnodes, int ndims, const int *dims, int *free_dims, int *bad)
{
	*free_dims = 0;
	for (int i = 0; i < ndims; i++) {
		*bad = i;
		if (dims[i] < 0)
			return 0;
		if (dims[i] == 0) {
			++*free_dims;
			continue;
		}
		if (nnodes % dims[i] != 0) {
			*bad = -1;
			return 0;
		}
		nnodes /= dims[i];
	}
	*bad = -1;
	return nnodes;
}

bool dims_create(int nnodes, int ndims, int *dims, int *bad)
{
	int free_dims, rest = remaining(nnodes, ndims, dims, &free_dims, bad);
	struct search s = {0};

	if (rest == 0 || (free_dims == 0 && rest != 1))
		return ndims == 0;
	s.k = free_dims < MAX_FACTORS ? free_dims : MAX_FACTORS;
	find_divisors(&s, rest);
	if (s.k > 0)
		search(&s, rest);
	for (int i = 0, k = 0; i < ndims; i++) {
		if (dims[i] == 0) {
			dims[i] = k < MAX_FACTORS ? s.best[k] : 1;
			k++;
		}
	}
	return true;
}
