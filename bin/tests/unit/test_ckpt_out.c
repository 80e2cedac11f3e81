/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is written piece by piece, by a process and its child: what comes back is what was
 * added, whatever dies meanwhile, and the child does nothing that may wait for another thread.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/out.h"
#include "ckpt_store.h"
#include "image/raw_call.h"
#include "unit.h"

enum { CALLED_MALLOC = 90, CALLED_LOCK };

static const struct ckpt_fs *fs = &ckpt_fs_posix;
static const char file[] = "line-00000002.e0000/rank-00000.ckpt";
static const char file_tmp[] = "line-00000002.e0000/rank-00000.ckpt.tmp";

/* ---- the child, in which these must not be called ---- */

static bool in_child;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *p);
int __real_pthread_mutex_lock(pthread_mutex_t *m);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *p);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);

static void only_parent(int status)
{
	if (in_child)
		raw_call(SYS_exit_group, status, 0, 0);
}

void *__wrap_malloc(size_t size)
{
	only_parent(CALLED_MALLOC);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	only_parent(CALLED_MALLOC);
	return __real_calloc(n, size);
}

void __wrap_free(void *p)
{
	only_parent(CALLED_MALLOC);
	__real_free(p);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	only_parent(CALLED_LOCK);
	return __real_pthread_mutex_lock(m);
}

/* The wait status of a child by the bare system call that does this; its exit status is -errno. */
static int by_child(int (*what)(struct ckpt_out *o), struct ckpt_out *o)
{
	pid_t child = (pid_t)raw_call6(SYS_clone, 0, 0, 0, 0, 0, 0);
	int status;

	if (child == 0) {
		in_child = true;
		raw_call(SYS_exit_group, -what(o), 0, 0);
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	return status;
}

/* ---- what is written ---- */

/* In pieces of odd lengths, from 1 byte on. */
static int add_in_pieces(struct ckpt_out *o, const struct ckpt_section *s)
{
	int rc = ckpt_out_section(o, s->kind, s->id);
	uint64_t at = 0;

	for (uint64_t piece = 1; at < s->len && rc == 0; piece = piece * 3 + 1) {
		uint64_t n = piece < s->len - at ? piece : s->len - at;

		rc = ckpt_out_add(o, (const uint8_t *)s->data + at, (size_t)n);
		at += n;
	}
	return rc ? rc : ckpt_out_section_end(o);
}

static const struct ckpt_section *sections;
static size_t sections_n;

/* All but the last. */
static int add_most(struct ckpt_out *o)
{
	int rc = 0;

	for (size_t i = 0; i + 1 < sections_n && rc == 0; i++)
		rc = add_in_pieces(o, &sections[i]);
	return rc;
}

static int half_then_die(struct ckpt_out *o)
{
	int rc = ckpt_out_section(o, CKPT_BUFFER, 0);

	if (rc == 0)
		rc = ckpt_out_add(o, sections[0].data, (size_t)sections[0].len / 2);
	raw_call(SYS_kill, (long)raw_call(SYS_getpid, 0, 0, 0), SIGKILL, 0);
	return rc;
}

/* With the sections of rank 0 in line 2 as what is to be written. */
static struct ckpt_out *begin(size_t n)
{
	struct ckpt_out_plan plan = {.fs = fs,
		.session_dir = store_dir,
		.id = store_identity(0, 0),
		.line = 2,
		.child = true};
	struct ckpt_out *o;
	int rc;

	sections_n = store_sections(0, 2, &sections);
	plan.sections = n ? n : sections_n;
	rc = ckpt_out_begin(&o, &plan, store_err, sizeof store_err);
	ck_assert_msg(rc == 0, "%s", store_err);
	ck_assert(store_has(file_tmp));
	return o;
}

static void finish(struct ckpt_out *o, struct ckpt_rank_file *f)
{
	int rc = ckpt_out_finish(o, &f->seal, &f->bytes, store_err, sizeof store_err);

	ck_assert_msg(rc == 0, "%s", store_err);
	ck_assert(!store_has(file_tmp));
}

static void finish_fails(struct ckpt_out *o, const char *words)
{
	struct ckpt_rank_file f;

	ck_assert_int_eq(
		ckpt_out_finish(o, &f.seal, &f.bytes, store_err, sizeof store_err), FT_ESYS);
	ck_assert_msg(strstr(store_err, words) && strstr(store_err, store_work),
		"no sentence with '%s': %s", words, store_err);
	ck_assert(!store_has(file) && !store_has(file_tmp));
}

static void load(const struct ckpt_rank_file *f, struct ckpt_loaded *l)
{
	struct ckpt_identity self = store_identity(0, 0);
	struct ckpt_rank_file ranks[STORE_RANKS] = {*f};
	struct ckpt_manifest m = {.line = 2, .size = STORE_RANKS, .ranks = ranks};
	int rc;

	memcpy(m.session, self.session, sizeof m.session);
	rc = ckpt_load(fs, store_dir, &m, &self, false, l, store_err, sizeof store_err);
	ck_assert_msg(rc == 0, "%s", store_err);
}

static void is_right(const struct ckpt_rank_file *f, bool typed)
{
	struct ckpt_loaded l;

	load(f, &l);
	ck_assert_uint_eq(l.n, sections_n);
	for (size_t i = 0; i < l.n; i++) {
		const struct ckpt_section *s = &sections[i];

		ck_assert_uint_eq(l.sections[i].kind, s->kind);
		ck_assert_uint_eq(l.sections[i].id, s->id);
		if (typed)
			ck_assert_uint_eq(l.sections[i].type, s->type);
		ck_assert_uint_eq(l.sections[i].len, s->len);
		if (s->len)
			ck_assert_mem_eq(l.sections[i].data, s->data, s->len);
	}
	ckpt_loaded_free(&l);
}

/* ---- tests ---- */

START_TEST(pieces_come_back)
{
	struct ckpt_out *o = begin(0);
	struct ckpt_rank_file f;

	ck_assert_int_eq(add_most(o), 0);
	ck_assert_int_eq(add_in_pieces(o, &sections[sections_n - 1]), 0);
	finish(o, &f);
	is_right(&f, false);
}
END_TEST

START_TEST(what_is_appended_comes_back)
{
	struct ckpt_out *o = begin(0);
	struct ckpt_rank_file f;

	for (size_t i = 0; i < sections_n; i++)
		ck_assert_int_eq(ckpt_out_append(o, &sections[i]), 0);
	finish(o, &f);
	is_right(&f, true);
}
END_TEST

/* What is appended is written later, and yet in its turn. */
START_TEST(pieces_stay_behind_what_was_appended)
{
	static struct ckpt_section s[4];
	struct ckpt_out *o = begin(4);
	struct ckpt_rank_file f;

	for (size_t i = 0; i < 4; i++) {
		s[i] = sections[4];
		s[i].id = (uint32_t)i;
		s[i].data = (const uint8_t *)sections[0].data + 1000 * i;
		ck_assert_int_eq(i % 2 ? add_in_pieces(o, &s[i]) : ckpt_out_append(o, &s[i]), 0);
	}
	finish(o, &f);
	sections = s;
	sections_n = 4;
	is_right(&f, true);
}
END_TEST

/* Around the lengths at which something is written. */
START_TEST(every_length_comes_back)
{
	static const size_t lengths[] = {
		0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 20, (1 << 20) + 1};
	enum { N = sizeof lengths / sizeof *lengths };
	static struct ckpt_section s[N];
	struct ckpt_out *o = begin(N);
	struct ckpt_rank_file f;

	for (size_t i = 0; i < N; i++) {
		const uint8_t *data = (const uint8_t *)sections[0].data + i;

		s[i] = (struct ckpt_section){CKPT_VARIABLE, (uint32_t)i, 0, 0, data, lengths[i]};
		ck_assert_int_eq(ckpt_out_section(o, CKPT_VARIABLE, (uint32_t)i), 0);
		ck_assert_int_eq(ckpt_out_add(o, data, lengths[i]), 0);
		ck_assert_int_eq(ckpt_out_section_end(o), 0);
	}
	finish(o, &f);
	sections = s;
	sections_n = N;
	is_right(&f, false);
}
END_TEST

START_TEST(a_child_and_its_parent_write_one_file)
{
	struct ckpt_out *o = begin(0);
	struct ckpt_rank_file f;

	store_line(1, 0);
	ck_assert_int_eq(by_child(add_most, o), 0);
	ck_assert_int_eq(ckpt_out_append(o, &sections[sections_n - 1]), 0);
	finish(o, &f);
	is_right(&f, false);
	ck_assert_int_eq(store_check(1, 0), 0);
}
END_TEST

/* It changes while it is added. */
static int add_itself(struct ckpt_out *o)
{
	size_t bytes;
	const void *memory = ckpt_out_memory(o, &bytes);
	int rc = ckpt_out_section(o, CKPT_BUFFER, 0);

	if (rc == 0)
		rc = ckpt_out_add(o, memory, bytes);
	return rc ? rc : ckpt_out_section_end(o);
}

START_TEST(the_sum_is_that_of_what_is_written)
{
	struct ckpt_out *o = begin(1);
	struct ckpt_rank_file f;
	struct ckpt_loaded l;

	ck_assert_int_eq(by_child(add_itself, o), 0);
	finish(o, &f);
	load(&f, &l);
	ck_assert_uint_gt(l.sections[0].len, 1 << 18);
	ckpt_loaded_free(&l);
}
END_TEST

START_TEST(a_child_that_is_killed_leaves_nothing)
{
	struct ckpt_out *o;
	int status;

	store_line(1, 0);
	o = begin(0);
	status = by_child(half_then_die, o);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	finish_fails(o, "0 of its 5 sections were written: the process that wrote them was killed");
	ck_assert_int_eq(store_check(1, 0), 0);
}
END_TEST

START_TEST(a_child_that_is_killed_between_sections)
{
	struct ckpt_out *o = begin(0);

	ck_assert_int_eq(by_child(add_most, o), 0);
	finish_fails(o, "4 of its 5 sections were written");
}
END_TEST

START_TEST(what_is_abandoned_leaves_nothing)
{
	struct ckpt_out *o;

	store_line(1, 0);
	ckpt_out_abandon(NULL);
	o = begin(0);
	ck_assert_int_eq(by_child(add_most, o), 0);
	ckpt_out_abandon(o);
	ck_assert(!store_has(file) && !store_has(file_tmp));
	ck_assert_int_eq(store_check(1, 0), 0);
}
END_TEST

/* The parent tells what the child has met. */
START_TEST(a_child_may_fail_at_a_fault_point)
{
	static const char *const faults[] = {"ckpt-write:*:*:2:ENOSPC", "ckpt-write:*:*:2:kill"};
	struct ckpt_out *o;
	int status;

	store_line(1, 0);
	ck_assert_int_eq(setenv("FTMPI_FAULT", faults[_i], 1), 0);
	fault_configure(0, 0);
	o = begin(0);
	status = by_child(add_most, o);
	if (_i == 0)
		ck_assert_int_eq(WEXITSTATUS(status), ENOSPC);
	else
		ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	ck_assert_int_eq(ckpt_out_append(o, &sections[0]), _i ? -EINVAL : -ENOSPC);
	finish_fails(o, _i ? "Invalid argument" : "No space left on device; make room there");
	ck_assert_int_eq(store_check(1, 0), 0);
}
END_TEST

START_TEST(calls_out_of_turn_are_refused)
{
	struct ckpt_out *o = begin(1);

	switch (_i) {
	case 0:
		ck_assert_int_eq(ckpt_out_add(o, "x", 1), -EINVAL);
		break;
	case 1:
		ck_assert_int_eq(ckpt_out_section_end(o), -EINVAL);
		break;
	case 2:
		ck_assert_int_eq(ckpt_out_section(o, CKPT_BUFFER, 0), 0);
		ck_assert_int_eq(ckpt_out_section(o, CKPT_BUFFER, 0), -EINVAL);
		break;
	case 3:
		ck_assert_int_eq(ckpt_out_section(o, CKPT_BUFFER, 0), 0);
		ck_assert_int_eq(ckpt_out_append(o, &sections[1]), -EINVAL);
		break;
	case 4: /* more than were planned */
		ck_assert_int_eq(ckpt_out_append(o, &sections[1]), 0);
		ck_assert_int_eq(ckpt_out_section(o, CKPT_BUFFER, 0), -EINVAL);
		break;
	}
	/* and from then on all are */
	ck_assert_int_eq(ckpt_out_append(o, &sections[1]), -EINVAL);
	finish_fails(o, "Invalid argument");
}
END_TEST

/* Of many in a row neither memory nor a descriptor is left. */
START_TEST(nothing_is_left_of_many)
{
	int before = dup(0);
	struct ckpt_rank_file f;

	close(before);
	for (int i = 0; i < 200; i++) {
		struct ckpt_out *o = begin(1);

		ck_assert_int_eq(ckpt_out_descriptor(o), before);
		ck_assert_int_eq(ckpt_out_append(o, &sections[1]), 0);
		if (i % 2)
			ckpt_out_abandon(o);
		else
			finish(o, &f);
	}
	ck_assert_int_eq(dup(0), before);
}
END_TEST

UNIT_MAIN("ckpt_out", tcase_add_checked_fixture(tc, store_begin, store_end);
	  tcase_add_test(tc, pieces_come_back); tcase_add_test(tc, what_is_appended_comes_back);
	  tcase_add_test(tc, pieces_stay_behind_what_was_appended);
	  tcase_add_test(tc, every_length_comes_back);
	  tcase_add_test(tc, a_child_and_its_parent_write_one_file);
	  tcase_add_test(tc, the_sum_is_that_of_what_is_written);
	  tcase_add_test(tc, a_child_that_is_killed_leaves_nothing);
	  tcase_add_test(tc, a_child_that_is_killed_between_sections);
	  tcase_add_test(tc, what_is_abandoned_leaves_nothing);
	  tcase_add_loop_test(tc, a_child_may_fail_at_a_fault_point, 0, 2);
	  tcase_add_loop_test(tc, calls_out_of_turn_are_refused, 0, 5);
	  tcase_add_test(tc, nothing_is_left_of_many);)
