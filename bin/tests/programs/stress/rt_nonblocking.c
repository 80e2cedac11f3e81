/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many messages under way at once: Isend, Issend, Irsend, Irecv and their persistent forms,
 * completed in every way there is, with wildcards or without. Receives of one rank in one case all
 * use the same wildcards: so none can take the message that another one needs, and messages of one
 * pair must match in the order they were sent (MPI 5.0 section 3.5).
 */
#include "rt_message.h"

#include <sched.h>
#include <stdlib.h>

enum finish { WAITALL, WAIT_EACH, WAITANY, TESTALL, TESTANY, TEST_EACH, FINISHES };
static const char *const finish_names[FINISHES] = {
	"Waitall", "Wait", "Waitany", "Testall", "Testany", "Test"};

enum how { STARTED, PERSISTENT, PROBED, MIXED };

/* One request of this rank. */
struct post {
	bool send;
	const struct rt_message *message; /* of a receive: the one it is there for */
	struct rt_end end;
};

struct flight {
	struct rt_case *c;
	struct rt_list list;
	bool any_source, any_tag;
	bool mixed; /* each receive has wildcards of its own */
	bool ready; /* every receive is posted before any send, so that Irsend is allowed */
	bool persistent, ignore_status;
	enum finish finish;
	struct post *post;
	MPI_Request *request;
	MPI_Status *status;
	int n;
};

/* All messages go from one rank to one other, with one tag: then every receive fits every message,
 * and the order of both decides who gets what. */
static void choose_one_pair(struct flight *f)
{
	for (int i = 1; i < f->list.n; i++) {
		f->list.message[i].src = f->list.message[0].src;
		f->list.message[i].dst = f->list.message[0].dst;
		f->list.message[i].tag = f->list.message[0].tag;
	}
	f->ignore_status = false;
}

static struct flight draw(struct rt_case *c, enum how how)
{
	struct flight f = {.c = c, .list = rt_list_draw(c, 3 * c->size, 3)};
	f.persistent = how == PERSISTENT;
	f.mixed = how == MIXED;
	f.any_source = rng_chance(&c->common, 40);
	f.any_tag = rng_chance(&c->common, 40);
	f.ready = how == STARTED && rng_chance(&c->common, 30);
	f.finish = (enum finish)rng_below(&c->own, FINISHES);
	f.ignore_status = !f.any_source && !f.any_tag && rng_chance(&c->own, 30);
	if (f.mixed)
		choose_one_pair(&f);
	size_t most = (size_t)f.list.n * 2;
	f.post = prog_alloc(c->prog, most * sizeof(*f.post));
	f.request = prog_alloc(c->prog, most * sizeof(*f.request));
	f.status = prog_alloc(c->prog, most * sizeof(*f.status));
	rt_describe(c,
		"%d messages of up to %zu units of %d basic types from %s%s%s%s, finished by %s",
		f.list.n, f.list.most, f.list.pattern.n, rt_basics[f.list.pattern.basic[0]].name,
		f.any_source ? ", any source" : "", f.any_tag ? ", any tag" : "",
		f.ready ? ", ready mode" : "", finish_names[f.finish]);
	return f;
}

static void flight_free(struct flight *f)
{
	rt_list_free(&f->list);
	free(f->post);
	free(f->request);
	free(f->status);
}

static void post_recv(struct flight *f, const struct rt_message *m)
{
	struct post *p = &f->post[f->n];
	MPI_Request *request = &f->request[f->n++];
	bool any_source = f->mixed ? rng_chance(&f->c->own, 50) : f->any_source;
	bool any_tag = f->mixed ? rng_chance(&f->c->own, 50) : f->any_tag;
	bool wild = f->mixed || f->any_source || f->any_tag;
	int source = any_source ? MPI_ANY_SOURCE : m->src, tag = any_tag ? MPI_ANY_TAG : m->tag;
	size_t extra = rng_chance(&f->c->own, 20) ? 5 : 0;
	p->send = false;
	p->message = m;
	rt_end_recv(&p->end, f->c, &f->list, (wild ? f->list.most : m->units) + extra);
	if (f->persistent)
		MPI_Recv_init(
			p->end.buf, p->end.count, p->end.type, source, tag, f->c->comm, request);
	else
		MPI_Irecv(p->end.buf, p->end.count, p->end.type, source, tag, f->c->comm, request);
}

static void post_send(struct flight *f, const struct rt_message *m)
{
	struct post *p = &f->post[f->n];
	MPI_Request *request = &f->request[f->n++];
	struct rt_end *e = &p->end;
	p->send = true;
	p->message = m;
	rt_end_send(e, f->c, &f->list, m);
	if (f->persistent)
		MPI_Send_init(e->buf, e->count, e->type, m->dst, m->tag, f->c->comm, request);
	else if (m->synchronous)
		MPI_Issend(e->buf, e->count, e->type, m->dst, m->tag, f->c->comm, request);
	else if (f->ready)
		MPI_Irsend(e->buf, e->count, e->type, m->dst, m->tag, f->c->comm, request);
	else
		MPI_Isend(e->buf, e->count, e->type, m->dst, m->tag, f->c->comm, request);
}

/* Receives in the order of the list, sends in the order of the list, mixed at random. */
static void post_all(struct flight *f)
{
	int r = 0, s = 0, n = f->list.n;
	while (r < n || s < n) {
		bool sends =
			s < n && !(f->ready && r < n) && (r == n || rng_chance(&f->c->own, 50));
		const struct rt_message *m = &f->list.message[sends ? s++ : r++];
		if (sends && m->src == f->c->rank)
			post_send(f, m);
		else if (!sends && m->dst == f->c->rank)
			post_recv(f, m);
		if (f->ready && !sends && r == n)
			MPI_Barrier(f->c->comm);
	}
}

static void wait_each(struct flight *f)
{
	int begin = f->n > 0 ? (int)rng_below(&f->c->own, (size_t)f->n) : 0;
	for (int i = 0; i < f->n; i++) {
		int j = (begin + i) % f->n;
		MPI_Wait(&f->request[j], &f->status[j]);
	}
}

static void note_once(struct flight *f, bool *done, int i)
{
	if (i < 0 || i >= f->n || done[i])
		rt_wrong(f->c, "%s gave index %d of %d requests, which is %s",
			finish_names[f->finish], i, f->n,
			i >= 0 && i < f->n ? "done already" : "none of them");
	done[i] = true;
}

/* Waitany, Testany: until they say that no request is active. */
static void finish_any(struct flight *f, bool *done)
{
	for (;;) {
		int i = -1, flag = 1;
		MPI_Status status;
		if (f->finish == WAITANY)
			MPI_Waitany(f->n, f->request, &i, &status);
		else
			MPI_Testany(f->n, f->request, &i, &flag, &status);
		if (flag && i == MPI_UNDEFINED)
			break;
		if (!flag) {
			sched_yield();
			continue;
		}
		note_once(f, done, i);
		f->status[i] = status;
	}
	for (int i = 0; i < f->n; i++)
		if (!done[i])
			rt_wrong(f->c,
				"%s says that nothing is active, but request %d was never given",
				finish_names[f->finish], i);
}

static void test_each(struct flight *f, bool *done)
{
	for (int left = f->n; left > 0; sched_yield())
		for (int i = 0; i < f->n; i++) {
			int flag = 0;
			if (!done[i])
				MPI_Test(&f->request[i], &flag, &f->status[i]);
			done[i] = done[i] || flag;
			left -= flag != 0;
		}
}

static void finish_all(struct flight *f)
{
	MPI_Status *statuses = f->ignore_status ? MPI_STATUSES_IGNORE : f->status;
	int flag = 0;
	if (f->finish == WAITALL)
		MPI_Waitall(f->n, f->request, statuses);
	while (f->finish == TESTALL && !flag) {
		MPI_Testall(f->n, f->request, &flag, statuses);
		sched_yield();
	}
}

static void finish(struct flight *f)
{
	bool *done = prog_alloc(f->c->prog, (size_t)f->n * sizeof(*done));
	for (int i = 0; i < f->n; i++)
		done[i] = false;
	if (f->finish == WAITALL || f->finish == TESTALL)
		finish_all(f);
	else if (f->finish == WAIT_EACH)
		wait_each(f);
	else if (f->finish == TEST_EACH)
		test_each(f, done);
	else
		finish_any(f, done);
	for (int i = 0; i < f->n; i++)
		if (!f->persistent && f->request[i] != MPI_REQUEST_NULL)
			rt_wrong(f->c, "request %d is not MPI_REQUEST_NULL after %s", i,
				finish_names[f->finish]);
	free(done);
}

/* In the order they were posted, receives find their messages. */
static void verify(struct flight *f)
{
	bool has_status = !f->ignore_status || (f->finish != WAITALL && f->finish != TESTALL);
	for (int i = 0; i < f->n; i++) {
		struct post *p = &f->post[i];
		const struct rt_message *m = p->message;
		const MPI_Status *status = has_status ? &f->status[i] : NULL;
		if (p->send)
			continue;
		if (status != NULL && !f->any_source && status->MPI_SOURCE != m->src)
			rt_wrong(f->c, "a receive from rank %d says source %d", m->src,
				status->MPI_SOURCE);
		m = rt_list_claim(f->c, &f->list, status != NULL ? status->MPI_SOURCE : m->src,
			status != NULL ? status->MPI_TAG : m->tag, f->any_tag);
		rt_end_arrived(&p->end, m, status);
	}
}

/* A message of a later case must not meet a wildcard of this one. */
static void end_wildcards(struct flight *f, bool wild)
{
	if (wild)
		MPI_Barrier(f->c->comm);
}

static void close_posts(struct flight *f)
{
	for (int i = 0; i < f->n; i++)
		rt_end_close(&f->post[i].end, f->post[i].send ? "send buffer" : "receive buffer");
}

static void run_flight(struct rt_case *c)
{
	struct flight f = draw(c, STARTED);
	post_all(&f);
	finish(&f);
	end_wildcards(&f, f.any_source || f.any_tag);
	verify(&f);
	close_posts(&f);
	flight_free(&f);
}

static void run_mixed(struct rt_case *c)
{
	struct flight f = draw(c, MIXED);
	post_all(&f);
	finish(&f);
	end_wildcards(&f, true);
	verify(&f);
	close_posts(&f);
	flight_free(&f);
}

static void begin_round(struct flight *f, int round)
{
	for (int i = 0; i < f->list.n; i++) {
		f->list.message[i].used = false;
		f->list.message[i].round = round;
	}
	for (int i = 0; i < f->n; i++) {
		struct rt_image *m = &f->post[i].end.side.image;
		rt_image_clear(m);
		if (f->post[i].send)
			rt_image_put(m, RT_BOTH, 0, f->post[i].message->units,
				rt_message_stream(f->c, f->post[i].message));
	}
}

/* The same requests are used one to three times, each time with new data. */
static void run_persistent(struct rt_case *c)
{
	struct flight f = draw(c, PERSISTENT);
	int rounds = 1 + (int)rng_below(&c->common, 3);
	post_all(&f);
	for (int round = 0; round < rounds; round++) {
		begin_round(&f, round);
		MPI_Startall(f.n, f.request);
		finish(&f);
		end_wildcards(&f, f.any_source || f.any_tag);
		verify(&f);
		for (int i = 0; i < f.n; i++)
			rt_image_check(&f.post[i].end.side.image, "buffer of a persistent request");
	}
	for (int i = 0; i < f.n; i++) {
		MPI_Request_free(&f.request[i]);
		if (f.request[i] != MPI_REQUEST_NULL)
			rt_wrong(c, "MPI_Request_free left a request");
	}
	close_posts(&f);
	flight_free(&f);
}

/* Everything is sent at once; each receiver probes for whatever comes. */
static void run_probe_any(struct rt_case *c)
{
	struct flight f = draw(c, PROBED);
	int coming = 0;
	for (int i = 0; i < f.list.n; i++) {
		if (f.list.message[i].src == c->rank)
			post_send(&f, &f.list.message[i]);
		coming += f.list.message[i].dst == c->rank;
	}
	for (; coming > 0; coming--) {
		MPI_Status seen, got;
		int flag = 0;
		if (rng_chance(&c->own, 50))
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &seen);
		else
			for (; !flag; sched_yield())
				MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &flag, &seen);
		const struct rt_message *m =
			rt_list_claim(c, &f.list, seen.MPI_SOURCE, seen.MPI_TAG, true);
		struct rt_end e;
		rt_end_recv(&e, c, &f.list, m->units);
		MPI_Recv(e.buf, e.count, e.type, seen.MPI_SOURCE, seen.MPI_TAG, c->comm, &got);
		rt_end_arrived(&e, m, &seen);
		rt_end_arrived(&e, m, &got);
		rt_end_close(&e, "receive buffer");
	}
	finish(&f);
	end_wildcards(&f, true);
	close_posts(&f);
	flight_free(&f);
}

const struct rt_kind rt_nonblocking_kinds[] = {
	{"flight", run_flight},
	{"mixed", run_mixed},
	{"persistent", run_persistent},
	{"probe-any", run_probe_any},
	{NULL, NULL},
};
