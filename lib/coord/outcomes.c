/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/outcomes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

void outcomes_free(struct outcomes *o)
{
	free(o->v);
	*o = (struct outcomes){0};
}

const struct outcome *outcomes_expected(const struct outcomes *o)
{
	return o->happened < o->covered + o->n ? &o->v[o->happened - o->covered] : NULL;
}

void outcomes_follow(struct outcomes *o)
{
	const struct outcome *next = outcomes_expected(o);

	assert(next);
	if (next->kind == OUTCOME_NO && ++o->noes < next->peer)
		return;
	o->noes = 0;
	o->happened++;
}

static bool reserve(struct outcomes *o, size_t more)
{
	size_t room = o->room ? o->room : 64;
	struct outcome *v;

	while (room < o->n + more)
		room *= 2;
	if (room == o->room)
		return true;
	v = realloc(o->v, room * sizeof *v);
	if (!v)
		return false;
	o->v = v;
	o->room = room;
	return true;
}

static void append(struct outcomes *o, const struct outcome *what)
{
	o->v[o->n++] = *what;
	o->happened++;
}

/* There is room: outcomes_add saw to it. */
void outcomes_close(struct outcomes *o)
{
	if (!o->noes || outcomes_expected(o))
		return;
	append(o, &(struct outcome){.kind = OUTCOME_NO, .peer = o->noes});
	o->noes = 0;
}

bool outcomes_add(struct outcomes *o, const struct outcome *what)
{
	assert(!outcomes_expected(o));
	if (!reserve(o, 2))
		return false;
	if (what->kind == OUTCOME_NO && o->noes < UINT32_MAX) {
		o->noes++;
		return true;
	}
	outcomes_close(o);
	if (what->kind == OUTCOME_NO)
		o->noes = 1;
	else
		append(o, what);
	return true;
}

size_t outcomes_tell(struct outcomes *o, uint64_t *first, const struct outcome **v)
{
	size_t before = (size_t)(o->told - o->covered);

	*first = o->told + 1;
	*v = o->v + before;
	o->told = o->covered + o->n;
	return o->n - before;
}

bool outcomes_acknowledged(struct outcomes *o, uint64_t number)
{
	if (number > o->told)
		return false;
	if (number > o->safe)
		o->safe = number;
	return true;
}

void outcomes_untold(struct outcomes *o)
{
	o->told = o->safe = o->covered;
}

void outcomes_cover(struct outcomes *o, uint64_t happened)
{
	size_t gone;

	assert(happened <= o->happened);
	if (happened <= o->covered)
		return;
	gone = (size_t)(happened - o->covered);
	o->n -= gone;
	memmove(o->v, o->v + gone, o->n * sizeof *o->v);
	o->covered = happened;
	if (o->told < happened)
		o->told = happened;
	if (o->safe < happened)
		o->safe = happened;
}

bool outcomes_begin(
	struct outcomes *o, uint64_t covered, uint32_t noes, const struct outcome *v, size_t n)
{
	struct outcomes new = {.covered = covered, .happened = covered, .noes = noes};

	if (noes && (!n || v->kind != OUTCOME_NO || v->peer <= noes))
		return false;
	if (!reserve(&new, n))
		return false;
	if (n)
		memcpy(new.v, v, n * sizeof *v);
	new.n = n;
	new.told = new.safe = covered + n;
	outcomes_free(o);
	*o = new;
	return true;
}

void outcomes_encode(const struct outcome *v, size_t n, uint8_t *bytes)
{
	struct writer w = writer_over(bytes, n * OUTCOME_BYTES);

	for (size_t i = 0; i < n; i++) {
		uint8_t kind = (uint8_t)v[i].kind;

		writer_bytes(&w, &kind, 1);
		writer_u32(&w, v[i].peer);
		writer_u64(&w, v[i].value);
	}
}

/* A count of none, an index beyond what MPI can name, a message number 0: nothing that
 * outcomes_encode writes. */
static bool is_outcome(const struct outcome *o, int size)
{
	switch (o->kind) {
	case OUTCOME_NO:
		return o->peer > 0 && o->value == 0;
	case OUTCOME_YES:
		return o->peer == 0 && o->value == 0;
	case OUTCOME_FOUND:
	case OUTCOME_MESSAGE:
		return o->peer < (uint32_t)size && o->value > 0;
	case OUTCOME_INDEX:
	case OUTCOME_COUNT:
		return o->peer == 0 && o->value <= INT32_MAX;
	default:
		return false;
	}
}

bool outcomes_decode(struct outcome *v, const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	size_t n = len / OUTCOME_BYTES;

	for (size_t i = 0; i < n; i++) {
		uint8_t kind;

		cursor_bytes(&c, &kind, 1);
		v[i].kind = kind;
		v[i].peer = cursor_u32(&c);
		v[i].value = cursor_u64(&c);
		if (!is_outcome(&v[i], size))
			return false;
	}
	return cursor_done(&c);
}
