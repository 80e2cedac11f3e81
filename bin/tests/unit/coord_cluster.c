/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coord/orphans.h"
#include "coord_cluster_env.h"
#include "unit.h"

void cluster_begin(struct cluster *cl, int size, const char *protocol)
{
	*cl = (struct cluster){.size = size};
	cluster_now = cl;
	for (int q = 0; q < size; q++) {
		struct rank *r = &cl->ranks[q];

		r->self = q;
		ck_assert_int_eq(coord_init(&r->c, protocol, q, size, cluster_fatal, r), 0);
	}
}

void cluster_end(struct cluster *cl)
{
	for (int q = 0; q < cl->size; q++) {
		coord_fini(&cl->ranks[q].c);
		for (int i = 0; i < LINES_MOST; i++)
			free(cl->ranks[q].lines[i].orphans);
	}
	for (int i = 0; i < cl->ncontrol; i++)
		free(cl->control[i].bytes);
	cluster_now = cl->before;
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
	for (int q = 0; q < cl->size; q++) {
		coord_restore(&cl->ranks[q].c);
		ck_assert(rank_drive(&cl->ranks[q]));
	}
}

static bool is_of(const struct mail *m, int from, int to, int32_t tag)
{
	return m->from == from && m->to == to && m->tag == tag;
}

void send_mail(struct cluster *cl, int from, int to, int32_t tag)
{
	struct mail m = {.from = from, .to = to, .tag = tag, .number = ++cl->nflown};

	if (coord_sent(&cl->ranks[from].c, to, MAIL_CONTEXT, tag))
		rank_drive(&cl->ranks[from]);
	m.stamp = coord_stamp(&cl->ranks[from].c);
	mails_add(&cl->flying, &m);
}

static void hold(struct rank *r, const struct mail *m)
{
	for (uint32_t l = 0; (l = coord_next_line(&r->c, l));) {
		struct coord_message msg = mail_name(m);

		if (coord_fate(&r->c, l, &msg) != COORD_OUT)
			mails_add(&rank_asked(r, l)->held, m);
	}
	rank_drive(r);
}

bool arrive(struct cluster *cl, int from, int to, int32_t tag)
{
	struct rank *r = &cl->ranks[to];
	struct mail m;
	int i = 0;

	while (i < cl->flying.n && !is_of(&cl->flying.v[i], from, to, tag))
		i++;
	m = mails_take(&cl->flying, i);
	if (coord_discards(&r->c, from, MAIL_CONTEXT, tag, m.stamp)) {
		coord_compared(&r->c);
		rank_drive(r);
		cl->lost++;
		return false;
	}
	m.index = coord_arrived(&r->c, from, MAIL_CONTEXT, tag, m.stamp);
	mails_add(&r->waiting, &m);
	hold(r, &m);
	return true;
}

static void note(struct coord *c, const struct mail *m)
{
	struct coord_message name = mail_name(m);
	struct orphan_sum sum = {.length = 8, .hash = (uint64_t)m->number};

	if (coord_is_early(c, m->stamp))
		coord_received(c, &name, &sum);
}

void receive(struct cluster *cl, int from, int to, int32_t tag, int number)
{
	struct mails *w = &cl->ranks[to].waiting;

	for (int i = 0; i < w->n; i++)
		if (is_of(&w->v[i], from, to, tag) && w->v[i].number == number) {
			struct mail m = mails_take(w, i);

			note(&cl->ranks[to].c, &m);
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

void goes_on(struct cluster *cl, int rank)
{
	rank_drive(&cl->ranks[rank]);
}

bool due(struct cluster *cl, int rank, bool elapsed)
{
	bool is = coord_due(&cl->ranks[rank].c, elapsed);

	goes_on(cl, rank);
	return is;
}

bool checkpoint(struct cluster *cl, int rank)
{
	struct coord_undelivered u = rank_undelivered(&cl->ranks[rank]);

	coord_checkpoint(&cl->ranks[rank].c, &u);
	coord_undelivered_free(&u);
	return rank_drive(&cl->ranks[rank]);
}

bool wait_for_lines(struct cluster *cl, int rank)
{
	struct coord *c = &cl->ranks[rank].c;

	if (!coord_lines_over(c))
		deliver_all(cl);
	ck_assert_msg(coord_lines_over(c), "it would wait for ever");
	return coord_lines_made(c);
}

void close_rank(struct cluster *cl, int rank)
{
	coord_close(&cl->ranks[rank].c);
	rank_drive(&cl->ranks[rank]);
}

static bool gets(struct cluster *cl, const struct control *t, size_t len)
{
	bool right = coord_control(&cl->ranks[t->to].c, t->from, t->bytes, len);

	goes_on(cl, t->to);
	return right;
}

enum { KIND_BEGIN = 6 };

/* In memory of its own, so that a look beyond the end is seen. */
static void refuses_pieces(struct cluster *cl, const struct control *t)
{
	for (size_t len = 0; len < t->len; len += len < 64 ? 1 : t->len / 16) {
		struct control piece = *t;

		piece.bytes = malloc(len + 1);
		memcpy(piece.bytes, t->bytes, len);
		ck_assert_msg(!gets(cl, &piece, len), "kind %d: %zu of %zu bytes are accepted",
			t->bytes[0], len, t->len);
		free(piece.bytes);
	}
}

static bool deliver_at(struct cluster *cl, int i)
{
	struct control t = cl->control[i];
	bool right;

	memmove(&cl->control[i], &cl->control[i + 1], (size_t)(--cl->ncontrol - i) * sizeof t);
	if (cl->hostile)
		refuses_pieces(cl, &t);
	right = gets(cl, &t, t.len);
	if (cl->hostile && t.bytes[0] != KIND_BEGIN)
		ck_assert_msg(!gets(cl, &t, t.len), "kind %d is accepted twice", t.bytes[0]);
	free(t.bytes);
	return right;
}

void deliver_one(struct cluster *cl, int from, int to)
{
	for (int i = 0; i < cl->ncontrol; i++)
		if (cl->control[i].from == from && cl->control[i].to == to) {
			ck_assert(deliver_at(cl, i));
			return;
		}
	ck_abort_msg("%d has sent %d no control message", from, to);
}

void deliver_all(struct cluster *cl)
{
	while (cl->ncontrol)
		ck_assert(deliver_at(cl, 0));
}

const char *transit(struct cluster *cl, int rank, uint32_t line)
{
	static char text[1024];
	const struct asked *a = rank_asked(&cl->ranks[rank], line);
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
	const struct asked *a = rank_asked(&cl->ranks[rank], line);
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
