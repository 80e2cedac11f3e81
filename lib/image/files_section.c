/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_section.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cursor.h"

static void write_locks(struct writer *w, const struct files_table *t)
{
	writer_u32(w, (uint32_t)t->locks);
	for (size_t i = 0; i < t->locks; i++) {
		writer_u32(w, t->lock[i].number);
		writer_u32(w, t->lock[i].kind);
		writer_u32(w, t->lock[i].write);
		writer_u64(w, t->lock[i].start);
		writer_u64(w, t->lock[i].end);
	}
}

size_t files_section_write(const struct files_table *t, uint8_t *out, size_t size)
{
	struct writer w = writer_over(out, size);
	const struct files_entry *e = t->entry;

	writer_u32(&w, (uint32_t)t->n);
	for (size_t i = 0; i < t->n; i++) {
		writer_u32(&w, e[i].number);
		writer_u32(&w, e[i].kind);
		writer_u32(&w, e[i].same);
		writer_u32(&w, e[i].close_on_exec);
		writer_u32(&w, e[i].flags);
		writer_u32(&w, e[i].length);
		writer_u64(&w, e[i].offset);
		writer_u64(&w, e[i].size);
		writer_u64(&w, e[i].device);
		writer_u64(&w, e[i].inode);
		writer_u64(&w, e[i].special);
		writer_u64(&w, e[i].birth);
		writer_bytes(&w, e[i].text, e[i].length);
	}
	write_locks(&w, t);
	return w.bad ? 0 : (size_t)(w.at - out);
}

/* ---- nothing of it is believed ---- */

static bool has_nothing_more(const struct files_entry *e)
{
	return !e->flags && !e->length && !e->offset && !e->size && !e->device && !e->inode &&
	       !e->special && !e->birth;
}

static bool is_path(const struct files_entry *e)
{
	return e->length > 0 && e->length <= FILES_PATH_MAX && e->text[0] == '/' &&
	       !memchr(e->text, 0, e->length);
}

static bool is_known_device(uint64_t special)
{
	static const unsigned numbers[] = {3, 5, 7, 8, 9};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (special == makedev(1, numbers[i]))
			return true;
	return false;
}

/* Contents are with the first descriptor that reads. */
static bool is_pipe(const struct files_entry *e, const struct files_entry *before, size_t n)
{
	bool may_have_some =
		(e->flags & O_ACCMODE) != O_WRONLY && !files_reader_of(before, n, e->inode);

	return e->special <= INT32_MAX && e->length <= e->special &&
	       e->length <= (may_have_some ? FILES_CONTENTS_MAX : 0U);
}

static bool is_sound(const struct files_entry *e, const struct files_entry *before, size_t n)
{
	const struct files_entry *first;

	if (e->number >= FILES_NUMBER_END || e->kind >= FILES_KINDS || e->close_on_exec > 1 ||
		(n > 0 && e->number <= before[n - 1].number))
		return false;
	if (e->kind == FILES_OWN)
		return e->same == e->number && has_nothing_more(e);
	if (e->kind == FILES_INHERITED)
		return e->same < FILES_NUMBER_END && has_nothing_more(e);
	if (e->same != e->number) {
		first = files_find(before, n, e->same);
		return first && first->same == first->number && first->kind == e->kind &&
		       has_nothing_more(e);
	}
	if (e->flags != files_flags_for(e->kind, e->flags) || (e->flags & O_ACCMODE) == O_ACCMODE ||
		e->offset > INT64_MAX || e->size > INT64_MAX)
		return false;
	if (e->birth && !files_is_written(e))
		return false;
	if (e->kind == FILES_REGULAR)
		return is_path(e) && e->special == 0;
	if (e->kind == FILES_PIPE)
		return e->offset == 0 && e->size == 0 && is_pipe(e, before, n);
	if (e->kind == FILES_FOLDER)
		return is_path(e) && e->size == 0 && e->special == 0 &&
		       (e->flags & O_ACCMODE) == O_RDONLY;
	return is_path(e) && e->offset == 0 && e->size == 0 && is_known_device(e->special);
}

static bool read_entry(struct cursor *c, struct files_entry *e)
{
	e->number = cursor_u32(c);
	e->kind = cursor_u32(c);
	e->same = cursor_u32(c);
	e->close_on_exec = cursor_u32(c);
	e->flags = cursor_u32(c);
	e->length = cursor_u32(c);
	e->offset = cursor_u64(c);
	e->size = cursor_u64(c);
	e->device = cursor_u64(c);
	e->inode = cursor_u64(c);
	e->special = cursor_u64(c);
	e->birth = cursor_u64(c);
	e->text = c->at;
	if (c->bad || (size_t)(c->end - c->at) < e->length)
		return false;
	c->at += e->length;
	return true;
}

static bool read_lock(struct cursor *c, struct files_lock *l)
{
	l->number = cursor_u32(c);
	l->kind = cursor_u32(c);
	l->write = cursor_u32(c);
	l->start = cursor_u64(c);
	l->end = cursor_u64(c);
	return !c->bad;
}

bool files_section_read(const uint8_t *bytes, size_t length, struct files_table *out)
{
	struct cursor c = cursor_over(bytes, length);
	uint32_t count = cursor_u32(&c), locks;

	out->n = out->locks = 0;
	if (count > FILES_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!read_entry(&c, &out->entry[i]) || !is_sound(&out->entry[i], out->entry, i))
			return false;
	locks = cursor_u32(&c);
	if (locks > FILES_LOCKS_MAX)
		return false;
	for (uint32_t i = 0; i < locks; i++)
		if (!read_lock(&c, &out->lock[i]) ||
			!files_lock_is_sound(&out->lock[i], out->entry, count))
			return false;
	if (!cursor_done(&c) || files_one_ended(out->entry, count))
		return false;
	out->n = count;
	out->locks = locks;
	return true;
}
