/* SPDX-License-Identifier: BSD-3-Clause */
#include "tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/shown.h"
#include "contents.h"
#include "context.h"
#include "plan.h"

struct sentence {
	char *text;
	size_t size;
};

static int wrong(struct sentence why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int wrong(struct sentence why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why.text, why.size, format, args);
	va_end(args);
	return -EPROTO;
}

int tables_sections(const struct image_file *f, uint64_t file_bytes, char *text, size_t size)
{
	struct sentence why = {text, size};
	uint64_t end = f->at[0];

	for (int i = 0; i < IMAGE_SECTIONS; i++) {
		if (f->at[i] != end || f->length[i] > INT64_MAX - end)
			return wrong(why,
				"section %d of the image is to begin at byte %" PRIu64
				", and section %d ends at %" PRIu64
				": the file is damaged; use another image",
				i, f->at[i], i - 1, end);
		end += f->length[i];
	}
	if (end > file_bytes)
		return wrong(why,
			"the image is cut: its file has %" PRIu64 " bytes of %" PRIu64
			"; use another image",
			file_bytes, end);
	return 0;
}

/* ---- mappings ---- */

/* What the image's writer makes of regions of each kind. */
static bool is_treatment(const struct image_region *r)
{
	switch (r->kind) {
	case REGION_ANONYMOUS:
	case REGION_STACK:
	case REGION_HEAP:
		return r->treatment == PLAN_FRESH;
	case REGION_FILE:
		return r->treatment == PLAN_FRESH || r->treatment == PLAN_AS_IT_IS ||
		       r->treatment == PLAN_OF_FILE || r->treatment == PLAN_WHOLE;
	case REGION_SHARED:
		return r->treatment == PLAN_AS_IT_IS && !(r->access & PROT_WRITE);
	case REGION_KERNEL:
		return r->treatment == PLAN_LEFT_OUT;
	default:
		return false;
	}
}

static const char *wrong_of(
	const struct image_mapping *m, uint64_t above, const struct tables_bounds *b)
{
	const struct image_region *r = &m->r;

	if (r->low % b->page_bytes || r->high % b->page_bytes || r->offset % b->page_bytes)
		return "is not made of pages";
	if (r->low >= r->high)
		return "ends before it begins";
	if (r->low < above)
		return "lies over the one before it, or is out of order";
	if (!is_treatment(r) || r->access & ~(PROT_READ | PROT_WRITE | PROT_EXEC) ||
		r->flags & ~(IMAGE_MAY_WRITE | IMAGE_GROWS))
		return "is of an unknown kind";
	if (r->high > b->high && r->kind != REGION_KERNEL)
		return "is beyond the addresses of a process";
	if (r->offset > INT64_MAX - (r->high - r->low) || r->file_bytes > INT64_MAX ||
		r->file_nanoseconds >= 1000000000)
		return "is of a file that cannot be";
	if (plan_opens_file(r->treatment) && m->name[0] != '/')
		return "is of a file without a name";
	if (strlen(m->name) != r->name_length)
		return "has a name with a NUL";
	return NULL;
}

/* It lies right above the one before, which is a part of the first thread's stack, too. */
static bool goes_on(const struct image_mapping *m, size_t n)
{
	return n > 0 && m[-1].r.kind == REGION_STACK && m[-1].r.high == m->r.low;
}

long tables_mappings(const uint8_t *section, size_t length, const struct tables_bounds *bounds,
	struct image_mapping *out, size_t max, char *names, char *text, size_t size)
{
	struct sentence why = {text, size};
	struct contents_maps c = {.at = section, .left = length};
	size_t n = 0, stacks = 0;
	struct image_region r;
	uint64_t above = 0;
	const char *name;

	while (contents_next_entry(&c, &r, &name)) {
		struct image_mapping *m = &out[n];
		const char *what;

		if (n == max)
			return wrong(why, "the image has more than %zu mappings; use another image",
				max);
		memcpy(names, name, r.name_length);
		names[r.name_length] = '\0';
		*m = (struct image_mapping){r, names, false};
		names += r.name_length + 1;
		stacks += m->r.kind == REGION_STACK && !goes_on(m, n);
		what = wrong_of(m, above, bounds);
		if (!what && stacks > 1)
			what = "is another stack of the first thread";
		if (what)
			return wrong(why,
				"the image's mapping %zu, %#" PRIx64 " to %#" PRIx64
				" (%s), %s: the image is damaged; use another one",
				n + 1, m->r.low, m->r.high, shown(m->name).text, what);
		above = r.high;
		n++;
	}
	if (c.bad)
		return wrong(why,
			"the image's list of mappings is cut in mapping %zu; use another image",
			n + 1);
	return (long)n;
}

/* ---- the process ---- */

static bool has_pages(const struct image_mapping *m)
{
	return m->r.treatment == PLAN_FRESH || m->r.treatment == PLAN_OF_FILE ||
	       m->r.treatment == PLAN_WHOLE;
}

/* In one mapping, or in several without a gap, as a variable between .data and .bss does. */
static bool lies_in(uint64_t address, uint64_t bytes, const struct image_mapping *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t left = m[i].r.high - address;

		if (address < m[i].r.low || address >= m[i].r.high)
			continue;
		if (!has_pages(&m[i]))
			return false;
		if (left >= bytes)
			return true;
		address += left;
		bytes -= left;
	}
	return false;
}

int tables_process(const struct image_process *p, const struct image_mapping *m, size_t n,
	const struct tables_bounds *bounds, char *text, size_t size)
{
	struct sentence why = {text, size};
	const struct image_mapping *heap = NULL;

	for (size_t i = 0; i < n; i++)
		if (m[i].r.kind == REGION_HEAP)
			heap = &m[i];
	if (heap && (p->program_break > heap->r.high ||
			    heap->r.high - p->program_break >= bounds->page_bytes))
		return wrong(why,
			"the image's heap ends at %#" PRIx64 ", and its program break is %#" PRIx64
			": the image is damaged; use another one",
			heap->r.high, p->program_break);
	if (!lies_in(p->context, sizeof(struct image_context), m, n) || p->context % 8)
		return wrong(why,
			"the image's process goes on at %#" PRIx64
			", which lies in none of its mappings: the image is damaged; use another "
			"one",
			p->context);
	if (!memchr(p->state.folder, 0, sizeof p->state.folder))
		return wrong(why, "the name of the image's current folder does not end: the image "
				  "is damaged; use another one");
	return 0;
}

/* ---- what a process needs for it ---- */

uint64_t tables_stack_bytes(const struct image_mapping *m, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		if (m[i].r.kind == REGION_STACK)
			bytes += m[i].r.high - m[i].r.low;
	return bytes;
}

int tables_stack(const struct image_mapping *m, size_t n, uint64_t limit, char *text, size_t size)
{
	uint64_t bytes = tables_stack_bytes(m, n);

	if (bytes <= limit)
		return 0;
	wrong((struct sentence){text, size},
		"the stack of the image has %" PRIu64 " KiB, and the hard limit here is %" PRIu64
		" KiB: set a higher one (ulimit -s)",
		bytes >> 10, limit >> 10);
	return -EINVAL;
}

struct moment {
	char text[64];
};

static struct moment moment(int64_t seconds, uint64_t nanoseconds)
{
	struct moment t;
	time_t s = (time_t)seconds;
	struct tm utc;

	if (!gmtime_r(&s, &utc)) {
		snprintf(t.text, sizeof t.text, "%" PRId64 " s", seconds);
		return t;
	}
	snprintf(t.text, sizeof t.text, "%04d-%02d-%02d %02d:%02d:%02d.%09" PRIu64 " UTC",
		utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
		utc.tm_sec, nanoseconds);
	return t;
}

int tables_source(const struct image_mapping *m, uint64_t bytes, int64_t seconds,
	uint64_t nanoseconds, char *text, size_t size)
{
	const struct image_region *r = &m->r;

	if (r->file_bytes == bytes && r->file_seconds == seconds &&
		r->file_nanoseconds == nanoseconds)
		return 0;
	wrong((struct sentence){text, size},
		"%s was changed since the image was taken (%" PRIu64 " bytes of %s, here %" PRIu64
		" bytes of %s): put the file of that time in its place",
		shown(m->name).text, r->file_bytes,
		moment(r->file_seconds, r->file_nanoseconds).text, bytes,
		moment(seconds, nanoseconds).text);
	return -EINVAL;
}

/* ---- pages ---- */

int tables_next_run(struct tables_runs *r, const struct image_run *run, char *text, size_t size)
{
	struct sentence why = {text, size};
	struct image_mapping *m;

	if (r->left < sizeof *run)
		return wrong(why, "the pages of the image have no end mark: the image is cut; use "
				  "another one");
	r->left -= sizeof *run;
	if (run->bytes == 0) {
		if (r->left == 0)
			return 1;
		return wrong(why,
			"the image has %" PRIu64
			" bytes behind the end mark of its pages: the image is damaged; use "
			"another one",
			r->left);
	}
	if (run->bytes > r->left)
		return wrong(why,
			"the image has %" PRIu64 " bytes of %" PRIu64 " of pages for %#" PRIx64
			": it is cut; use another one",
			r->left, run->bytes, run->address);
	while (r->k < r->n && r->mapping[r->k].r.high <= run->address)
		r->k++;
	m = r->k < r->n ? &r->mapping[r->k] : NULL;
	if (run->address % r->page_bytes || run->bytes % r->page_bytes || run->address < r->above ||
		!m || !has_pages(m) || run->address < m->r.low ||
		run->bytes > m->r.high - run->address)
		return wrong(why,
			"the image has %" PRIu64 " bytes of pages for %#" PRIx64
			", which no mapping of it has room for: the image is damaged; use another "
			"one",
			run->bytes, run->address);
	r->left -= run->bytes;
	r->above = run->address + run->bytes;
	m->filled = true;
	return 0;
}
