/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

static bool lies_in(const struct region *r, const struct plan_range *own, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r->low >= own[i].low && r->high <= own[i].high)
			return true;
	return false;
}

/* A file of read-only tables, such as those of iconv(3), is as good as a private one. */
static enum plan_treatment plan_for_shared(const struct region *r, const char **why)
{
	if (region_name_begins(r, "/SYSV"))
		*why = "a System V shared memory segment";
	else if (region_name_begins(r, "/dev/shm/") || region_name_begins(r, "/memfd:") ||
		 region_name_begins(r, "/dev/zero"))
		*why = "memory shared with other processes";
	else if (region_name_begins(r, "/dev/"))
		*why = "memory of a device";
	else if (r->deleted || r->inode == 0)
		*why = "memory shared with other processes";
	else if (r->writable)
		*why = "a file mapped shared and writable";
	else
		return PLAN_AS_IT_IS;
	return PLAN_REFUSED;
}

static enum plan_treatment plan_for_file(const struct region *r, const char **why)
{
	if (region_name_begins(r, "/dev/zero"))
		return PLAN_FRESH;
	if (region_name_begins(r, "/anon_hugepage"))
		*why = "memory in huge pages that were reserved (hugetlbfs)";
	else if (region_name_begins(r, "/dev/") && !region_name_begins(r, "/dev/shm/"))
		*why = "memory of a device";
	else if (r->deleted)
		return PLAN_WHOLE;
	else
		/* text relocations, and whoever patches code, change pages of it */
		return r->executable && !r->writable && !r->changed ? PLAN_AS_IT_IS : PLAN_OF_FILE;
	return PLAN_REFUSED;
}

/* What no new process would have as it is here. NULL: it would. */
static const char *odd(const struct region *r)
{
	return r->huge		     ? "memory in huge pages that were reserved (hugetlbfs)"
	       : r->shadow	     ? "a shadow stack (GLIBC_TUNABLES, x86_shstk)"
	       : r->keyed	     ? "memory with a protection key (pkey_mprotect)"
	       : r->high > PLAN_HIGH ? "memory at an address that only some machines have"
				     : NULL;
}

enum plan_treatment plan_for(
	const struct region *r, const struct plan_range *own, size_t n, const char **why)
{
	if (r->kind == REGION_KERNEL || lies_in(r, own, n))
		return PLAN_LEFT_OUT;
	if ((*why = odd(r)))
		return PLAN_REFUSED;
	if (r->kind == REGION_SHARED)
		return plan_for_shared(r, why);
	if (r->kind == REGION_FILE)
		return plan_for_file(r, why);
	return PLAN_FRESH;
}
