/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in the order of their times; those of the same time in the order they were added. */
#include <stdlib.h>

#include "detector_sim.h"

static bool before(const struct event *x, const struct event *y)
{
	return x->at != y->at ? x->at < y->at : x->order < y->order;
}

static void swap(struct event *x, struct event *y)
{
	struct event t = *x;

	*x = *y;
	*y = t;
}

void queue_add(struct queue *q, struct event e)
{
	size_t i = q->count++;

	if (q->count > q->room) {
		q->room = q->room ? 2 * q->room : 256;
		q->heap = realloc(q->heap, q->room * sizeof *q->heap);
		if (!q->heap)
			abort();
	}
	e.order = q->order++;
	q->heap[i] = e;
	for (; i > 0 && before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&q->heap[i], &q->heap[(i - 1) / 2]);
}

bool queue_next(struct queue *q, struct event *out)
{
	size_t i = 0, next;

	if (q->count == 0)
		return false;
	*out = q->heap[0];
	q->heap[0] = q->heap[--q->count];
	while ((next = 2 * i + 1) < q->count) {
		next += next + 1 < q->count && before(&q->heap[next + 1], &q->heap[next]);
		if (!before(&q->heap[next], &q->heap[i]))
			break;
		swap(&q->heap[i], &q->heap[next]);
		i = next;
	}
	return true;
}
