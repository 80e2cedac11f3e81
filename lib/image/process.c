/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/shown.h"

/* Below it the kernel leaves room for a stack of 128 MiB in any case, and its guard. */
#define STACK_ROOM (120ull << 20)

/* ---- as bytes ---- */

static void encode(struct writer *w, const struct process *p)
{
	writer_u32(w, p->machine);
	writer_u64(w, p->page_bytes);
	writer_string(w, p->kernel);
	writer_u64(w, p->vdso);
	writer_string(w, p->processor);
	writer_u64(w, p->hwcap);
	writer_u64(w, p->hwcap2);
	writer_u64(w, p->registers);
	writer_u64(w, p->register_bytes);
	for (int i = 0; i < PROCESS_WORDS; i++)
		writer_u32(w, p->word[i]);
	writer_string(w, p->libc);
	writer_u32(w, p->thread_id_at);
	writer_u32(w, p->personality);
	writer_u64(w, p->stack_limit);
	writer_u64(w, p->break_start);
	writer_u32(w, (uint32_t)p->objects);
	for (size_t i = 0; i < p->objects; i++) {
		const struct process_object *o = &p->object[i];

		writer_u64(w, o->low);
		writer_u64(w, o->high);
		writer_string(w, o->name);
		writer_u32(w, o->id_length);
		writer_bytes(w, o->id, o->id_length);
	}
}

int process_encode(const struct process *p, uint8_t **out, size_t *length)
{
	size_t bytes = sizeof *p + 16;
	struct writer w;
	uint8_t *to;

	for (size_t i = 0; i < p->objects; i++) {
		size_t name = strlen(p->object[i].name);

		bytes += sizeof p->object[i] + name;
		if (name > PROCESS_NAME_MAX || i == PROCESS_OBJECTS_MAX)
			return -E2BIG;
	}
	if (bytes > PROCESS_BYTES_MAX)
		return -E2BIG;
	to = malloc(bytes);
	if (!to)
		return -ENOMEM;
	w = writer_over(to, bytes);
	encode(&w, p);
	*out = to;
	*length = (size_t)(w.at - to);
	return 0;
}

static bool decode_object(struct cursor *c, struct process_object *o, char **names)
{
	o->low = cursor_u64(c);
	o->high = cursor_u64(c);
	o->name = *names;
	cursor_string(c, *names, PROCESS_NAME_MAX + 1);
	*names += strlen(*names) + 1;
	o->id_length = cursor_u32(c);
	if (c->bad || o->low >= o->high || o->id_length > PROCESS_ID_MAX)
		return false;
	cursor_bytes(c, o->id, o->id_length);
	return !c->bad;
}

static void decode_machine(struct cursor *c, struct process *p)
{
	p->machine = cursor_u32(c);
	p->page_bytes = cursor_u64(c);
	cursor_string(c, p->kernel, sizeof p->kernel);
	p->vdso = cursor_u64(c);
	cursor_string(c, p->processor, sizeof p->processor);
	p->hwcap = cursor_u64(c);
	p->hwcap2 = cursor_u64(c);
	p->registers = cursor_u64(c);
	p->register_bytes = cursor_u64(c);
	for (int i = 0; i < PROCESS_WORDS; i++)
		p->word[i] = cursor_u32(c);
}

int process_decode(struct process *p, const uint8_t *bytes, size_t length)
{
	/* of an object without a name: two addresses, two lengths */
	enum { OBJECT_LEAST = 24 };
	struct cursor c = cursor_over(bytes, length);
	struct process q = {0};
	uint32_t objects;
	char *names;

	decode_machine(&c, &q);
	cursor_string(&c, q.libc, sizeof q.libc);
	q.thread_id_at = cursor_u32(&c);
	q.personality = cursor_u32(&c);
	q.stack_limit = cursor_u64(&c);
	q.break_start = cursor_u64(&c);
	objects = cursor_u32(&c);
	if (c.bad || objects > PROCESS_OBJECTS_MAX ||
		objects > (size_t)(c.end - c.at) / OBJECT_LEAST)
		return -EPROTO;
	q.object = calloc(objects + 1, sizeof *q.object);
	/* a name has no more bytes there than here; decode_object clears one that is not there */
	q.names = names = malloc(length + 1);
	if (!q.object || !q.names) {
		process_free(&q);
		return -ENOMEM;
	}
	while (q.objects < objects && decode_object(&c, &q.object[q.objects], &names))
		q.objects++;
	if (q.objects < objects || !cursor_done(&c)) {
		process_free(&q);
		return -EPROTO;
	}
	*p = q;
	return 0;
}

void process_free(struct process *p)
{
	free(p->object);
	free(p->names);
	p->object = NULL;
	p->names = NULL;
	p->objects = 0;
}

/* ---- sentences ---- */

struct sentence {
	char *text;
	size_t size;
};

static int say(struct sentence why, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int say(struct sentence why, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why.text, why.size, format, args);
	va_end(args);
	return rc;
}

int process_possible(const struct process *here, char *text, size_t size)
{
	struct sentence why = {text, size};

	if (here->sanitizer)
		return say(why, -EOPNOTSUPP,
			"the program was built with %s, whose own memory cannot be brought back: "
			"build the program without it",
			here->sanitizer);
	if (here->tiles)
		return say(why, -EOPNOTSUPP,
			"this process has asked for the registers of AMX (arch_prctl, "
			"ARCH_REQ_XCOMP_PERM), which cannot be brought back: have its libraries do "
			"without (ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16, "
			"MKL_ENABLE_INSTRUCTIONS=AVX512)");
	if (here->signer)
		return say(why, -EOPNOTSUPP,
			"%s signs return addresses (pointer authentication), with keys that are "
			"others in each process: build it with -mbranch-protection=none, or boot "
			"all hosts with arm64.nopauth",
			shown(here->signer[0] ? here->signer : "the program").text);
	if (here->addresses == PROCESS_STAY_RANDOM)
		return say(why, -EOPNOTSUPP,
			"the addresses of this process are random, and the kernel refuses to "
			"change that (personality: ADDR_NO_RANDOMIZE), as the filter of system "
			"calls of a container does: allow personality there");
	if (here->addresses == PROCESS_RANDOM)
		return say(why, -EOPNOTSUPP,
			"the addresses of this process are random: start the program with "
			"ADDR_NO_RANDOMIZE (setarch -R)");
	return 0;
}

static const char *machine_name(uint32_t machine)
{
	return machine == EM_X86_64 ? "x86-64" : machine == EM_AARCH64 ? "aarch64" : "another one";
}

static int machines_differ(
	const struct process *image, const struct process *here, struct sentence why)
{
	if (image->machine != here->machine)
		return say(why, -EINVAL,
			"the image is of machine %" PRIu32 " (%s), and here is %" PRIu32
			" (%s): resume on a machine as the image's",
			image->machine, machine_name(image->machine), here->machine,
			machine_name(here->machine));
	if (image->page_bytes != here->page_bytes)
		return say(why, -EINVAL,
			"the image has pages of %" PRIu64 " bytes, and here they have %" PRIu64
			": resume under a kernel whose pages are as the image's",
			image->page_bytes, here->page_bytes);
	if (image->vdso != here->vdso)
		return say(why, -EINVAL,
			"the image was taken under the kernel %s, and here is %s, whose code in "
			"each process (the vdso) differs (%016" PRIx64 ", here %016" PRIx64
			"): resume under the image's kernel",
			shown(image->kernel).text, shown(here->kernel).text, image->vdso,
			here->vdso);
	return 0;
}

static int processors_differ(
	const struct process *image, const struct process *here, struct sentence why)
{
	struct {
		const char *what;
		uint64_t image, here;
	} value[4 + PROCESS_WORDS] = {{"AT_HWCAP", image->hwcap, here->hwcap},
		{"AT_HWCAP2", image->hwcap2, here->hwcap2},
		{"saved registers", image->registers, here->registers},
		{"bytes of saved registers", image->register_bytes, here->register_bytes}};

	for (int i = 0; i < PROCESS_WORDS; i++) {
		value[4 + i].what = "features";
		value[4 + i].image = image->word[i];
		value[4 + i].here = here->word[i];
	}
	for (int i = 0; i < 4 + PROCESS_WORDS; i++)
		if (value[i].image != value[i].here)
			return say(why, -EINVAL,
				"the image was taken on another processor (%s, here %s; %s "
				"%#" PRIx64 ", here %#" PRIx64
				"): resume on one with the same features",
				shown(image->processor).text, shown(here->processor).text,
				value[i].what, value[i].image, value[i].here);
	return 0;
}

static uint64_t stack_room(uint64_t limit)
{
	return limit < STACK_ROOM ? STACK_ROOM : limit;
}

struct limit {
	char text[32];
};

static struct limit limit_text(uint64_t limit)
{
	struct limit l = {"unlimited"};

	if (limit != UINT64_MAX)
		snprintf(l.text, sizeof l.text, "%" PRIu64 " KiB", limit >> 10);
	return l;
}

static int begins_differ(
	const struct process *image, const struct process *here, struct sentence why)
{
	if (strcmp(image->libc, here->libc) != 0)
		return say(why, -EINVAL,
			"the image was taken with glibc %s, and here is %s: resume with the "
			"image's glibc",
			shown(image->libc).text, shown(here->libc).text);
	if (image->thread_id_at != here->thread_id_at)
		return say(why, -EINVAL,
			"glibc keeps the id of a thread in byte %" PRIu32
			" of its data in the image, and in byte %" PRIu32
			" here: resume with the image's glibc",
			image->thread_id_at, here->thread_id_at);
	if (image->personality != here->personality)
		return say(why, -EINVAL,
			"the image's process has the personality %#" PRIx32
			", and this one %#" PRIx32 ": start the program as it was (setarch)",
			image->personality, here->personality);
	if (stack_room(image->stack_limit) != stack_room(here->stack_limit))
		return say(why, -EINVAL,
			"the image's process began with a stack limit of %s, and this one with "
			"%s, which moves its mappings: set the image's limit (ulimit -s)",
			limit_text(image->stack_limit).text, limit_text(here->stack_limit).text);
	return 0;
}

/* ---- the program and libraries ---- */

static bool same_id(const struct process_object *a, const struct process_object *b)
{
	return a->id_length == b->id_length && memcmp(a->id, b->id, a->id_length) == 0;
}

static bool same_object(const struct process_object *a, const struct process_object *b)
{
	return a->low == b->low && a->high == b->high && strcmp(a->name, b->name) == 0 &&
	       same_id(a, b);
}

/* The one that is the same, or has the same name: a name may be loaded twice (dlmopen). */
static const struct process_object *find_object(
	const struct process *p, const struct process_object *as)
{
	const struct process_object *named = NULL;

	for (size_t i = 0; i < p->objects; i++) {
		if (same_object(&p->object[i], as))
			return &p->object[i];
		if (strcmp(p->object[i].name, as->name) == 0)
			named = &p->object[i];
	}
	return named;
}

struct id_text {
	char text[2 * PROCESS_ID_MAX + 1];
};

static struct id_text id_text(const struct process_object *o)
{
	struct id_text t = {"none"};

	for (uint32_t i = 0; i < o->id_length; i++)
		snprintf(t.text + 2 * i, 3, "%02x", o->id[i]);
	return t;
}

static struct shown object_name(const struct process_object *o)
{
	return shown(o->name[0] ? o->name : "the program");
}

static int object_differs(
	const struct process_object *image, const struct process_object *here, struct sentence why)
{
	if (!image)
		return say(why, -EINVAL,
			"%s is loaded here, and the image has none of it: start the program with "
			"the image's libraries (LD_PRELOAD, LD_LIBRARY_PATH)",
			object_name(here).text);
	if (!same_id(image, here))
		return say(why, -EINVAL,
			"%s is another one than the image's, or was built anew (build id %s, here "
			"%s): resume with the image's",
			object_name(here).text, id_text(image).text, id_text(here).text);
	if (image->low != here->low || image->high != here->high)
		return say(why, -EINVAL,
			"%s lies at %#" PRIx64 " to %#" PRIx64 " in the image, and at %#" PRIx64
			" to %#" PRIx64
			" here: start the program with the image's libraries (LD_PRELOAD, "
			"LD_LIBRARY_PATH)",
			object_name(here).text, image->low, image->high, here->low, here->high);
	return 0;
}

int image_fits(const struct process *image, const struct process *here, char *text, size_t size)
{
	struct sentence why = {text, size};
	int rc = machines_differ(image, here, why);

	if (rc == 0)
		rc = processors_differ(image, here, why);
	if (rc == 0)
		rc = begins_differ(image, here, why);
	for (size_t i = 0; i < here->objects && rc == 0; i++)
		rc = object_differs(find_object(image, &here->object[i]), &here->object[i], why);
	if (rc == 0 && image->break_start != here->break_start)
		rc = say(why, -EINVAL,
			"the heap of the image begins at %#" PRIx64 ", and here at %#" PRIx64
			": resume with the image's program and kernel",
			image->break_start, here->break_start);
	return rc;
}

bool process_same_object(const struct process *image, const struct process *here, uint64_t address)
{
	for (size_t i = 0; i < here->objects; i++) {
		const struct process_object *o = &here->object[i], *there;

		if (o->id_length == 0 || address < o->low || address >= o->high)
			continue;
		there = find_object(image, o);
		return there && same_object(there, o);
	}
	return false;
}

bool process_has_code(const struct process *p, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < p->codes; i++)
		if (p->code[i].low < high && low < p->code[i].high)
			return true;
	return false;
}
