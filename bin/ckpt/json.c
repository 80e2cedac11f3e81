/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool first = true;

/* How many bytes the character has that begins here; 0: it is no UTF-8. */
static int utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
		int len;
		uint32_t least;
	} forms[] = {{0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

	if (*s < 0x80)
		return 1;
	for (int f = 0; f < 3; f++) {
		uint32_t c = (uint32_t)(*s & ~forms[f].mask & 0xff);

		if ((*s & forms[f].mask) != forms[f].lead)
			continue;
		for (int i = 1; i < forms[f].len; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (s[i] & 0x3f);
		}
		return c >= forms[f].least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff)
			       ? forms[f].len
			       : 0;
	}
	return 0;
}

static void quoted(const char *text)
{
	putchar('"');
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		int len = utf8_length(s);

		if (len == 0)
			fputs("\\ufffd", stdout);
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (*s < ' ' || *s == 0x7f)
			printf("\\u%04x", *s);
		else
			fwrite(s, 1, (size_t)len, stdout);
		s += len ? len : 1;
	}
	putchar('"');
}

static void begin(const char *key)
{
	if (!first)
		putchar(',');
	first = false;
	if (key) {
		quoted(key);
		putchar(':');
	}
}

void json_open(const char *key, char bracket)
{
	begin(key);
	putchar(bracket);
	first = true;
}

void json_close(char bracket)
{
	putchar(bracket);
	first = false;
}

void json_string(const char *key, const char *value)
{
	begin(key);
	quoted(value);
}

void json_string_or_null(const char *key, const char *value)
{
	begin(key);
	if (*value)
		quoted(value);
	else
		fputs("null", stdout);
}

void json_number(const char *key, int64_t value)
{
	begin(key);
	printf("%" PRId64, value);
}

void json_unsigned(const char *key, uint64_t value)
{
	begin(key);
	printf("%" PRIu64, value);
}

void json_bool(const char *key, bool value)
{
	begin(key);
	fputs(value ? "true" : "false", stdout);
}
