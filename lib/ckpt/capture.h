/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank saves for one line, section by section, until it is written. Mostly a copy, made
 * while the program waits, to be written while it goes on; or, where the program waits until it is
 * written, what lies in place. One thread at a time uses a capture; different ones may be used by
 * different threads.
 *
 * Only the copy is made here, checksums when it is written: inside the copy they would make it
 * longer by half (doc/ckpt-format.md).
 */
#ifndef FTMPI_CKPT_CAPTURE_H
#define FTMPI_CKPT_CAPTURE_H

#include "ckpt/ckpt.h"

struct ckpt_capture;

/* An empty one, with the memory of one that was let go if there is such. NULL: no memory. */
struct ckpt_capture *ckpt_capture_new(void);

/* An empty one that copies nothing: what is added stays where it is, and as it is, until the
 * capture is let go. NULL: no memory. */
struct ckpt_capture *ckpt_capture_in_place(void);

/* Copies the section, or refers to it. 0, FT_ENOMEM. What fails adds nothing, here and below. */
int ckpt_capture_add(struct ckpt_capture *c, const struct ckpt_section *s);

/* A section for what does not lie in one piece: its len bytes are the caller's to fill. NULL: no
 * memory. */
void *ckpt_capture_room(
	struct ckpt_capture *c, uint32_t kind, uint32_t id, uint32_t type, uint64_t len);

/* A section of malloc'ed bytes (NULL only with len 0), the capture's from now on. 0, FT_ENOMEM:
 * they stay the caller's. */
int ckpt_capture_own(struct ckpt_capture *c, uint32_t kind, uint8_t *bytes, uint64_t len);

/* Bytes of all its sections. */
uint64_t ckpt_capture_bytes(const struct ckpt_capture *c);

/* These, in the order in which they were added. Until the next one. */
const struct ckpt_section *ckpt_capture_sections(const struct ckpt_capture *c, size_t *n);

/* Let go. The memory of at most two copies is kept for the next ones. NULL: nothing happens. */
void ckpt_capture_done(struct ckpt_capture *c);

/* What is kept is freed. */
void ckpt_capture_clear(void);

/* In a process that woke up from an image: the same, and whoever held the lock is not there any
 * more. While no other thread calls anything here. */
void ckpt_capture_forget(void);

/* ckpt_write of its sections, in the order in which they were added. */
int ckpt_write_capture(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_identity *id, uint32_t line, const struct ckpt_capture *c, uint64_t *seal,
	uint64_t *bytes, char *err, size_t errsize);

#endif
