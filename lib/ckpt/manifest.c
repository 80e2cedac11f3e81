/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"

/* Bytes of text: the lines before the ranks; a rank's line at least and at most; the last line. */
enum { HEAD_MAX = 512, RANK_MIN = 37, RANK_MAX = 80, CHECK_BYTES = 23 };

static const char first_words[] = "FTMPI-LINE ";

static void hex(char *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* A name is all of a line: it holds no line end. */
static void put_name(char *out, const char *name, size_t size)
{
	size_t len = strnlen(name, size - 1);

	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
	out[len] = '\0';
}

char *ckpt_manifest_encode(const struct ckpt_manifest *m, size_t *len)
{
	size_t size = HEAD_MAX + (size_t)m->size * RANK_MAX + CHECK_BYTES + 1, n;
	char session[2 * CKPT_SESSION_BYTES + 1], program[2 * CKPT_PROGRAM_BYTES + 1];
	char name[CKPT_NAME_BYTES], *text = malloc(size);

	if (!text)
		return NULL;
	hex(session, m->session, CKPT_SESSION_BYTES);
	hex(program, m->program, CKPT_PROGRAM_BYTES);
	put_name(name, m->program_name, sizeof name);
	n = (size_t)snprintf(text, size,
		"%s%d\nsession %s\nline %u\nepoch %u\ntime %" PRId64 "\nprogram %s\nname %s\n"
		"ranks %u\n",
		first_words, CKPT_MANIFEST_VERSION, session, m->line, m->epoch, m->time_s, program,
		name, m->size);
	for (uint32_t i = 0; i < m->size; i++)
		n += (size_t)snprintf(text + n, size - n,
			"rank %u seal %016" PRIx64 " bytes %" PRIu64 "\n", i, m->ranks[i].seal,
			m->ranks[i].bytes);
	n += (size_t)snprintf(
		text + n, size - n, "check %016" PRIx64 "\n", (uint64_t)XXH3_64bits(text, n));
	*len = n;
	return text;
}

/* ---- reading: each takes what it names, or makes the text bad ---- */

struct text {
	const char *at, *end;
	bool bad;
};

static void take(struct text *t, const char *words)
{
	size_t len = strlen(words);

	if (t->bad || (size_t)(t->end - t->at) < len || memcmp(t->at, words, len) != 0)
		t->bad = true;
	else
		t->at += len;
}

/* Decimal, as printf writes it. */
static uint64_t take_number(struct text *t, uint64_t most)
{
	const char *from = t->at;
	uint64_t v = 0;

	for (; !t->bad && t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
		uint64_t digit = (uint64_t)(*t->at - '0');

		if (v > (most - digit) / 10)
			t->bad = true;
		else
			v = v * 10 + digit;
	}
	if (t->at == from || (*from == '0' && t->at - from > 1))
		t->bad = true;
	return t->bad ? 0 : v;
}

static uint8_t take_digit(struct text *t)
{
	static const char digits[] = "0123456789abcdef";
	const char *found;

	if (t->bad || t->at == t->end || !(found = memchr(digits, *t->at, 16))) {
		t->bad = true;
		return 0;
	}
	t->at++;
	return (uint8_t)(found - digits);
}

static void take_bytes(struct text *t, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t high = take_digit(t);

		out[i] = (uint8_t)(high << 4 | take_digit(t));
	}
}

static uint64_t take_hex64(struct text *t)
{
	uint64_t v = 0;

	for (int i = 0; i < 16; i++)
		v = v << 4 | take_digit(t);
	return v;
}

static int64_t take_time(struct text *t)
{
	bool minus = !t->bad && t->at < t->end && *t->at == '-';
	uint64_t v;

	t->at += minus;
	v = take_number(t, INT64_MAX);
	if (minus && v == 0)
		t->bad = true;
	return minus ? -(int64_t)v : (int64_t)v;
}

static void take_name(struct text *t, char *out, size_t size)
{
	size_t n = 0;

	for (; !t->bad && t->at < t->end && *t->at != '\n'; t->at++) {
		if (n == size - 1 || (unsigned char)*t->at < ' ' || *t->at == 0x7f)
			t->bad = true;
		else
			out[n++] = *t->at;
	}
	out[n] = '\0';
}

static void take_head(struct text *t, struct ckpt_manifest *m)
{
	take(t, "\nsession ");
	take_bytes(t, m->session, sizeof m->session);
	take(t, "\nline ");
	m->line = (uint32_t)take_number(t, UINT32_MAX);
	take(t, "\nepoch ");
	m->epoch = (uint32_t)take_number(t, UINT32_MAX);
	take(t, "\ntime ");
	m->time_s = take_time(t);
	take(t, "\nprogram ");
	take_bytes(t, m->program, sizeof m->program);
	take(t, "\nname ");
	take_name(t, m->program_name, sizeof m->program_name);
	take(t, "\nranks ");
	m->size = (uint32_t)take_number(t, UINT32_MAX);
	take(t, "\n");
	/* no more ranks than there are lines for */
	if (m->size == 0 || (uint64_t)(t->end - t->at) / RANK_MIN < m->size)
		t->bad = true;
}

static void take_rank(struct text *t, uint32_t rank, struct ckpt_rank_file *f)
{
	take(t, "rank ");
	if (take_number(t, UINT32_MAX) != rank)
		t->bad = true;
	take(t, " seal ");
	f->seal = take_hex64(t);
	take(t, " bytes ");
	f->bytes = take_number(t, UINT64_MAX);
	take(t, "\n");
}

/* The last line is what it should be, and its checksum right. */
static bool checked(const char *text, size_t len)
{
	struct text t = {text + len - CHECK_BYTES, text + len, false};
	uint64_t sum;

	take(&t, "check ");
	sum = take_hex64(&t);
	take(&t, "\n");
	return !t.bad && sum == XXH3_64bits(text, len - CHECK_BYTES);
}

int ckpt_manifest_decode(struct ckpt_manifest *m, const char *text, size_t len, const char *path,
	struct ckpt_err err)
{
	struct text t = {text, text + len, len < CHECK_BYTES};
	struct ckpt_manifest found = {0};
	uint64_t version;

	if (t.bad || !checked(text, len))
		return ckpt_says(err, FT_EDAMAGED, path, "the manifest was cut or changed");
	t.end -= CHECK_BYTES;
	take(&t, first_words);
	version = take_number(&t, UINT32_MAX);
	if (!t.bad && version != CKPT_MANIFEST_VERSION)
		return ckpt_says(err, FT_EMISMATCH, path,
			"the manifest is of version %" PRIu64 ", and this FTMPI reads version %d: "
			"use the FTMPI that made it",
			version, CKPT_MANIFEST_VERSION);
	take_head(&t, &found);
	if (!t.bad && !(found.ranks = calloc(found.size, sizeof *found.ranks)))
		return ckpt_says(err, FT_ENOMEM, path, "out of memory for its ranks");
	for (uint32_t i = 0; !t.bad && i < found.size; i++)
		take_rank(&t, i, &found.ranks[i]);
	if (t.bad || t.at != t.end) {
		free(found.ranks);
		return ckpt_says(err, FT_EDAMAGED, path, "the manifest is not as FTMPI writes it");
	}
	*m = found;
	return 0;
}

void ckpt_manifest_free(struct ckpt_manifest *m)
{
	free(m->ranks);
	*m = (struct ckpt_manifest){0};
}
