/* SPDX-License-Identifier: BSD-3-Clause */
/* What an image says of its process: two of them, the image's and one that shall become it. The
 * first two bytes: length of the first one; then the first one, and the second. */
#include "image/process.h"

#include <errno.h>

#include "fuzz.h"

/* What is accepted is what would be written. */
static bool decode(struct process *p, const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length + 1), *again;
	size_t n;
	int rc;

	FUZZ_CHECK(copy, "out of memory");
	if (length)
		memcpy(copy, bytes, length);
	rc = process_decode(p, copy, length);
	free(copy);
	if (rc) {
		FUZZ_CHECK(rc == -EPROTO, "refused with %d", rc);
		return false;
	}
	FUZZ_CHECK(process_encode(p, &again, &n) == 0, "it is not written again");
	FUZZ_CHECK(n == length && memcmp(again, bytes, n) == 0, "it would be another one");
	free(again);
	return true;
}

static bool has(const struct process *p, const struct process_object *o)
{
	for (size_t i = 0; i < p->objects; i++) {
		const struct process_object *other = &p->object[i];

		if (other->low == o->low && other->high == o->high &&
			strcmp(other->name, o->name) == 0 && other->id_length == o->id_length &&
			memcmp(other->id, o->id, o->id_length) == 0)
			return true;
	}
	return false;
}

static void compare(const struct process *image, const struct process *here)
{
	char why[2048] = "";
	int rc;

	FUZZ_CHECK(
		image_fits(image, image, why, sizeof why) == 0, "it does not fit itself: %s", why);
	rc = image_fits(image, here, why, sizeof why);
	if (rc) {
		FUZZ_CHECK(rc == -EINVAL, "refused with %d", rc);
		fuzz_check_sentence(why, sizeof why);
		return;
	}
	FUZZ_CHECK(image->vdso == here->vdso && image->machine == here->machine &&
			   image->break_start == here->break_start,
		"another one fits");
	for (size_t i = 0; i < here->objects; i++)
		FUZZ_CHECK(has(image, &here->object[i]), "the image has not what is here");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	size_t first = script_u16(&in), left;
	struct process image, here;
	const uint8_t *bytes;

	first = script_bytes(&in, &bytes, first);
	left = (size_t)(in.end - in.at);
	if (!decode(&image, bytes, first))
		return 0;
	if (decode(&here, in.at, left)) {
		compare(&image, &here);
		process_free(&here);
	}
	process_free(&image);
	return 0;
}
