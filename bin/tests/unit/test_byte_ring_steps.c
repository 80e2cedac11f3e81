/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer that ends after any of its instructions: what it has left in the memory is whole records
 * alone, and nobody sleeps with news that he was not told of. The writer is a process that this one
 * steps; after each step the reader looks, and takes what there is.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/byte_ring.h"
#include "transport/mailbox.h"
#include "unit.h"

/* Near the end of the row: the records go over it. */
enum { BEGIN = BYTE_RING_CELLS - 30 };

static struct shared {
	struct byte_ring ring;
	struct mailbox box;
} * shared;

static const uint8_t envelope[WIRE_ENVELOPE_BYTES] = "an envelope of bytes";
static const size_t lengths[] = {0, 8, 32, 33, 64, 600, 1, 1500, 90, 24, 25, 700};
enum { MESSAGES = sizeof lengths / sizeof lengths[0] };

static uint8_t byte_of(size_t message, size_t i)
{
	return (uint8_t)(1 +
			 (message * 131 + i * 7) % 255); /* none is what the row was filled with */
}

static void share(void)
{
	shared = mmap(
		NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
}

/* ---- the process that is stepped ---- */

/* -1, and a line that says so: the system lets nobody trace. */
static pid_t begin(void (*what)(void))
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(1);
		raise(SIGSTOP);
		what();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFSTOPPED(status))
		return pid;
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	fprintf(stderr, "test_byte_ring_steps: left out, nothing can be traced here\n");
	return -1;
}

/* False: it has ended, and well. */
static bool step(pid_t pid)
{
	int status;

	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFSTOPPED(status)) {
		ck_assert_int_eq(WSTOPSIG(status), SIGTRAP);
		return true;
	}
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return false;
}

/* ---- the ring ---- */

/* Each message as a short one, and then as a stream. */
static void write_all(void)
{
	struct byte_ring_writer w = {.ring = &shared->ring, .at = BEGIN, .sent = BEGIN};
	static uint8_t bytes[2000];

	for (size_t m = 0; m < MESSAGES; m++) {
		struct iovec iov[] = {{bytes, lengths[m] / 3}, {bytes + lengths[m] / 3, 0}};

		iov[1].iov_len = lengths[m] - iov[0].iov_len;
		for (size_t i = 0; i < lengths[m]; i++)
			bytes[i] = byte_of(m, i);
		if (!byte_ring_put_short(&w, (uint32_t)m, envelope, bytes, lengths[m]))
			_exit(2);
		if (byte_ring_write(&w, iov, 2) != lengths[m])
			_exit(3);
	}
}

struct expected {
	size_t message, done; /* bytes of it as a stream */
	bool was_short;
};

static void check_bytes(const struct byte_ring_record *r, size_t message, size_t from)
{
	for (size_t i = 0; i < r->length; i++)
		ck_assert_uint_eq(r->bytes[i], byte_of(message, from + i));
}

static void take(struct expected *e, enum byte_ring_kind kind, const struct byte_ring_record *r)
{
	ck_assert_uint_lt(e->message, MESSAGES);
	if (!e->was_short) {
		ck_assert_int_eq(kind, BYTE_RING_SHORT);
		ck_assert_uint_eq(r->length, lengths[e->message]);
		ck_assert_uint_eq(r->credit, e->message);
		ck_assert_int_eq(memcmp(r->envelope, envelope, sizeof envelope), 0);
		check_bytes(r, e->message, 0);
	} else {
		ck_assert_int_eq(kind, BYTE_RING_STREAM);
		check_bytes(r, e->message, e->done);
		e->done += r->length;
	}
	e->was_short = true;
	if (e->done == lengths[e->message])
		*e = (struct expected){.message = e->message + 1};
}

START_TEST(a_record_is_there_as_a_whole_or_not_at_all)
{
	struct byte_ring_reader reader;
	struct expected e = {0};
	bool goes_on;
	pid_t pid;

	share();
	memset(shared->ring.cells, 0xa5, sizeof shared->ring.cells);
	memset(shared->ring.cells + (size_t)BEGIN * BYTE_RING_CELL, 0, sizeof(uint32_t));
	shared->ring.returned = BEGIN;
	reader = (struct byte_ring_reader){
		.ring = &shared->ring, .at = BEGIN, .taken = BEGIN, .told = BEGIN};
	pid = begin(write_all);
	if (pid < 0)
		return;
	do {
		struct byte_ring_record r;
		enum byte_ring_kind kind;

		goes_on = step(pid);
		while ((kind = byte_ring_peek(&reader, &r)) != BYTE_RING_NOTHING) {
			ck_assert_int_ne(kind, BYTE_RING_BROKEN);
			take(&e, kind, &r);
			byte_ring_pass(&reader, r.length);
		}
	} while (goes_on);
	ck_assert_uint_eq(e.message, MESSAGES);
	ck_assert_uint_lt(reader.at, BEGIN);
}
END_TEST

/* ---- the mailbox ---- */

enum { SLOT = 70 };

static void post(void)
{
	_exit(mailbox_post(&shared->box, SLOT, false) ? 0 : 1);
}

START_TEST(who_takes_the_mark_has_left_news)
{
	bool marked = true;
	pid_t pid;

	share();
	mailbox_mark(&shared->box);
	ck_assert(!mailbox_has_news(&shared->box, mailbox_groups(SLOT + 1)));
	pid = begin(post);
	if (pid < 0)
		return;
	while (step(pid)) {
		marked = shared->box.asleep;
		ck_assert(marked || shared->box.slots[SLOT]);
	}
	ck_assert(!marked);
}
END_TEST

UNIT_MAIN("byte_ring_steps", tcase_add_test(tc, a_record_is_there_as_a_whole_or_not_at_all);
	  tcase_add_test(tc, who_takes_the_mark_has_left_news);)
