/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_smaps.h"

#include <errno.h>
#include <fcntl.h>

#include "raw_call.h"

static bool begins(const char *at, size_t length, const char *with)
{
	size_t i = 0;

	while (i < length && with[i] && at[i] == with[i])
		i++;
	return !with[i];
}

/* As of low-high: the address behind the dash. */
static uint64_t high_of(const char *line, size_t length)
{
	uint64_t high = 0;
	size_t i = 0;

	while (i < length && line[i] != '-')
		i++;
	for (i++; i < length && line[i] != ' '; i++)
		high = high * 16 + (uint64_t)(line[i] <= '9' ? line[i] - '0' : line[i] - 'a' + 10);
	return high;
}

/* "Swap:    12 kB" */
static bool is_more_than_none(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (line[i] >= '1' && line[i] <= '9')
			return true;
	return false;
}

/* "VmFlags: rd wr mr mw gd": two letters each */
static void take_flags(struct region *r, const char *line, size_t length)
{
	for (size_t i = 0; i + 3 <= length; i++) {
		r->may_write |= begins(line + i, length - i, " mw");
		r->grows |= begins(line + i, length - i, " gd");
		r->huge |= begins(line + i, length - i, " ht");
		r->shadow |= begins(line + i, length - i, " ss");
	}
}

void process_smaps_line(struct smaps *s, const char *line, size_t length)
{
	bool is_field = length == 0 || (line[0] >= 'A' && line[0] <= 'Z');

	/* the end of a stack stays where it is */
	if (!is_field)
		s->at = (struct region *)process_map_find(
			s->region, s->count, high_of(line, length) - 1);
	if (!is_field || !s->at)
		return;
	if (begins(line, length, "Anonymous:") || begins(line, length, "Swap:"))
		s->at->changed |= is_more_than_none(line, length);
	else if (begins(line, length, "ProtectionKey:"))
		s->at->keyed |= is_more_than_none(line, length);
	else if (begins(line, length, "VmFlags:"))
		take_flags(s->at, line, length);
}

/* Returns how many bytes of the last line there are, which has no end yet; they are moved to the
 * buffer's begin. */
static size_t take_lines(struct smaps *s, char *buffer, size_t length)
{
	size_t from = 0, left;

	for (size_t i = 0; i < length; i++)
		if (buffer[i] == '\n') {
			process_smaps_line(s, buffer + from, i - from);
			from = i + 1;
		}
	left = length - from;
	for (size_t i = 0; i < left; i++)
		buffer[i] = buffer[from + i];
	return left;
}

int process_smaps_read(struct region *regions, size_t count, char *buffer, size_t size)
{
	struct smaps s = {.region = regions, .count = count};
	int fd = (int)raw_call6(
		SYS_openat, AT_FDCWD, (long)"/proc/self/smaps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	size_t held = 0;
	long n = fd;

	while (n >= 0) {
		n = raw_call(SYS_read, fd, (long)(buffer + held), (long)(size - held));
		if (n <= 0)
			break;
		held = take_lines(&s, buffer, held + (size_t)n);
		if (held == size)
			n = -E2BIG;
	}
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	return (int)n;
}
