/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of a process image, as who shows them reads them: first byte 0 the mappings, else the
 * runs of pages. What is accepted fills the section, in order. */
#include "image/contents.h"

#include "fuzz.h"
#include "image/process_map.h"

static void mappings(const uint8_t *bytes, size_t len)
{
	struct contents_maps m = {.at = bytes, .left = len};
	uint64_t high = 0, read = 0;
	struct image_region r;
	const char *name;

	while (contents_next_mapping(&m, &r, &name)) {
		FUZZ_CHECK(r.low >= high && r.high > r.low, "a mapping over another");
		FUZZ_CHECK(r.kind <= REGION_KERNEL, "kind %u", r.kind);
		FUZZ_CHECK((const uint8_t *)name == bytes + read + sizeof r &&
				   r.name_length <= len - read - sizeof r,
			"its name lies outside");
		high = r.high;
		read += sizeof r + r.name_length;
	}
	FUZZ_CHECK(m.bad == (read < len), "%zu of %zu bytes are mappings", (size_t)read, len);
}

static void runs(const uint8_t *bytes, size_t len)
{
	struct contents_runs c = {.left = len};
	struct image_run run = {0};
	uint64_t sum = 0, n = 0;

	do {
		FUZZ_CHECK(c.at + c.left == len, "%zu bytes are lost", len);
		if (c.left >= sizeof run)
			memcpy(&run, bytes + c.at, sizeof run);
		sum += run.bytes;
		n++;
	} while (contents_next_run(&c, &run));
	FUZZ_CHECK(c.bad || (c.left == 0 && c.bytes == sum && c.runs == n - 1 &&
				    c.bytes + n * sizeof run == len),
		"%zu bytes hold other runs", len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	bool of_pages = script_u8(&in) != 0;
	const uint8_t *rest;
	size_t len = script_bytes(&in, &rest, FUZZ_INPUT_MAX);
	uint8_t *bytes = malloc(len + 1);

	FUZZ_CHECK(bytes, "out of memory");
	if (len)
		memcpy(bytes, rest, len);
	(of_pages ? runs : mappings)(bytes, len);
	free(bytes);
	return 0;
}
