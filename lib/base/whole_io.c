/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/whole_io.h"

#include <errno.h>
#include <unistd.h>

/* What remains of iov after `done` bytes of it. */
static struct iovec *advance(struct iovec *iov, int *n, size_t done)
{
	while (*n > 0 && done >= iov->iov_len) {
		done -= (iov++)->iov_len;
		--*n;
	}
	if (*n > 0) {
		iov->iov_base = (char *)iov->iov_base + done;
		iov->iov_len -= done;
	}
	return iov;
}

int whole_io_write(int fd, struct iovec *iov, int n, uint64_t offset)
{
	for (iov = advance(iov, &n, 0); n > 0;) {
		ssize_t done = pwritev(fd, iov, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		offset += (uint64_t)done;
		iov = advance(iov, &n, (size_t)done);
	}
	return 0;
}

int64_t whole_io_read(int fd, void *out, uint64_t bytes, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(fd, (char *)out + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (uint64_t)n;
	}
	return (int64_t)done;
}
