/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int ckpt_buffer_alloc(struct ckpt_buffer *b, int64_t size)
{
	uint8_t *data;

	if (size < 0)
		return FT_EINVAL;
	data = calloc(1, size ? (size_t)size : 1);
	if (!data)
		return FT_ENOMEM;
	free(b->data);
	*b = (struct ckpt_buffer){data, (uint64_t)size, 0};
	return 0;
}

int ckpt_buffer_realloc(struct ckpt_buffer *b, int64_t size)
{
	uint64_t wanted = (uint64_t)size;
	uint8_t *data;

	if (!b->data || size < 0)
		return ckpt_buffer_alloc(b, size);
	data = realloc(b->data, wanted ? wanted : 1);
	if (!data)
		return FT_ENOMEM;
	if (wanted > b->size)
		memset(data + b->size, 0, wanted - b->size);
	*b = (struct ckpt_buffer){data, wanted, b->at < wanted ? b->at : wanted};
	return 0;
}

int ckpt_buffer_fill(struct ckpt_buffer *b, const void *bytes, uint64_t size)
{
	uint8_t *data = malloc(size ? size : 1);

	if (!data)
		return FT_ENOMEM;
	if (size)
		memcpy(data, bytes, size);
	free(b->data);
	*b = (struct ckpt_buffer){data, size, 0};
	return 0;
}

void ckpt_buffer_free(struct ckpt_buffer *b)
{
	free(b->data);
	*b = (struct ckpt_buffer){0};
}

int ckpt_buffer_reset(struct ckpt_buffer *b)
{
	if (!b->data)
		return FT_ENONE;
	b->at = 0;
	return 0;
}

int64_t ckpt_buffer_seek(struct ckpt_buffer *b, int64_t offset, int how)
{
	int64_t size = (int64_t)b->size, old = (int64_t)b->at;
	/* the offsets that stay inside: no sum is made that could overflow */
	int64_t least = how == CKPT_SEEK_CUR ? -old : 0;
	int64_t most = how == CKPT_SEEK_CUR ? size - old : size;

	if (!b->data || how < CKPT_SEEK_SET || how > CKPT_SEEK_END || offset < least ||
		offset > most)
		return -1;
	if (how == CKPT_SEEK_CUR)
		offset += old;
	else if (how == CKPT_SEEK_END)
		offset = size - offset;
	b->at = (uint64_t)offset;
	return old;
}

static int check(const struct ckpt_buffer *b, const void *memory, int64_t bytes)
{
	if (bytes < 0 || (!memory && bytes > 0))
		return FT_EINVAL;
	if (!b->data)
		return FT_ENONE;
	return (uint64_t)bytes > b->size - b->at ? FT_ETRUNC : 0;
}

int ckpt_buffer_add(struct ckpt_buffer *b, const void *from, int64_t bytes)
{
	int rc = check(b, from, bytes);

	if (rc || bytes == 0)
		return rc;
	memcpy(b->data + b->at, from, (size_t)bytes);
	b->at += (uint64_t)bytes;
	return 0;
}

int ckpt_buffer_get(struct ckpt_buffer *b, void *to, int64_t bytes)
{
	int rc = check(b, to, bytes);

	if (rc || bytes == 0)
		return rc;
	memcpy(to, b->data + b->at, (size_t)bytes);
	b->at += (uint64_t)bytes;
	return 0;
}
