/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/outcomes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

void outcomes_free(struct outcomes *o)
{
	free(o->v);
	free(o->ended);
	expected_receives_free(&o->expected);
	*o = (struct outcomes){0};
}

uint64_t outcomes_last(const struct outcomes *o)
{
	return o->covered + o->n;
}

bool outcomes_is_live(const struct outcomes *o)
{
	return o->next == o->n && !o->expected.left;
}

bool outcomes_may_cover(const struct outcomes *o)
{
	return outcomes_is_live(o) && !o->nended;
}

static bool has_happened(const struct outcomes *o, size_t i)
{
	uint64_t message;
	uint32_t peer;

	if (o->v[i].kind == OUTCOME_SEND_OVER) /* of a checkpoint, which comes behind the prefix */
		return false;
	if (o->v[i].kind == OUTCOME_MATCH)
		return expected_receives_fate(&o->expected, o->v[i].receive, &peer, &message) ==
		       FATE_OPEN;
	return i < o->next;
}

size_t outcomes_copy_happened(const struct outcomes *o, struct outcome *v)
{
	size_t happened = 0;

	for (size_t i = 0; i < o->n; i++) {
		if (has_happened(o, i))
			v[happened++] = o->v[i];
		else if (i == o->next && o->noes)
			v[happened++] = (struct outcome){.kind = OUTCOME_NO, .value = o->noes};
	}
	return happened;
}

/* ---- choices ---- */

const struct outcome *outcomes_expected(const struct outcomes *o)
{
	return o->next < o->n ? &o->v[o->next] : NULL;
}

bool outcomes_is_within_noes(const struct outcomes *o)
{
	return o->noes && outcomes_expected(o);
}

bool outcomes_lacks_receive(const struct outcomes *o)
{
	return o->matched > o->posted;
}

/* It is no choice, and happens with the one before it. There is room for sends of before:
 * outcomes_begin saw to it. false: it is a choice. */
static bool passes(struct outcomes *o, const struct outcome *what)
{
	if (what->kind == OUTCOME_MATCH && what->receive > o->matched)
		o->matched = what->receive;
	if (what->kind == OUTCOME_SEND_OVER)
		o->ended[o->nended++] = (struct ended_send){what->peer, what->value};
	return what->kind == OUTCOME_MATCH || what->kind == OUTCOME_SEND_OVER;
}

static void find_next(struct outcomes *o)
{
	while (o->next < o->n && passes(o, &o->v[o->next]))
		o->next++;
}

void outcomes_follow(struct outcomes *o)
{
	const struct outcome *next = outcomes_expected(o);

	assert(next);
	if (next->kind == OUTCOME_NO && ++o->noes < next->value)
		return;
	if (next->kind == OUTCOME_CANCELLED)
		expected_receives_over(&o->expected, next->receive);
	o->noes = 0;
	o->next++;
	find_next(o);
}

bool outcomes_send_over(struct outcomes *o, uint32_t peer, uint64_t message)
{
	for (size_t i = 0; i < o->nended; i++)
		if (o->ended[i].peer == peer && o->ended[i].message == message) {
			o->ended[i] = o->ended[--o->nended];
			return true;
		}
	return false;
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

/* Behind choices that are still to be followed, too: then it is the match of a receive. */
static void append(struct outcomes *o, const struct outcome *what)
{
	o->v[o->n++] = *what;
	find_next(o);
}

/* There is room: outcomes_add saw to it. */
void outcomes_close(struct outcomes *o)
{
	if (!o->noes || outcomes_expected(o))
		return;
	o->v[o->n++] = (struct outcome){.kind = OUTCOME_NO, .value = o->noes};
	o->next = o->n;
	o->noes = 0;
}

static bool fits(const struct outcome *what)
{
	return what->peer <= OUTCOME_PEER_MOST && what->value <= OUTCOME_NUMBER_MOST &&
	       what->receive <= OUTCOME_NUMBER_MOST;
}

bool outcomes_add(struct outcomes *o, const struct outcome *what)
{
	assert(!outcomes_expected(o));
	if (!fits(what) || !reserve(o, 2))
		return false;
	if (what->kind == OUTCOME_NO && o->noes < OUTCOME_NUMBER_MOST) {
		o->noes++;
		return true;
	}
	outcomes_close(o);
	if (what->kind == OUTCOME_NO) {
		o->noes = 1;
		return true;
	}
	o->v[o->n++] = *what;
	o->next = o->n;
	return true;
}

/* ---- receives ---- */

uint64_t outcomes_post(struct outcomes *o)
{
	return ++o->posted;
}

/* What was said no before it has a number before it: what the program does after these is posted
 * with other numbers, if they are said otherwise. */
bool outcomes_match(struct outcomes *o, uint64_t receive, uint32_t peer, uint64_t message)
{
	const struct outcome what = {OUTCOME_MATCH, peer, message, receive};
	uint64_t told_message;
	uint32_t told_peer;

	switch (expected_receives_fate(&o->expected, receive, &told_peer, &told_message)) {
	case FATE_MESSAGE:
		return peer == told_peer && message == told_message &&
		       expected_receives_over(&o->expected, receive);
	case FATE_CANCELLED:
		return false;
	case FATE_OPEN:
		break;
	}
	if (!fits(&what) || !reserve(o, 2))
		return false;
	outcomes_close(o);
	append(o, &what);
	return true;
}

/* ---- the event logger ---- */

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

void outcomes_cover(struct outcomes *o, uint64_t last)
{
	size_t gone;

	assert(last <= outcomes_last(o));
	if (last <= o->covered)
		return;
	gone = (size_t)(last - o->covered);
	assert(gone <= o->next);
	o->n -= gone;
	o->next -= gone;
	memmove(o->v, o->v + gone, o->n * sizeof *o->v);
	o->covered = last;
	if (o->told < last)
		o->told = last;
	if (o->safe < last)
		o->safe = last;
}

/* false: no memory. */
static bool reserve_ended(struct outcomes *o, const struct outcome *v, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most += v[i].kind == OUTCOME_SEND_OVER;
	o->ended = malloc((most + 1) * sizeof *o->ended);
	return o->ended != NULL;
}

bool outcomes_begin(
	struct outcomes *o, uint64_t covered, uint64_t posted, const struct outcome *v, size_t n)
{
	struct outcomes new = {.covered = covered, .posted = posted};

	if (!reserve(&new, n) || !reserve_ended(&new, v, n) ||
		!expected_receives_begin(&new.expected, v, n)) {
		outcomes_free(&new);
		return false;
	}
	if (n)
		memcpy(new.v, v, n * sizeof *v);
	new.n = n;
	new.told = new.safe = covered + n;
	find_next(&new);
	outcomes_free(o);
	*o = new;
	return true;
}

/* ---- bytes ---- */

void outcomes_encode(const struct outcome *v, size_t n, uint8_t *bytes)
{
	struct writer w = writer_over(bytes, n * OUTCOME_BYTES);

	for (size_t i = 0; i < n; i++) {
		assert(fits(&v[i]));
		writer_u64(&w, (uint64_t)v[i].kind | (uint64_t)v[i].peer << 8 | v[i].value << 32);
		writer_u64(&w, v[i].value >> 32 | v[i].receive << 16);
	}
}

/* A count of none, an index beyond what MPI can name, a number 0: nothing that outcomes_encode
 * writes. */
static bool is_outcome(const struct outcome *o, int size)
{
	const bool of_message = o->kind == OUTCOME_FOUND || o->kind == OUTCOME_MATCH ||
				o->kind == OUTCOME_SEND_OVER;
	const bool of_receive = o->kind == OUTCOME_CANCELLED || o->kind == OUTCOME_MATCH ||
				o->kind == OUTCOME_TOO_LATE;

	if (of_message ? o->peer >= (uint32_t)size : o->peer > 0)
		return false;
	if (of_receive != (o->receive > 0))
		return false;
	switch (o->kind) {
	case OUTCOME_NO:
	case OUTCOME_FOUND:
	case OUTCOME_MATCH:
	case OUTCOME_SEND_OVER:
		return o->value > 0;
	case OUTCOME_YES:
	case OUTCOME_CANCELLED:
	case OUTCOME_TOO_LATE:
		return o->value == 0;
	case OUTCOME_INDEX:
	case OUTCOME_COUNT:
		return o->value <= INT32_MAX;
	default:
		return false;
	}
}

bool outcomes_decode(struct outcome *v, const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	size_t n = len / OUTCOME_BYTES;

	for (size_t i = 0; i < n; i++) {
		uint64_t low = cursor_u64(&c), high = cursor_u64(&c);

		v[i].kind = (enum outcome_kind)(low & 0xff);
		v[i].peer = (uint32_t)(low >> 8) & OUTCOME_PEER_MOST;
		v[i].value = low >> 32 | (high & 0xffff) << 32;
		v[i].receive = high >> 16;
		if (!is_outcome(&v[i], size))
			return false;
	}
	return cursor_done(&c);
}
