/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data buffer: a random access file in memory. {0} is no buffer; a buffer of 0 bytes is one.
 * What fails changes nothing. FT_ENONE: there is no buffer; FT_EINVAL: a negative number, or no
 * place for bytes.
 */
#ifndef FTMPI_CKPT_BUFFER_H
#define FTMPI_CKPT_BUFFER_H

#include <stdint.h>

struct ckpt_buffer {
	uint8_t *data; /* NULL: there is no buffer */
	uint64_t size, at;
};

enum ckpt_whence { CKPT_SEEK_SET, CKPT_SEEK_CUR, CKPT_SEEK_END /* back from the end */ };

/* A new one, zeroed, instead of what was there. 0, FT_EINVAL, FT_ENOMEM. */
int ckpt_buffer_alloc(struct ckpt_buffer *b, int64_t size);

/* New bytes are zero; a pointer beyond the end moves to the end. 0, FT_EINVAL, FT_ENOMEM. */
int ckpt_buffer_realloc(struct ckpt_buffer *b, int64_t size);

/* A new one with a copy of these bytes, its pointer at 0. 0, FT_ENOMEM. */
int ckpt_buffer_fill(struct ckpt_buffer *b, const void *bytes, uint64_t size);

void ckpt_buffer_free(struct ckpt_buffer *b);

/* 0, FT_ENONE */
int ckpt_buffer_reset(struct ckpt_buffer *b);

/* Where the pointer was; -1 when it would leave the buffer, `how` is unknown, or there is none. */
int64_t ckpt_buffer_seek(struct ckpt_buffer *b, int64_t offset, int how);

/* 0, FT_EINVAL, FT_ENONE, FT_ETRUNC: fewer bytes are left behind the pointer. */
int ckpt_buffer_add(struct ckpt_buffer *b, const void *from, int64_t bytes);
int ckpt_buffer_get(struct ckpt_buffer *b, void *to, int64_t bytes);

#endif
