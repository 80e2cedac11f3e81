/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_locks.h"

#include <fcntl.h>

/* ---- the kernel's words ---- */

struct words {
	const char *at, *end; /* of the rest of a line */
};

struct word {
	const char *at;
	size_t length;
};

static struct word next(struct words *w)
{
	struct word found;

	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
	found = (struct word){w->at, 0};
	while (w->at < w->end && *w->at != ' ' && *w->at != '\t')
		w->at++;
	found.length = (size_t)(w->at - found.at);
	return found;
}

static bool is(struct word w, const char *text)
{
	size_t i = 0;

	while (i < w.length && text[i] && w.at[i] == text[i])
		i++;
	return i == w.length && !text[i];
}

static bool take_number(struct word w, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < w.length; i++) {
		uint64_t digit = (uint64_t)(w.at[i] - '0');

		if (w.at[i] < '0' || w.at[i] > '9' || v > (FILES_LOCK_END - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return w.length > 0;
}

static bool take_end(struct word w, uint64_t *out)
{
	if (!is(w, "EOF"))
		return take_number(w, out);
	*out = FILES_LOCK_END;
	return true;
}

/* "1: POSIX  ADVISORY  WRITE 4711 fe:00:1234 0 EOF". 1; 0: a lease, which is no lock; -1. */
static int take_lock(struct words w, struct files_lock *l)
{
	struct word kind, access;

	next(&w);
	kind = next(&w);
	if (is(kind, "LEASE") || is(kind, "DELEG"))
		return 0;
	l->kind = is(kind, "FLOCK")    ? FILES_FLOCK
		  : is(kind, "POSIX")  ? FILES_POSIX
		  : is(kind, "OFDLCK") ? FILES_OFD
				       : FILES_LOCK_KINDS;
	if (l->kind == FILES_LOCK_KINDS || !is(next(&w), "ADVISORY"))
		return -1;
	access = next(&w);
	l->write = is(access, "WRITE");
	if (!l->write && !is(access, "READ"))
		return -1;
	next(&w); /* whose, as another process would name it */
	next(&w); /* device and inode */
	if (!take_number(next(&w), &l->start) || !take_end(next(&w), &l->end) ||
		l->start > l->end || next(&w).length > 0)
		return -1;
	return 1;
}

long files_locks_parse(
	const char *text, size_t length, uint32_t number, struct files_lock *out, size_t max)
{
	const char *end = text + length;
	long n = 0;

	while (text < end) {
		struct words line = {text, text};
		struct files_lock l = {.number = number};
		int found = 0;

		while (line.end < end && *line.end != '\n')
			line.end++;
		text = line.end < end ? line.end + 1 : end;
		if (is(next(&line), "lock:"))
			found = take_lock(line, &l);
		if (found < 0)
			return -1;
		if (found && (size_t)n < max)
			out[n] = l;
		n += found;
	}
	return n;
}

/* ---- which can be ---- */

bool files_may_lock(const struct files_entry *e)
{
	return (e->kind == FILES_REGULAR || e->kind == FILES_FOLDER || e->kind == FILES_DEVICE) &&
	       e->same == e->number && !(e->flags & O_PATH);
}

bool files_lock_is_sound(const struct files_lock *l, const struct files_entry *e, size_t n)
{
	const struct files_entry *of = files_find(e, n, l->number);

	if (!of || !files_may_lock(of) || l->kind >= FILES_LOCK_KINDS || l->write > 1)
		return false;
	if (l->kind == FILES_FLOCK)
		return l->start == 0 && l->end == FILES_LOCK_END;
	return l->start <= l->end && l->end <= FILES_LOCK_END;
}
