/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives in one, statuses, cancelled, freed and inactive requests: MPI 5.0 sections 3.7
 * to 3.10. */
#include <stdlib.h>
#include <string.h>

#include "point.h"

static int right_of(void)
{
	return (point.rank + 1) % point.size;
}

static int left_of(void)
{
	return (point.rank + point.size - 1) % point.size;
}

/* ---- one buffer, or one request, for both ways ---- */

static void replace(int n)
{
	unsigned char *p = point_bytes(point.rank, (size_t)n);
	MPI_Request r;
	MPI_Status s;

	MPI_Sendrecv_replace(p, n, MPI_BYTE, right_of(), 1, left_of(), 1, MPI_COMM_WORLD, &s);
	point_status("Sendrecv_replace", &s, left_of(), 1, n);
	point_check("Sendrecv_replace", p, left_of(), (size_t)n);
	MPI_Isendrecv_replace(
		p, n, MPI_BYTE, left_of(), 2, right_of(), MPI_ANY_TAG, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &s);
	point_status("Isendrecv_replace", &s, right_of(), 2, n);
	point_check("Isendrecv_replace", p, point.rank, (size_t)n);
	free(p);
}

static void replace_all(void)
{
	replace(POINT_SHORT);
	replace(POINT_LONG);
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
		comb_of[i] = i % 2 ? -1 : 100 * point.rank + i;
	MPI_Sendrecv_replace(comb_of, 1, comb, right_of(), 1, left_of(), 1, MPI_COMM_WORLD, &s);
	MPI_Get_count(&s, comb, &n);
	point_want(n == 1, "%d combs", n);
	for (int i = 0; i < 20; i++)
		point_want(comb_of[i] == (i % 2 ? -1 : 100 * left_of() + i), "comb: %d is %d", i,
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
	point_status("nobody", &s, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	MPI_Isendrecv_replace(&x, 1, MPI_INT, point.rank, 1, point.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &s);
	point_status("oneself", &s, point.rank, 1, sizeof x);
	point_want(x == 7, "x is %d", x);
}

/* What a request was freed for comes at some moment, without a word: to look for it is a race in
 * the eyes of the thread sanitizer. */
__attribute__((no_sanitize("thread"))) static unsigned char seen(const volatile unsigned char *byte)
{
	return *byte;
}

static void both_ways(int n)
{
	unsigned char *out = point_bytes(point.rank, (size_t)n),
		      *in = prog_alloc(&point, (size_t)n);
	unsigned char *wanted = point_bytes(left_of(), (size_t)n);
	MPI_Request r;
	MPI_Status s;
	int flag = 0;

	MPI_Isendrecv(
		out, n, MPI_BYTE, right_of(), 3, in, n, MPI_BYTE, left_of(), 3, MPI_COMM_WORLD, &r);
	while (!flag)
		MPI_Test(&r, &flag, &s);
	point_want(r == MPI_REQUEST_NULL, "the request stays");
	point_status("Isendrecv", &s, left_of(), 3, n);
	point_check("Isendrecv", in, left_of(), (size_t)n);
	/* nobody waits */
	in[n - 1] = (unsigned char)(wanted[n - 1] + 1);
	MPI_Isendrecv(
		out, n, MPI_BYTE, right_of(), 4, in, n, MPI_BYTE, left_of(), 4, MPI_COMM_WORLD, &r);
	MPI_Request_free(&r);
	point_want(r == MPI_REQUEST_NULL, "a freed request stays");
	while (seen(&in[n - 1]) != wanted[n - 1])
		MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD); /* so that what was sent has gone */
	point_check("freed", in, left_of(), (size_t)n);
	free(wanted);
	free(in);
	free(out);
}

static void both_ways_all(void)
{
	both_ways(POINT_SHORT);
	both_ways(POINT_LONG);
}

/* It is not done when what came is here, and what was sent is not gone. */
static void both_ways_done(void)
{
	unsigned char *p = point_bytes(1, POINT_LONG);
	MPI_Request r;
	int flag = -1, x = 0;

	if (point.rank == 0) {
		MPI_Isendrecv(
			p, POINT_LONG, MPI_BYTE, 1, 1, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		point_wait(1);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		point_want(!flag, "done, and nobody has received");
		point_tell(1);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		point_want(x == 5, "x is %d", x);
	} else if (point.rank == 1) {
		x = 5;
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		point_tell(0);
		point_wait(0);
		point_recv("both ways", 0, 1, 1, POINT_LONG, MPI_COMM_WORLD);
	}
	free(p);
}

static void both_ways_errors(void)
{
	MPI_Request r;
	MPI_Status s;
	int x = 1, y = 2;

	MPI_Isendrecv(
		&x, 1, MPI_INT, point.rank, 1, &y, 1, MPI_CHAR, point.rank, 1, MPI_COMM_WORLD, &r);
	point_error("cut", MPI_ERR_TRUNCATE, MPI_Wait(&r, &s));
	point_want(r == MPI_REQUEST_NULL, "a failed request stays");
	MPI_Isendrecv(
		&x, 1, MPI_INT, point.rank, 1, &y, 1, MPI_CHAR, point.rank, 1, MPI_COMM_WORLD, &r);
	point_error("cut, among several", MPI_ERR_IN_STATUS, MPI_Waitall(1, &r, &s));
	point_error("cut, its status", MPI_ERR_TRUNCATE, s.MPI_ERROR);
	point_error("dest", MPI_ERR_RANK,
		MPI_Isendrecv(
			&x, 1, MPI_INT, point.size, 1, &y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r));
	point_error("source", MPI_ERR_RANK,
		MPI_Sendrecv_replace(&x, 1, MPI_INT, 0, 1, -9, 1, MPI_COMM_WORLD, &s));
	point_error("count", MPI_ERR_COUNT,
		MPI_Isendrecv_replace(&x, -1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, &r));
	point_error("request", MPI_ERR_ARG,
		MPI_Isendrecv_replace(&x, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, NULL));
}

/* ---- looks at the status ---- */

static void look(void)
{
	MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s[3];
	int flag = 0, index = -1, n = -1, which[3], x = 4, y = 0;

	MPI_Request_get_status(r[0], &flag, &s[0]);
	point_want(flag, "MPI_REQUEST_NULL is not complete");
	point_status("null", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
	point_want(flag && index == MPI_UNDEFINED, "any of nothing: %d, %d", flag, index);
	MPI_Request_get_status_some(3, r, &n, which, s);
	point_want(n == MPI_UNDEFINED, "some of nothing: %d", n);
	MPI_Request_get_status_all(3, r, &flag, s);
	point_want(flag, "all of nothing");

	MPI_Irecv(&y, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Request_get_status(r[1], &flag, &s[0]);
	point_want(!flag, "done before its message came");
	MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
	point_want(!flag && index == MPI_UNDEFINED, "any is done: %d", index);
	MPI_Request_get_status_some(3, r, &n, which, s);
	point_want(n == 0, "some are done: %d", n);
	MPI_Request_get_status_all(3, r, &flag, s);
	point_want(!flag, "all are done");
	MPI_Send(&x, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD);
	for (int again = 0; again < 2; again++) {
		MPI_Request_get_status(r[1], &flag, &s[0]);
		point_want(flag && r[1] != MPI_REQUEST_NULL, "look %d: flag %d", again, flag);
		point_status("looked at", &s[0], point.rank, 1, sizeof x);
		MPI_Request_get_status_any(3, r, &index, &flag, &s[0]);
		point_want(flag && index == 1, "any: %d, %d", flag, index);
		point_status("any", &s[0], point.rank, 1, sizeof x);
		MPI_Request_get_status_some(3, r, &n, which, s);
		point_want(n == 1 && which[0] == 1, "some: %d", n);
		point_status("some", &s[0], point.rank, 1, sizeof x);
		MPI_Request_get_status_all(3, r, &flag, s);
		point_want(flag && s[1].MPI_ERROR == MPI_SUCCESS, "all: %d", flag);
		point_status("all", &s[1], point.rank, 1, sizeof x);
		point_status("all, null", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	}
	MPI_Wait(&r[1], &s[0]);
	point_status("waited for", &s[0], point.rank, 1, sizeof x);
	point_want(y == 4 && r[1] == MPI_REQUEST_NULL, "y is %d", y);
	point_error("count", MPI_ERR_COUNT, MPI_Request_get_status_all(-1, r, &flag, s));
	point_error("flag", MPI_ERR_ARG, MPI_Request_get_status(r[0], NULL, &s[0]));
}

static void status_fields(void)
{
	MPI_Status s;
	int value = 0;

	memset(&s, 0, sizeof s);
	MPI_Status_set_source(&s, 11);
	MPI_Status_set_tag(&s, 12);
	MPI_Status_set_error(&s, MPI_ERR_TRUNCATE);
	point_want(s.MPI_SOURCE == 11 && s.MPI_TAG == 12 && s.MPI_ERROR == MPI_ERR_TRUNCATE,
		"set: %d, %d, %d", s.MPI_SOURCE, s.MPI_TAG, s.MPI_ERROR);
	MPI_Status_get_source(&s, &value);
	point_want(value == 11, "source %d", value);
	MPI_Status_get_tag(&s, &value);
	point_want(value == 12, "tag %d", value);
	MPI_Status_get_error(&s, &value);
	point_want(value == MPI_ERR_TRUNCATE, "error %d", value);
	MPI_Test_cancelled(&s, &value);
	point_want(!value, "cancelled");
	MPI_Status_set_cancelled(&s, 5);
	MPI_Test_cancelled(&s, &value);
	point_want(value, "not cancelled");
	MPI_Status_set_cancelled(&s, 0);
	MPI_Test_cancelled(&s, &value);
	point_want(!value, "cancelled again");
	point_error("null", MPI_ERR_ARG, MPI_Status_get_tag(&s, NULL));
	point_error("null", MPI_ERR_ARG, MPI_Status_set_tag(NULL, 1));
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
	point_want(r != MPI_REQUEST_NULL, "cancelled, and nobody has waited");
	MPI_Wait(&r, &s);
	point_want(was_cancelled(&s), "nothing came, and it was not cancelled");
	/* not any more */
	MPI_Irecv(&y, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Send(&x, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	point_want(!was_cancelled(&s) && y == 3, "a finished receive was cancelled, %d", y);
	/* a persistent one can go on after that */
	y = 0;
	MPI_Recv_init(&y, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, &r);
	point_error("inactive", MPI_ERR_REQUEST, MPI_Cancel(&r));
	MPI_Start(&r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	point_want(was_cancelled(&s), "a persistent receive was not cancelled");
	MPI_Start(&r);
	MPI_Send(&x, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD);
	MPI_Wait(&r, &s);
	point_want(!was_cancelled(&s) && y == 3, "the next start: %d", y);
	MPI_Request_free(&r);
}

/* What waits at its sender can be taken back, and is gone. */
static void cancel_sends(void)
{
	unsigned char *p = point_bytes(1, POINT_LONG);
	MPI_Request r;
	MPI_Status s;
	int flag;

	if (point.rank == 0) {
		MPI_Issend(p, POINT_SHORT, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Cancel(&r);
		MPI_Wait(&r, &s);
		point_want(was_cancelled(&s), "a synchronous send was not cancelled");
		MPI_Send_init(p, POINT_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Start(&r);
		MPI_Cancel(&r);
		MPI_Wait(&r, &s);
		point_want(was_cancelled(&s), "a persistent send was not cancelled");
		point_tell(1);
		point_wait(1);
		MPI_Start(&r);
		MPI_Wait(&r, &s);
		point_want(!was_cancelled(&s), "the next start was cancelled");
		MPI_Request_free(&r);
	} else if (point.rank == 1) {
		point_wait(0);
		MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		point_want(!flag, "what was taken back is there");
		point_tell(0);
		point_recv("after a cancelled one", 0, 1, 1, POINT_LONG, MPI_COMM_WORLD);
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
	MPI_Ibsend(&x, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	point_want(!was_cancelled(&s), "a buffered send was cancelled");
	MPI_Recv(&y, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&(void *){NULL}, &x);
}

/* ---- inactive, freed ---- */

static void inactive(void)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, plain;
	MPI_Status s[2];
	int flag = 0, index = 0, n = 0, which[2], x = 0;

	MPI_Recv_init(&x, 1, MPI_INT, point.rank, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Wait(&r[0], &s[0]);
	point_status("inactive", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	point_want(r[0] != MPI_REQUEST_NULL, "the wait freed a persistent request");
	MPI_Test(&r[0], &flag, &s[0]);
	point_want(flag, "an inactive request is not complete");
	MPI_Waitany(2, r, &index, &s[0]);
	point_want(index == MPI_UNDEFINED, "Waitany: %d", index);
	MPI_Testany(2, r, &index, &flag, &s[0]);
	point_want(flag && index == MPI_UNDEFINED, "Testany: %d", index);
	MPI_Waitsome(2, r, &n, which, s);
	point_want(n == MPI_UNDEFINED, "Waitsome: %d", n);
	MPI_Testsome(2, r, &n, which, s);
	point_want(n == MPI_UNDEFINED, "Testsome: %d", n);
	MPI_Waitall(2, r, s);
	MPI_Request_get_status(r[0], &flag, &s[0]);
	point_want(flag, "get_status of an inactive request");
	point_status("inactive", &s[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	MPI_Start(&r[0]);
	point_error("active", MPI_ERR_REQUEST, MPI_Start(&r[0]));
	MPI_Irecv(&x, 1, MPI_INT, point.rank, 2, MPI_COMM_WORLD, &plain);
	point_error("not persistent", MPI_ERR_REQUEST, MPI_Startall(1, &plain));
	MPI_Cancel(&plain);
	MPI_Cancel(&r[0]);
	MPI_Wait(&plain, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&r[0]);
	point_want(r[0] == MPI_REQUEST_NULL, "freed, and still there");
}

/* What is under way goes on without its request. */
static void freed(void)
{
	unsigned char *p = point_bytes(1, POINT_LONG), *q = prog_alloc(&point, POINT_LONG);
	MPI_Request r;

	q[POINT_LONG - 1] = (unsigned char)(p[POINT_LONG - 1] + 1);
	if (point.rank == 0) {
		MPI_Isend(p, POINT_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		point_wait(1);
	} else if (point.rank == 1) {
		MPI_Irecv(q, POINT_LONG, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		while (seen(&q[POINT_LONG - 1]) != p[POINT_LONG - 1])
			MPI_Iprobe(0, 2, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
		point_tell(0);
		point_check("freed", q, 1, POINT_LONG);
	}
	free(p);
	free(q);
}

const struct point_case point_requests[] = {
	{"replace", replace_all, 1},
	{"replace-holes", replace_holes, 1},
	{"replace-nobody", replace_nobody, 1},
	{"both-ways", both_ways_all, 1},
	{"both-ways-done", both_ways_done, 2},
	{"both-ways-errors", both_ways_errors, 1},
	{"look", look, 1},
	{"status", status_fields, 1},
	{"cancel-receives", cancel_receives, 1},
	{"cancel-sends", cancel_sends, 2},
	{"cancel-buffered", cancel_buffered, 1},
	{"inactive", inactive, 1},
	{"freed", freed, 2},
	{NULL, NULL, 0},
};
