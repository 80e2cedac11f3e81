/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rarer things that may happen to one message: a receive that is cancelled, a message that is
 * longer than its receive, a request that is freed while it is under way, a partner that is nobody.
 * One random pair of ranks has the case; the others have nothing to do.
 */
#include "rt_message.h"

#include <stdlib.h>

struct pair {
	struct rt_list list;
	struct rt_message *message;
	bool here; /* this rank has a part */
};

static struct pair draw(struct rt_case *c)
{
	struct pair p = {.list = rt_list_draw(c, 1, 3)};
	p.message = &p.list.message[0];
	p.here = p.message->src == c->rank || p.message->dst == c->rank;
	rt_describe(c, "%zu units of %d basic types from %s, from rank %d to rank %d", p.list.most,
		p.list.pattern.n, rt_basics[p.list.pattern.basic[0]].name, p.message->src,
		p.message->dst);
	return p;
}

/* The other way, without data: "I have what you sent". */
static void acknowledge(struct rt_case *c, const struct rt_message *m)
{
	MPI_Send(NULL, 0, MPI_BYTE, m->src, 900, c->comm);
}

static void await_acknowledgement(struct rt_case *c, const struct rt_message *m)
{
	MPI_Recv(NULL, 0, MPI_BYTE, m->dst, 900, c->comm, MPI_STATUS_IGNORE);
}

/* Nobody sends: the receive must be cancelled, and the buffer stay as it is. */
static void run_cancel(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_end e;
	MPI_Request request;
	MPI_Status status;
	int cancelled = -1;
	rt_end_recv(&e, c, &p.list, p.list.most);
	MPI_Irecv(e.buf, e.count, e.type, rng_chance(&c->own, 50) ? MPI_ANY_SOURCE : c->rank, 901,
		c->comm, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	if (!cancelled || request != MPI_REQUEST_NULL)
		rt_wrong(c,
			"a receive for which nobody sends was cancelled, but it says it was not");
	rt_end_close(&e, "buffer of a cancelled receive");
	rt_list_free(&p.list);
}

/* A cancelled receive takes the message or leaves it whole for the next one. */
static void recv_cancelled(struct rt_case *c, struct pair *p)
{
	struct rt_end e, again;
	struct rt_message *m = p->message;
	MPI_Request request;
	MPI_Status status;
	int cancelled = -1;
	rt_end_recv(&e, c, &p->list, m->units);
	MPI_Irecv(e.buf, e.count, e.type, m->src, m->tag, c->comm, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	if (cancelled) {
		rt_end_recv(&again, c, &p->list, m->units);
		MPI_Recv(again.buf, again.count, again.type, m->src, m->tag, c->comm, &status);
		rt_end_arrived(&again, m, &status);
		rt_end_close(&again, "receive buffer after a cancelled receive");
	} else {
		rt_end_arrived(&e, m, &status);
	}
	rt_end_close(&e, "buffer of a receive that was to be cancelled");
}

static void run_cancel_race(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_end out;
	MPI_Request request = MPI_REQUEST_NULL;
	bool sends = p.message->src == c->rank;
	if (sends) {
		rt_end_send(&out, c, &p.list, p.message);
		MPI_Isend(out.buf, out.count, out.type, p.message->dst, p.message->tag, c->comm,
			&request);
	}
	if (p.message->dst == c->rank)
		recv_cancelled(c, &p);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (sends)
		rt_end_close(&out, "send buffer");
	rt_list_free(&p.list);
}

static void expect(struct rt_case *c, int error, int class, const char *what)
{
	int got = MPI_SUCCESS;
	if (error != MPI_SUCCESS)
		MPI_Error_class(error, &got);
	if (got != class)
		rt_wrong(c, "%s gave error class %d, not %d", what, got, class);
}

/* Nothing may be written behind the receive's buffer, and the next message must be well. */
static void recv_short(struct rt_case *c, struct pair *p, MPI_Comm comm)
{
	struct rt_message *m = p->message;
	unsigned char room[40];
	size_t bytes = m->units * rt_pattern_bytes(&p->list.pattern),
	       less = bytes < 16 ? bytes : 16;
	int after = -1;
	if (less > 0)
		less--;
	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0xee;
	int rc = MPI_Recv(room, (int)less, MPI_BYTE, m->src, 5, comm, MPI_STATUS_IGNORE);
	expect(c, rc, bytes > less ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "a receive that is too short");
	for (size_t i = less; i < sizeof(room); i++)
		if (room[i] != 0xee)
			rt_wrong(c, "byte %zu behind a receive of %zu was written", i, less);
	rc = MPI_Recv(&after, 1, MPI_INT, m->src, 5, comm, MPI_STATUS_IGNORE);
	expect(c, rc, MPI_SUCCESS, "the receive after one that was too short");
	if (after != (int)c->number)
		rt_wrong(c, "after a truncated message %d came, not %ld", after, c->number);
}

static void run_truncate(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_message *m = p.message;
	MPI_Comm comm;
	MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	size_t bytes = m->units * rt_pattern_bytes(&p.list.pattern);
	unsigned char *data = prog_alloc(c->prog, bytes);
	int after = (int)c->number;
	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)i;
	MPI_Comm_dup(c->comm, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	if (m->src == c->rank) {
		MPI_Isend(data, (int)bytes, MPI_BYTE, m->dst, 5, comm, &request[0]);
		MPI_Isend(&after, 1, MPI_INT, m->dst, 5, comm, &request[1]);
	}
	if (m->dst == c->rank)
		recv_short(c, &p, comm);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Comm_free(&comm);
	free(data);
	rt_list_free(&p.list);
}

/* The request is given away at once; the message must arrive all the same. */
static void run_request_free(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_message *m = p.message;
	struct rt_end in, out;
	MPI_Request request;
	MPI_Status status;
	if (m->src == c->rank && m->dst != c->rank) {
		rt_end_send(&out, c, &p.list, m);
		MPI_Isend(out.buf, out.count, out.type, m->dst, m->tag, c->comm, &request);
		MPI_Request_free(&request);
		if (request != MPI_REQUEST_NULL)
			rt_wrong(c, "MPI_Request_free left a request");
		await_acknowledgement(c, m);
		rt_end_close(&out, "send buffer of a freed request");
	} else if (p.here && m->src != c->rank) {
		rt_end_recv(&in, c, &p.list, m->units);
		MPI_Recv(in.buf, in.count, in.type, m->src, m->tag, c->comm, &status);
		acknowledge(c, m);
		rt_end_arrived(&in, m, &status);
		rt_end_close(&in, "receive buffer");
	}
	rt_list_free(&p.list);
}

/* The sender looks often, but must not be told that it is over before the receive is there. */
static void send_synchronous(
	struct rt_case *c, const struct rt_message *m, struct rt_end *out, MPI_Request *request)
{
	int flag = 0;
	MPI_Issend(out->buf, out->count, out->type, m->dst, m->tag, c->comm, request);
	for (int i = 0; i < 20 && !flag; i++)
		MPI_Test(request, &flag, MPI_STATUS_IGNORE);
	if (flag && !c->lines)
		rt_wrong(c, "MPI_Issend was over before its receive was posted");
	if (m->src != m->dst)
		MPI_Send(NULL, 0, MPI_BYTE, m->dst, 902, c->comm);
}

static void run_synchronous(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_message *m = p.message;
	struct rt_end in, out;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Status status;
	if (m->src == c->rank) {
		rt_end_send(&out, c, &p.list, m);
		send_synchronous(c, m, &out, &request);
	}
	if (m->dst == c->rank) {
		if (m->src != m->dst)
			MPI_Recv(NULL, 0, MPI_BYTE, m->src, 902, c->comm, MPI_STATUS_IGNORE);
		rt_end_recv(&in, c, &p.list, m->units);
		MPI_Recv(in.buf, in.count, in.type, m->src, m->tag, c->comm, &status);
		rt_end_arrived(&in, m, &status);
		rt_end_close(&in, "receive buffer");
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (m->src == c->rank)
		rt_end_close(&out, "send buffer");
	rt_list_free(&p.list);
}

/* Sends to and receives from nobody end at once and change nothing. */
static void run_nobody(struct rt_case *c)
{
	struct pair p = draw(c);
	struct rt_end e;
	MPI_Request request[2];
	MPI_Status status[2], probed;
	int flag = 0;
	rt_end_recv(&e, c, &p.list, p.list.most);
	MPI_Send(e.buf, e.count, e.type, MPI_PROC_NULL, 1, c->comm);
	MPI_Ssend(e.buf, e.count, e.type, MPI_PROC_NULL, 1, c->comm);
	MPI_Recv(e.buf, e.count, e.type, MPI_PROC_NULL, 1, c->comm, &status[0]);
	MPI_Isend(e.buf, e.count, e.type, MPI_PROC_NULL, 1, c->comm, &request[0]);
	MPI_Irecv(e.buf, e.count, e.type, MPI_PROC_NULL, 1, c->comm, &request[1]);
	MPI_Waitall(2, request, status);
	MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, c->comm, &flag, &probed);
	if (!flag || status[1].MPI_SOURCE != MPI_PROC_NULL || probed.MPI_SOURCE != MPI_PROC_NULL)
		rt_wrong(c, "MPI_PROC_NULL: source %d, probe flag %d, its source %d",
			status[1].MPI_SOURCE, flag, probed.MPI_SOURCE);
	rt_end_close(&e, "buffer used with MPI_PROC_NULL");
	rt_list_free(&p.list);
}

const struct rt_kind rt_rare_kinds[] = {
	{"cancel", run_cancel},
	{"cancel-race", run_cancel_race},
	{"truncate", run_truncate},
	{"request-free", run_request_free},
	{"synchronous", run_synchronous},
	{"nobody", run_nobody},
	{NULL, NULL},
};
