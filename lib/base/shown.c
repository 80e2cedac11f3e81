/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/shown.h"

#include <stdbool.h>
#include <string.h>

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

struct shown shown(const char *text)
{
	struct shown s = {""};
	size_t n = 0;

	for (; *text && n < SHOWN_MOST; text++)
		s.text[n++] = is_control(*text) ? ' ' : *text;
	if (*text)
		strcpy(s.text + n, "...");
	return s;
}
