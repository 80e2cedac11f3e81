/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum kind { NUMBER, FLAG, TEXT, TRANSPORT };

#define FIELD(f) offsetof(struct settings, f), sizeof(((struct settings *)0)->f)

static const struct {
	const char *name;
	enum kind kind;
	size_t offset, size;
	unsigned long max;
} table[] = {
	{"heartbeat", NUMBER, FIELD(beat_ms), 3600000},
	{"heartbeat-timeout", NUMBER, FIELD(beat_timeout_ms), 86400000},
	{"ckpt-interval", NUMBER, FIELD(ckpt_interval_ms), 0xffffffff},
	{"keep", NUMBER, FIELD(keep), 1000000},
	{"restarts", NUMBER, FIELD(restarts), 0xffffffff},
	{"appnum", NUMBER, FIELD(appnum), 65535},
	{"accept-binary", FLAG, FIELD(accept_binary), 1},
	{"debug", FLAG, FIELD(debug), 1},
	{"dump", FLAG, FIELD(dump), 1},
	{"transport", TRANSPORT, 0, 0, 0},
	{"apart", FLAG, FIELD(apart), 1},
	{"coord", TEXT, FIELD(coord), 0},
	{"keeper", TEXT, FIELD(keeper), 0},
	{"log-limit", NUMBER, FIELD(log_limit_kib), 0xffffffff},
	{"verify-replay", FLAG, FIELD(verify_replay), 1},
	{"restore", TEXT, FIELD(restore), 0},
	{"restore-line", NUMBER, FIELD(restore_line), 0xffffffff},
	{"committed", NUMBER, FIELD(committed), 0xffffffff},
	{"from-start", FLAG, FIELD(from_start), 1},
	{"traffic", FLAG, FIELD(traffic), 1},
	{"image", FLAG, FIELD(image), 1},
	{"image-patience", NUMBER, FIELD(image_patience_ms), 86400000},
	{"input", TEXT, FIELD(input), 0},
	{"image-keep-files", FLAG, FIELD(image_keep_files), 1},
};

void settings_default(struct settings *s)
{
	*s = (struct settings){.keep = 2,
		.beat_timeout_ms = 1000,
		.coord = "blocking",
		.image_patience_ms = 10000};
}

static bool number(const char *text, unsigned long max, unsigned long *out)
{
	char *end;

	if (!isdigit((unsigned char)*text) || strlen(text) > 10)
		return false;
	*out = strtoul(text, &end, 10);
	return *end == '\0' && *out <= max;
}

static bool transport(struct settings *s, const char *value)
{
	s->tcp_only = strcmp(value, "tcp") == 0;
	s->memory_only = strcmp(value, "shm") == 0;
	return s->tcp_only || s->memory_only || strcmp(value, "auto") == 0;
}

static bool store(struct settings *s, size_t i, const char *value)
{
	char *at = (char *)s + table[i].offset;
	unsigned long n;

	if (table[i].kind == TRANSPORT)
		return transport(s, value);
	if (table[i].kind == TEXT) {
		if (strlen(value) >= table[i].size)
			return false;
		strcpy(at, value);
		return true;
	}
	if (!number(value, table[i].max, &n))
		return false;
	if (table[i].kind == FLAG)
		*(bool *)at = n != 0;
	else
		*(unsigned *)(void *)at = (unsigned)n;
	return true;
}

static int not_understood(const char *word, char *err, size_t errsize)
{
	snprintf(err, errsize,
		"the launcher's setting '%.80s' is not understood (is it of another version?)",
		word);
	return FT_EPROTO;
}

int settings_take(struct settings *s, const char *word, char *err, size_t errsize)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;

	for (size_t i = 0; equals && i < sizeof table / sizeof *table; i++)
		if (strlen(table[i].name) == len && memcmp(table[i].name, word, len) == 0 &&
			store(s, i, equals + 1))
			return 0;
	return not_understood(word, err, errsize);
}

/* ---- incarnations ---- */

static const char incarnations[] = "incarnations=";

enum { INCARNATIONS_LEN = sizeof incarnations - 1 };

bool settings_is_incarnations(const char *word, size_t len)
{
	return len >= INCARNATIONS_LEN && memcmp(word, incarnations, INCARNATIONS_LEN) == 0;
}

/* A number at *at, and behind it `after`, or the end where that is 0; *at is moved behind both. */
static bool take_number(const char **at, const char *end, char after, uint32_t *out)
{
	const char *p = *at;
	uint64_t n = 0;

	for (; p < end && isdigit((unsigned char)*p) && p - *at < 10; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (p == *at || n > 0xffffffff || (after ? p == end || *p != after : p != end))
		return false;
	*at = p + (after != 0);
	*out = (uint32_t)n;
	return true;
}

int settings_take_incarnations(
	uint32_t *out, uint32_t n, const char *word, size_t len, char *err, size_t errsize)
{
	const char *at = word + INCARNATIONS_LEN, *end = word + len;
	char brief[81];

	for (uint32_t i = 0; i < n; i++)
		if (!take_number(&at, end, i + 1 < n ? ',' : 0, &out[i])) {
			snprintf(brief, sizeof brief, "%.*s", (int)(len < 80 ? len : 80), word);
			return not_understood(brief, err, errsize);
		}
	return 0;
}
