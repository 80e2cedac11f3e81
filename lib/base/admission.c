/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/admission.h"

#include <sys/resource.h>

enum { ADMISSION_LEAST = 4 };

int admission_most(int most, unsigned share)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / share < (rlim_t)most)
		most = (int)(limit.rlim_cur / share);
	return most > ADMISSION_LEAST ? most : ADMISSION_LEAST;
}

void admission_open(struct admission *a, int most)
{
	list_init(&a->held);
	a->count = 0;
	a->most = most;
}

struct link *admission_surplus(const struct admission *a)
{
	return a->count >= a->most ? admission_oldest(a) : NULL;
}

struct link *admission_oldest(const struct admission *a)
{
	return list_first(&a->held);
}

void admission_enter(struct admission *a, struct link *item)
{
	list_append(&a->held, item);
	a->count++;
}

void admission_leave(struct admission *a, struct link *item)
{
	list_remove(item);
	a->count--;
}

bool refusals_renew(struct refusals *r, uint64_t now)
{
	if (now < r->until)
		return false;
	r->until = now + (uint64_t)REFUSALS_MS * 1000000;
	r->lines = 0;
	return true;
}

bool refusals_line(struct refusals *r, bool (*log_has_room)(void))
{
	if (r->lines == REFUSALS_LINES || (log_has_room && !log_has_room())) {
		r->more++;
		return false;
	}
	r->lines++;
	return true;
}

unsigned long refusals_rest(struct refusals *r)
{
	unsigned long more = r->more;

	r->more = 0;
	return more;
}
