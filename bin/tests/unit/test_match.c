/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching against the plainest description of it: one list of receives, one of messages, each
 * searched from its beginning. And how many entries are looked at, when there are many. The test
 * stands between the indexes and their memory (ld --wrap).
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/match.h"
#include "mpi.h"
#include "unit.h"

enum { PEERS = 5, CONTEXTS = 3, OBJECTS = 600, STEPS = 100000, PHASE = 1500 };

static bool no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

/* ---- the plain lists ---- */

struct plain {
	int at[OBJECTS], n; /* indices of objects, oldest first */
	int unused[OBJECTS], nunused;
};

struct world {
	struct match m;
	struct match_recv recv[OBJECTS];
	struct match_msg msg[OBJECTS];
	struct plain recvs, msgs, found; /* found: by MPI_Mprobe; its objects are those of msgs */
	struct plain under_way;		 /* receives that have met their message */
	int posted_at[OBJECTS], posts;	 /* of receives */
	int tags;
	uint64_t number; /* of the latest message */
	bool short_of_memory;
};

static int take_unused(struct plain *p)
{
	return p->nunused > 0 ? p->unused[--p->nunused] : -1;
}

static void take_out(struct plain *p, int i)
{
	memmove(&p->at[i], &p->at[i + 1], (size_t)(p->n - i - 1) * sizeof *p->at);
	p->n--;
}

static bool fits(const struct match_recv *r, const struct match_msg *m)
{
	return r->context == m->context && (r->peer == m->peer || r->peer == MPI_ANY_SOURCE) &&
	       (r->tag == m->tag || r->tag == MPI_ANY_TAG);
}

/* Where in the list; -1: nowhere. */
static int plain_arrival(const struct world *w, const struct match_msg *m)
{
	for (int i = 0; i < w->recvs.n; i++)
		if (fits(&w->recv[w->recvs.at[i]], m))
			return i;
	return -1;
}

static int plain_post(const struct world *w, const struct match_recv *r)
{
	for (int i = 0; i < w->msgs.n; i++)
		if (fits(r, &w->msg[w->msgs.at[i]]))
			return i;
	return -1;
}

/* ---- steps ---- */

/* Half of them for a receive that waits, the first that fits or not. */
static struct match_msg random_message(const struct world *w)
{
	struct match_msg m = {.context = (uint64_t)(rand() % CONTEXTS) << 32,
		.peer = rand() % PEERS,
		.tag = rand() % w->tags};
	const struct match_recv *r;

	if (w->recvs.n == 0 || rand() % 2)
		return m;
	r = &w->recv[w->recvs.at[rand() % w->recvs.n]];
	m.context = r->context;
	m.peer = r->peer == MPI_ANY_SOURCE ? m.peer : r->peer;
	m.tag = r->tag == MPI_ANY_TAG ? m.tag : r->tag;
	return m;
}

static struct match_recv random_receive(const struct world *w)
{
	struct match_msg m = random_message(w);

	if (w->msgs.n > 0 && rand() % 2)
		m = w->msg[w->msgs.at[rand() % w->msgs.n]];
	return (struct match_recv){.context = m.context,
		.peer = rand() % 6 ? m.peer : MPI_ANY_SOURCE,
		.tag = rand() % 6 ? m.tag : MPI_ANY_TAG};
}

/* A receive has met its message. Some stay under way for some time. */
static void has_met(struct world *w, int slot)
{
	if (w->under_way.n < 50 && rand() % 2)
		w->under_way.at[w->under_way.n++] = slot;
	else
		w->recvs.unused[w->recvs.nunused++] = slot;
}

static void step_arrive(struct world *w)
{
	struct match_msg m = random_message(w);
	int want = plain_arrival(w, &m), slot;
	struct match_recv *got = match_arrival(&w->m, m.context, m.peer, m.tag);

	ck_assert_ptr_eq(got, want < 0 ? NULL : &w->recv[w->recvs.at[want]]);
	if (got) {
		has_met(w, w->recvs.at[want]);
		take_out(&w->recvs, want);
		return;
	}
	slot = take_unused(&w->msgs);
	if (slot < 0)
		return;
	m.index = ++w->number;
	w->msg[slot] = m;
	match_add_unexpected(&w->m, &w->msg[slot]);
	w->msgs.at[w->msgs.n++] = slot;
}

static void step_post(struct world *w)
{
	int slot = take_unused(&w->recvs), want;
	struct match_recv *r;
	struct match_msg *got, *seen;

	if (slot < 0)
		return;
	r = &w->recv[slot];
	*r = random_receive(w);
	want = plain_post(w, r);
	seen = match_probe(&w->m, r->context, r->peer, r->tag);
	got = match_post(&w->m, r);
	w->posted_at[slot] = w->posts++;
	ck_assert_ptr_eq(got, want < 0 ? NULL : &w->msg[w->msgs.at[want]]);
	ck_assert_ptr_eq(seen, got);
	if (!got) {
		w->recvs.at[w->recvs.n++] = slot;
		return;
	}
	has_met(w, slot);
	w->msgs.unused[w->msgs.nunused++] = w->msgs.at[want];
	take_out(&w->msgs, want);
}

static void step_withdraw(struct world *w)
{
	int i;

	if (w->recvs.n == 0)
		return;
	i = rand() % w->recvs.n;
	match_withdraw(&w->m, &w->recv[w->recvs.at[i]]);
	w->recvs.unused[w->recvs.nunused++] = w->recvs.at[i];
	take_out(&w->recvs, i);
}

/* One that is under way is over, or waits for its message again. */
static void step_end_or_repost(struct world *w)
{
	int i, slot, to = 0;

	if (w->under_way.n == 0)
		return;
	i = rand() % w->under_way.n;
	slot = w->under_way.at[i];
	take_out(&w->under_way, i);
	if (rand() % 2) {
		w->recvs.unused[w->recvs.nunused++] = slot;
		return;
	}
	match_repost(&w->m, &w->recv[slot]);
	while (to < w->recvs.n && w->posted_at[w->recvs.at[to]] < w->posted_at[slot])
		to++;
	memmove(&w->recvs.at[to + 1], &w->recvs.at[to],
		(size_t)(w->recvs.n++ - to) * sizeof *w->recvs.at);
	w->recvs.at[to] = slot;
}

/* Its sender takes a message back, or a found one is received. */
static void step_remove(struct world *w)
{
	struct plain *p = rand() % 2 ? &w->msgs : &w->found;
	int i;

	if (p->n == 0)
		return;
	i = rand() % p->n;
	match_remove(&w->m, &w->msg[p->at[i]]);
	w->msgs.unused[w->msgs.nunused++] = p->at[i];
	take_out(p, i);
}

static void step_mprobe(struct world *w)
{
	struct match_recv r = random_receive(w);
	int want = plain_post(w, &r);
	struct match_msg *got = match_probe(&w->m, r.context, r.peer, r.tag);

	ck_assert_ptr_eq(got, want < 0 ? NULL : &w->msg[w->msgs.at[want]]);
	if (!got)
		return;
	match_set_matched(&w->m, got);
	w->found.at[w->found.n++] = w->msgs.at[want];
	take_out(&w->msgs, want);
}

/* One that waits is looked up by its number, or one that may have gone. */
static void step_number(struct world *w)
{
	int slot = w->msgs.n > 0 && rand() % 2 ? w->msgs.at[rand() % w->msgs.n] : rand() % OBJECTS;
	uint64_t number = w->msg[slot].index;
	int peer = rand() % 4 ? w->msg[slot].peer : rand() % PEERS;
	struct match_msg *want = NULL;

	for (int i = 0; i < w->msgs.n; i++) {
		struct match_msg *msg = &w->msg[w->msgs.at[i]];

		if (msg->peer == peer && msg->index == number)
			want = msg;
	}
	ck_assert_ptr_eq(match_numbered(&w->m, peer, number), want);
}

/* A message is taken over into other memory. */
static void step_replace(struct world *w)
{
	struct plain *p = rand() % 2 ? &w->msgs : &w->found;
	int i, slot;

	if (p->n == 0 || (slot = take_unused(&w->msgs)) < 0)
		return;
	i = rand() % p->n;
	w->msg[slot] = w->msg[p->at[i]];
	match_place_init(&w->msg[slot].place);
	match_place_init(&w->msg[slot].all);
	match_replace(&w->msg[p->at[i]], &w->msg[slot]);
	w->msgs.unused[w->msgs.nunused++] = p->at[i];
	p->at[i] = slot;
}

static void same_order(const struct world *w, const struct link *list, const struct plain *p)
{
	int i = 0;

	list_for_each (item, list) {
		ck_assert_int_lt(i, p->n);
		ck_assert_ptr_eq(container_of(item, struct match_msg, all.link), &w->msg[p->at[i]]);
		i++;
	}
	ck_assert_int_eq(i, p->n);
}

/* Phases in which the messages become more, or the receives, or neither. */
static void step(struct world *w, int phase)
{
	int what = rand() % 32, arrivals = phase % 3 == 0 ? 20 : phase % 3 == 1 ? 6 : 13;

	no_memory = w->short_of_memory && rand() % 3 == 0;
	if (what < arrivals)
		step_arrive(w);
	else if (what < 26)
		step_post(w);
	else if (what < 27)
		step_withdraw(w);
	else if (what < 28)
		step_end_or_repost(w);
	else if (what < 30)
		step_remove(w);
	else if (what < 31)
		step_mprobe(w);
	else
		step_replace(w);
	if (w->m.numbered)
		step_number(w);
	no_memory = false;
}

/* Few tags or many; every other run is short of memory now and then; in the later ones messages are
 * looked up by number, too. */
START_TEST(same_as_the_plain_lists)
{
	static struct world w;
	static const int tags[] = {2, 30, 1000};
	int had_index = 0;

	srand((unsigned)_i);
	w = (struct world){.tags = tags[_i / 2 % 3], .short_of_memory = _i % 2};
	for (int i = 0; i < OBJECTS; i++)
		w.recvs.unused[i] = w.msgs.unused[i] = i;
	w.recvs.nunused = w.msgs.nunused = OBJECTS;
	ck_assert_int_eq(match_init(&w.m, PEERS), 0);
	w.m.numbered = _i >= 6;
	for (int i = 0; i < STEPS; i++) {
		step(&w, i / PHASE);
		ck_assert_uint_eq(w.m.nposted, (unsigned)w.recvs.n);
		had_index += w.m.posted[0].index || w.m.unexpected[0].index;
		if (i % 500)
			continue;
		same_order(&w, &w.m.arrivals.list, &w.msgs);
		same_order(&w, &w.m.matched, &w.found);
	}
	ck_assert_int_gt(had_index, _i / 2 % 3 ? 1000 : -1);
	match_fini(&w.m);
}
END_TEST

/* ---- the work ---- */

/* What is posted and what comes, of n: from peer 0, and the i-th tag, or any. Receives are posted
 * first, or after the messages have come; the second half of what happens is in reverse order. */
struct load {
	const char *name;
	bool posted_first;
	bool any_source; /* every other receive */
	bool any_tag;	 /* every receive; a message then has a context of its own */
	bool contexts;	 /* different contexts instead of tags */
};

static const struct load loads[] = {
	{.name = "exact receives", .posted_first = true},
	{.name = "receives from any source", .posted_first = true, .any_source = true},
	{.name = "receives in many contexts", .posted_first = true, .contexts = true},
	{.name = "receives with any tag", .posted_first = true, .any_tag = true},
	{.name = "messages"},
	{.name = "messages for any source", .any_source = true},
	{.name = "messages in many contexts", .contexts = true},
	{.name = "messages for any tag", .any_tag = true},
	{.name = "messages for any source and tag", .any_source = true, .any_tag = true},
};

enum { MANY = 20000, LOADS = sizeof loads / sizeof *loads };

static struct match_recv recvs[MANY];
static struct match_msg msgs[MANY];

static uint64_t context_at(const struct load *l, int i)
{
	return l->contexts || l->any_tag ? (uint64_t)i << 1 : 0;
}

static int tag_at(const struct load *l, int i)
{
	return l->contexts ? 7 : i;
}

static void post(struct match *m, const struct load *l, int i, bool matches)
{
	struct match_msg *got;

	recvs[i] = (struct match_recv){.context = context_at(l, i),
		.peer = l->any_source && i % 2 ? MPI_ANY_SOURCE : 0,
		.tag = l->any_tag ? MPI_ANY_TAG : tag_at(l, i)};
	got = match_post(m, &recvs[i]);
	ck_assert_msg(got == (matches ? &msgs[i] : NULL), "%s: post %d", l->name, i);
}

static void arrive(struct match *m, const struct load *l, int i, bool matches)
{
	struct match_recv *got = match_arrival(m, context_at(l, i), 0, tag_at(l, i));

	ck_assert_msg(got == (matches ? &recvs[i] : NULL), "%s: arrival %d", l->name, i);
	if (got)
		return;
	msgs[i] = (struct match_msg){.context = context_at(l, i), .peer = 0, .tag = tag_at(l, i)};
	match_add_unexpected(m, &msgs[i]);
}

/* Entries looked at for each of n that wait, then are matched in reverse order. */
static double work(const struct load *l, int n)
{
	struct match m;
	double looks;

	ck_assert_int_eq(match_init(&m, 1), 0);
	for (int i = 0; i < n; i++)
		l->posted_first ? post(&m, l, i, false) : arrive(&m, l, i, false);
	for (int i = n - 1; i >= 0; i--)
		l->posted_first ? arrive(&m, l, i, true) : post(&m, l, i, true);
	looks = (double)m.hooks.looks;
	ck_assert_ptr_null(m.posted[0].index);
	ck_assert_ptr_null(m.any.index);
	ck_assert_ptr_null(m.unexpected[0].index);
	ck_assert_ptr_null(m.arrivals.index);
	match_fini(&m);
	return looks / n;
}

START_TEST(work_does_not_grow)
{
	double few = work(&loads[_i], 500), many = work(&loads[_i], MANY);

	ck_assert_msg(many < 16 && many < 1.5 * few + 1,
		"%s: %.1f looks at an entry for each of %d, %.1f for each of 500", loads[_i].name,
		many, MANY, few);
}
END_TEST

/* Messages that nobody receives, and receives that nobody answers, in the way of all others. */
START_TEST(what_never_matches_costs_nothing)
{
	struct load l = {.name = "in the way"};
	struct match m;
	uint64_t before;

	ck_assert_int_eq(match_init(&m, 2), 0);
	for (int i = 0; i < MANY; i++)
		arrive(&m, &l, i, false);
	match_probe(&m, 0, 0, MANY);
	match_probe(&m, 0, MPI_ANY_SOURCE, MANY);
	before = m.hooks.looks;
	for (int i = 0; i < 1000; i++) {
		ck_assert_ptr_null(match_probe(&m, 0, 0, MANY + i));
		ck_assert_ptr_null(match_probe(&m, 0, MPI_ANY_SOURCE, MANY + i));
		ck_assert_ptr_null(match_probe(&m, 2, 0, MPI_ANY_TAG));
		ck_assert_ptr_null(match_probe(&m, 2, MPI_ANY_SOURCE, MPI_ANY_TAG));
	}
	ck_assert_uint_lt(m.hooks.looks - before, 8000);
	match_fini(&m);
}
END_TEST

/* Entries looked at for each of n messages that wait, then are looked up by number in reverse order
 * and taken out. Every other one is found by its tag: the list has one index for both. */
static double work_by_number(int n)
{
	struct load l = {.name = "by number"};
	struct match m;
	double looks;

	ck_assert_int_eq(match_init(&m, 1), 0);
	m.numbered = true;
	for (int i = 0; i < n; i++) {
		arrive(&m, &l, i, false);
		msgs[i].index = (uint64_t)i + 1;
	}
	for (int i = n - 1; i >= 0; i--) {
		ck_assert_ptr_null(match_numbered(&m, 0, (uint64_t)n + 1));
		ck_assert_ptr_eq(match_numbered(&m, 0, (uint64_t)i + 1), &msgs[i]);
		if (i % 2)
			post(&m, &l, i, true);
		else
			match_remove(&m, &msgs[i]);
	}
	looks = (double)m.hooks.looks;
	ck_assert_ptr_null(m.unexpected[0].index);
	match_fini(&m);
	return looks / n;
}

START_TEST(numbers_do_not_grow)
{
	double few = work_by_number(500), many = work_by_number(MANY);

	ck_assert_msg(many < 16 && many < 1.5 * few + 1,
		"%.1f looks at an entry for each of %d, %.1f for each of 500", many, MANY, few);
}
END_TEST

/* What comes in the order in which it was posted needs no index. */
START_TEST(in_order_without_an_index)
{
	struct load l = {.name = "in order"};
	struct match m;

	ck_assert_int_eq(match_init(&m, 1), 0);
	for (int i = 0; i < MANY; i++)
		post(&m, &l, i, false);
	for (int i = 0; i < MANY; i++) {
		arrive(&m, &l, i, true);
		ck_assert_ptr_null(m.posted[0].index);
	}
	ck_assert_uint_eq(m.hooks.looks, 0);
	match_fini(&m);
}
END_TEST

/* One receive that waits for long does not leave all others with an index. */
START_TEST(few_left_without_an_index)
{
	struct load l = {.name = "few left"};
	struct match m;

	ck_assert_int_eq(match_init(&m, 1), 0);
	for (int i = 0; i < 100; i++)
		post(&m, &l, i, false);
	for (int i = 99; i > MATCH_NEAR; i--) {
		arrive(&m, &l, i, true);
		ck_assert_ptr_nonnull(m.posted[0].index);
	}
	arrive(&m, &l, MATCH_NEAR, true);
	ck_assert_ptr_null(m.posted[0].index);
	for (int i = MATCH_NEAR - 1; i >= 0; i--)
		arrive(&m, &l, i, true);
	match_fini(&m);
}
END_TEST

/* A table that cannot grow has longer chains, and a list without an index is searched: both find
 * the same. */
START_TEST(no_memory_to_grow)
{
	struct load l = {.name = "no memory", .posted_first = true};
	struct match m;

	ck_assert_int_eq(match_init(&m, 1), 0);
	for (int i = 0; i < 200; i++)
		post(&m, &l, i, false);
	no_memory = _i == 0;
	ck_assert_ptr_null(match_arrival(&m, 0, 0, MANY));
	ck_assert(!m.posted[0].index == no_memory);
	no_memory = true;
	for (int i = 200; i < 1000; i++)
		post(&m, &l, i, false);
	ck_assert_ptr_null(m.posted[0].index);
	for (int i = 999; i >= 0; i--)
		arrive(&m, &l, i, true);
	no_memory = false;
	match_fini(&m);
}
END_TEST

UNIT_MAIN("match", tcase_add_loop_test(tc, same_as_the_plain_lists, 0, 12);
	  tcase_add_loop_test(tc, work_does_not_grow, 0, LOADS);
	  tcase_add_test(tc, what_never_matches_costs_nothing);
	  tcase_add_test(tc, numbers_do_not_grow); tcase_add_test(tc, in_order_without_an_index);
	  tcase_add_test(tc, few_left_without_an_index);
	  tcase_add_loop_test(tc, no_memory_to_grow, 0, 2);)
