/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a process has read its standard input. It is its own feeder here. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/input.h"
#include "unit.h"

enum { COUNT_BYTES = 16, PATIENCE_MS = 20, FEW = 10 };

static int feed, count[2];
static struct image_feeder feeder;
static struct files_entry entry[3];
static struct files_held held;
static char why[256];

static uint64_t inode_of(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return st.st_ino;
}

/* A number of a machine that has its bytes in this order, as all have that images are of. */
static void put_count(uint64_t written, uint64_t inode)
{
	uint64_t numbers[] = {written, inode};

	ck_assert_int_eq(write(count[1], numbers, sizeof numbers), COUNT_BYTES);
}

static uint64_t take_count(void)
{
	uint64_t numbers[2];

	ck_assert_int_eq(read(count[0], numbers, sizeof numbers), COUNT_BYTES);
	return numbers[0];
}

/* Descriptor 0 is the reader of a pipe, as the process was started with. */
static void begin(void)
{
	int in[2];

	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(dup2(in[0], 0), 0);
	close(in[0]);
	feed = in[1];
	ck_assert_int_eq(pipe(count), 0);
	ck_assert_int_eq(fcntl(count[0], F_SETFL, O_NONBLOCK), 0);
	feeder = (struct image_feeder){(uint32_t)getpid(), (uint32_t)count[0], inode_of(count[0])};
	entry[0] = (struct files_entry){.number = 0, .kind = FILES_INHERITED};
	held = (struct files_held){.entry = entry, .n = 1};
}

static void feed_bytes(size_t n)
{
	static const char some[100];

	ck_assert_int_eq(write(feed, some, n), (ssize_t)n);
}

static void read_bytes(size_t n)
{
	char some[100];

	ck_assert_int_eq(read(0, some, n), (ssize_t)n);
}

static int note(void)
{
	why[0] = '\0';
	return input_note(&feeder, &held, PATIENCE_MS, why, sizeof why);
}

static void has_read(uint64_t bytes)
{
	ck_assert_int_eq(note(), 0);
	ck_assert_uint_eq(image_input_read(), bytes);
}

START_TEST(what_was_read_is_known_to_the_byte)
{
	begin();
	put_count(0, inode_of(0));
	has_read(0);
	take_count();
	feed_bytes(100);
	read_bytes(30);
	put_count(100, inode_of(0));
	has_read(30);
	ck_assert_uint_eq(take_count(), 100);
	put_count(100, inode_of(0));
	close(feed);
	read_bytes(70);
	has_read(100);
}
END_TEST

START_TEST(a_process_that_woke_up_counts_on)
{
	begin();
	feed_bytes(100);
	read_bytes(40);
	put_count(100, inode_of(0));
	has_read(40);
	input_woke();
	has_read(80);
	take_count();
	has_read(IMAGE_INPUT_UNKNOWN);
	input_woke(); /* it is given all again */
	put_count(100, inode_of(0));
	has_read(40);
}
END_TEST

START_TEST(another_number_that_the_pipe_has)
{
	begin();
	feed_bytes(FEW);
	put_count(FEW, inode_of(0));
	entry[1] = (struct files_entry){.number = (uint32_t)dup(0), .kind = FILES_INHERITED};
	ck_assert_int_eq(dup2(open("/dev/null", O_RDONLY), 0), 0);
	entry[0].kind = FILES_DEVICE;
	held.n = 2;
	ck_assert_int_eq(read((int)entry[1].number, why, 1), 1);
	has_read(1);
}
END_TEST

START_TEST(nothing_that_reads_the_pipe)
{
	begin();
	feed_bytes(FEW);
	read_bytes(1);
	put_count(FEW, inode_of(0));
	held.n = 0;
	has_read(FEW); /* none of it is asked for again */
}
END_TEST

START_TEST(what_is_not_known)
{
	begin();
	feed_bytes(FEW);
	has_read(IMAGE_INPUT_UNKNOWN); /* somebody writes, for long */
	put_count(FEW - 1, inode_of(0));
	has_read(IMAGE_INPUT_UNKNOWN); /* more is there than was written */
	take_count();
	put_count(FEW, inode_of(0));
	feeder.pid = UINT32_MAX;
	has_read(IMAGE_INPUT_UNKNOWN); /* no such process */
	feeder.pid = (uint32_t)getpid();
	feeder.inode++;
	has_read(IMAGE_INPUT_UNKNOWN); /* the number is another pipe's by now */
	feeder.fd = (uint32_t)open("/dev/zero", O_RDONLY);
	feeder.inode = inode_of((int)feeder.fd);
	has_read(IMAGE_INPUT_UNKNOWN); /* what is no pipe */
	ck_assert_uint_eq(take_count(), FEW);
	ck_assert_int_eq(input_note(NULL, &held, PATIENCE_MS, why, sizeof why), 0);
	ck_assert_uint_eq(image_input_read(), IMAGE_INPUT_UNKNOWN);
}
END_TEST

static void is_refused(const char *words)
{
	ck_assert_int_eq(note(), -EOPNOTSUPP);
	ck_assert_msg(strstr(why, words), "'%s' is not in: %s", words, why);
}

START_TEST(input_of_another_process)
{
	int other[2];

	begin();
	put_count(0, inode_of(0));
	ck_assert_int_eq(pipe(other), 0);
	ck_assert_int_eq(dup2(other[0], 0), 0);
	is_refused("comes from another process");
	feeder.pid = 0;
	is_refused("comes from another process");
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
	ck_assert_int_eq(dup2(other[0], 0), 0);
	is_refused("comes from another process");
	entry[0].kind = FILES_PIPE;
	ck_assert_int_eq(note(), 0);
}
END_TEST

START_TEST(input_from_a_file_without_a_name)
{
	char name[] = "/tmp/ftmpi-input-XXXXXX";
	int fd = mkstemp(name);

	begin();
	put_count(0, inode_of(0));
	ck_assert_int_ge(fd, 0);
	unlink(name);
	ck_assert_int_eq(dup2(fd, 0), 0);
	ck_assert_int_eq(note(), 0);
	ck_assert_int_eq(lseek(0, 1, SEEK_SET), 1);
	is_refused("a file that cannot be opened again");
}
END_TEST

UNIT_MAIN("image_input", tcase_add_test(tc, what_was_read_is_known_to_the_byte);
	  tcase_add_test(tc, a_process_that_woke_up_counts_on);
	  tcase_add_test(tc, another_number_that_the_pipe_has);
	  tcase_add_test(tc, nothing_that_reads_the_pipe); tcase_add_test(tc, what_is_not_known);
	  tcase_add_test(tc, input_of_another_process);
	  tcase_add_test(tc, input_from_a_file_without_a_name);)
