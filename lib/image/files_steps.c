/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_steps.h"

/* Numbers that lie about in more than so many places are all passed over. */
enum { PASSES = 100 };

static bool has(struct files_numbers of, int number)
{
	for (size_t i = 0; i < of.count; i++)
		if (of.number[i] == number)
			return true;
	return false;
}

int files_in_both(const struct files_entry *e, size_t n, struct files_numbers own)
{
	for (size_t i = 0; i < own.count; i++) {
		const struct files_entry *there =
			own.number[i] < 0 ? NULL : files_find(e, n, (uint32_t)own.number[i]);

		if (there && there->kind != FILES_OWN)
			return own.number[i];
	}
	return FILES_NONE;
}

int files_free_from(const struct files_entry *e, size_t n, struct files_numbers here)
{
	int above = n > 0 ? (int)e[n - 1].number + 1 : 0;

	for (size_t i = 0; i < here.count; i++)
		if (here.number[i] >= above)
			above = here.number[i] + 1;
	return above < FILES_STREAMS ? FILES_STREAMS : above;
}

/* Where that number is among so many from there on, behind it. */
static int past(int from, int wanted, int number)
{
	return number >= from && number - from < wanted ? number + 1 : from;
}

int files_gap(const struct files_entry *e, size_t n, struct files_numbers here)
{
	int from = FILES_STREAMS;

	for (int pass = 0; pass < PASSES; pass++) {
		int before = from;

		for (size_t i = 0; i < n; i++)
			from = past(from, FILES_ROOM(n), (int)e[i].number);
		for (size_t i = 0; i < here.count; i++)
			from = past(from, FILES_ROOM(n), here.number[i]);
		if (from == before)
			return from;
	}
	return files_free_from(e, n, here);
}

/* Behind the last number that a file has to be brought to: what is inherited is there. */
static int behind_all(const struct files_entry *e, size_t n)
{
	int behind = 0;

	for (size_t i = 0; i < n; i++)
		if (e[i].kind != FILES_OWN &&
			!(e[i].kind == FILES_INHERITED && e[i].same == e[i].number))
			behind = (int)e[i].number + 1;
	return behind;
}

int files_limit(const struct files_entry *e, size_t n, struct files_numbers here)
{
	int behind = files_gap(e, n, here) + FILES_ROOM(n), needed = behind_all(e, n);

	return behind > needed ? behind : needed;
}

/* FILES_NONE: nothing comes to this number. */
static int source_of(
	const struct files_entry *all, size_t n, const struct files_opened *opened, size_t i)
{
	if (all[i].kind == FILES_OWN || all[i].kind == FILES_INHERITED)
		return opened[i].fd;
	return opened[files_find(all, n, all[i].same) - all].fd;
}

size_t files_steps(const struct files_table *t, const struct files_opened *opened,
	struct files_numbers here, struct files_numbers own, struct files_step *out)
{
	const struct files_entry *e = t->entry;
	size_t n = t->n, at = 0;

	for (size_t i = 0; i < n; i++) {
		int fd = source_of(e, n, opened, i), to = (int)e[i].number;

		if (fd != FILES_NONE)
			out[at++] = (struct files_step){.what = fd == to ? FILES_STAY : FILES_PLACE,
				.fd = fd,
				.to = to,
				.close_on_exec = e[i].close_on_exec};
	}
	for (size_t i = 0; i < n; i++)
		if (opened[i].fd != FILES_NONE && opened[i].fd != (int)e[i].number)
			out[at++] = (struct files_step){.what = FILES_CLOSE, .fd = opened[i].fd};
	for (size_t i = 0; i < here.count; i++) {
		const struct files_entry *there =
			here.number[i] < 0 ? NULL : files_find(e, n, (uint32_t)here.number[i]);

		if (!has(own, here.number[i]) && (!there || there->kind == FILES_OWN))
			out[at++] = (struct files_step){.what = FILES_CLOSE, .fd = here.number[i]};
	}
	for (size_t i = 0; i < t->locks; i++)
		if (t->lock[i].kind == FILES_POSIX)
			out[at++] = (struct files_step){.what = FILES_LOCK,
				.fd = (int)t->lock[i].number,
				.lock = t->lock[i]};
	return at;
}
