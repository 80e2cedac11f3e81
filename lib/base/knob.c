/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/knob.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/shown.h"

static const struct {
	const char *name, *text;
	int64_t value, least, most;
} knobs[KNOB_COUNT] = {
#define X(id, name, value, least, most, text) {name, text, value, least, most},
	KNOB_TABLE(X)
#undef X
};

static int64_t values[KNOB_COUNT];

int knob_load(char *err, size_t errsize)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		const char *text = getenv(knobs[k].name);
		char *end;

		values[k] = knobs[k].value;
		if (!text)
			continue;
		errno = 0;
		values[k] = strtoll(text, &end, 10);
		if (errno || end == text || *end || values[k] < knobs[k].least ||
			values[k] > knobs[k].most) {
			snprintf(err, errsize,
				"%s=%s: give a whole number from %lld to %lld, or unset it",
				knobs[k].name, shown(text).text, (long long)knobs[k].least,
				(long long)knobs[k].most);
			return FT_EINVAL;
		}
	}
	return 0;
}

int64_t knob_get(enum knob k)
{
	return values[k];
}

bool knob_set(enum knob k, int64_t value)
{
	if (value < knobs[k].least || value > knobs[k].most)
		return false;
	values[k] = value;
	return true;
}

const char *knob_name(enum knob k)
{
	return knobs[k].name;
}

const char *knob_text(enum knob k)
{
	return knobs[k].text;
}
