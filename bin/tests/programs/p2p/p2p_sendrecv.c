/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives in one: MPI 5.0 section 3.10. */
#include <stdlib.h>

#include "p2p.h"

static int right_of(void)
{
	return (p2p.rank + 1) % p2p.size;
}

static int left_of(void)
{
	return (p2p.rank + p2p.size - 1) % p2p.size;
}

static void replace(int n)
{
	unsigned char *p = p2p_bytes(p2p.rank, (size_t)n);
	MPI_Request r;
	MPI_Status s;

	MPI_Sendrecv_replace(p, n, MPI_BYTE, right_of(), 1, left_of(), 1, MPI_COMM_WORLD, &s);
	p2p_status("Sendrecv_replace", &s, left_of(), 1, n);
	p2p_check("Sendrecv_replace", p, left_of(), (size_t)n);
	MPI_Isendrecv_replace(
		p, n, MPI_BYTE, left_of(), 2, right_of(), MPI_ANY_TAG, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &s);
	p2p_status("Isendrecv_replace", &s, right_of(), 2, n);
	p2p_check("Isendrecv_replace", p, p2p.rank, (size_t)n);
	free(p);
}

static void replace_all(void)
{
	replace(P2P_SHORT);
	replace(P2P_LONG);
	replace(0);
}

static void replace_holes(void)
{
	int comb_of[20];
	MPI_Datatype comb;
	MPI_Status s;
	int n = -1;

	MPI_Type_vector(10, 1, 2, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	for (int i = 0; i < 20; i++)
		comb_of[i] = i % 2 ? -1 : 100 * p2p.rank + i;
	MPI_Sendrecv_replace(comb_of, 1, comb, right_of(), 1, left_of(), 1, MPI_COMM_WORLD, &s);
	MPI_Get_count(&s, comb, &n);
	p2p_want(n == 1, "%d combs", n);
	for (int i = 0; i < 20; i++)
		p2p_want(comb_of[i] == (i % 2 ? -1 : 100 * left_of() + i), "comb: %d is %d", i,
			comb_of[i]);
	MPI_Type_free(&comb);
}

static void replace_nobody(void)
{
	MPI_Status s;
	MPI_Request r;
	int x = 7;

	MPI_Sendrecv_replace(
		&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s);
	p2p_status("nobody", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	MPI_Isendrecv_replace(&x, 1, MPI_INT, p2p.rank, 1, p2p.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &s);
	p2p_status("oneself", &s, p2p.rank, 1, sizeof x);
	p2p_want(x == 7, "x is %d", x);
}

static void both_ways(int n)
{
	unsigned char *out = p2p_bytes(p2p.rank, (size_t)n), *in = prog_alloc(&p2p, (size_t)n);
	unsigned char *wanted = p2p_bytes(left_of(), (size_t)n);
	MPI_Request r;
	MPI_Status s;
	int flag = 0;

	MPI_Isendrecv(
		out, n, MPI_BYTE, right_of(), 3, in, n, MPI_BYTE, left_of(), 3, MPI_COMM_WORLD, &r);
	while (!flag)
		MPI_Test(&r, &flag, &s);
	p2p_want(r == MPI_REQUEST_NULL, "the request stays");
	p2p_status("Isendrecv", &s, left_of(), 3, n);
	p2p_check("Isendrecv", in, left_of(), (size_t)n);
	/* nobody waits */
	in[n - 1] = (unsigned char)(wanted[n - 1] + 1);
	MPI_Isendrecv(
		out, n, MPI_BYTE, right_of(), 4, in, n, MPI_BYTE, left_of(), 4, MPI_COMM_WORLD, &r);
	MPI_Request_free(&r);
	p2p_want(r == MPI_REQUEST_NULL, "a freed request stays");
	while (p2p_seen(&in[n - 1]) != wanted[n - 1])
		MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD); /* so that what was sent has gone */
	p2p_check("freed", in, left_of(), (size_t)n);
	free(wanted);
	free(in);
	free(out);
}

static void both_ways_all(void)
{
	both_ways(P2P_SHORT);
	both_ways(P2P_LONG);
}

/* It is not done when what came is here, and what was sent is not gone. */
static void both_ways_done(void)
{
	unsigned char *p = p2p_bytes(1, P2P_LONG);
	MPI_Request r;
	int flag = -1, x = 0;

	if (p2p.rank == 0) {
		MPI_Isendrecv(
			p, P2P_LONG, MPI_BYTE, 1, 1, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		p2p_wait(1);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		p2p_want(!flag, "done, and nobody has received");
		p2p_tell(1);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		p2p_want(x == 5, "x is %d", x);
	} else if (p2p.rank == 1) {
		x = 5;
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		p2p_tell(0);
		p2p_wait(0);
		p2p_recv("both ways", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
	}
	free(p);
}

static void both_ways_errors(void)
{
	MPI_Request r;
	MPI_Status s;
	int x = 1, y = 2;

	MPI_Isendrecv(
		&x, 1, MPI_INT, p2p.rank, 1, &y, 1, MPI_CHAR, p2p.rank, 1, MPI_COMM_WORLD, &r);
	p2p_error("cut", MPI_ERR_TRUNCATE, MPI_Wait(&r, &s));
	p2p_want(r == MPI_REQUEST_NULL, "a failed request stays");
	MPI_Isendrecv(
		&x, 1, MPI_INT, p2p.rank, 1, &y, 1, MPI_CHAR, p2p.rank, 1, MPI_COMM_WORLD, &r);
	p2p_error("cut, among several", MPI_ERR_IN_STATUS, MPI_Waitall(1, &r, &s));
	p2p_error("cut, its status", MPI_ERR_TRUNCATE, s.MPI_ERROR);
	p2p_error("dest", MPI_ERR_RANK,
		MPI_Isendrecv(
			&x, 1, MPI_INT, p2p.size, 1, &y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r));
	p2p_error("source", MPI_ERR_RANK,
		MPI_Sendrecv_replace(&x, 1, MPI_INT, 0, 1, -9, 1, MPI_COMM_WORLD, &s));
	p2p_error("count", MPI_ERR_COUNT,
		MPI_Isendrecv_replace(&x, -1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, &r));
	p2p_error("request", MPI_ERR_ARG,
		MPI_Isendrecv_replace(&x, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, NULL));
}

const struct p2p_case p2p_sendrecv[] = {
	{"replace", replace_all, 1},
	{"replace-holes", replace_holes, 1},
	{"replace-nobody", replace_nobody, 1},
	{"both-ways", both_ways_all, 1},
	{"both-ways-done", both_ways_done, 2},
	{"both-ways-errors", both_ways_errors, 1},
	{NULL, NULL, 0},
};
