/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing all of it, however many calls that takes, with signals in between. */
#ifndef FTMPI_BASE_WHOLE_IO_H
#define FTMPI_BASE_WHOLE_IO_H

#include <stdint.h>
#include <sys/uio.h>

/* At this offset; iov is used up. 0 or a negative errno. */
int whole_io_write(int fd, struct iovec *iov, int n, uint64_t offset);

/* How many bytes were read, fewer than asked for only at the end of the file; or a negative errno.
 */
int64_t whole_io_read(int fd, void *out, uint64_t bytes, uint64_t offset);

#endif
