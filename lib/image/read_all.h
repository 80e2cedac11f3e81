/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_IMAGE_READ_ALL_H
#define FTMPI_IMAGE_READ_ALL_H

#include <stddef.h>
#include <stdint.h>

/* All of these bytes of an image's file. 0; -errno, -EIO where the file ends before. */
int image_read_all(int fd, void *out, size_t length, uint64_t at);

#endif
