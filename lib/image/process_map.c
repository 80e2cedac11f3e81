/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_map.h"

struct text {
	const char *at, *end;
	bool bad;
};

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

static uint64_t take_number(struct text *t, int base)
{
	const char *from = t->at;
	uint64_t value = 0;

	for (; t->at < t->end && digit_of(*t->at) < base; t->at++) {
		t->bad |= value > (UINT64_MAX - 15) / (uint64_t)base;
		value = value * (uint64_t)base + (uint64_t)digit_of(*t->at);
	}
	t->bad |= t->at == from;
	return value;
}

static void take(struct text *t, char c)
{
	if (t->at < t->end && *t->at == c)
		t->at++;
	else
		t->bad = true;
}

/* One letter, or a dash in its place. */
static bool take_flag(struct text *t, char letter)
{
	bool set = t->at < t->end && *t->at == letter;

	take(t, set ? letter : '-');
	return set;
}

static bool name_is(const struct region *r, const char *name)
{
	size_t i = 0;

	while (i < r->name_length && name[i] && r->name[i] == name[i])
		i++;
	return i == r->name_length && !name[i];
}

bool region_name_begins(const struct region *r, const char *with)
{
	size_t i = 0;

	while (i < r->name_length && with[i] && r->name[i] == with[i])
		i++;
	return !with[i];
}

static bool take_deleted(struct region *r)
{
	static const char mark[] = " (deleted)";
	size_t length = sizeof mark - 1;

	if (r->name_length <= length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (r->name[r->name_length - length + i] != mark[i])
			return false;
	r->name_length -= length;
	return true;
}

static enum region_kind kind_of(const struct region *r, bool shared)
{
	if (region_name_begins(r, "[v") || name_is(r, "[uprobes]") || name_is(r, "[sigpage]"))
		return REGION_KERNEL;
	if (shared)
		return REGION_SHARED;
	if (name_is(r, "[stack]"))
		return REGION_STACK;
	if (name_is(r, "[heap]"))
		return REGION_HEAP;
	return r->inode ? REGION_FILE : REGION_ANONYMOUS;
}

/* low-high rwxp offset major:minor inode    name */
static bool parse_line(struct text *t, struct region *r)
{
	bool shared;

	r->low = take_number(t, 16);
	take(t, '-');
	r->high = take_number(t, 16);
	take(t, ' ');
	r->readable = take_flag(t, 'r');
	r->writable = take_flag(t, 'w');
	r->executable = take_flag(t, 'x');
	shared = t->at < t->end && *t->at == 's';
	take(t, shared ? 's' : 'p');
	take(t, ' ');
	r->offset = take_number(t, 16);
	take(t, ' ');
	r->major = (uint32_t)take_number(t, 16);
	take(t, ':');
	r->minor = (uint32_t)take_number(t, 16);
	take(t, ' ');
	r->inode = take_number(t, 10);
	while (t->at < t->end && *t->at == ' ')
		t->at++;
	r->name = t->at;
	r->name_length = (size_t)(t->end - t->at);
	r->deleted = r->inode && take_deleted(r);
	r->kind = kind_of(r, shared);
	return !t->bad && r->low < r->high;
}

long process_map_parse(
	const char *text, size_t length, struct region *regions, size_t max, size_t *bad_line)
{
	const char *at = text, *end = text + length;
	uint64_t above = 0;
	size_t count = 0;

	while (at < end) {
		struct text line = {at, at, false};
		struct region r = {0};

		while (line.end < end && *line.end != '\n')
			line.end++;
		at = line.end + 1;
		*bad_line = count + 1;
		if (!parse_line(&line, &r) || r.low < above)
			return -1;
		above = r.high;
		if (count < max)
			regions[count] = r;
		count++;
	}
	return (long)count;
}

/* In two; there is room for both. */
static size_t split(struct region *regions, size_t count, size_t i, uint64_t at)
{
	for (size_t k = count; k > i; k--)
		regions[k] = regions[k - 1];
	regions[i].high = regions[i + 1].low = at;
	return count + 1;
}

size_t process_map_split_heap(struct region *regions, size_t count, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < count; i++) {
		struct region *r = &regions[i];

		if (r->kind != REGION_HEAP)
			continue;
		if (r->low < start && start < r->high)
			count = split(regions, count, i, start);
		else if (r->low < end && end < r->high)
			count = split(regions, count, i, end);
		if (r->low >= start && r->high <= end)
			continue;
		r->kind = REGION_ANONYMOUS;
		r->name_length = 0;
	}
	return count;
}

static bool is_part_of_stack(const struct region *r)
{
	return r->grows && r->kind == REGION_ANONYMOUS;
}

void process_map_join_stack(struct region *regions, size_t count)
{
	size_t i = 0, k;

	while (i < count && regions[i].kind != REGION_STACK)
		i++;
	for (k = i; k + 1 < count && regions[k + 1].low == regions[k].high &&
		    is_part_of_stack(&regions[k + 1]);
		k++)
		regions[k + 1].kind = REGION_STACK;
	for (; i > 0 && i < count && regions[i - 1].high == regions[i].low &&
		is_part_of_stack(&regions[i - 1]);
		i--)
		regions[i - 1].kind = REGION_STACK;
}

const struct region *process_map_find(const struct region *regions, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (regions[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && regions[low].low <= address ? &regions[low] : NULL;
}
