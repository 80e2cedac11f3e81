/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of CKPT_ORPHANS. The first byte: ranks of the job, less 1; the second: from where on
 * they are thrown at a receiver. The rest is the bytes. */
#include "coord/orphans.h"

#include "coord/suppress.h"
#include "fuzz.h"

/* What is accepted is what would be written, but for neighbours that are one range then. */
static void again(const struct orphans *o, const uint8_t *bytes, size_t len)
{
	uint8_t *wrote;
	size_t n;

	FUZZ_CHECK(orphans_encode(o, &wrote, &n), "out of memory");
	FUZZ_CHECK(n <= len && (n < len || memcmp(wrote, bytes, n) == 0), "it would be others");
	free(wrote);
}

/* No message is thrown away that is no orphan to suppress, and no more than there are; each of the
 * first range has its own checksum. */
static void pay(const struct orphans *o, uint64_t messages)
{
	const struct orphan_range *r = o->v;
	struct suppress d = {0};
	struct orphans left = {0};
	uint64_t before;

	FUZZ_CHECK(suppress_load(&d, o), "out of memory");
	before = d.left;
	for (uint64_t i = 1; o->n && i <= messages; i++) {
		bool suppressed = suppress_arrived(&d, (int)r->peer, r->context, r->tag);

		before -= suppressed;
		FUZZ_CHECK(suppressed || i < r->first || i >= r->first + r->count,
			"number %d is an orphan to suppress", (int)i);
		if (suppressed && o->nsums && i < r->first + r->count)
			FUZZ_CHECK(memcmp(&d.latest, &o->sums[i - r->first], sizeof d.latest) == 0,
				"number %d has another's checksum", (int)i);
	}
	FUZZ_CHECK(d.left == before, "%d are left", (int)d.left);
	FUZZ_CHECK(suppress_left(&d, &left), "out of memory");
	FUZZ_CHECK(!left.nsums || left.nsums == before, "%zu checksums", left.nsums);
	FUZZ_CHECK(!left.nsums == !o->nsums || !before, "checksums are lost");
	for (size_t i = 0; i < left.n; i++)
		before -= left.v[i].count;
	FUZZ_CHECK(before == 0, "some are lost");
	orphans_free(&left);
	suppress_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int ranks = 1 + script_u8(&in);
	uint64_t messages = script_u8(&in);
	size_t len = (size_t)(in.end - in.at);
	uint8_t *bytes = (uint8_t *)script_text(&in, len);
	struct orphans o = {0};

	if (orphans_valid(bytes, len, ranks)) {
		FUZZ_CHECK(orphans_decode(&o, bytes, len), "out of memory");
		for (size_t i = 0; i < o.n; i++)
			FUZZ_CHECK(o.v[i].peer < (uint32_t)ranks && o.v[i].count, "range %zu", i);
		again(&o, bytes, len);
		pay(&o, messages);
		orphans_free(&o);
	}
	free(bytes);
	return 0;
}
