/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A piece comes from the current area or, if it does not fit there, from the next one; one that is
 * too small for it and not in use is replaced. No better place is looked for: so the same pieces
 * always come to lie at the same places.
 */
#include "ckpt/areas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct mapping {
	uint8_t *data;
	uint64_t size, used;
};

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, ALIGN = 64, LEAST = 64 << 10, GROWTH = 8, SPARE = 3 };
/* From here on looking up small pages takes a good part of the copy. */
enum { HUGE_LEAST = 768 << 10 };

static uint64_t rounded(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

/* Maps more than is needed, and gives back what lies before and behind the aligned part. */
static void *map_aligned(uint64_t size)
{
	uint64_t all = size + HUGE_PAGE, before;
	uint8_t *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	before = rounded((uintptr_t)p, HUGE_PAGE) - (uintptr_t)p;
	if (before)
		munmap(p, before);
	munmap(p + before + size, all - before - size);
	madvise(p + before, size, MADV_HUGEPAGE); /* without it there are just more faults */
	return p + before;
}

static void *map(uint64_t size)
{
	void *p;

	if (size >= HUGE_LEAST)
		return map_aligned(size);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* The more there is, the larger: so there are never many. */
static bool area_make(struct mapping *a, uint64_t len, uint64_t total)
{
	uint64_t size = len > LEAST ? len : LEAST;

	if (size < total / GROWTH)
		size = total / GROWTH;
	size = rounded(size, size >= HUGE_LEAST ? HUGE_PAGE : PAGE);
	*a = (struct mapping){map(size), size, 0};
	return a->data != NULL;
}

static bool fits(const struct areas *as, uint64_t len)
{
	return as->at < as->n && as->a[as->at].size - as->a[as->at].used >= len;
}

static bool grow(struct areas *as)
{
	size_t room = as->room ? 2 * as->room : 8;
	struct mapping *a = realloc(as->a, room * sizeof *a);

	if (!a)
		return false;
	as->a = a;
	as->room = room;
	return true;
}

/* The current one is not in use and too small, or there is none: here is another. */
static bool replace(struct areas *as, uint64_t len)
{
	struct mapping now, *old;

	if (as->at == as->room && !grow(as))
		return false;
	if (!area_make(&now, len, as->total))
		return false;
	old = &as->a[as->at];
	if (as->at < as->n) {
		munmap(old->data, old->size);
		as->total -= old->size;
	} else {
		as->n++;
	}
	*old = now;
	as->total += now.size;
	return true;
}

void *areas_take(struct areas *as, uint64_t len)
{
	uint64_t need = rounded(len ? len : 1, ALIGN);
	size_t was = as->at;
	struct mapping *a;

	if (len > UINT64_MAX / 4) /* so that no sum of lengths overflows */
		return NULL;
	if (!fits(as, need) && as->at < as->n && as->a[as->at].used)
		as->at++;
	if (!fits(as, need) && !replace(as, need)) {
		as->at = was;
		return NULL;
	}
	a = &as->a[as->at];
	a->used += need;
	as->taken += need;
	return a->data + a->used - need;
}

static void cut(struct areas *as, size_t n)
{
	while (as->n > n) {
		struct mapping *a = &as->a[--as->n];

		munmap(a->data, a->size);
		as->total -= a->size;
	}
}

void areas_renew(struct areas *as)
{
	bool in_use = as->at < as->n && as->a[as->at].used;

	cut(as, in_use ? as->at + 1 : as->at);
	if (as->total > SPARE * (as->taken + HUGE_PAGE))
		cut(as, 0);
	for (size_t i = 0; i < as->n; i++)
		as->a[i].used = 0;
	as->at = 0;
	as->taken = 0;
}

void areas_free(struct areas *as)
{
	cut(as, 0);
	free(as->a);
	*as = (struct areas){0};
}
