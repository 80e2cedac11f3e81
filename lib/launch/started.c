/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes:
 *
 *	u32	1: the processors are known; else 0
 *		cpu_set_t, sigset_t of blocked signals, sigset_t of ignored ones, as the machine has
 *		them
 *	u32	umask
 *	u64	soft limit, of each resource
 *	string	program
 *	string	directory
 *	words	arguments
 *	words	environment
 *	u32	number of descriptors, then of each u32 number, u32 flags, u64 device, u64 inode;
 *		their numbers rise
 *
 * Words: u32 how many there are, u32 bytes of all of them, then each with a NUL at its end.
 */
#include "started.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

enum { FD_BYTES = 24 };

/* ---- words ---- */

static void measure(char *const *words, size_t *n, size_t *bytes)
{
	*bytes = 0;
	for (*n = 0; words[*n]; ++*n)
		*bytes += strlen(words[*n]) + 1;
}

/* A list of n strings that are to be put behind it, where *strings is. */
static char **new_list(size_t n, size_t bytes, char **strings)
{
	char **words = malloc((n + 1) * sizeof *words + bytes);

	*strings = words ? (char *)(words + n + 1) : NULL;
	return words;
}

char **started_words(char *const *words)
{
	size_t n, bytes;
	char **copy, *at;

	measure(words, &n, &bytes);
	copy = new_list(n, bytes, &at);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		copy[i] = at;
		at = stpcpy(at, words[i]) + 1;
	}
	copy[n] = NULL;
	return copy;
}

static size_t words_bytes(char *const *words)
{
	size_t n, bytes;

	measure(words, &n, &bytes);
	return 8 + bytes;
}

static void put_words(struct writer *w, char *const *words)
{
	size_t n, bytes;

	measure(words, &n, &bytes);
	writer_u32(w, (uint32_t)n);
	writer_u32(w, (uint32_t)bytes);
	for (size_t i = 0; i < n; i++)
		writer_bytes(w, words[i], strlen(words[i]) + 1);
}

/* So many strings lie in these bytes, and nothing behind the last. */
static bool are_words(const uint8_t *at, uint32_t n, uint32_t bytes)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < bytes; i++)
		ends += at[i] == 0;
	return ends == n && (bytes == 0 || at[bytes - 1] == 0);
}

static int take_words(struct cursor *c, char ***out)
{
	uint32_t n = cursor_u32(c);
	uint32_t bytes = cursor_u32(c);
	char **words, *at;

	if (c->bad || bytes > (size_t)(c->end - c->at) || !are_words(c->at, n, bytes))
		return FT_EPROTO;
	words = new_list(n, bytes, &at);
	if (!words)
		return FT_ENOMEM;
	cursor_bytes(c, at, bytes);
	for (uint32_t i = 0; i < n; i++) {
		words[i] = at;
		at += strlen(at) + 1;
	}
	words[n] = NULL;
	*out = words;
	return 0;
}

/* ---- all of it ---- */

void started_free(struct started *s)
{
	free(s->argv);
	free(s->envp);
	memset(s, 0, sizeof *s);
}

size_t started_bytes(const struct started *s)
{
	return 4 + sizeof s->processors + sizeof s->mask + sizeof s->ignored + 4 +
	       8 * RLIM_NLIMITS + 4 + strlen(s->program) + 4 + strlen(s->cwd) +
	       words_bytes(s->argv) + words_bytes(s->envp) + 4 + s->nfds * FD_BYTES;
}

void started_encode(const struct started *s, uint8_t *out)
{
	struct writer w = writer_over(out, started_bytes(s));

	writer_u32(&w, s->know_processors);
	writer_bytes(&w, &s->processors, sizeof s->processors);
	writer_bytes(&w, &s->mask, sizeof s->mask);
	writer_bytes(&w, &s->ignored, sizeof s->ignored);
	writer_u32(&w, s->umask);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		writer_u64(&w, s->limits[i]);
	writer_string(&w, s->program);
	writer_string(&w, s->cwd);
	put_words(&w, s->argv);
	put_words(&w, s->envp);
	writer_u32(&w, (uint32_t)s->nfds);
	for (size_t i = 0; i < s->nfds; i++) {
		writer_u32(&w, (uint32_t)s->fds[i].fd);
		writer_u32(&w, (uint32_t)s->fds[i].flags);
		writer_u64(&w, s->fds[i].dev);
		writer_u64(&w, s->fds[i].ino);
	}
}

static int take_fds(struct cursor *c, struct started *s)
{
	uint32_t n = cursor_u32(c);

	for (uint32_t i = 0; i < n; i++) {
		struct started_fd f;

		f.fd = (int)cursor_u32(c);
		f.flags = (int)cursor_u32(c);
		f.dev = cursor_u64(c);
		f.ino = cursor_u64(c);
		if (c->bad || i == STARTED_FDS_MAX || f.flags < 0 ||
			f.fd <= (i ? s->fds[i - 1].fd : -1))
			return FT_EPROTO;
		s->fds[i] = f;
	}
	s->nfds = n;
	return cursor_done(c) ? 0 : FT_EPROTO;
}

int started_decode(struct started *s, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct started got = {.whole = true};
	uint32_t known = cursor_u32(&c);
	int rc;

	got.know_processors = known != 0;
	cursor_bytes(&c, &got.processors, sizeof got.processors);
	cursor_bytes(&c, &got.mask, sizeof got.mask);
	cursor_bytes(&c, &got.ignored, sizeof got.ignored);
	got.umask = cursor_u32(&c);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		got.limits[i] = cursor_u64(&c);
	cursor_string(&c, got.program, sizeof got.program);
	cursor_string(&c, got.cwd, sizeof got.cwd);
	rc = known > 1 ? FT_EPROTO : take_words(&c, &got.argv);
	if (rc == 0)
		rc = take_words(&c, &got.envp);
	if (rc == 0)
		rc = take_fds(&c, &got);
	if (rc) {
		started_free(&got);
		return rc;
	}
	*s = got;
	return 0;
}
