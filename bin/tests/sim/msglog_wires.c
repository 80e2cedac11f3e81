/* SPDX-License-Identifier: BSD-3-Clause */
/* What is between two ranks of the simulation: connections that break, and frames. */
#include <stdlib.h>
#include <string.h>

#include "msglog_sim.h"

void wire_put(struct world *w, struct wire *wire, const struct frame *f)
{
	if (wire->n == FRAMES)
		world_fails(w, "too many frames");
	wire->v[wire->n++] = *f;
}

static struct frame take(struct wire *wire, int at)
{
	struct frame f = wire->v[at];

	wire->n--;
	memmove(wire->v + at, wire->v + at + 1, (size_t)(wire->n - at) * sizeof f);
	return f;
}

void link_begins(struct world *w, int p, int q)
{
	w->linked[p][q] = w->linked[q][p] = true;
	for (int i = 0; i < 2; i++) {
		int from = i ? q : p, to = i ? p : q;

		memset(w->left[from][to], 0, sizeof w->left[from][to]);
		wire_put(w, &w->wires[from][to],
			&(struct frame){.kind = FRAME_HELLO,
				.hello = msglog_hello(&w->ranks[from].log, to)});
	}
}

void world_compare(struct world *w, int p, int q, uint64_t number, uint64_t content)
{
	uint64_t was = w->seen[p][q][number];

	if (was && was != content)
		world_fails(w, "message %d of rank %d is another for rank %d when it is sent again",
			(int)number, p, q);
}

void world_leave(struct world *w, int p, int q, const struct logged_message *m)
{
	struct frame f = {.kind = FRAME_MESSAGE,
		.message = {.from = p, .round = m->envelope.tag, .number = m->number},
		.is_long = rng_chance(&w->rng, 300)};

	if (m->number >= PAIR_MESSAGES)
		world_fails(w, "too many messages of a pair");
	if (w->left[p][q][m->number] || m->number <= w->told[p][q])
		world_fails(w, "rank %d sends message %d to rank %d, which has it", p,
			(int)m->number, q);
	w->left[p][q][m->number] = true;
	memcpy(&f.message.content, m->bytes, sizeof f.message.content);
	wire_put(w, &w->wires[p][q], &f);
	f.kind = FRAME_CONTENTS;
	if (f.is_long)
		wire_put(w, &w->contents[p][q], &f);
}

static void contents_arrive(struct world *w, int q, const struct message *f)
{
	struct rank *r = &w->ranks[q];
	struct message *open = match_open(&r->memory, f->from, f->number);

	if (!open)
		return; /* of a duplicate */
	world_compare(w, f->from, q, f->number, f->content);
	w->seen[f->from][q][f->number] = f->content;
	open->content = f->content;
	open->whole = true;
	if (w->without == RULE_OPEN)
		return;
	if (!msglog_arrived(&r->log, f->from, f->number))
		world_fails(w, "rank %d: message %d of rank %d did not begin", q, (int)f->number,
			f->from);
}

static void message_arrives(struct world *w, int q, const struct frame *f)
{
	struct rank *r = &w->ranks[q];
	enum arrival a = msglog_arrives(&r->log, f->message.from, f->message.number);

	if (a == ARRIVAL_GAP || a == ARRIVAL_NO_MEMORY)
		world_fails(w, "rank %d: message %d of rank %d comes too early", q,
			(int)f->message.number, f->message.from);
	if (w->without == RULE_OPEN && a == ARRIVAL_NEW)
		msglog_arrived(&r->log, f->message.from, f->message.number);
	if (a == ARRIVAL_DUPLICATE && w->without != RULE_DUPLICATES) {
		world_compare(w, f->message.from, q, f->message.number, f->message.content);
		return;
	}
	if (a != ARRIVAL_AGAIN)
		match_arrived(w, q, &f->message);
	if (!f->is_long)
		contents_arrive(w, q, &f->message);
}

static void arrive(struct world *w, int p, int q, const struct frame *f)
{
	struct msglog *log = &w->ranks[q].log;
	bool right = true;
	world_says(w, "rank %d to %d: kind %d, message %d%s; has %d, covered %d", p, q,
		(int)f->kind, (int)f->message.number, f->is_long ? ", long" : "", (int)f->hello.has,
		(int)(f->kind == FRAME_HELLO ? f->hello.covered : f->covered));

	switch (f->kind) {
	case FRAME_HELLO:
		right = msglog_connected(log, p, &f->hello);
		w->told[q][p] = f->hello.has;
		if (w->without == RULE_PREFIX_FIRST)
			log->pairs[p].limit = MSGLOG_ALL;
		break;
	case FRAME_COVER:
		msglog_covered(log, p, f->keep, f->covered);
		if (log->pairs[p].limit == MSGLOG_ALL && f->covered > w->told[q][p])
			w->told[q][p] = f->covered;
		break;
	case FRAME_MESSAGE:
		message_arrives(w, q, f);
		break;
	case FRAME_CONTENTS:
		contents_arrive(w, q, &f->message);
		break;
	}
	if (!right)
		world_fails(w, "rank %d does not understand rank %d", q, p);
	world_act(w, q);
}

/* Contents come when their message has. */
static bool contents_can_come(const struct world *w, int p, int q, int at)
{
	const struct frame *f = &w->contents[p][q].v[at];

	for (int i = 0; i < w->wires[p][q].n; i++)
		if (w->wires[p][q].v[i].kind == FRAME_MESSAGE &&
			w->wires[p][q].v[i].message.number == f->message.number)
			return false;
	return true;
}

bool wire_move(struct world *w, int p, int q)
{
	struct wire *c = &w->contents[p][q];
	int at;

	if (c->n && rng_chance(&w->rng, 400)) {
		at = (int)rng_below(&w->rng, (unsigned)c->n);
		if (contents_can_come(w, p, q, at)) {
			struct frame f = take(c, at);

			arrive(w, p, q, &f);
			return true;
		}
	}
	if (w->wires[p][q].n) {
		struct frame f = take(&w->wires[p][q], 0);

		arrive(w, p, q, &f);
		return true;
	}
	return false;
}

/* Something of what was on its way still arrives. A hello that does not is as good as none. */
void link_ends(struct world *w, int p, int q)
{
	for (int i = 0; i < 2; i++) {
		int from = i ? q : p, to = i ? p : q;

		for (int left = (int)rng_below(&w->rng, 4); left && w->ranks[to].up; left--)
			wire_move(w, from, to);
	}
	w->wires[p][q].n = w->contents[p][q].n = w->wires[q][p].n = w->contents[q][p].n = 0;
	w->linked[p][q] = w->linked[q][p] = false;
	msglog_lost(&w->ranks[p].log, q);
	msglog_lost(&w->ranks[q].log, p);
}

void links_end(struct world *w, int p)
{
	for (int q = 0; q < w->n; q++)
		if (w->linked[p][q])
			link_ends(w, p, q);
}
