/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of an image. First, as 64 bits each: program break, context, bytes of the pages'
 * section, bytes of its file; 16 bits: length of the list of mappings; the list; the rest are heads
 * of runs, each as if its bytes were between it and the next one.
 */
#include "image/tables.h"

#include <errno.h>

#include "fuzz.h"
#include "image/context.h"
#include "image/plan.h"

enum { PAGE = 4096, MAX = FUZZ_INPUT_MAX / sizeof(struct image_region) + 1 };

static const struct tables_bounds bounds = {PAGE, PLAN_HIGH};
static struct image_mapping mapping[MAX];
static struct image_process process;

static uint64_t script_u64(struct script *s)
{
	uint64_t v = 0;

	for (int i = 0; i < 64; i += 8)
		v |= (uint64_t)script_u8(s) << i;
	return v;
}

/* A refusal is one sentence. */
static bool is_refused(long rc, const char *why, size_t size)
{
	if (rc >= 0)
		return false;
	FUZZ_CHECK(rc == -EPROTO, "refused with %ld", rc);
	fuzz_check_sentence(why, size);
	return true;
}

/* Does the image put bytes there? */
static bool is_filled(size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (mapping[i].r.low <= address && address < mapping[i].r.high)
			return mapping[i].r.treatment != PLAN_LEFT_OUT &&
			       mapping[i].r.treatment != PLAN_AS_IT_IS;
	return false;
}

static void check_mappings(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct image_region *r = &mapping[i].r;

		FUZZ_CHECK(r->low < r->high && r->low % PAGE == 0 && r->high % PAGE == 0, "%zu", i);
		FUZZ_CHECK(i == 0 || r->low >= mapping[i - 1].r.high, "%zu overlaps", i);
		FUZZ_CHECK(r->high <= bounds.high || r->treatment == PLAN_LEFT_OUT, "%zu", i);
		FUZZ_CHECK(r->treatment < PLAN_REFUSED, "%zu", i);
		FUZZ_CHECK(strlen(mapping[i].name) == r->name_length, "name of %zu", i);
	}
}

static void check_runs(struct script *in, size_t n, uint64_t left)
{
	struct tables_runs c = {.mapping = mapping, .n = n, .page_bytes = PAGE, .left = left};
	uint64_t above = 0;
	char why[512] = "";
	int rc = 0;

	while (rc == 0 && !script_ended(in)) {
		struct image_run run = {script_u64(in), script_u64(in)};

		rc = tables_next_run(&c, &run, why, sizeof why);
		if (rc || is_refused(rc, why, sizeof why))
			break;
		FUZZ_CHECK(run.address >= above, "runs go down");
		above = run.address + run.bytes;
		FUZZ_CHECK(above > run.address, "a run goes around");
		FUZZ_CHECK(is_filled(n, run.address) && is_filled(n, above - PAGE), "a run is out");
		FUZZ_CHECK(left >= run.bytes + sizeof run, "a run is longer than its file");
		left -= run.bytes + sizeof run;
	}
	if (rc < 0)
		is_refused(rc, why, sizeof why);
	FUZZ_CHECK(rc != 1 || left == sizeof(struct image_run), "%d are left", (int)left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	struct image_file f = {0};
	uint64_t file_bytes;
	const uint8_t *bytes;
	char why[512] = "", *names, *section;
	size_t length;
	long n;

	process.program_break = script_u64(&in);
	process.context = script_u64(&in);
	f.length[IMAGE_PAGES] = script_u64(&in);
	file_bytes = script_u64(&in);
	length = script_u16(&in);
	length = script_bytes(&in, &bytes, length);
	f.length[IMAGE_MAPS] = length;
	for (int i = IMAGE_MAPS + 1; i < IMAGE_SECTIONS; i++)
		f.at[i] = length;
	if (!is_refused(tables_sections(&f, file_bytes, why, sizeof why), why, sizeof why))
		FUZZ_CHECK(length + f.length[IMAGE_PAGES] <= file_bytes, "it is cut");
	names = malloc(length + 1);
	section = malloc(length + 1);
	FUZZ_CHECK(names && section, "out of memory");
	if (length)
		memcpy(section, bytes, length);
	n = tables_mappings(
		(uint8_t *)section, length, &bounds, mapping, MAX, names, why, sizeof why);
	free(section);
	if (!is_refused(n, why, sizeof why)) {
		int rc = tables_process(&process, mapping, (size_t)n, &bounds, why, sizeof why);

		check_mappings((size_t)n);
		if (!is_refused(rc, why, sizeof why))
			FUZZ_CHECK(
				is_filled((size_t)n, process.context) &&
					is_filled((size_t)n,
						process.context + sizeof(struct image_context) - 1),
				"it goes on elsewhere");
		check_runs(&in, (size_t)n, f.length[IMAGE_PAGES]);
	}
	free(names);
	return 0;
}
