/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random schedules with restores. The test knows which position in its envelope each message has in
 * the undisturbed run, so it knows what each line has to hold: what was sent and not received, and
 * what was received and not sent.
 */
#include <stdio.h>
#include <string.h>

#include "coord/orphans.h"
#include "coord_cluster.h"
#include "unit.h"

enum { SEEDS = 500, STEPS = 150, TAGS = 2, POSITIONS = 60, RANKS = 6, LIVES = 3 };

/* By envelope: how many were sent, and which were received, in bits. */
struct history {
	int sent[RANKS][RANKS][TAGS];
	uint64_t received[RANKS][RANKS][TAGS];
};

static struct {
	struct cluster cl[LIVES];
	int life;
	struct history now, at[LIVES][LINES_MOST];
	uint64_t random;
	unsigned seed;
} run;

static struct cluster *cluster(void)
{
	return &run.cl[run.life];
}

static unsigned below(unsigned n)
{
	run.random = run.random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(run.random >> 33) % n;
}

/* ---- steps ---- */

static void step_send(int from)
{
	struct cluster *cl = cluster();
	int to = (int)below((unsigned)cl->size), tag = (int)below(TAGS);

	if (run.now.sent[from][to][tag] == POSITIONS || cl->flying.n > MESSAGES_MOST / 2)
		return;
	send_mail(cl, from, to, tag);
	cl->flying.v[cl->flying.n - 1].number = ++run.now.sent[from][to][tag];
}

static void step_arrive(void)
{
	struct cluster *cl = cluster();
	struct mail m;
	uint64_t bit;
	int i;

	if (!cl->flying.n)
		return;
	m = cl->flying.v[below((unsigned)cl->flying.n)];
	for (i = 0; cl->flying.v[i].from != m.from || cl->flying.v[i].to != m.to ||
		    cl->flying.v[i].tag != m.tag;
		i++)
		;
	m = cl->flying.v[i];
	if (cl->ranks[m.to].waiting.n > MESSAGES_MOST / 2)
		return;
	bit = UINT64_C(1) << m.number;
	ck_assert_msg(
		arrive(cl, m.from, m.to, m.tag) == !(run.now.received[m.from][m.to][m.tag] & bit),
		"seed %u: message %d of %d:%d to %d", run.seed, m.number, m.from, (int)m.tag, m.to);
}

static void step_receive(int rank)
{
	struct mails *w = &cluster()->ranks[rank].waiting;
	struct mail m;
	uint64_t *received;

	if (!w->n)
		return;
	m = w->v[below((unsigned)w->n)];
	received = &run.now.received[m.from][m.to][m.tag];
	ck_assert_msg(!(*received & UINT64_C(1) << m.number), "seed %u: twice", run.seed);
	*received |= UINT64_C(1) << m.number;
	receive(cluster(), m.from, m.to, m.tag, m.number);
}

static void step_tell(void)
{
	struct cluster *cl = cluster();
	int i;

	if (!cl->ncontrol)
		return;
	i = (int)below((unsigned)cl->ncontrol);
	deliver_one(cl, cl->control[i].from, cl->control[i].to);
}

static void note(struct history *h, int rank)
{
	memcpy(h->sent[rank], run.now.sent[rank], sizeof h->sent[rank]);
	for (int p = 0; p < RANKS; p++)
		memcpy(h->received[p][rank], run.now.received[p][rank],
			sizeof h->received[p][rank]);
}

static void step_checkpoint(int rank)
{
	struct cluster *cl = cluster();

	if (cl->ranks[rank].c.line + 1 == LINES_MOST)
		return;
	ck_assert(checkpoint(cl, rank));
	note(&run.at[run.life][cl->ranks[rank].c.line], rank);
}

static void step(void)
{
	unsigned which = below(100);
	int rank = (int)below((unsigned)cluster()->size);

	if (which < 30)
		step_send(rank);
	else if (which < 60)
		step_arrive();
	else if (which < 80)
		step_receive(rank);
	else if (which < 97)
		step_tell();
	else
		step_checkpoint(rank);
}

/* ---- what must be ---- */

static bool has(const struct mails *m, int from, int tag, int number)
{
	for (int i = 0; i < m->n; i++)
		if (m->v[i].from == from && m->v[i].tag == tag && m->v[i].number == number)
			return true;
	return false;
}

static bool has_orphan(const struct orphans *o, int from, int tag, int number)
{
	for (size_t i = 0; i < o->n; i++)
		if ((int)o->v[i].peer == from && o->v[i].tag == tag &&
			(int)o->v[i].first <= number &&
			number < (int)(o->v[i].first + o->v[i].count))
			return true;
	return false;
}

static void check_line(int rank, uint32_t line)
{
	const struct history *h = &run.at[run.life][line];
	struct asked *a = &cluster()->ranks[rank].lines[line];
	struct orphans o = {0};
	int n = 0;

	ck_assert_msg(a->finished && a->over && a->committed, "seed %u: line %u of rank %d",
		run.seed, line, rank);
	ck_assert(orphans_decode(&o, a->orphans, a->orphans_len));
	for (int p = 0; p < cluster()->size; p++)
		for (int tag = 0; tag < TAGS; tag++)
			for (int k = 1; k <= POSITIONS; k++) {
				bool sent = k <= h->sent[p][rank][tag];
				bool received = h->received[p][rank][tag] >> k & 1;

				ck_assert_msg(has(&a->held, p, tag, k) == (sent && !received),
					"seed %u life %d line %u: %d:%d#%d to %d in transit",
					run.seed, run.life, line, p, tag, k, rank);
				ck_assert_msg(has_orphan(&o, p, tag, k - h->sent[p][rank][tag]) ==
						      (!sent && received),
					"seed %u life %d line %u: %d:%d#%d to %d orphan", run.seed,
					run.life, line, p, tag, k, rank);
				n += sent && !received;
			}
	ck_assert_int_eq(a->held.n, n);
	orphans_free(&o);
}

/* Everybody makes as many lines; nothing stays on its way: so all lines are committed. */
static void finish_lines(uint32_t first)
{
	struct cluster *cl = cluster();
	uint32_t last = first;

	for (int q = 0; q < cl->size; q++)
		if (cl->ranks[q].c.line > last)
			last = cl->ranks[q].c.line;
	for (int q = 0; q < cl->size; q++)
		while (cl->ranks[q].c.line < last)
			step_checkpoint(q);
	while (cl->flying.n) {
		step_arrive();
		for (int q = 0; q < cl->size; q++)
			step_receive(q);
	}
	deliver_all(cl);
	for (uint32_t line = first + 1; line <= last; line++)
		for (int q = 0; q < cl->size; q++)
			check_line(q, line);
}

static const char *protocol(void)
{
	static const char *const names[] = {"compare", "eventlog", "tagging", "auto"};

	return names[below(4)];
}

/* Some line of this life becomes the state of the next; false: there is none. */
static bool go_back(uint32_t first)
{
	struct cluster *cl = cluster();
	uint32_t made = cl->ranks[0].c.line - first, line;

	if (!made || run.life + 1 == LIVES || cl->ranks[0].c.line + 2 >= LINES_MOST)
		return false;
	line = first + 1 + below(made);
	run.now = run.at[run.life][line];
	run.life++;
	cluster_restore(cluster(), cl, line, protocol());
	return true;
}

static void one_run(unsigned seed)
{
	uint32_t first = 0;

	memset(&run, 0, sizeof run);
	run.seed = seed;
	run.random = seed * UINT64_C(0x9e3779b97f4a7c15);
	cluster_begin(cluster(), 1 + (int)below(RANKS), protocol());
	for (;;) {
		cluster()->hostile = seed % 5 == 0;
		for (int i = 0; i < STEPS; i++)
			step();
		if (below(2))
			finish_lines(first);
		else
			break;
		if (!go_back(first))
			break;
		first = cluster()->taken;
	}
	for (; run.life >= 0; run.life--)
		cluster_end(cluster());
}

START_TEST(every_line_holds_what_it_needs)
{
	for (unsigned seed = 0; seed < SEEDS; seed++)
		one_run(seed);
}
END_TEST

UNIT_MAIN("coord_random", tcase_add_test(tc, every_line_holds_what_it_needs);)
