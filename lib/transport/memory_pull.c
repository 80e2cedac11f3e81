/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long payload is read where it lies: out of the memory of the peer's process. Numbers of
 * processes are used again, and a process that executes itself keeps its own. So each call reads
 * the name, too, that the peer has drawn for this attachment and told us the place of: both come
 * from one process, and a name that is the right one was written by the peer. It lies in the peer's
 * mailbox: a process that executes itself and loads an image has there all that it had before, but
 * not the memory that it shares.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "transport/memory.h"

enum { PIECES = 64, AT_ONCE = 1 << 22 };

/* The next pieces of the place, and how many bytes they have, at most `left`. */
static size_t next_pieces(const struct tp_place *place, uint64_t done, uint64_t left,
	struct iovec iov[PIECES], int *n)
{
	size_t bytes = 0;

	iov[0] = (struct iovec){(char *)place->buf + done, (size_t)left};
	*n = place->cursor ? place->cursor->next(place->cursor, iov, PIECES) : 1;
	for (int i = 0; i < *n; i++) {
		if (iov[i].iov_len > left - bytes)
			iov[i].iov_len = (size_t)(left - bytes);
		if (iov[i].iov_len > AT_ONCE - bytes)
			iov[i].iov_len = AT_ONCE - bytes;
		bytes += iov[i].iov_len;
	}
	return bytes;
}

/* All of it, or as if nothing had been read. */
static bool read_process(
	struct tp_memory *m, uint64_t address, size_t bytes, struct iovec to[PIECES + 1], int n)
{
	uint8_t name[TP_MEMORY_NAME];
	struct iovec from[] = {
		{(void *)(uintptr_t)address, bytes}, {(void *)(uintptr_t)m->name_at, sizeof name}};
	ssize_t got;

	to[n] = (struct iovec){name, sizeof name};
	got = process_vm_readv(m->pid, to, (unsigned long)n + 1, from, 2, 0);
	if (got < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS || errno == ESRCH))
		m->unreadable = errno;
	return got == (ssize_t)(bytes + sizeof name) && memcmp(name, m->name, sizeof name) == 0;
}

/* Once: most often the memory of the other peers may not be read, either. One that is gone (ESRCH)
 * is none of these. */
static void tell_unreadable(struct tp *tp, const struct tp_peer *p)
{
	if (!p->memory->unreadable || p->memory->unreadable == ESRCH || tp->mail.told_unreadable)
		return;
	tp->mail.told_unreadable = true;
	log_event("the memory of rank %d may not be read (%s): long messages take two copies",
		p->id, strerror(p->memory->unreadable));
}

bool tp_memory_pull(struct tp *tp, struct tp_peer *p, const struct tp_announced *a,
	struct tp_place place, uint64_t *got)
{
	uint64_t total = a->length < place.room ? a->length : place.room;
	struct tp_memory *m = p->memory;
	struct iovec iov[PIECES + 1];

	*got = 0;
	if (!m || m->unreadable || !m->theirs)
		return false;
	while (*got < total) {
		int n;
		size_t bytes = next_pieces(&place, *got, total - *got, iov, &n);

		if (!read_process(m, a->address + *got, bytes, iov, n)) {
			tell_unreadable(tp, p);
			return false;
		}
		if (place.cursor)
			place.cursor->pass(place.cursor, bytes);
		*got += bytes;
		tp->pulled += bytes;
	}
	/* a peer that has dropped us may have used its buffer for something else */
	return !byte_ring_is_closed(&m->in);
}
