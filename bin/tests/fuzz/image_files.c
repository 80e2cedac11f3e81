/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of a process image. The first byte: 0 the bytes of IMAGE_FILES, as an image has them,
 * after 3 bytes of what is found at a load: whether there is an error, of which type its file is
 * (st_mode), how many bytes it has; 1 what the kernel says of a descriptor: type, flags (16 bits),
 * device number (16 bits), which of named, inherited, stream, moved hold, then its link; 2 the text
 * of a descriptor in /proc/self/fdinfo, for its locks.
 */
#include <errno.h>

#include "fuzz.h"
#include "image/files_section.h"
#include "image/files_steps.h"

enum { WHY = 256 };

/* What is accepted is what would be written. */
static void again(const struct files_table *t, const uint8_t *bytes, size_t len)
{
	uint8_t *wrote = malloc(len + 1);

	FUZZ_CHECK(wrote, "out of memory");
	FUZZ_CHECK(files_section_write(t, wrote, len) == len && memcmp(wrote, bytes, len) == 0,
		"it would be others");
	free(wrote);
}

static void at_a_load(const struct files_entry *e, const struct files_here *here)
{
	char why[WHY] = "";

	if (!e->length || e->kind == FILES_PIPE)
		return;
	if (!files_fits(e, here, why, sizeof why))
		fuzz_check_sentence(why, sizeof why);
	files_is_cut(e, here);
}

/* Every file is placed once at its number, from what was opened, and what was opened is closed. */
static void steps(const struct files_table *t)
{
	const struct files_entry *e = t->entry;
	size_t n = t->n;
	static const int numbers[] = {0, 1, 2, 3, 70, 1048575};
	struct files_numbers here = {numbers, 6}, own = {numbers + 4, 1};
	struct files_opened *opened = calloc(n + 1, sizeof *opened);
	struct files_step *step = calloc(2 * n + 6 + t->locks + 1, sizeof *step);
	int above = files_free_from(e, n, here), placed = -1;
	bool locked = false;
	size_t count;

	FUZZ_CHECK(opened && step, "out of memory");
	for (size_t i = 0; i < n; i++) {
		bool inherited = e[i].kind == FILES_INHERITED;

		FUZZ_CHECK((int)e[i].number < above, "%u is in the way", e[i].number);
		opened[i].fd = e[i].kind == FILES_OWN || (e[i].same == e[i].number) == inherited
				       ? FILES_NONE
				       : above + (int)i;
	}
	count = files_steps(t, opened, here, own, step);
	FUZZ_CHECK(count <= 2 * n + 6 + t->locks, "%zu steps", count);
	for (size_t i = 0; i < count; i++) {
		if (step[i].what == FILES_LOCK)
			locked = true;
		FUZZ_CHECK(!locked || step[i].what == FILES_LOCK, "step %zu may lose a lock", i);
		if (step[i].what == FILES_LOCK)
			continue;
		FUZZ_CHECK(step[i].what == FILES_CLOSE || step[i].fd >= above, "step %zu", i);
		if (step[i].what != FILES_PLACE)
			continue;
		FUZZ_CHECK(step[i].to > placed && files_find(e, n, (uint32_t)step[i].to),
			"to number %d", step[i].to);
		placed = step[i].to;
	}
	free(opened);
	free(step);
}

static void section(struct script *in)
{
	static struct files_entry entry[FILES_MAX];
	static struct files_lock lock[FILES_LOCKS_MAX];
	struct files_table t = {.entry = entry, .lock = lock};
	bool missing = script_u8(in) & 1;
	struct files_here here = {.error = missing ? ENOENT : 0,
		.mode = (uint32_t)script_u8(in) << 12,
		.size = script_u8(in)};
	size_t len = (size_t)(in->end - in->at);
	uint8_t *bytes = (uint8_t *)script_text(in, len);

	if (files_section_read(bytes, len, &t)) {
		again(&t, bytes, len);
		for (size_t i = 0; i < t.n; i++)
			at_a_load(&entry[i], &here);
		steps(&t);
	}
	free(bytes);
}

static void descriptor(struct script *in)
{
	struct files_facts f = {.number = 7, .mode = (uint32_t)script_u8(in) << 12};
	char why[WHY], *link;
	const char *what = NULL;
	enum files_kind kind;
	uint8_t bits;

	f.flags = script_u16(in);
	f.special = script_u16(in);
	bits = script_u8(in);
	f.named = bits & 1;
	f.inherited = bits & 2 ? 1 : FILES_NONE;
	f.stream = bits & 4;
	f.moved = bits & 8;
	/* room for a path that becomes longer */
	link = malloc(FUZZ_INPUT_MAX + 8);
	FUZZ_CHECK(link, "out of memory");
	f.length = (size_t)(in->end - in->at);
	if (f.length)
		memcpy(link, in->at, f.length);
	f.link = link;
	kind = files_kind_for(&f, &what);
	FUZZ_CHECK(kind != FILES_REFUSED || what, "refused, and it is not said what");
	if (kind == FILES_REFUSED) {
		files_refusal(&f, what, why, sizeof why);
		fuzz_check_sentence(why, sizeof why);
	}
	FUZZ_CHECK(files_path_of_self(link, f.length, 4711) <= FUZZ_INPUT_MAX + 8, "too long");
	free(link);
}

static void locks(struct script *in)
{
	struct files_lock lock[4];
	size_t len = (size_t)(in->end - in->at);
	char *text = malloc(len + 1);
	struct files_entry e = {.number = 7, .same = 7, .kind = FILES_REGULAR};
	long n;

	FUZZ_CHECK(text, "out of memory");
	if (len)
		memcpy(text, in->at, len);
	n = files_locks_parse(text, len, 7, lock, 4);
	FUZZ_CHECK(n >= -1 && n <= (long)len, "%ld locks", n);
	for (long i = 0; i < n && i < 4; i++)
		FUZZ_CHECK(lock[i].kind == FILES_FLOCK || files_lock_is_sound(&lock[i], &e, 1),
			"lock %ld", i);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);

	switch (script_u8(&in) % 3) {
	case 0:
		section(&in);
		break;
	case 1:
		descriptor(&in);
		break;
	default:
		locks(&in);
	}
	return 0;
}
