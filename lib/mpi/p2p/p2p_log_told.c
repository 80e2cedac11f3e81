/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program was told once is told it again without an outcome (doc/msglog.md, M2): that a
 * request is done, and which message the latest probe found, as long as that waits. So a program
 * that asks again and again adds nothing. Behind the restore point nothing is remembered: a
 * checkpoint of data has no requests, and drops outcomes.
 */
#include "p2p_log_inside.h"
#include "request.h"

static struct {
	bool no_more;
	struct p2p_log_question asked;
	int peer; /* of the message that was found, and its number; 0: none */
	uint64_t number;
} told;

void p2p_log_told_done(struct request *r)
{
	engine_assert_held();
	r->told = !told.no_more;
}

void p2p_log_told_found(const struct p2p_log_question *q, int peer, uint64_t number)
{
	engine_assert_held();
	told.asked = *q;
	told.peer = peer;
	told.number = told.no_more ? 0 : number;
}

struct match_msg *p2p_log_found_last(const struct p2p_log_question *q)
{
	engine_assert_held();
	if (!told.number || q->context != told.asked.context || q->source != told.asked.source ||
		q->tag != told.asked.tag)
		return NULL;
	return p2p_log_find(told.peer, told.number);
}

static void forget(struct request *r, void *arg)
{
	(void)arg;
	r->told = false;
}

void p2p_log_told_no_more(void)
{
	engine_assert_held();
	told.no_more = true;
	told.number = 0;
	requests_each(forget, NULL);
}

void p2p_log_told_fini(void)
{
	told.no_more = false;
	told.number = 0;
}
