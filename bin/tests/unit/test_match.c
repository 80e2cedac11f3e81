/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching against the plainest description of it: one list of receives, one of messages. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/match.h"
#include "mpi.h"
#include "unit.h"

enum { PEERS = 5, OBJECTS = 64, STEPS = 4000 };

struct pair {
	struct match_recv recv;
	struct match_msg msg;
	int recv_place, msg_place; /* position in the plain lists, -1: not there */
};

struct world {
	struct match m;
	struct pair o[OBJECTS];
	int recvs[OBJECTS], nrecvs; /* the plain lists: indices, oldest first */
	int msgs[OBJECTS], nmsgs;
};

static bool fits(const struct match_recv *r, uint64_t context, int peer, int tag)
{
	return r->context == context && (r->peer == peer || r->peer == MPI_ANY_SOURCE) &&
	       (r->tag == tag || r->tag == MPI_ANY_TAG);
}

static void take_out(int *list, int *n, int at)
{
	memmove(&list[at], &list[at + 1], (size_t)(*n - at - 1) * sizeof *list);
	(*n)--;
}

static int plain_arrival(struct world *w, uint64_t context, int peer, int tag)
{
	for (int i = 0; i < w->nrecvs; i++)
		if (fits(&w->o[w->recvs[i]].recv, context, peer, tag)) {
			int found = w->recvs[i];

			take_out(w->recvs, &w->nrecvs, i);
			return found;
		}
	return -1;
}

static int plain_post(struct world *w, const struct match_recv *r, bool take)
{
	for (int i = 0; i < w->nmsgs; i++) {
		struct match_msg *msg = &w->o[w->msgs[i]].msg;
		int found = w->msgs[i];

		if (!fits(r, msg->context, msg->peer, msg->tag))
			continue;
		if (take)
			take_out(w->msgs, &w->nmsgs, i);
		return found;
	}
	return -1;
}

static int free_slot(const struct world *w, const int *list, int n)
{
	bool used[OBJECTS] = {false};

	(void)w;
	for (int i = 0; i < n; i++)
		used[list[i]] = true;
	for (int i = 0; i < OBJECTS; i++)
		if (!used[i])
			return i;
	return -1;
}

static void step_arrive(struct world *w)
{
	int slot = free_slot(w, w->msgs, w->nmsgs);
	uint64_t context = (uint64_t)(rand() % 2) * 2;
	int peer = rand() % PEERS, tag = rand() % 3, want;
	struct match_recv *got;

	if (slot < 0)
		return;
	want = plain_arrival(w, context, peer, tag);
	got = match_arrival(&w->m, context, peer, tag);
	ck_assert_ptr_eq(got, want < 0 ? NULL : &w->o[want].recv);
	if (got)
		return;
	w->o[slot].msg = (struct match_msg){.context = context, .peer = peer, .tag = tag};
	match_add_unexpected(&w->m, &w->o[slot].msg);
	w->msgs[w->nmsgs++] = slot;
}

static void step_post(struct world *w)
{
	int slot = free_slot(w, w->recvs, w->nrecvs), want;
	struct match_recv *r;
	struct match_msg *got, *seen;

	if (slot < 0)
		return;
	r = &w->o[slot].recv;
	*r = (struct match_recv){.context = (uint64_t)(rand() % 2) * 2,
		.peer = rand() % 3 ? rand() % PEERS : MPI_ANY_SOURCE,
		.tag = rand() % 3 ? rand() % 3 : MPI_ANY_TAG};
	list_init(&r->link);
	seen = match_probe(&w->m, r->context, r->peer, r->tag);
	want = plain_post(w, r, true);
	got = match_post(&w->m, r);
	ck_assert_ptr_eq(got, want < 0 ? NULL : &w->o[want].msg);
	ck_assert_ptr_eq(seen, got);
	if (!got)
		w->recvs[w->nrecvs++] = slot;
}

static void step_withdraw(struct world *w)
{
	int at;

	if (!w->nrecvs)
		return;
	at = rand() % w->nrecvs;
	match_withdraw(&w->m, &w->o[w->recvs[at]].recv);
	take_out(w->recvs, &w->nrecvs, at);
}

START_TEST(same_as_the_plain_lists)
{
	struct world w = {.nrecvs = 0};

	srand((unsigned)_i);
	ck_assert_int_eq(match_init(&w.m, PEERS), 0);
	for (int i = 0; i < STEPS; i++) {
		int what = rand() % 20;

		if (what < 10)
			step_arrive(&w);
		else if (what < 19)
			step_post(&w);
		else
			step_withdraw(&w);
		ck_assert_uint_eq(w.m.nposted, (unsigned)w.nrecvs);
	}
	match_fini(&w.m);
}
END_TEST

UNIT_MAIN("match", tcase_add_loop_test(tc, same_as_the_plain_lists, 0, 50);)
