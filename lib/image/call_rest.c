/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_rest.h"

#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum {
	ARGUMENTS = 6,
	NOWHERE = -1,
	MOST = 0x7ffff000 /* no call does more: MAX_RW_COUNT of the kernel, with pages of 4 KiB */
};

/* Of which files it is begun again. */
enum files { ANY, READ_FROM, WRITTEN_TO, RECEIVED_FROM, SENT_TO };

static const struct row {
	long number;
	enum files files;
	int buffer, bytes, position; /* in which arguments; with a vector the first two are that */
	bool vector;
} rows[] = {
	{SYS_read, READ_FROM, 1, 2, NOWHERE, false},
	{SYS_readv, READ_FROM, 1, 2, NOWHERE, true},
	{SYS_pread64, READ_FROM, 1, 2, 3, false},
	{SYS_write, WRITTEN_TO, 1, 2, NOWHERE, false},
	{SYS_writev, WRITTEN_TO, 1, 2, NOWHERE, true},
	{SYS_sendto, SENT_TO, 1, 2, NOWHERE, false},
	{SYS_recvfrom, RECEIVED_FROM, 1, 2, NOWHERE, false},
	{SYS_getrandom, ANY, 0, 1, NOWHERE, false},
	/* the kernel moves on the positions of these */
	{SYS_sendfile, ANY, NOWHERE, 3, NOWHERE, false},
	{SYS_copy_file_range, ANY, NOWHERE, 4, NOWHERE, false},
};

static const struct row *row_of(long number)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

bool call_rest_is_known(long number)
{
	return row_of(number) != NULL;
}

enum call_file call_rest_socket(int type, int domain, int protocol)
{
	if (type != SOCK_STREAM)
		return CALL_FILE_OTHER;
	return domain == AF_UNIX || ((domain == AF_INET || domain == AF_INET6) &&
					    protocol == IPPROTO_TCP)
		       ? CALL_FILE_STREAM
		       : CALL_FILE_OTHER;
}

static bool fits(const struct row *r, const uint64_t *argument, enum call_file file)
{
	switch (r->files) {
	case READ_FROM:
		return file == CALL_FILE_ENDLESS;
	case WRITTEN_TO:
		return file != CALL_FILE_OTHER;
	case SENT_TO:
		return file == CALL_FILE_STREAM;
	case RECEIVED_FROM:
		return file == CALL_FILE_STREAM && (argument[3] & MSG_WAITALL) &&
		       !(argument[3] & (MSG_PEEK | MSG_DONTWAIT | MSG_ERRQUEUE));
	default:
		/* old kernels may have no more of what GRND_RANDOM wants */
		return r->number != SYS_getrandom || !(argument[2] & GRND_RANDOM);
	}
}

static const struct iovec *vector_of(const struct row *r, const uint64_t *argument)
{
	return (const struct iovec *)(uintptr_t)argument[r->buffer];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t asked(const struct row *r, const uint64_t *argument)
{
	uint64_t bytes = 0;

	if (!r->vector)
		return least(argument[r->bytes], MOST);
	for (uint64_t i = 0; i < argument[r->bytes] && bytes < MOST; i++)
		bytes += least(vector_of(r, argument)[i].iov_len, MOST);
	return least(bytes, MOST);
}

bool call_rest_is_due(long number, const uint64_t argument[6], enum call_file file, uint64_t done)
{
	const struct row *r = row_of(number);

	return r && done > 0 && fits(r, argument, file) && done < asked(r, argument);
}

/* Behind what is done so many bytes, or as many as fit. */
static uint64_t rest_of_vector(const struct iovec *from, uint64_t n, uint64_t done, uint64_t bytes,
	struct iovec to[CALL_REST_PIECES])
{
	uint64_t count = 0;

	for (; n > 0 && bytes > 0 && count < CALL_REST_PIECES; from++, n--) {
		uint64_t skip = least(done, from->iov_len);

		done -= skip;
		if (skip == from->iov_len)
			continue;
		to[count].iov_base = (char *)from->iov_base + skip;
		to[count].iov_len = least(from->iov_len - skip, bytes);
		bytes -= to[count++].iov_len;
	}
	return count;
}

void call_rest_arguments(long number, const uint64_t argument[6], uint64_t done,
	struct iovec pieces[CALL_REST_PIECES], uint64_t rest[6])
{
	const struct row *r = row_of(number);
	uint64_t most, left;

	for (int i = 0; i < ARGUMENTS; i++)
		rest[i] = argument[i];
	if (!r || done == 0)
		return;
	most = asked(r, argument);
	left = most > done ? most - done : 0; /* whoever has changed a vector meanwhile */
	if (r->vector) {
		rest[r->buffer] = (uint64_t)(uintptr_t)pieces;
		rest[r->bytes] = rest_of_vector(
			vector_of(r, argument), argument[r->bytes], done, left, pieces);
		return;
	}
	if (r->buffer != NOWHERE)
		rest[r->buffer] += done;
	rest[r->bytes] = left;
	if (r->position != NOWHERE)
		rest[r->position] += done;
}
