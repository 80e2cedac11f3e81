/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's receives from anyone, with any tag, or both, blocking, probed and open. Which message a
 * receive gets differs from run to run; sums do not depend on it, and nothing that is sent does.
 */
#include "mixed.h"

#include <stdbool.h>
#include <stdlib.h>

enum { TAGS = 3, MOST = 3, STANDING = 3 };

enum way { ANY_SOURCE, ANY_TAG, ANY, PROBED, STANDS, WAYS };

/* By way: messages received. Of standing receives up to STANDING are open, all alike. */
static struct {
	int64_t ripe[WAYS]; /* messages that may be waited for */
	int64_t done[WAYS];
	int64_t ripe_by[TAGS], done_by[TAGS]; /* of ANY_SOURCE, by tag */
	int64_t standing, posted;
	int64_t place[STANDING]; /* of one that is open, among all that were posted; 0 */
} state;

static int64_t *ripe_from, *done_from; /* of ANY_TAG, by source */
static int64_t in_all;		       /* for the standing receives, in all steps */
static struct {
	MPI_Request request[STANDING];
	void *buffer[STANDING];
} at;
static struct mixed_sends sends;

/* The j-th message of source at this step. */
struct letter {
	int source, dest, tag;
	enum way way;
	bool synchronous;
	long bytes;
	uint64_t key;
};

static int letters(const struct mixed *m, long step, int source)
{
	return mixed_letters(m, MIXED_WILDCARDS, step, source, MOST);
}

static struct letter letter_at(const struct mixed *m, long step, int source, int j)
{
	uint64_t random =
		mixed_random(m, MIXED_WILDCARDS, step, ((uint64_t)source << 8) + 1 + (uint64_t)j);
	struct letter l = {.source = source, .key = random};
	l.dest = (int)mixed_decide(&random, m->prog->size);
	l.tag = (int)mixed_decide(&random, TAGS);
	l.way = (enum way)mixed_decide(&random, WAYS);
	l.synchronous = mixed_decide(&random, 4) == 0;
	l.bytes = mixed_bytes(m, &random, 1);
	return l;
}

static MPI_Comm comm_of(const struct mixed *m, enum way way)
{
	return m->comm[MIXED_ANY_SOURCE + (int)way];
}

static void for_mine(const struct mixed *m, long step,
	void (*visit)(const struct mixed *m, const struct letter *l, void *arg), void *arg)
{
	for (int source = 0; source < m->prog->size; source++)
		for (int j = 0; j < letters(m, step, source); j++) {
			struct letter l = letter_at(m, step, source, j);
			if (l.dest == m->prog->rank)
				visit(m, &l, arg);
		}
}

static void send_due(struct mixed *m, long step)
{
	for (int j = 0; j < letters(m, step, m->prog->rank); j++) {
		struct letter l = letter_at(m, step, m->prog->rank, j);
		void *buffer = prog_alloc(m->prog, (size_t)l.bytes);
		mixed_fill(l.key, buffer, l.bytes);
		(l.synchronous ? MPI_Issend : MPI_Isend)(buffer, (int)l.bytes, MPI_BYTE, l.dest,
			l.tag, comm_of(m, l.way), mixed_send_add(m, &sends, buffer));
	}
}

static void ripen(const struct mixed *m, const struct letter *l, void *arg)
{
	(void)m;
	(void)arg;
	state.ripe[l->way]++;
	if (l->way == ANY_SOURCE)
		state.ripe_by[l->tag]++;
	if (l->way == ANY_TAG)
		ripe_from[l->source]++;
}

static void enter(struct mixed *m, enum way way, const MPI_Status *status, const void *data)
{
	int bytes = 0;
	MPI_Get_count(status, MPI_BYTE, &bytes);
	mixed_enter(m, MIXED_WILDCARDS, status->MPI_SOURCE, status->MPI_TAG, data, bytes);
	state.done[way]++;
}

static void receive(struct mixed *m, enum way way, int source, int tag)
{
	MPI_Status status;
	int bytes = (int)m->most;
	if (way == PROBED) {
		MPI_Probe(source, tag, comm_of(m, way), &status);
		MPI_Get_count(&status, MPI_BYTE, &bytes);
		source = status.MPI_SOURCE;
		tag = status.MPI_TAG;
	}
	void *data = prog_alloc(m->prog, (size_t)bytes);
	MPI_Recv(data, bytes, MPI_BYTE, source, tag, comm_of(m, way), &status);
	enter(m, way, &status, data);
	free(data);
}

static void receive_ripe(struct mixed *m)
{
	for (int tag = 0; tag < TAGS; tag++)
		for (; state.done_by[tag] < state.ripe_by[tag]; state.done_by[tag]++)
			receive(m, ANY_SOURCE, MPI_ANY_SOURCE, tag);
	for (int source = 0; source < m->prog->size; source++)
		for (; done_from[source] < ripe_from[source]; done_from[source]++)
			receive(m, ANY_TAG, source, MPI_ANY_TAG);
	while (state.done[ANY] < state.ripe[ANY])
		receive(m, ANY, MPI_ANY_SOURCE, MPI_ANY_TAG);
	while (state.done[PROBED] < state.ripe[PROBED])
		receive(m, PROBED, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

/* ---- standing receives: open all the time, also across lines ---- */

static void stand(struct mixed *m, int i)
{
	at.buffer[i] = prog_alloc(m->prog, (size_t)m->most);
	MPI_Irecv(at.buffer[i], (int)m->most, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
		comm_of(m, STANDS), &at.request[i]);
	state.place[i] = ++state.posted;
}

/* Never more than there are messages to come. */
static void stand_again(struct mixed *m)
{
	for (int i = 0; i < STANDING; i++)
		if (at.request[i] == MPI_REQUEST_NULL &&
			state.done[STANDS] + state.standing < in_all) {
			stand(m, i);
			state.standing++;
		}
}

/* Whichever is done first. */
static void stood(struct mixed *m)
{
	MPI_Status status;
	int i;
	MPI_Waitany(STANDING, at.request, &i, &status);
	state.standing--;
	state.place[i] = 0;
	enter(m, STANDS, &status, at.buffer[i]);
	free(at.buffer[i]);
}

static void anyone_step(struct mixed *m, long step)
{
	stand_again(m);
	send_due(m, step);
	for_mine(m, step - 1, ripen, NULL);
	receive_ripe(m);
	while (state.done[STANDS] < state.ripe[STANDS]) {
		stood(m);
		stand_again(m);
	}
	mixed_sends_test(&sends);
}

static void count_standing(const struct mixed *m, const struct letter *l, void *arg)
{
	(void)m;
	*(int64_t *)arg += l->way == STANDS;
}

static void anyone_begin(struct mixed *m)
{
	size_t bytes = (size_t)m->prog->size * sizeof(*ripe_from);
	ripe_from = calloc(2, bytes);
	if (ripe_from == NULL)
		prog_wrong(m->prog, "out of memory");
	done_from = ripe_from + m->prog->size;
	mixed_protect(m, MIXED_WILDCARDS, &state, sizeof(state));
	mixed_protect(m, MIXED_PARTS, ripe_from, 2 * bytes);
	for (int i = 0; i < STANDING; i++)
		at.request[i] = MPI_REQUEST_NULL;
	for (long step = 1; step <= m->steps; step++)
		for_mine(m, step, count_standing, &in_all);
}

/* The first of those between; -1: there is none. */
static int posted_after(int64_t after, int64_t last)
{
	int first = -1;

	for (int i = 0; i < STANDING; i++)
		if (state.place[i] > after && state.place[i] <= last &&
			(first < 0 || state.place[i] < state.place[first]))
			first = i;
	return first;
}

/* In their order, each in its place: what MPI_Waitany names is that again, where a rank goes on
 * alone. */
static void anyone_restored(struct mixed *m)
{
	int64_t last = state.posted, before = 0;

	for (int i; (i = posted_after(before, last)) >= 0;) {
		before = state.place[i];
		stand(m, i);
	}
}

static void add_worth(const struct mixed *m, const struct letter *l, void *arg)
{
	*(uint64_t *)arg += mixed_worth_of(m, l->source, l->tag, l->key, l->bytes);
}

static uint64_t anyone_expect(const struct mixed *m, long step)
{
	uint64_t sum = 0;
	for_mine(m, step, add_worth, &sum);
	return sum;
}

static void anyone_end(struct mixed *m)
{
	(void)m;
	mixed_sends_end(&sends);
	free(ripe_from);
}

const struct mixed_part mixed_wildcards = {
	.name = "wildcards",
	.begin = anyone_begin,
	.restored = anyone_restored,
	.step = anyone_step,
	.expect = anyone_expect,
	.end = anyone_end,
};
