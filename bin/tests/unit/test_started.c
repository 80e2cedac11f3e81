/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process was started with, as bytes; and that a process which woke up begins again as it
 * was started itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "launch/reexec.h"
#include "launch/started.h"
#include "woken.h"

enum { ARENA = 64 << 10, LISTED = 5, NOT_LISTED = 6, STACK = 3 << 20 };

static uint8_t arena[ARENA];
static struct started known;

/* Freed when the test ends. */
static void setup(void)
{
	char *argv[] = {"prog", "", "an argument", NULL}, *envp[] = {"A=b", "EMPTY=", NULL};

	known = (struct started){.whole = true,
		.argv = started_words(argv),
		.envp = started_words(envp),
		.program = "./prog",
		.cwd = "/tmp/here",
		.know_processors = true,
		.umask = 027,
		.limits = {[RLIMIT_STACK] = UINT64_MAX, [RLIMIT_DATA] = 5},
		.fds = {{0, O_RDWR, 1, 2}, {LISTED, O_APPEND, UINT64_MAX, 7}, {1 << 30, 0, 0, 0}},
		.nfds = 3};
	sigaddset(&known.mask, SIGUSR1);
	sigaddset(&known.ignored, SIGHUP);
	CPU_SET(3, &known.processors);
}

static void teardown(void)
{
	started_free(&known);
}

static bool same_words(char *const *a, char *const *b)
{
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b) != 0)
			return false;
	return *a == *b;
}

static bool same(const struct started *a, const struct started *b)
{
	return same_words(a->argv, b->argv) && same_words(a->envp, b->envp) &&
	       strcmp(a->program, b->program) == 0 && strcmp(a->cwd, b->cwd) == 0 &&
	       memcmp(&a->mask, &b->mask, sizeof a->mask) == 0 &&
	       memcmp(&a->ignored, &b->ignored, sizeof a->ignored) == 0 && a->whole == b->whole &&
	       a->know_processors == b->know_processors &&
	       CPU_EQUAL(&a->processors, &b->processors) && a->umask == b->umask &&
	       memcmp(a->limits, b->limits, sizeof a->limits) == 0 && a->nfds == b->nfds &&
	       memcmp(a->fds, b->fds, a->nfds * sizeof *a->fds) == 0;
}

/* At any address. */
START_TEST(it_is_what_it_was)
{
	struct started got = {0};
	size_t bytes = started_bytes(&known);

	started_encode(&known, arena + _i);
	ck_assert_uint_eq(arena[bytes + (size_t)_i], 0);
	ck_assert_uint_ne(bytes, 0);
	ck_assert_int_eq(started_decode(&got, arena + _i, bytes), 0);
	ck_assert(same(&got, &known));
	started_free(&got);
	ck_assert(!got.whole && !got.argv);
}
END_TEST

START_TEST(no_words_are_words)
{
	char *none[] = {NULL};
	struct started got;

	free(known.argv);
	known.argv = started_words(none);
	known.nfds = 0;
	known.know_processors = false;
	known.program[0] = '\0';
	started_encode(&known, arena);
	ck_assert_int_eq(started_decode(&got, arena, started_bytes(&known)), 0);
	ck_assert(same(&got, &known));
	started_free(&got);
}
END_TEST

static void refuses(size_t bytes, const char *what)
{
	struct started got = {.nfds = 77};

	ck_assert_msg(started_decode(&got, arena, bytes) == FT_EPROTO, "%s was taken", what);
	ck_assert_uint_eq(got.nfds, 77);
}

START_TEST(every_cut_is_refused)
{
	size_t bytes = started_bytes(&known);

	started_encode(&known, arena);
	for (size_t cut = 0; cut < bytes; cut++)
		refuses(cut, "a part");
	refuses(bytes + 1, "one byte more");
}
END_TEST

/* Where these bytes stand. */
static uint8_t *find(const char *text, size_t len)
{
	uint8_t *at = memmem(arena, sizeof arena, text, len);

	ck_assert_ptr_nonnull(at);
	return at;
}

START_TEST(what_it_cannot_have_been_is_refused)
{
	size_t bytes = started_bytes(&known);
	uint8_t *words;

	started_encode(&known, arena);
	arena[0] = 2;
	refuses(bytes, "neither known nor unknown processors");
	started_encode(&known, arena);
	find("EMPTY=", 7)[6] = 'x';
	refuses(bytes, "a word without an end");
	find("EMPTY", 5)[0] = '\0';
	refuses(bytes, "a word without an end, and another in its place");
	started_encode(&known, arena);
	words = find("prog\0\0an", 8);
	words[-8] = 2;
	refuses(bytes, "two words where there are three");
	words[-8] = 4;
	refuses(bytes, "four words where there are three");
	words[-8] = 3;
	memset(words - 4, 0xff, 4);
	refuses(bytes, "words beyond the end");
}
END_TEST

START_TEST(descriptors_are_checked)
{
	static const struct started_fd bad[][2] = {
		{{-1, 0, 0, 0}, {3, 0, 0, 0}},
		{{3, 0, 0, 0}, {3, 0, 0, 0}},
		{{4, 0, 0, 0}, {3, 0, 0, 0}},
		{{3, 0, 0, 0}, {4, -1, 0, 0}},
	};

	known.nfds = 2;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		memcpy(known.fds, bad[i], sizeof bad[i]);
		started_encode(&known, arena);
		refuses(started_bytes(&known), "a descriptor");
	}
}
END_TEST

START_TEST(descriptors_have_a_bound)
{
	struct started got;
	size_t bytes;

	known.nfds = STARTED_FDS_MAX;
	for (int i = 0; i < STARTED_FDS_MAX; i++)
		known.fds[i] = (struct started_fd){.fd = i};
	bytes = started_bytes(&known);
	started_encode(&known, arena);
	ck_assert_int_eq(started_decode(&got, arena, bytes), 0);
	started_free(&got);
	/* one more, as large as the last */
	memcpy(arena + bytes, arena + bytes - 24, 24);
	arena[bytes]++;
	arena[bytes - STARTED_FDS_MAX * 24 - 4]++;
	refuses(bytes + 24, "one descriptor too many");
}
END_TEST

/* ---- a process that woke up ---- */

static void keep_own(void)
{
	char *argv[] = {"of the image", NULL}, *envp[] = {"STARTED_TEST=image", NULL};

	reexec_keep(argv, envp);
}

START_TEST(what_is_kept_fits_or_is_not_written)
{
	static const uint8_t zeros[ARENA];
	size_t bytes;

	ck_assert_uint_eq(reexec_carry(arena, sizeof arena), 0);
	keep_own();
	bytes = reexec_carry(arena, 0);
	ck_assert_uint_gt(bytes, 100);
	ck_assert_uint_eq(reexec_carry(arena, bytes - 1), bytes);
	ck_assert_mem_eq(arena, zeros, sizeof arena);
	ck_assert_uint_eq(reexec_carry(arena, bytes), bytes);
	ck_assert_int_eq(reexec_carried(arena, bytes), 0);
	ck_assert_uint_eq(reexec_carry(arena + bytes, bytes), bytes);
	ck_assert_mem_eq(arena, arena + bytes, bytes);
}
END_TEST

START_TEST(what_is_kept_is_as_it_is)
{
	struct started got;
	struct rlimit stack;
	char cwd[PATH_MAX];

	keep_own();
	ck_assert_int_eq(started_decode(&got, arena, reexec_carry(arena, sizeof arena)), 0);
	ck_assert_str_eq(got.argv[0], "of the image");
	ck_assert_str_eq(got.cwd, getcwd(cwd, sizeof cwd));
	ck_assert_int_eq(getrlimit(RLIMIT_STACK, &stack), 0);
	ck_assert_uint_eq(got.limits[RLIMIT_STACK], stack.rlim_cur);
	ck_assert_uint_eq(got.umask, umask(0));
	umask((mode_t)got.umask);
	ck_assert_uint_ge(got.nfds, 3);
	started_free(&got);
}
END_TEST

START_TEST(what_was_not_carried_is_not_known)
{
	size_t bytes;

	keep_own();
	bytes = reexec_carry(arena, sizeof arena);
	ck_assert_int_eq(reexec_carried(arena, bytes - 1), FT_EPROTO);
	ck_assert_uint_eq(reexec_carry(arena, sizeof arena), 0);
	ck_assert_int_eq(reexec_carried(arena, bytes), 0);
	ck_assert_int_eq(reexec_carried(NULL, 0), 0);
	ck_assert_uint_eq(reexec_carry(arena, sizeof arena), 0);
}
END_TEST

/* This program, as the one below executes it. */
__attribute__((constructor)) static void executed_again(int argc, char **argv)
{
	const char *who = getenv("STARTED_TEST");
	struct sigaction hup;
	struct rlimit stack;
	sigset_t mask;
	char cwd[64];

	if (!who)
		return;
	WOKEN_MUST(strcmp(who, "woken") == 0 && argc == 2 && strcmp(argv[1], "of the woken") == 0);
	WOKEN_MUST(getcwd(cwd, sizeof cwd) && strcmp(cwd, "/") == 0);
	WOKEN_MUST(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGUSR1));
	WOKEN_MUST(sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler == SIG_IGN);
	WOKEN_MUST((fcntl(LISTED, F_GETFL) & (O_ACCMODE | O_APPEND)) == (O_RDWR | O_APPEND));
	WOKEN_MUST(fcntl(NOT_LISTED, F_GETFD) < 0);
	WOKEN_MUST(getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur == STACK);
	WOKEN_MUST(getrlimit(RLIMIT_CORE, &stack) == 0 && stack.rlim_cur == 0);
	WOKEN_MUST(umask(0) == 031);
	_exit(0);
}

/* As a constructor would have found this process when it was started. */
static void know_own(void)
{
	char *argv[] = {"prog", "of the woken", NULL}, *envp[] = {"STARTED_TEST=woken", NULL};
	static const int fds[] = {0, 1, 2, LISTED};
	struct rlimit r;
	struct stat s;

	free(known.argv);
	free(known.envp);
	known.argv = started_words(argv);
	known.envp = started_words(envp);
	strcpy(known.program, "/nowhere");
	strcpy(known.cwd, "/");
	WOKEN_MUST(dup2(open("/dev/null", O_RDWR | O_APPEND), LISTED) == LISTED);
	for (size_t i = 0; i < 4; i++) {
		WOKEN_MUST(fstat(fds[i], &s) == 0);
		known.fds[i] =
			(struct started_fd){fds[i], fcntl(fds[i], F_GETFL), s.st_dev, s.st_ino};
	}
	known.nfds = 4;
	known.know_processors = false;
	known.umask = 031;
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		WOKEN_MUST(getrlimit(i, &r) == 0);
		known.limits[i] = r.rlim_cur;
	}
	known.limits[RLIMIT_STACK] = STACK;
	known.limits[RLIMIT_CORE] = 0;
}

static void begins_again(void)
{
	know_own();
	started_encode(&known, arena);
	WOKEN_MUST(reexec_carried(arena, started_bytes(&known)) == 0);
	memset(arena, 0xff, sizeof arena);
	WOKEN_MUST(dup2(LISTED, NOT_LISTED) == NOT_LISTED);
	WOKEN_MUST(fcntl(LISTED, F_SETFD, FD_CLOEXEC) == 0);
	reexec_now();
}

START_TEST(a_process_that_woke_up_begins_again_as_itself)
{
	keep_own();
	woken(begins_again);
}
END_TEST

UNIT_MAIN("started", tcase_add_checked_fixture(tc, setup, teardown);
	  tcase_add_loop_test(tc, it_is_what_it_was, 0, 8); tcase_add_test(tc, no_words_are_words);
	  tcase_add_test(tc, every_cut_is_refused);
	  tcase_add_test(tc, what_it_cannot_have_been_is_refused);
	  tcase_add_test(tc, descriptors_are_checked); tcase_add_test(tc, descriptors_have_a_bound);
	  tcase_add_test(tc, what_is_kept_fits_or_is_not_written);
	  tcase_add_test(tc, what_is_kept_is_as_it_is);
	  tcase_add_test(tc, what_was_not_carried_is_not_known);
	  tcase_add_test(tc, a_process_that_woke_up_begins_again_as_itself);)
