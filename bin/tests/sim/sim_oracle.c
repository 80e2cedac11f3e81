/* SPDX-License-Identifier: BSD-3-Clause */
/* What was saved, and whether what is there is that. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ckpt/name.h"
#include "sim.h"

const char sim_dir[] = "/w/s";

static void say(const struct world *w, const char *what, const char *fmt, va_list args)
{
	printf("seed %" PRIu64 ": %s", w->seed, what);
	vprintf(fmt, args);
	putchar('\n');
}

void world_fails(const struct world *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(w, "", fmt, args);
	va_end(args);
	printf("-trace 1 %" PRIu64 " shows how\n", w->seed);
	exit(1);
}

void world_traces(const struct world *w, const char *fmt, ...)
{
	va_list args;

	if (!w->trace)
		return;
	va_start(args, fmt);
	say(w, w->depth ? w->depth == 1 ? "  " : "    " : "", fmt, args);
	va_end(args);
}

void contents_of(struct contents *c, uint32_t line, uint32_t epoch, uint32_t attempt, uint32_t rank)
{
	struct rng r = {line * 1000003u + epoch * 8191u + attempt * 131u + rank};
	uint8_t *at = c->bytes;

	for (size_t i = 0; i < sizeof c->bytes; i++)
		c->bytes[i] = (uint8_t)rng_next(&r);
	c->n = rng_below(&r, 5);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t len = rng_below(&r, 41);

		c->s[i] = (struct ckpt_section){
			(uint32_t)(CKPT_BUFFER + i), rank, attempt, 0, at, len};
		at += len;
	}
}

struct ckpt_identity identity_of(const struct world *w, uint32_t epoch, uint32_t rank)
{
	struct ckpt_identity id = {.epoch = epoch, .rank = rank, .size = w->ranks};

	memset(id.session, 0x51, sizeof id.session);
	strcpy(id.program_name, "sim");
	return id;
}

static const struct commit *commit_of(const struct world *w, uint32_t line, uint32_t epoch)
{
	for (unsigned i = 0; i < w->ncommits; i++)
		if (w->commits[i].line == line && w->commits[i].epoch == epoch)
			return &w->commits[i];
	return NULL;
}

static void compare(
	const struct world *w, const struct commit *c, uint32_t rank, const struct ckpt_loaded *l)
{
	struct contents want;
	bool same;

	contents_of(&want, c->line, c->epoch, c->attempt, rank);
	same = l->n == want.n;
	for (size_t i = 0; same && i < l->n; i++)
		same = l->sections[i].kind == want.s[i].kind && l->sections[i].id == want.s[i].id &&
		       l->sections[i].type == want.s[i].type &&
		       l->sections[i].len == want.s[i].len &&
		       memcmp(l->sections[i].data, want.s[i].data, want.s[i].len) == 0;
	if (!same)
		world_fails(w,
			"line %u of epoch %u, rank %u, is accepted, but is not what was saved",
			c->line, c->epoch, rank);
}

/* Is the line accepted? Then it must be what was saved (1). */
static const struct commit *accepted(struct world *w, struct actor *reader, uint32_t line)
{
	char err[512];
	struct ckpt_manifest m;
	const struct commit *c;
	int rc = ckpt_manifest_read(&reader->ops, sim_dir, line, &m, err, sizeof err);

	if (rc) {
		world_traces(w, "  passed over: %s", err);
		return NULL;
	}
	c = commit_of(w, line, m.epoch);
	if (!c)
		world_fails(
			w, "line %u of epoch %u has a manifest that nobody made", line, m.epoch);
	for (uint32_t r = 0; r < w->ranks && c; r++) {
		struct ckpt_identity self = identity_of(w, 99, r);
		struct ckpt_loaded l;

		rc = ckpt_load(&reader->ops, sim_dir, &m, &self, false, &l, err, sizeof err);
		if (rc == 0) {
			compare(w, c, r, &l);
			ckpt_loaded_free(&l);
		} else {
			if (c->own)
				world_fails(w, "line %u has a manifest, and is not whole: %s", line,
					err);
			world_traces(w, "  passed over: %s", err);
			c = NULL;
		}
	}
	ckpt_manifest_free(&m);
	return c;
}

/* Promised lines are among those accepted, or enough newer ones are (2). */
static void check_promises(
	const struct world *w, const struct commit *const *found, size_t n, const char *when)
{
	for (unsigned i = 0; i < w->ncommits; i++) {
		const struct commit *c = &w->commits[i];
		unsigned newer = 0;
		bool there = false;

		for (size_t k = 0; c->promised && k < n; k++) {
			newer += found[k] && found[k]->line > c->line;
			there = there || found[k] == c;
		}
		if (c->promised && !there && newer < w->keep)
			world_fails(w,
				"%s line %u of epoch %u, which was committed, is lost: %u newer "
				"ones are there, to be kept are %u",
				when, c->line, c->epoch, newer, w->keep);
	}
}

uint32_t world_check(struct world *w, const char *when)
{
	const struct commit **found;
	struct actor reader;
	uint32_t *lines, newest;
	char err[512];
	size_t n;

	actor_init(&reader, w, 99, true);
	if (ckpt_line_numbers(&reader.ops, sim_dir, &lines, &n, err, sizeof err) != 0)
		world_fails(w, "%s", err);
	found = calloc(n + 1, sizeof *found);
	if (!found)
		world_fails(w, "out of memory");
	for (size_t i = 0; i < n; i++) {
		found[i] = accepted(w, &reader, lines[i]);
		w->seen->passed_over += !found[i];
	}
	check_promises(w, found, n, when);
	newest = n ? lines[0] : 0;
	free(found);
	free(lines);
	return newest;
}

static int count_kinds(void *ctx, const char *name)
{
	unsigned *count = ctx;

	count[ckpt_name_parse(name).kind]++;
	return 0;
}

void world_check_clean(struct world *w)
{
	unsigned count[CKPT_NAME_FILE_TMP + 1] = {0};

	if (simfs_list(w->fs, sim_dir, count_kinds, count) != 0)
		world_fails(w, "the session is gone");
	if (count[CKPT_NAME_MANIFEST] != w->keep || count[CKPT_NAME_FOLDER] != w->keep ||
		count[CKPT_NAME_MANIFEST_TMP] || count[CKPT_NAME_FOREIGN] ||
		count[CKPT_NAME_EPOCH] > 1)
		world_fails(w,
			"after undisturbed lines %u manifests, %u folders, %u temporary files, %u "
			"words of epochs are left, to be kept are %u lines",
			count[CKPT_NAME_MANIFEST], count[CKPT_NAME_FOLDER],
			count[CKPT_NAME_MANIFEST_TMP], count[CKPT_NAME_EPOCH], w->keep);
}
