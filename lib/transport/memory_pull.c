/* SPDX-License-Identifier: BSD-3-Clause */
/* A long payload is read where it lies: out of the memory of the peer's process. */
#include <errno.h>
#include <poll.h>

#include "base/error.h"
#include "transport/memory.h"

enum { PIECES = 64, AT_ONCE = 1 << 30 };

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

/* The numbers of processes are used again: what was read was the peer's if its connection stands.
 */
static bool still_connected(const struct tp_peer *p)
{
	struct pollfd hung_up = {.fd = p->fd, .events = POLLRDHUP};
	int n;

	do
		n = poll(&hung_up, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 0;
}

int tp_memory_pull(struct tp_peer *p, uint64_t address, uint64_t length, struct tp_place place)
{
	uint64_t total = length < place.room ? length : place.room, done = 0;
	struct tp_memory *m = p->memory;
	struct iovec iov[PIECES];
	int n;

	if (!m || m->unreadable || !m->theirs)
		return 0;
	while (done < total) {
		struct iovec from = {(void *)(uintptr_t)(address + done),
			next_pieces(&place, done, total - done, iov, &n)};
		ssize_t got = process_vm_readv(m->pid, iov, (unsigned long)n, &from, 1, 0);

		if (got < 0 && done == 0)
			m->unreadable = errno == EPERM || errno == ENOSYS;
		if (got <= 0)
			break;
		if (place.cursor)
			place.cursor->pass(place.cursor, (size_t)got);
		done += (uint64_t)got;
	}
	if (done == total && still_connected(p))
		return 1;
	return place.cursor && done > 0 ? FT_EPEER : 0;
}
