/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dims_create: among all ways to write n as a product of k factors that do not increase, the
 * lexicographically smallest. Factors are tried upwards from the k-th root, so the first way found
 * is the one.
 */
#include "topo.h"

/* No int has more divisors (2095133040 has 1600, the next record is beyond 2^31). */
#define MAX_DIVISORS 1600

struct search {
	int divisors[MAX_DIVISORS];
	int count;
	int *factors;
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

/* Write n as k factors of at most `limit` from s->factors[at] on; false when there is no way. */
static bool factorise(struct search *s, int at, int k, int n, int limit)
{
	if (k == 0)
		return n == 1;
	for (int i = 0; i < s->count && s->divisors[i] <= limit; i++) {
		int d = s->divisors[i];

		if (n % d != 0 || !power_reaches(d, k, n))
			continue;
		s->factors[at] = d;
		if (factorise(s, at + 1, k - 1, n / d, d))
			return true;
	}
	return false;
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
	struct search s;
	int factors[32];

	if (rest == 0 || (free_dims == 0 && rest != 1))
		return ndims == 0;
	/* an int has at most 30 prime factors, so all further dimensions are 1 */
	s.factors = factors;
	find_divisors(&s, rest);
	factorise(&s, 0, free_dims < 32 ? free_dims : 32, rest, rest);
	for (int i = 0, k = 0; i < ndims; i++) {
		if (dims[i] == 0) {
			dims[i] = k < 32 ? factors[k] : 1;
			k++;
		}
	}
	return true;
}
