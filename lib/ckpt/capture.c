/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/fault.h"
#include "ckpt/areas.h"

struct ckpt_capture {
	bool in_place;
	struct areas areas;
	struct ckpt_section *s; /* their data lies in areas, in owned, or in place */
	size_t n, room;
	uint8_t **owned; /* malloc'ed */
	size_t nowned, owned_room;
	uint64_t bytes;
};

/* ---- those that were let go ---- */

enum { KEPT = 2 };

static struct {
	pthread_mutex_t mutex;
	struct ckpt_capture *c[KEPT]; /* the latest at the end */
	size_t n;
} kept = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct ckpt_capture *kept_pop(void)
{
	struct ckpt_capture *c;

	pthread_mutex_lock(&kept.mutex);
	c = kept.n ? kept.c[--kept.n] : NULL;
	pthread_mutex_unlock(&kept.mutex);
	return c;
}

static bool kept_push(struct ckpt_capture *c)
{
	bool taken;

	pthread_mutex_lock(&kept.mutex);
	taken = kept.n < KEPT;
	if (taken)
		kept.c[kept.n++] = c;
	pthread_mutex_unlock(&kept.mutex);
	return taken;
}

static void capture_free(struct ckpt_capture *c)
{
	areas_free(&c->areas);
	free(c->s);
	free(c->owned);
	free(c);
}

struct ckpt_capture *ckpt_capture_new(void)
{
	struct ckpt_capture *c = kept_pop();

	return c ? c : calloc(1, sizeof *c);
}

struct ckpt_capture *ckpt_capture_in_place(void)
{
	struct ckpt_capture *c = calloc(1, sizeof *c);

	if (c)
		c->in_place = true;
	return c;
}

void ckpt_capture_done(struct ckpt_capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nowned; i++)
		free(c->owned[i]);
	c->n = c->nowned = 0;
	c->bytes = 0;
	areas_renew(&c->areas);
	if (c->in_place || !kept_push(c))
		capture_free(c);
}

void ckpt_capture_clear(void)
{
	struct ckpt_capture *c;

	while ((c = kept_pop()))
		capture_free(c);
}

void ckpt_capture_forget(void)
{
	pthread_mutex_init(&kept.mutex, NULL);
	ckpt_capture_clear();
}

/* ---- sections ---- */

/* Makes place for one more item: *room of them fit. */
static bool more(void *items, size_t n, size_t *room, size_t size)
{
	void **at = items, *now;

	if (n < *room)
		return true;
	now = realloc(*at, (*room ? 2 * *room : 16) * size);
	if (!now)
		return false;
	*at = now;
	*room = *room ? 2 * *room : 16;
	return true;
}

static bool more_sections(struct ckpt_capture *c)
{
	return (c->in_place || !fault_error("ckpt-copy")) &&
	       more(&c->s, c->n, &c->room, sizeof *c->s);
}

static void append(struct ckpt_capture *c, const struct ckpt_section *s)
{
	c->s[c->n++] = *s;
	c->bytes += s->len;
}

void *ckpt_capture_room(
	struct ckpt_capture *c, uint32_t kind, uint32_t id, uint32_t type, uint64_t len)
{
	struct ckpt_section s = {.kind = kind, .id = id, .type = type, .len = len};
	void *data = more_sections(c) ? areas_take(&c->areas, len) : NULL;

	if (!data)
		return NULL;
	s.data = data;
	append(c, &s);
	return data;
}

int ckpt_capture_add(struct ckpt_capture *c, const struct ckpt_section *s)
{
	void *data;

	if (c->in_place) {
		if (!more_sections(c))
			return FT_ENOMEM;
		append(c, s);
		return 0;
	}
	data = ckpt_capture_room(c, s->kind, s->id, s->type, s->len);
	if (!data)
		return FT_ENOMEM;
	if (s->len)
		copy_aside(data, s->data, (size_t)s->len);
	return 0;
}

int ckpt_capture_own(struct ckpt_capture *c, uint32_t kind, uint8_t *bytes, uint64_t len)
{
	struct ckpt_section s = {.kind = kind, .data = bytes, .len = len};

	if (!more_sections(c) || !more(&c->owned, c->nowned, &c->owned_room, sizeof *c->owned))
		return FT_ENOMEM;
	c->owned[c->nowned++] = bytes;
	append(c, &s);
	return 0;
}

uint64_t ckpt_capture_bytes(const struct ckpt_capture *c)
{
	return c->bytes;
}

const struct ckpt_section *ckpt_capture_sections(const struct ckpt_capture *c, size_t *n)
{
	*n = c->n;
	return c->s;
}

int ckpt_write_capture(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_identity *id, uint32_t line, const struct ckpt_capture *c, uint64_t *seal,
	uint64_t *bytes, char *err, size_t errsize)
{
	return ckpt_write(fs, session_dir, id, line, c->s, c->n, seal, bytes, err, errsize);
}
