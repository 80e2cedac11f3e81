/* SPDX-License-Identifier: BSD-3-Clause */
/* Matched probes: MPI 5.0 section 3.8.2. */
#include <stdlib.h>

#include "p2p.h"

static void send_two(int n)
{
	unsigned char *a = p2p_bytes(1, (size_t)n), *b = p2p_bytes(2, (size_t)n);
	MPI_Request r[2];

	MPI_Isend(a, n, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(b, n, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	free(a);
	free(b);
}

static void mrecv(const char *what, MPI_Message *m, int source, int tag, int seed, int n)
{
	unsigned char *p = prog_alloc(&p2p, (size_t)n);
	MPI_Status s;

	p2p_error(what, MPI_SUCCESS, MPI_Mrecv(p, n, MPI_BYTE, m, &s));
	p2p_status(what, &s, source, tag, n);
	p2p_check(what, p, seed, (size_t)n);
	p2p_want(*m == MPI_MESSAGE_NULL, "%s: the handle stays", what);
	free(p);
}

/* What was found is no longer there for others, who get the next one. */
static void taken(int n)
{
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Status s;
	int flag = -1;

	if (p2p.rank == 0)
		send_two(n);
	if (p2p.rank != 1)
		return;
	s.MPI_ERROR = 12345;
	MPI_Mprobe(0, 7, MPI_COMM_WORLD, &m, &s);
	p2p_status("Mprobe", &s, 0, 7, n);
	p2p_want(s.MPI_ERROR == 12345, "a probe sets MPI_ERROR");
	p2p_recv("behind the one taken", 0, 7, 2, n, MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	p2p_want(!flag, "a probe finds what was taken");
	MPI_Improbe(0, 7, MPI_COMM_WORLD, &flag, &(MPI_Message){m}, MPI_STATUS_IGNORE);
	p2p_want(!flag, "a matched probe finds what was taken");
	mrecv("the one taken", &m, 0, 7, 1, n);
}

static void taken_short(void)
{
	taken(P2P_SHORT);
}

static void taken_long(void)
{
	taken(P2P_LONG);
}

static void taken_empty(void)
{
	taken(0);
}

/* Both taken, and received the other way round, by whoever sent them. */
static void crossed(void)
{
	unsigned char *p = prog_alloc(&p2p, P2P_LONG);
	MPI_Message m[2];
	MPI_Request r[2];
	MPI_Status s[2];
	int flag = 0;

	if (p2p.rank == 0)
		send_two(P2P_LONG);
	if (p2p.rank == 1) {
		for (int i = 0; i < 2; i++)
			for (flag = 0; !flag;)
				MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
					&m[i], &s[i]);
		p2p_status("Improbe", &s[0], 0, 7, P2P_LONG);
		MPI_Imrecv(p, P2P_LONG, MPI_BYTE, &m[1], &r[1]);
		MPI_Wait(&r[1], &s[1]);
		p2p_status("Imrecv", &s[1], 0, 7, P2P_LONG);
		p2p_check("Imrecv", p, 2, P2P_LONG);
		mrecv("the first", &m[0], 0, 7, 1, P2P_LONG);
	}
	free(p);
}

static void nobody(void)
{
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Request r;
	MPI_Status s;
	int x = 5, flag = -1;

	MPI_Improbe(p2p.rank, 1, MPI_COMM_WORLD, &flag, &m, &s);
	p2p_want(!flag && m == MPI_MESSAGE_NULL, "found a message that nobody sent");
	MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &m, &s);
	p2p_want(m == MPI_MESSAGE_NO_PROC, "Mprobe of nobody");
	p2p_status("Mprobe", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	MPI_Mrecv(&x, 1, MPI_INT, &m, &s);
	p2p_status("Mrecv", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	p2p_want(m == MPI_MESSAGE_NULL && x == 5, "Mrecv from nobody");
	MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &m, &s);
	p2p_want(flag && m == MPI_MESSAGE_NO_PROC, "Improbe of nobody");
	MPI_Imrecv(&x, 1, MPI_INT, &m, &r);
	p2p_want(m == MPI_MESSAGE_NULL, "Imrecv from nobody");
	MPI_Wait(&r, &s);
	p2p_status("Imrecv", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

static void errors(void)
{
	MPI_Message m = MPI_MESSAGE_NULL, old;
	MPI_Request r;
	int x = 1, y[2], flag;

	p2p_error("null", MPI_ERR_REQUEST, MPI_Mrecv(&x, 1, MPI_INT, &m, MPI_STATUS_IGNORE));
	p2p_error("null", MPI_ERR_REQUEST, MPI_Imrecv(&x, 1, MPI_INT, &m, &r));
	p2p_error("rank", MPI_ERR_RANK,
		MPI_Mprobe(p2p.size, 0, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE));
	p2p_error("tag", MPI_ERR_TAG,
		MPI_Improbe(0, -7, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE));
	p2p_error(
		"message", MPI_ERR_ARG, MPI_Mprobe(0, 0, MPI_COMM_WORLD, NULL, MPI_STATUS_IGNORE));
	MPI_Isend(&x, 1, MPI_INT, p2p.rank, 3, MPI_COMM_WORLD, &r);
	MPI_Mprobe(p2p.rank, 3, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	old = m;
	p2p_error("count", MPI_ERR_COUNT, MPI_Mrecv(y, -1, MPI_INT, &m, MPI_STATUS_IGNORE));
	p2p_want(m == old, "a wrong argument took the message");
	p2p_error("cut", MPI_ERR_TRUNCATE, MPI_Mrecv(y, 1, MPI_CHAR, &m, MPI_STATUS_IGNORE));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	p2p_error("received before", MPI_ERR_REQUEST,
		MPI_Mrecv(y, 1, MPI_INT, &old, MPI_STATUS_IGNORE));
}

/* Its sender cannot take it back any more, and is done only when it is received. */
static void no_way_back(void)
{
	unsigned char *p = p2p_bytes(4, P2P_LONG);
	MPI_Message m;
	MPI_Request r;
	MPI_Status s;
	int flag = -1;

	if (p2p.rank == 0) {
		MPI_Issend(p, P2P_LONG, MPI_BYTE, 1, 4, MPI_COMM_WORLD, &r);
		p2p_wait(1);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		p2p_want(!flag, "a synchronous send is done, and nobody receives");
		MPI_Cancel(&r);
		p2p_tell(1);
		p2p_wait(1); /* by now the wish has come there */
		p2p_tell(1);
		MPI_Wait(&r, &s);
		MPI_Test_cancelled(&s, &flag);
		p2p_want(!flag, "a matched message was taken back");
	} else if (p2p.rank == 1) {
		MPI_Mprobe(0, 4, MPI_COMM_WORLD, &m, &s);
		p2p_tell(0);
		p2p_wait(0);
		p2p_tell(0);
		p2p_wait(0);
		mrecv("no way back", &m, 0, 4, 4, P2P_LONG);
	}
	free(p);
}

static void no_way_back_self(void)
{
	unsigned char *p = p2p_bytes(4, P2P_LONG);
	MPI_Message m;
	MPI_Request r;
	MPI_Status s;
	int flag = -1;

	MPI_Issend(p, P2P_LONG, MPI_BYTE, p2p.rank, 4, MPI_COMM_WORLD, &r);
	MPI_Mprobe(p2p.rank, MPI_ANY_TAG, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Cancel(&r);
	mrecv("no way back", &m, p2p.rank, 4, 4, P2P_LONG);
	MPI_Wait(&r, &s);
	MPI_Test_cancelled(&s, &flag);
	p2p_want(!flag, "a matched message was taken back");
	free(p);
}

/* The communicator goes before its last message. */
static void freed_communicator(void)
{
	unsigned char *p = p2p_bytes(1, P2P_LONG);
	MPI_Comm comm;
	MPI_Message m;
	MPI_Request r;

	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Isend(p, P2P_LONG, MPI_BYTE, 0, 1, comm, &r);
	MPI_Mprobe(0, 1, comm, &m, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comm);
	mrecv("freed", &m, 0, 1, 1, P2P_LONG);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	free(p);
}

static void with_holes(void)
{
	int out[20], in[20];
	MPI_Datatype comb;
	MPI_Message m;
	MPI_Request r;

	MPI_Type_vector(10, 1, 2, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	for (int i = 0; i < 20; i++) {
		out[i] = i;
		in[i] = -1;
	}
	MPI_Issend(out, 1, comb, p2p.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Mprobe(p2p.rank, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(in, 1, comb, &m, MPI_STATUS_IGNORE);
	for (int i = 0; i < 20; i++)
		p2p_want(in[i] == (i % 2 ? -1 : i), "comb: %d is %d", i, in[i]);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Type_free(&comb);
}

const struct p2p_case p2p_matched[] = {
	{"matched-short", taken_short, 2},
	{"matched-long", taken_long, 2},
	{"matched-empty", taken_empty, 2},
	{"matched-crossed", crossed, 2},
	{"matched-nobody", nobody, 1},
	{"matched-errors", errors, 1},
	{"matched-cancel", no_way_back, 2},
	{"matched-cancel-self", no_way_back_self, 1},
	{"matched-freed", freed_communicator, 1},
	{"matched-holes", with_holes, 1},
	{NULL, NULL, 0},
};
