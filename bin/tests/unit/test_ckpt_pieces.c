/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that writes and reads less than it was asked for, and is interrupted now and then. */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ckpt_store.h"
#include "unit.h"

enum { AT_MOST = 70001 };

static unsigned writes, reads;

static size_t some(size_t bytes)
{
	return bytes < AT_MOST ? bytes : AT_MOST;
}

/* In the place of the C library's. */
ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t offset)
{
	ck_assert_int_gt(n, 0);
	ck_assert_uint_gt(iov->iov_len, 0);
	if (++writes % 3 == 0) {
		errno = EINTR;
		return -1;
	}
	return pwrite(fd, iov->iov_base, some(iov->iov_len), offset);
}

ssize_t pread(int fd, void *out, size_t bytes, off_t offset)
{
	struct iovec iov = {out, some(bytes)};

	if (++reads % 3 == 0) {
		errno = EINTR;
		return -1;
	}
	return preadv(fd, &iov, 1, offset);
}

START_TEST(a_line_survives_pieces)
{
	store_line(1, 0);
	for (uint32_t r = 0; r < STORE_RANKS; r++)
		ck_assert_msg(store_check(1, r) == 0, "%s", store_err);
	ck_assert_uint_gt(writes, 100);
	ck_assert_uint_gt(reads, 100);
}
END_TEST

UNIT_MAIN("ckpt_pieces", tcase_add_checked_fixture(tc, store_begin, store_end);
	  tcase_add_test(tc, a_line_survives_pieces);)
