/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptors of this process, as an image holds them. By the process itself before the fork:
 * afterwards offsets, lengths and what is in pipes may change at any moment. By system calls
 * alone, for other threads may have been stopped with a lock of libc.
 */
#ifndef FTMPI_IMAGE_FILES_READ_H
#define FTMPI_IMAGE_FILES_READ_H

#include "files_steps.h"

/* What the process has open now. */
void files_inherited_read(struct files_inherited *now);

/* At the start of the process, and as one that woke up was started: what is not the program's. */
void files_inherited_are(const struct files_inherited *at_start);

/* The bytes of IMAGE_FILES, in memory mapped for them, from low to high, that no image holds; and
 * the entries that they are made of. */
struct files_held {
	uint64_t low, high;
	const uint8_t *bytes;
	size_t length;
	const struct files_entry *entry;
	size_t n;
};

/* 0; or -errno, and *why is a sentence, of which a descriptor that cannot be brought back is
 * -EOPNOTSUPP. After both files_release. Nothing of the descriptors is changed, but O_NONBLOCK of
 * files, folders and own pipes for a moment where kcmp(2) is not allowed. */
int files_read(struct files_held *h, struct files_numbers own, char *why, size_t size);
void files_release(struct files_held *h);

#endif
