/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/expected_receives.h"

#include <stdlib.h>

#include "coord/outcomes.h"

void expected_receives_free(struct expected_receives *e)
{
	free(e->v);
	*e = (struct expected_receives){0};
}

static int by_receive(const void *a, const void *b)
{
	const struct expected_receive *x = a, *y = b;

	return x->receive < y->receive ? -1 : x->receive > y->receive;
}

static bool all_differ(const struct expected_receives *e)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->v[i - 1].receive == e->v[i].receive)
			return false;
	return true;
}

bool expected_receives_begin(struct expected_receives *e, const struct outcome *v, size_t n)
{
	struct expected_receives new = {.v = malloc((n + 1) * sizeof *new.v)};

	if (!new.v)
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == OUTCOME_MATCH || v[i].kind == OUTCOME_CANCELLED)
			new.v[new.n++] = (struct expected_receive){
				.receive = v[i].receive, .message = v[i].value, .peer = v[i].peer};
	new.left = new.n;
	qsort(new.v, new.n, sizeof *new.v, by_receive);
	if (!all_differ(&new)) {
		expected_receives_free(&new);
		return false;
	}
	expected_receives_free(e);
	*e = new;
	return true;
}

/* NULL: there is none, or it has happened again. */
static struct expected_receive *find(const struct expected_receives *e, uint64_t receive)
{
	const struct expected_receive key = {.receive = receive};
	struct expected_receive *x =
		e->left ? bsearch(&key, e->v, e->n, sizeof key, by_receive) : NULL;

	return x && !x->over ? x : NULL;
}

enum receive_fate expected_receives_fate(
	const struct expected_receives *e, uint64_t receive, uint32_t *peer, uint64_t *message)
{
	const struct expected_receive *x = find(e, receive);

	if (!x)
		return FATE_OPEN;
	*peer = x->peer;
	*message = x->message;
	return x->message ? FATE_MESSAGE : FATE_CANCELLED;
}

bool expected_receives_over(struct expected_receives *e, uint64_t receive)
{
	struct expected_receive *x = find(e, receive);

	if (!x)
		return false;
	x->over = true;
	if (--e->left == 0)
		expected_receives_free(e);
	return true;
}
