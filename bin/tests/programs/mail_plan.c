/* SPDX-License-Identifier: BSD-3-Clause */
#include "mail_plan.h"

#include <string.h>

static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t mail_random(uint64_t seed, uint64_t a, uint64_t b)
{
	return mix(mix(mix(seed) ^ a) ^ b);
}

uint64_t mail_chain(uint64_t chain, uint64_t hash)
{
	return mix(chain ^ mix(hash));
}

/* The next `range`th part of a random number, for small decisions one after the other. */
static long decide(uint64_t *random, long range)
{
	long answer = (long)(*random % (uint64_t)range);
	*random = mix(*random);
	return answer;
}

long mail_last_step(const struct mail_plan *plan)
{
	return plan->steps + MAIL_LATE + MAIL_LAG;
}

long mail_count(const struct mail_plan *plan, long step)
{
	if (step < 1 || step > plan->steps)
		return 0;
	return (long)(mail_random(plan->seed, (uint64_t)step, 0) % (uint64_t)(4 * plan->size + 1));
}

/* Mostly small. */
static long choose_bytes(const struct mail_plan *plan, uint64_t *random)
{
	static const long most[] = {0, 8, 64, 64, 64, 256, 1024, 1024, 4096, 4096, 16384, 65536};
	long kind = decide(random, 40), limit = plan->most;
	if (kind < 36)
		limit = most[kind / 3] < limit ? most[kind / 3] : limit;
	return decide(random, limit + 1);
}

static int same_half(int a, int b)
{
	return a % 2 == b % 2;
}

static void choose_comm(struct mail_message *m, uint64_t *random)
{
	long which = decide(random, 3);
	m->comm = (int)m->way;
	if (m->way != MAIL_NAMED)
		return;
	if (which == 1)
		m->comm = MAIL_DUP;
	else if (which == 2 && same_half(m->source, m->dest))
		m->comm = MAIL_HALF;
}

struct mail_message mail_message(const struct mail_plan *plan, long step, long index)
{
	uint64_t random = mail_random(plan->seed, (uint64_t)step, (uint64_t)index + 1);
	struct mail_message m = {.step = step, .index = index};
	m.source = (int)decide(&random, plan->size);
	m.dest = (int)decide(&random, plan->size);
	m.tag = (int)decide(&random, MAIL_TAGS);
	m.way = (enum mail_way)decide(&random, MAIL_WAYS);
	choose_comm(&m, &random);
	m.bytes = choose_bytes(plan, &random);
	m.synchronous = decide(&random, 5) == 0;
	m.post = step - MAIL_EARLY + decide(&random, MAIL_EARLY + MAIL_LATE + 1);
	if (m.post < 1)
		m.post = 1;
	return m;
}

/*
 * Queues in this order: named ones of the three communicators by source and tag; any tag by source;
 * any source by tag; any; probed.
 */
static const int named_comms[] = {MAIL_NAMED, MAIL_DUP, MAIL_HALF};
enum { NAMED_COMMS = sizeof(named_comms) / sizeof(named_comms[0]) };

static int named_queues(const struct mail_plan *plan)
{
	return NAMED_COMMS * plan->size * MAIL_TAGS;
}

int mail_queues(const struct mail_plan *plan)
{
	return named_queues(plan) + plan->size + MAIL_TAGS + 2;
}

int mail_queue(const struct mail_plan *plan, const struct mail_message *m)
{
	int named = named_queues(plan), comm = 0;
	switch (m->way) {
	case MAIL_NAMED:
		while (named_comms[comm] != m->comm)
			comm++;
		return (comm * plan->size + m->source) * MAIL_TAGS + m->tag;
	case MAIL_ANY_TAG:
		return named + m->source;
	case MAIL_ANY_SOURCE:
		return named + plan->size + m->tag;
	case MAIL_ANY:
		return named + plan->size + MAIL_TAGS;
	default:
		return named + plan->size + MAIL_TAGS + 1;
	}
}

struct mail_message mail_receive(const struct mail_plan *plan, int queue)
{
	struct mail_message m = {.source = -1, .tag = -1};
	int rest = queue - named_queues(plan);
	if (rest < 0) {
		m.way = MAIL_NAMED;
		m.tag = queue % MAIL_TAGS;
		m.source = queue / MAIL_TAGS % plan->size;
		m.comm = named_comms[queue / MAIL_TAGS / plan->size];
		return m;
	}
	if (rest < plan->size) {
		m.way = MAIL_ANY_TAG;
		m.source = rest;
	} else if (rest < plan->size + MAIL_TAGS) {
		m.way = MAIL_ANY_SOURCE;
		m.tag = rest - plan->size;
	} else {
		m.way = rest == plan->size + MAIL_TAGS ? MAIL_ANY : MAIL_PROBED;
	}
	m.comm = (int)m.way;
	return m;
}

int mail_lag(const struct mail_plan *plan, int queue)
{
	return (int)(mail_random(plan->seed, 0, (uint64_t)queue) % (MAIL_LAG + 1));
}

/* Word i of the contents. */
static uint64_t word(uint64_t key, long i)
{
	return (key ^ (uint64_t)i) * UINT64_C(0x9fb21c651e98df25);
}

void mail_fill(const struct mail_plan *plan, const struct mail_message *m, uint8_t *out)
{
	uint64_t key = mail_random(~plan->seed, (uint64_t)m->step, (uint64_t)m->index), w;
	long i = 0;
	for (; i + 8 <= m->bytes; i += 8) {
		w = word(key, i);
		memcpy(out + i, &w, 8);
	}
	w = word(key, i);
	memcpy(out + i, &w, (size_t)(m->bytes - i));
}

uint64_t mail_hash(int tag, const uint8_t *data, long bytes)
{
	uint64_t hash = mail_random((uint64_t)tag, (uint64_t)bytes, 0), w = 0;
	long i = 0;
	for (; i + 8 <= bytes; i += 8) {
		memcpy(&w, data + i, 8);
		hash = (hash ^ w) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	w = 0;
	memcpy(&w, data + i, (size_t)(bytes - i));
	return mix(hash ^ w);
}
