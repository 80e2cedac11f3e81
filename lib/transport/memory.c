/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shared with the peers of this host, and how a side sleeps and is woken. */
#include "transport/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- our mailbox ---- */

/* It is made for the first peer, perhaps while another thread sleeps. */
static bool open_mailbox(struct tp *tp)
{
	struct tp_mailbox *m = &tp->mail;

	if (m->box)
		return true;
	m->peers = malloc((size_t)tp->c.size * sizeof *m->peers);
	if (!m->peers)
		return false;
	auth_random(m->name, sizeof m->name);
	m->slots = 0;
	m->box = tp_memory_make("mailbox", m->name, sizeof *m->box, &m->fd);
	if (!m->box) {
		free(m->peers);
		m->peers = NULL;
		return false;
	}
	memcpy(m->box->name, m->name, sizeof m->name);
	m->joined = barrier_join();
	atomic_store(&m->box->barrier, m->joined);
	if (m->sleeping || m->listening)
		mailbox_mark(m->box);
	return true;
}

/* A peer keeps its slot until the end of the attachment, also when it comes back. */
bool tp_memory_slot(struct tp *tp, const struct tp_peer *p, uint64_t *slot)
{
	if (!open_mailbox(tp))
		return false;
	for (unsigned i = 0; i < tp->mail.slots; i++) {
		if (tp->mail.peers[i] != p->id)
			continue;
		*slot = i;
		return true;
	}
	if (tp->mail.slots >= tp->mail.groups * MAILBOX_GROUP) {
		errno = ENOSPC;
		return false;
	}
	tp->mail.peers[tp->mail.slots] = p->id;
	*slot = tp->mail.slots++;
	return true;
}

void tp_memory_close(struct tp *tp)
{
	struct tp_mailbox *m = &tp->mail;

	if (m->box) {
		munmap(m->box, sizeof *m->box);
		close(m->fd);
	}
	free(m->peers);
	m->box = NULL;
	m->peers = NULL;
	m->slots = 0;
	m->fd = -1;
	m->listening = false;
}

/* A filter of system calls that the program has set for itself may take the barrier from it: a post
 * may be missed then, but not for long. */
int tp_memory_sleep(struct tp *tp)
{
	enum { UNORDERED_MS = 100 };
	const struct tp_mailbox *m = &tp->mail;
	bool ordered;

	if (!m->box)
		return -1;
	if (mailbox_has_news(m->box, m->groups))
		return 0;
	mailbox_mark(m->box);
	ordered = !m->joined || barrier_of_processes();
	if (mailbox_has_news(m->box, m->groups))
		return 0;
	return ordered ? TP_BELL_LOST_MS : UNORDERED_MS;
}

void tp_memory_wake(struct tp *tp)
{
	if (tp->mail.box)
		mailbox_wake(tp->mail.box);
}

/* ---- a peer ---- */

void tp_memory_drop(struct tp_peer *p)
{
	struct tp_memory *m = p->memory;

	p->out_ring = NULL;
	p->in_ring = NULL;
	p->memory = NULL;
	if (!m)
		return;
	if (m->rings) {
		byte_ring_close(&m->out);
		munmap(m->rings, TP_RINGS_BYTES);
	}
	if (m->theirs)
		munmap(m->theirs, sizeof *m->theirs);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

/* A socket without room has bytes that the peer has not read: they wake it, too. */
void tp_memory_ring(const struct tp_peer *p)
{
	static const uint8_t bell = 0;

	/* our last frame is not on the socket yet: nothing may come between, and its bytes wake,
	 * too */
	if (!p->out_ring)
		return;
	if (send(p->fd, &bell, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}
