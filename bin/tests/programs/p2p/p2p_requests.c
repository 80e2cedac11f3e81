/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses, cancelled, freed and inactive requests: MPI 5.0 sections 3.7 and 3.8. */
#include <stdlib.h>
#include <string.h>

#include "p2p.h"

/* ---- looks at the status ---- */

static void look(void)
{
	MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s[3];
	int flag = 0, index = -1, n = -1, which[3], x = 4, y = 0;

	MPI_Request_get_status(r[0], &flag, &s[0]);
	p2p_want(flag, "MPI_REQUEST_NULL is not complete");
	p2p_status("null", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
	p2p_want(flag && index == MPI_UNDEFINED, "any of nothing: %d, %d", flag, index);
	MPI_Request_get_status_some(3, r, &n, which, s);
	p2p_want(n == MPI_UNDEFINED, "some of nothing: %d", n);
	MPI_Request_get_status_all(3, r, &flag, s);
	p2p_want(flag, "all of nothing");

	MPI_Irecv(&y, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Request_get_status(r[1], &flag, &s[0]);
	p2p_want(!flag, "done before its message came");
	MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
	p2p_want(!flag && index == MPI_UNDEFINED, "any is done: %d", index);
	MPI_Request_get_status_some(3, r, &n, which, s);
	p2p_want(n == 0, "some are done: %d", n);
	MPI_Request_get_status_all(3, r, &flag, s);
	p2p_want(!flag, "all are done");
	MPI_Send(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD);
	for (int again = 0; again < 2; again++) {
		MPI_Request_get_status(r[1], &flag, &s[0]);
		p2p_want(flag && r[1] != MPI_REQUEST_NULL, "look %d: flag %d", again, flag);
		p2p_status("looked at", &s[0], p2p.rank, 1, sizeof x);
		MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
		p2p_want(flag && index == 1, "any: %d, %d", flag, index);
		p2p_status("any", &s[0], p2p.rank, 1, sizeof x);
		MPI_Request_get_status_some(3, r, &n, which, s);
		p2p_want(n == 1 && which[0] == 1, "some: %d", n);
		p2p_status("some", &s[0], p2p.rank, 1, sizeof x);
		MPI_Request_get_status_all(3, r, &flag, s);
		p2p_want(flag && s[1].MPI_ERROR == MPI_SUCCESS, "all: %d", flag);
		p2p_status("all", &s[1], p2p.rank, 1, sizeof x);
		p2p_status("all, null", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	}
	MPI_Wait(&r[1], &s[0]);
	p2p_status("waited for", &s[0], p2p.rank, 1, sizeof x);
	p2p_want(y == 4 && r[1] == MPI_REQUEST_NULL, "y is %d", y);
	p2p_error("count", MPI_ERR_COUNT, MPI_Request_get_status_all(-1, r, &flag, s));
	p2p_error("flag", MPI_ERR_ARG, MPI_Request_get_status(r[0], NULL, &s[0]));
}

static void status_fields(void)
{
	MPI_Status s;
	int value = 0;

	memset(&s, 0, sizeof s);
	MPI_Status_set_source(&s, 11);
	MPI_Status_set_tag(&s, 12);
	MPI_Status_set_error(&s, MPI_ERR_TRUNCATE);
	p2p_want(s.MPI_SOURCE == 11 && s.MPI_TAG == 12 && s.MPI_ERROR == MPI_ERR_TRUNCATE,
		"set: %d, %d, %d", s.MPI_SOURCE, s.MPI_TAG, s.MPI_ERROR);
	MPI_Status_get_source(&s, &value);
	p2p_want(value == 11, "source %d", value);
	MPI_Status_get_tag(&s, &value);
	p2p_want(value == 12, "tag %d", value);
	MPI_Status_get_error(&s, &value);
	p2p_want(value == MPI_ERR_TRUNCATE, "error %d", value);
	MPI_Test_cancelled(&s, &value);
	p2p_want(!value, "cancelled");
	MPI_Status_set_cancelled(&s, 5);
	MPI_Test_cancelled(&s, &value);
	p2p_want(value, "not cancelled");
	MPI_Status_set_cancelled(&s, 0);
	MPI_Test_cancelled(&s, &value);
	p2p_want(!value, "cancelled again");
	p2p_error("null", MPI_ERR_ARG, MPI_Status_get_tag(&s, NULL));
	p2p_error("null", MPI_ERR_ARG, MPI_Status_set_tag(NULL, 1));
}

/* ---- taken back ---- */

static bool was_cancelled(const MPI_Status *s)
{
	int flag = -1;

	MPI_Test_cancelled(s, &flag);
	return flag != 0;
}

static void cancel_receives(void)
{
	MPI_Request r;
	MPI_Status s;
	int x = 3, y = 0;

	MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	p2p_want(r != MPI_REQUEST_NULL, "cancelled, and nobody has waited");
	MPI_Wait(&r, &s);
	p2p_want(was_cancelled(&s), "nothing came, and it was not cancelled");
	/* not any more */
	MPI_Irecv(&y, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Send(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	p2p_want(!was_cancelled(&s) && y == 3, "a finished receive was cancelled, %d", y);
	/* a persistent one can go on after that */
	y = 0;
	MPI_Recv_init(&y, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r);
	p2p_error("inactive", MPI_ERR_REQUEST, MPI_Cancel(&r));
	MPI_Start(&r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	p2p_want(was_cancelled(&s), "a persistent receive was not cancelled");
	MPI_Start(&r);
	MPI_Send(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD);
	MPI_Wait(&r, &s);
	p2p_want(!was_cancelled(&s) && y == 3, "the next start: %d", y);
	MPI_Request_free(&r);
}

/* What waits at its sender can be taken back, and is gone. */
static void cancel_sends(void)
{
	unsigned char *p = p2p_bytes(1, P2P_LONG);
	MPI_Request r;
	MPI_Status s;
	int flag;

	if (p2p.rank == 0) {
		MPI_Issend(p, P2P_SHORT, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Cancel(&r);
		MPI_Wait(&r, &s);
		p2p_want(was_cancelled(&s), "a synchronous send was not cancelled");
		MPI_Send_init(p, P2P_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Start(&r);
		MPI_Cancel(&r);
		MPI_Wait(&r, &s);
		p2p_want(was_cancelled(&s), "a persistent send was not cancelled");
		p2p_tell(1);
		p2p_wait(1);
		MPI_Start(&r);
		MPI_Wait(&r, &s);
		p2p_want(!was_cancelled(&s), "the next start was cancelled");
		MPI_Request_free(&r);
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		p2p_want(!flag, "what was taken back is there");
		p2p_tell(0);
		p2p_recv("after a cancelled one", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
	}
	free(p);
}

/* A buffered send is done, so it cannot be taken back. */
static void cancel_buffered(void)
{
	MPI_Request r;
	MPI_Status s;
	int x = 9, y = 0;

	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
	MPI_Ibsend(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	p2p_want(!was_cancelled(&s), "a buffered send was cancelled");
	MPI_Recv(&y, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&(void *){NULL}, &x);
}

/* ---- inactive, freed ---- */

static void inactive(void)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, plain;
	MPI_Status s[2];
	int flag = 0, index = 0, n = 0, which[2], x = 0;

	MPI_Recv_init(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Wait(&r[0], &s[0]);
	p2p_status("inactive", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	p2p_want(r[0] != MPI_REQUEST_NULL, "the wait freed a persistent request");
	MPI_Test(&r[0], &flag, &s[0]);
	p2p_want(flag, "an inactive request is not complete");
	MPI_Waitany(2, r, &index, &s[0]);
	p2p_want(index == MPI_UNDEFINED, "Waitany: %d", index);
	MPI_Testany(2, r, &index, &flag, &s[0]);
	p2p_want(flag && index == MPI_UNDEFINED, "Testany: %d", index);
	MPI_Waitsome(2, r, &n, which, s);
	p2p_want(n == MPI_UNDEFINED, "Waitsome: %d", n);
	MPI_Testsome(2, r, &n, which, s);
	p2p_want(n == MPI_UNDEFINED, "Testsome: %d", n);
	MPI_Waitall(2, r, s);
	MPI_Request_get_status(r[0], &flag, &s[0]);
	p2p_want(flag, "get_status of an inactive request");
	p2p_status("inactive", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	MPI_Start(&r[0]);
	p2p_error("active", MPI_ERR_REQUEST, MPI_Start(&r[0]));
	MPI_Irecv(&x, 1, MPI_INT, p2p.rank, 2, MPI_COMM_WORLD, &plain);
	p2p_error("not persistent", MPI_ERR_REQUEST, MPI_Startall(1, &plain));
	MPI_Cancel(&plain);
	MPI_Cancel(&r[0]);
	MPI_Wait(&plain, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&r[0]);
	p2p_want(r[0] == MPI_REQUEST_NULL, "freed, and still there");
}

/* What is under way goes on without its request. */
static void freed(void)
{
	unsigned char *p = p2p_bytes(1, P2P_LONG), *q = prog_alloc(&p2p, P2P_LONG);
	MPI_Request r;

	q[P2P_LONG - 1] = (unsigned char)(p[P2P_LONG - 1] + 1);
	if (p2p.rank == 0) {
		MPI_Isend(p, P2P_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		p2p_wait(1);
	} else if (p2p.rank == 1) {
		MPI_Irecv(q, P2P_LONG, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		while (p2p_seen(&q[P2P_LONG - 1]) != p[P2P_LONG - 1])
			MPI_Iprobe(0, 2, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
		p2p_tell(0);
		p2p_check("freed", q, 1, P2P_LONG);
	}
	free(p);
	free(q);
}

const struct p2p_case p2p_requests[] = {
	{"look", look, 1},
	{"status", status_fields, 1},
	{"cancel-receives", cancel_receives, 1},
	{"cancel-sends", cancel_sends, 2},
	{"cancel-buffered", cancel_buffered, 1},
	{"inactive", inactive, 1},
	{"freed", freed, 2},
	{NULL, NULL, 0},
};
