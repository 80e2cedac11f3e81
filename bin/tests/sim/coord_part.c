/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank's part of a line has to hold: by definition, and as the papers' interval form says.
 */
#include "coord_sim.h"

static unsigned count(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}

/* ---- by definition ---- */

static uint64_t candidates_of(const struct rank *r, const struct part *part, uint32_t line, int env)
{
	const struct world *w = r->w;
	uint64_t set = 0;

	for (int i = 0; i < part->candidates.n; i++) {
		const struct mail *m = &w->mails[part->candidates.v[i]];

		if (m->env != env)
			continue;
		if (!m->number || set >> m->number)
			world_fails(w, "rank %d, line %u: envelope %d out of order", r->self, line,
				env);
		set |= BIT(m->number);
	}
	return set;
}

static uint64_t number_at(const uint8_t *b, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes; i-- > 0;)
		v = v << 8 | b[i];
	return v;
}

static void check_sum(const struct rank *r, const struct part *part, int env, unsigned number,
	const uint8_t *bytes)
{
	struct orphan_sum sum = sum_of(env, number, part->state.had[env][number]);

	if (number_at(bytes, 8) != sum.length || number_at(bytes + 8, 8) != sum.hash)
		world_fails(r->w, "rank %d: number %u of envelope %d has the checksum of another",
			r->self, number, env);
}

/* From the layout that coord.h tells. */
static uint64_t orphans_of(const struct rank *r, const struct part *part, int env, unsigned sent)
{
	const struct envelope *e = &r->w->program.envs[env];
	const uint8_t *sums = part->orphans + 4 + 32 * number_at(part->orphans, 4);
	uint64_t set = 0;

	for (size_t i = 0; i < number_at(part->orphans, 4); i++) {
		const uint8_t *b = part->orphans + 4 + 32 * i, *sum = sums;
		uint64_t first = number_at(b + 16, 8), n = number_at(b + 24, 8);

		sums += 16 * n;
		if ((int)number_at(b, 4) != e->from || (int32_t)number_at(b + 4, 4) != e->tag ||
			number_at(b + 8, 8) != e->context)
			continue;
		for (uint64_t k = first; k < first + n; k++, sum += 16) {
			set |= sent + k <= MESSAGES ? BIT(sent + k) : 1;
			if (sent + k <= MESSAGES)
				check_sum(r, part, env, sent + (unsigned)k, sum);
		}
	}
	return set;
}

/* ---- the interval form ---- */

/* What is left over from lines before, and what the next is made of. */
struct interval {
	uint64_t transit, orphans;
	unsigned sent;
	uint64_t got;
	bool in_order; /* receives were finished in order: then counts are enough */
	unsigned ntransit, norphans;
};

static bool is_prefix(uint64_t set)
{
	return set == UP_TO(count(set));
}

static struct interval interval_base(const struct world *w, int env)
{
	const struct envelope *e = &w->program.envs[env];
	const struct stored *s = w->restored;
	struct interval v = {.in_order = true};

	if (!s)
		return v;
	v.sent = s->state[e->from].sent[env];
	v.got = s->state[e->to].got[env];
	v.transit = UP_TO(v.sent) & ~v.got;
	v.orphans = v.got & ~UP_TO(v.sent);
	v.in_order = is_prefix(v.got);
	v.ntransit = count(v.transit);
	v.norphans = count(v.orphans);
	return v;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* By number of messages, as the papers have it. */
static void clear_counts(struct interval *v, unsigned send, unsigned recv)
{
	unsigned earlier = least(v->ntransit, recv), again = least(v->norphans, send), pairs;

	v->ntransit -= earlier;
	recv -= earlier;
	v->norphans -= again;
	send -= again;
	pairs = least(send, recv);
	v->ntransit += send - pairs;
	v->norphans += recv - pairs;
}

static void clear_interval(
	const struct world *w, struct interval *v, unsigned sent, uint64_t got, uint64_t suppress)
{
	uint64_t send = UP_TO(sent) & ~UP_TO(v->sent), recv = got & ~v->got, both;

	v->in_order = v->in_order && is_prefix(got);
	clear_counts(v, count(send), count(recv));
	both = v->transit & recv;
	v->transit &= ~both;
	recv &= ~both;
	both = v->orphans & send;
	v->orphans &= ~both;
	send &= ~both;
	if (w->one_ahead_only && (v->orphans & ~suppress))
		world_fails(w, "an orphan of two lines, and no rank was two ahead");
	both = send & recv;
	v->transit |= send & ~both;
	v->orphans |= recv & ~both;
	v->sent = sent;
	v->got = got;
}

static void check_interval(
	const struct rank *r, uint32_t line, int env, uint64_t transit, uint64_t orphans)
{
	struct world *w = r->w;
	struct interval v = interval_base(w, env);
	uint64_t suppress = v.orphans;

	for (uint32_t k = w->base + 1; k <= line; k++)
		clear_interval(w, &v,
			part_of(&w->ranks[w->program.envs[env].from], k)->state.sent[env],
			part_of(&w->ranks[r->self], k)->state.got[env], suppress);
	if (v.transit != transit || v.orphans != orphans)
		world_fails(w, "rank %d, line %u: the interval form has other sets", r->self, line);
	if (v.in_order && (v.ntransit != count(transit) || v.norphans != count(orphans)))
		world_fails(
			w, "rank %d, line %u: the interval form has other counts", r->self, line);
	w->seen->oracle++;
}

/* What was sent before the line is what was received before it. */
static void check_contents(const struct rank *r, uint32_t line, int env, uint64_t both)
{
	struct world *w = r->w;
	const struct part *to = part_of(&w->ranks[r->self], line);
	const struct part *from = part_of(&w->ranks[w->program.envs[env].from], line);

	for (unsigned k = 1; k <= MESSAGES; k++)
		if (both & BIT(k) && to->state.had[env][k] != from->state.put[env][k])
			world_fails(w, "rank %d, line %u: number %u of envelope %d is another",
				r->self, line, k, env);
}

void check_part(struct rank *r, uint32_t line)
{
	struct world *w = r->w;
	const struct part *part = part_of(r, line);
	bool torn = false;

	for (int i = 0; i < w->program.nenvs; i++) {
		const struct envelope *e = &w->program.envs[i];
		const struct part *from = part_of(&w->ranks[e->from], line);
		uint64_t sent = UP_TO(from->state.sent[i]), got = part->state.got[i];

		if (e->to != r->self)
			continue;
		if (!from->begun)
			world_fails(w, "rank %d, line %u: identified before %d has begun it",
				r->self, line, e->from);
		if (candidates_of(r, part, line, i) != (sent & ~got))
			world_fails(w,
				"rank %d, line %u, envelope %d: in transit are %llx, kept are %llx",
				r->self, line, i, (unsigned long long)(sent & ~got),
				(unsigned long long)candidates_of(r, part, line, i));
		if (orphans_of(r, part, i, from->state.sent[i]) != (got & ~sent))
			world_fails(w, "rank %d, line %u, envelope %d: orphans are %llx, not %llx",
				r->self, line, i, (unsigned long long)(got & ~sent),
				(unsigned long long)orphans_of(r, part, i, from->state.sent[i]));
		check_contents(r, line, i, sent & got);
		check_interval(r, line, i, sent & ~got, got & ~sent);
		w->seen->transit += count(sent & ~got);
		w->seen->orphans += count(got & ~sent);
		w->seen->both += (sent & ~got) && (got & ~sent);
		torn |= coord_is_uncut(e->context) && sent != got;
	}
	if (part->torn != torn)
		world_fails(w, "rank %d, line %u: %s of a window cross it", r->self, line,
			torn ? "unseen messages" : "no messages");
	w->seen->torn += torn;
}
