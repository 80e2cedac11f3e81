/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coord/orphans.h"
#include "unit.h"

static struct cluster *now;

enum { CONTEXT = 6 };

/* ---- lists ---- */

static void add(struct mails *m, const struct mail *one)
{
	ck_assert_int_lt(m->n, MESSAGES_MOST);
	m->v[m->n++] = *one;
}

static struct mail take(struct mails *m, int i)
{
	struct mail one = m->v[i];

	ck_assert_int_lt(i, m->n);
	memmove(&m->v[i], &m->v[i + 1], (size_t)(--m->n - i) * sizeof *m->v);
	return one;
}

static struct coord_message message(const struct mail *m)
{
	return (struct coord_message){.peer = m->from,
		.context = CONTEXT,
		.tag = m->tag,
		.index = m->index,
		.stamp = m->stamp};
}

static struct asked *asked(struct rank *r, uint32_t line)
{
	ck_assert_uint_lt(line, LINES_MOST);
	return &r->lines[line];
}

/* ---- what protocols ask for ---- */

static void undelivered(
	void *user, void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	struct rank *r = user;

	for (int i = 0; i < r->waiting.n; i++) {
		struct coord_message m = message(&r->waiting.v[i]);

		visit(arg, &m);
	}
}

static bool capture(void *user, uint32_t line)
{
	struct rank *r = user;
	struct asked *a = asked(r, line);

	a->captured = !r->cannot_capture;
	for (int i = 0; a->captured && i < r->waiting.n; i++) {
		struct coord_message m = message(&r->waiting.v[i]);

		if (coord_fate(&r->c, line, &m) != COORD_OUT)
			add(&a->held, &r->waiting.v[i]);
	}
	return a->captured;
}

static void settle(void *user, uint32_t line, int peer)
{
	struct rank *r = user;
	struct asked *a = asked(r, line);

	ck_assert(a->captured && !a->finished && !a->over);
	snprintf(a->settled + strlen(a->settled), 8, "%d ", peer);
	for (int i = a->held.n; i-- > 0;) {
		struct coord_message m = message(&a->held.v[i]);
		enum coord_fate fate = coord_fate(&r->c, line, &m);

		if (m.peer != peer)
			continue;
		ck_assert_int_ne(fate, COORD_OPEN);
		if (fate == COORD_OUT)
			take(&a->held, i);
	}
}

static void finish(void *user, uint32_t line)
{
	struct rank *r = user;
	struct asked *a = asked(r, line);
	struct coord_part part = {.ok = 1, .seal = 100 * line + (uint32_t)r->self, .bytes = line};

	ck_assert(a->captured && !a->finished && !a->over);
	a->finished = true;
	for (int i = 0; i < a->held.n; i++) {
		struct coord_message m = message(&a->held.v[i]);

		ck_assert_int_eq(coord_fate(&r->c, line, &m), COORD_IN);
	}
	ck_assert(coord_save(&r->c, line, &a->orphans, &a->orphans_len));
	ck_assert(coord_valid(a->orphans, a->orphans_len, now->size));
	if (!now->slow)
		coord_written(&r->c, line, r->cannot_write ? NULL : &part);
}

static void commit(void *user, uint32_t line, const struct coord_part *parts)
{
	struct rank *r = user;

	ck_assert_int_eq(r->self, 0);
	for (uint32_t q = 0; q < (uint32_t)now->size; q++) {
		ck_assert_uint_eq(parts[q].seal, 100 * line + q);
		ck_assert_uint_eq(parts[q].bytes, line);
	}
	if (now->slow)
		now->committing = line;
	else
		coord_committed(&r->c, line, !now->cannot_commit);
}

static void over(void *user, uint32_t line, bool committed)
{
	struct asked *a = asked(user, line);

	ck_assert(!a->over);
	a->over = true;
	a->committed = committed;
}

static void tell(void *user, int peer, const uint8_t *bytes, size_t len)
{
	struct rank *r = user;
	struct told t = {.from = r->self, .to = peer, .bytes = malloc(len + 1), .len = len};

	ck_assert_int_ne(peer, r->self);
	ck_assert_int_lt(now->ntold, TOLD_MOST);
	memcpy(t.bytes, bytes, len);
	now->told[now->ntold++] = t;
}

static void fatal(void *user, const char *sentence)
{
	(void)user;
	ck_assert_msg(now->fatal && strstr(sentence, now->fatal), "%s", sentence);
	exit(3);
}

/* ---- what waits ---- */

static void exchange(void *user, const uint64_t *sent, uint64_t *mine)
{
	(void)user;
	(void)sent;
	*mine = 0;
}

static void wait_for(void *user, bool (*done)(void *arg), void *arg)
{
	(void)user;
	if (!done(arg))
		tell_all(now);
	ck_assert_msg(done(arg), "it would wait for ever");
}

static bool secure(void *user)
{
	(void)user;
	return true;
}

static void forget(void *user)
{
	(void)user;
}

static bool find(void *user)
{
	struct rank *r = user;

	r->c.line = now->taken;
	return true;
}

static void take_line(void *user)
{
	struct rank *r = user;
	struct asked *a = asked(&now->before->ranks[r->self], now->taken);

	for (int i = 0; i < a->held.n; i++) {
		struct mail m = a->held.v[i];

		m.stamp = 0;
		m.index = coord_injected(&r->c, m.from, CONTEXT, m.tag);
		add(&r->waiting, &m);
	}
	ck_assert(coord_load(&r->c, a->orphans, a->orphans_len));
}

static uint32_t least(void *user, uint32_t mine)
{
	(void)user;
	for (int q = 0; q < now->size; q++)
		if (now->ranks[q].c.line < mine)
			mine = now->ranks[q].c.line;
	return mine;
}

static const struct coord_env env = {.exchange = exchange,
	.wait = wait_for,
	.secure = secure,
	.forget = forget,
	.find = find,
	.take = take_line,
	.least = least,
	.undelivered = undelivered,
	.capture = capture,
	.settle = settle,
	.finish = finish,
	.commit = commit,
	.over = over,
	.tell = tell,
	.fatal = fatal};

/* ---- what the test says ---- */

void cluster_begin(struct cluster *cl, int size, const char *protocol)
{
	*cl = (struct cluster){.size = size};
	now = cl;
	for (int q = 0; q < size; q++) {
		struct rank *r = &cl->ranks[q];

		r->self = q;
		ck_assert_int_eq(coord_init(&r->c, protocol, q, size, &env, r), 0);
	}
}

void cluster_end(struct cluster *cl)
{
	for (int q = 0; q < cl->size; q++) {
		coord_fini(&cl->ranks[q].c);
		for (int i = 0; i < LINES_MOST; i++)
			free(cl->ranks[q].lines[i].orphans);
	}
	for (int i = 0; i < cl->ntold; i++)
		free(cl->told[i].bytes);
	now = cl->before;
}

void cluster_restore(
	struct cluster *cl, struct cluster *before, uint32_t line, const char *protocol)
{
	cluster_begin(cl, before->size, protocol);
	cluster_go_back(cl, before, line);
}

void cluster_go_back(struct cluster *cl, struct cluster *before, uint32_t line)
{
	cl->before = before;
	cl->taken = line;
	for (int q = 0; q < cl->size; q++)
		ck_assert(coord_restore(&cl->ranks[q].c));
}

static bool is_of(const struct mail *m, int from, int to, int32_t tag)
{
	return m->from == from && m->to == to && m->tag == tag;
}

void send_mail(struct cluster *cl, int from, int to, int32_t tag)
{
	struct mail m = {.from = from, .to = to, .tag = tag, .number = ++cl->nflown};

	coord_sent(&cl->ranks[from].c, to, CONTEXT, tag);
	m.stamp = coord_stamp(&cl->ranks[from].c);
	add(&cl->flying, &m);
}

static void hold(struct rank *r, const struct mail *m)
{
	for (uint32_t l = 0; (l = coord_next(&r->c, l));) {
		struct coord_message msg = message(m);

		if (coord_fate(&r->c, l, &msg) != COORD_OUT)
			add(&asked(r, l)->held, m);
	}
	coord_noted(&r->c);
}

bool arrive(struct cluster *cl, int from, int to, int32_t tag)
{
	struct rank *r = &cl->ranks[to];
	struct mail m;
	int i = 0;

	while (i < cl->flying.n && !is_of(&cl->flying.v[i], from, to, tag))
		i++;
	m = take(&cl->flying, i);
	if (coord_discards(&r->c, from, CONTEXT, tag, m.stamp)) {
		cl->lost++;
		return false;
	}
	m.index = coord_arrived(&r->c, from, CONTEXT, tag, m.stamp);
	add(&r->waiting, &m);
	hold(r, &m);
	return true;
}

void receive(struct cluster *cl, int from, int to, int32_t tag, int number)
{
	struct mails *w = &cl->ranks[to].waiting;

	for (int i = 0; i < w->n; i++)
		if (is_of(&w->v[i], from, to, tag) && w->v[i].number == number) {
			take(w, i);
			return;
		}
	ck_abort_msg("message %d from %d is not here", number, from);
}

void pass(struct cluster *cl, int from, int to, int32_t tag)
{
	send_mail(cl, from, to, tag);
	if (arrive(cl, from, to, tag))
		receive(cl, from, to, tag, cl->nflown);
}

bool checkpoint(struct cluster *cl, int rank)
{
	return coord_checkpoint(&cl->ranks[rank].c);
}

static bool gets(struct cluster *cl, const struct told *t, size_t len)
{
	return coord_control(&cl->ranks[t->to].c, t->from, t->bytes, len);
}

enum { KIND_BEGIN = 6 };

/* In memory of its own, so that a look beyond the end is seen. */
static void refuses_pieces(struct cluster *cl, const struct told *t)
{
	for (size_t len = 0; len < t->len; len += len < 64 ? 1 : t->len / 16) {
		struct told piece = *t;

		piece.bytes = malloc(len + 1);
		memcpy(piece.bytes, t->bytes, len);
		ck_assert_msg(!gets(cl, &piece, len), "kind %d: %zu of %zu bytes are accepted",
			t->bytes[0], len, t->len);
		free(piece.bytes);
	}
}

static bool tell_at(struct cluster *cl, int i)
{
	struct told t = cl->told[i];
	bool right;

	memmove(&cl->told[i], &cl->told[i + 1], (size_t)(--cl->ntold - i) * sizeof t);
	if (cl->hostile)
		refuses_pieces(cl, &t);
	right = gets(cl, &t, t.len);
	if (cl->hostile && t.bytes[0] != KIND_BEGIN)
		ck_assert_msg(!gets(cl, &t, t.len), "kind %d is accepted twice", t.bytes[0]);
	free(t.bytes);
	return right;
}

void tell_one(struct cluster *cl, int from, int to)
{
	for (int i = 0; i < cl->ntold; i++)
		if (cl->told[i].from == from && cl->told[i].to == to) {
			ck_assert(tell_at(cl, i));
			return;
		}
	ck_abort_msg("%d has told %d nothing", from, to);
}

void tell_all(struct cluster *cl)
{
	while (cl->ntold)
		ck_assert(tell_at(cl, 0));
}

const char *transit(struct cluster *cl, int rank, uint32_t line)
{
	static char text[1024];
	const struct asked *a = asked(&cl->ranks[rank], line);
	int n = 0;

	text[0] = '\0';
	if (!a->finished)
		return "not finished";
	for (int i = 0; i < a->held.n; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%d:%d#%d", i ? " " : "",
			a->held.v[i].from, a->held.v[i].tag, a->held.v[i].number);
	return text;
}

const char *orphans(struct cluster *cl, int rank, uint32_t line)
{
	static char text[1024];
	const struct asked *a = asked(&cl->ranks[rank], line);
	struct orphans o = {0};
	int n = 0;

	text[0] = '\0';
	if (!a->finished)
		return "not finished";
	ck_assert(orphans_decode(&o, a->orphans, a->orphans_len));
	for (size_t i = 0; i < o.n; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%u:%d#%d+%d", i ? " " : "",
			o.v[i].peer, o.v[i].tag, (int)o.v[i].first, (int)o.v[i].count);
	orphans_free(&o);
	return text;
}
