/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_status.h"

/* What stands behind this word at the beginning of a line, without white space; NULL. */
static const char *value_of(const char *text, const char *end, const char *word)
{
	bool at_begin = true;

	for (; text < end; at_begin = *text++ == '\n') {
		const char *at = text, *w = word;

		while (at_begin && at < end && *w && *at == *w)
			at++, w++;
		if (*w)
			continue;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		return at;
	}
	return NULL;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_hex(const char *from, const char *end, uint64_t *value)
{
	for (*value = 0; from < end && digit(*from) >= 0; from++)
		*value = *value << 4 | (uint64_t)digit(*from);
}

bool thread_status_parse(const char *text, size_t length, struct thread_status *s)
{
	const char *end = text + length;
	const char *name = value_of(text, end, "Name:"), *state = value_of(text, end, "State:"),
		   *blocked = value_of(text, end, "SigBlk:");
	size_t n = 0;

	if (!state || state == end || !blocked || blocked == end || digit(*blocked) < 0)
		return false;
	while (name && name + n < end && name[n] != '\n' && n < sizeof s->name - 1) {
		s->name[n] = name[n];
		n++;
	}
	s->name[n] = '\0';
	s->ended = *state == 'Z' || *state == 'X';
	read_hex(blocked, end, &s->blocked);
	return true;
}

/* " 0x7ffff7d8ad70", which is left behind; NULL: it is not there. */
static const char *next_hex(const char *text, const char *end, uint64_t *value)
{
	if (!text || end - text < 4 || text[0] != ' ' || text[1] != '0' || text[2] != 'x' ||
		digit(text[3]) < 0)
		return NULL;
	read_hex(text + 3, end, value);
	for (text += 3; text < end && digit(*text) >= 0; text++)
		;
	return text;
}

/* "128 0x7ffff7d8ad70 0x0 ..."; "running"; "-1 ..." for none. */
bool thread_call_parse(const char *text, size_t length, struct thread_call *c)
{
	const char *end = text + length;
	long n = 0;

	if (text == end || *text < '0' || *text > '9')
		return false;
	for (; text < end && *text >= '0' && *text <= '9' && n < 1000000; text++)
		n = n * 10 + (*text - '0');
	c->number = n;
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		text = next_hex(text, end, &c->argument[i]);
	text = next_hex(text, end, &c->stack);
	return next_hex(text, end, &c->at) != NULL;
}
