/* SPDX-License-Identifier: BSD-3-Clause */
#include "read_all.h"

#include <errno.h>
#include <unistd.h>

int image_read_all(int fd, void *out, size_t length, uint64_t at)
{
	uint8_t *to = out;

	while (length > 0) {
		ssize_t n = pread(fd, to, length, (off_t)at);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		to += n;
		at += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}
