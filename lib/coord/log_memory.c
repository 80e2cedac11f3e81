/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/log_memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A block of at most KEPT bytes stays when it is empty, as it is about to be filled again. HEADS:
 * what messages that fill huge pages need besides. */
enum {
	LINE = 64,
	LONG = 1024,
	LEAST = 1024,
	KEPT = 64 << 10,
	PAGE = 64 << 10,
	HUGE_PAGE = 2 << 20,
	MOST = 8 << 20,
	HEADS = 64 << 10,
	PART = 4
};

struct log_block {
	struct log_memory *owner; /* NULL: it is not open */
	size_t size, used;
	size_t messages;
};

static uint8_t *round_up(uint8_t *at, size_t to)
{
	return at + (-(uintptr_t)at & (to - 1));
}

static bool is_mapped(const struct log_block *b)
{
	return b->size >= HUGE_PAGE;
}

static void *map(size_t size)
{
	uint8_t *all = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		*block;

	if (all == MAP_FAILED)
		return NULL;
	block = round_up(all, HUGE_PAGE);
	if (block > all)
		munmap(all, (size_t)(block - all));
	munmap(block + size, (size_t)(all + HUGE_PAGE - block));
	madvise(block, size, MADV_HUGEPAGE); /* or else pages are small */
	return block;
}

static struct log_block *block_make(size_t size)
{
	bool mapped = size >= HUGE_PAGE;
	struct log_block *b;

	if (mapped)
		size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	b = mapped ? map(size) : malloc(size);
	if (b)
		*b = (struct log_block){.size = size, .used = sizeof *b};
	return b;
}

/* For more than this message, if there is memory for it. */
static struct log_block *block_for(size_t need, uint64_t held)
{
	size_t size = held / PART < MOST ? (size_t)held / PART : MOST;
	struct log_block *b = NULL;

	if (size >= HUGE_PAGE)
		size = (size & ~(size_t)(HUGE_PAGE - 1)) + HEADS;
	if (size < LEAST)
		size = LEAST;
	need += sizeof *b;
	if (size > need)
		b = block_make(size);
	return b ? b : block_make(need);
}

static void block_free(struct log_block *b)
{
	if (is_mapped(b))
		munmap(b, b->size);
	else
		free(b);
}

static size_t room(const struct log_block *b)
{
	return b ? b->size - b->used : 0;
}

/* What goes before the contents is the block, and the head. */
static void *take(struct log_block *b, size_t head, size_t len)
{
	uint8_t *contents = round_up((uint8_t *)b + b->used + sizeof(struct log_block *) + head,
		len < LONG ? sizeof(void *) : LINE);
	struct log_block **of = (struct log_block **)(void *)(contents - head) - 1;

	*of = b;
	b->used = (size_t)(contents - (uint8_t *)b) + len;
	b->used += -b->used & (sizeof(void *) - 1);
	b->messages++;
	return contents - head;
}

static void open_block(struct log_memory *m, struct log_block *b)
{
	log_memory_close(m);
	b->owner = m;
	m->open = b;
}

void *log_memory_take(struct log_memory *m, size_t head, size_t len, uint64_t held)
{
	size_t around = sizeof(struct log_block *) + head + LINE + sizeof(void *), need;
	struct log_block *b = m->open;
	void *taken;

	assert(head % sizeof(void *) == 0);
	if (len > PTRDIFF_MAX / 2 - around)
		return NULL;
	need = around + len;
	if (room(b) >= need)
		return take(b, head, len);
	b = block_for(need, held);
	if (!b)
		return NULL;
	taken = take(b, head, len);
	if (room(b) >= room(m->open))
		open_block(m, b);
	return taken;
}

void log_memory_give(void *taken)
{
	struct log_block *b = ((struct log_block **)taken)[-1];

	if (--b->messages > 0)
		return;
	if (b->owner && b->size <= KEPT) {
		b->used = sizeof *b;
		return;
	}
	if (b->owner)
		b->owner->open = NULL;
	block_free(b);
}

void log_memory_close(struct log_memory *m)
{
	struct log_block *b = m->open;

	m->open = NULL;
	if (!b)
		return;
	b->owner = NULL;
	if (b->messages == 0)
		block_free(b);
}
