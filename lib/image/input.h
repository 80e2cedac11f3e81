/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a process has read its standard input, where that is a pipe into which another process
 * writes, the feeder. The feeder counts what it writes. The count lies in a pipe of the feeder's
 * own, as 16 bytes, both numbers little-endian: u64 bytes written so far, u64 inode of the standard
 * input's pipe. Who has taken them out is alone: the feeder takes them out before it writes, and
 * puts them back, changed, when it has written. So they and what lies unread in the pipe at the
 * same moment, while no thread of the process runs, tell exactly what has been read.
 */
#ifndef FTMPI_IMAGE_INPUT_H
#define FTMPI_IMAGE_INPUT_H

#include "files_read.h"
#include "image.h"

/* While all other threads stand. 0: what image_input_read says is of this moment. -errno, and *why
 * is a sentence: the standard input comes from where nobody could give it again. By system calls
 * alone. */
int input_note(const struct image_feeder *feeder, const struct files_held *files,
	uint32_t patience_ms, char *why, size_t size);

/* In a process that woke up: it is given its input from there on. */
void input_woke(void);

#endif
