/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord_cluster_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct cluster *cluster_now;

/* ---- lists ---- */

void mails_add(struct mails *m, const struct mail *one)
{
	ck_assert_int_lt(m->n, MESSAGES_MOST);
	m->v[m->n++] = *one;
}

struct mail mails_take(struct mails *m, int i)
{
	struct mail one = m->v[i];

	ck_assert_int_lt(i, m->n);
	memmove(&m->v[i], &m->v[i + 1], (size_t)(--m->n - i) * sizeof *m->v);
	return one;
}

struct coord_message mail_name(const struct mail *m)
{
	return (struct coord_message){.peer = m->from,
		.context = MAIL_CONTEXT,
		.tag = m->tag,
		.index = m->index,
		.stamp = m->stamp};
}

struct asked *rank_asked(struct rank *r, uint32_t line)
{
	ck_assert_uint_lt(line, LINES_MOST);
	return &r->lines[line];
}

/* ---- what protocols ask for ---- */

struct coord_undelivered rank_undelivered(const struct rank *r)
{
	struct coord_undelivered u = {0};

	for (int i = 0; i < r->waiting.n; i++) {
		struct coord_message m = mail_name(&r->waiting.v[i]);

		coord_undelivered_add(&u, &m);
	}
	return u;
}

static void list(struct rank *r)
{
	struct coord_undelivered u = rank_undelivered(r);

	coord_listed(&r->c, &u);
	coord_undelivered_free(&u);
}

static bool capture(struct rank *r, uint32_t line)
{
	struct asked *a = rank_asked(r, line);

	a->captured = !r->cannot_capture;
	for (int i = 0; a->captured && i < r->waiting.n; i++) {
		struct coord_message m = mail_name(&r->waiting.v[i]);

		if (coord_fate(&r->c, line, &m) != COORD_OUT)
			mails_add(&a->held, &r->waiting.v[i]);
	}
	return a->captured;
}

static void settle(struct rank *r, uint32_t line, int peer)
{
	struct asked *a = rank_asked(r, line);

	ck_assert(a->captured && !a->finished && !a->over);
	snprintf(a->settled + strlen(a->settled), 8, "%d ", peer);
	for (int i = a->held.n; i-- > 0;) {
		struct coord_message m = mail_name(&a->held.v[i]);
		enum coord_fate fate = coord_fate(&r->c, line, &m);

		if (m.peer != peer)
			continue;
		ck_assert_int_ne(fate, COORD_OPEN);
		if (fate == COORD_OUT)
			mails_take(&a->held, i);
	}
}

static void finish(struct rank *r, uint32_t line)
{
	struct asked *a = rank_asked(r, line);
	struct coord_part part = {.ok = 1, .seal = 100 * line + (uint32_t)r->self, .bytes = line};

	ck_assert(a->captured && !a->finished && !a->over);
	a->finished = true;
	for (int i = 0; i < a->held.n; i++) {
		struct coord_message m = mail_name(&a->held.v[i]);

		ck_assert_int_eq(coord_fate(&r->c, line, &m), COORD_IN);
	}
	ck_assert(coord_save(&r->c, line, &a->orphans, &a->orphans_len));
	ck_assert(coord_valid(a->orphans, a->orphans_len, cluster_now->size));
	if (!cluster_now->slow)
		coord_written(&r->c, line, r->cannot_write ? NULL : &part);
}

static void commit(struct rank *r, uint32_t line, const struct coord_part *parts)
{

	ck_assert_int_eq(r->self, 0);
	for (uint32_t q = 0; q < (uint32_t)cluster_now->size; q++) {
		ck_assert_uint_eq(parts[q].seal, 100 * line + q);
		ck_assert_uint_eq(parts[q].bytes, line);
	}
	if (cluster_now->slow)
		cluster_now->committing = line;
	else
		coord_committed(&r->c, line, !cluster_now->cannot_commit);
}

static void over(struct rank *r, uint32_t line, bool committed)
{
	struct asked *a = rank_asked(r, line);

	ck_assert(!a->over);
	a->over = true;
	a->committed = committed;
}

static void send_control(struct rank *r, int peer, const uint8_t *bytes, size_t len)
{
	struct control t = {.from = r->self, .to = peer, .bytes = malloc(len + 1), .len = len};

	ck_assert_int_ne(peer, r->self);
	ck_assert_int_lt(cluster_now->ncontrol, CONTROL_MOST);
	memcpy(t.bytes, bytes, len);
	cluster_now->control[cluster_now->ncontrol++] = t;
}

void cluster_fatal(void *user, const char *sentence)
{
	(void)user;
	ck_assert_msg(cluster_now->fatal && strstr(sentence, cluster_now->fatal), "%s", sentence);
	exit(3);
}

/* ---- calls of the program ---- */

static void wait_for(struct rank *r)
{
	if (!coord_wait_is_over(&r->c))
		deliver_all(cluster_now);
	ck_assert_msg(coord_wait_is_over(&r->c), "it would wait for ever");
}

static void take_line(struct rank *r)
{
	struct asked *a = rank_asked(&cluster_now->before->ranks[r->self], cluster_now->taken);

	for (int i = 0; i < a->held.n; i++) {
		struct mail m = a->held.v[i];

		m.stamp = 0;
		m.index = coord_injected(&r->c, m.from, MAIL_CONTEXT, m.tag);
		mails_add(&r->waiting, &m);
	}
	ck_assert(coord_load(&r->c, a->orphans, a->orphans_len));
}

static uint32_t minimum(void)
{
	uint32_t least = UINT32_MAX;

	for (int q = 0; q < cluster_now->size; q++)
		if (cluster_now->ranks[q].c.line < least)
			least = cluster_now->ranks[q].c.line;
	return least;
}

/* What waits for nobody. false: it is something else. */
static bool act_at_once(struct rank *r, const struct coord_action *a)
{
	switch (a->kind) {
	case COORD_SETTLE:
		settle(r, a->line, a->peer);
		return true;
	case COORD_FINISH:
		finish(r, a->line);
		return true;
	case COORD_COMMIT:
		commit(r, a->line, a->parts);
		return true;
	case COORD_OVER:
		over(r, a->line, a->ok);
		return true;
	case COORD_SEND:
		coord_finish_bytes(a->bytes, a->len);
		send_control(r, a->peer, a->bytes, a->len);
		free(a->bytes);
		return true;
	case COORD_LIST:
		list(r);
		return true;
	default:
		return false;
	}
}

static void act(struct rank *r, const struct coord_action *a)
{
	uint64_t number = 0;
	bool ok = true;

	switch (a->kind) {
	case COORD_WAIT:
		wait_for(r);
		break;
	case COORD_FIND:
		number = cluster_now->taken;
		break;
	case COORD_TAKE:
		take_line(r);
		break;
	case COORD_MINIMUM:
		number = minimum();
		break;
	case COORD_CAPTURE:
		ok = capture(r, a->line);
		break;
	case COORD_EXCHANGE:
	case COORD_SECURE:
	case COORD_QUIET:
	case COORD_FORGET:
		break;
	default:
		ck_abort_msg("action %d", a->kind);
	}
	coord_answer(&r->c, ok, number);
}

bool rank_drive(struct rank *r)
{
	struct coord_action a;

	while (coord_asks(&r->c) && coord_next_action(&r->c, &a))
		if (!act_at_once(r, &a))
			act(r, &a);
	return coord_result(&r->c);
}
