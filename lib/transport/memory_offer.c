/* SPDX-License-Identifier: BSD-3-Clause */
/* How two ranks of one host come to share memory: the frames that memory.h lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "transport/memory.h"

static struct tp_memory *memory_new(struct byte_ring *rings, int fd, bool first)
{
	struct tp_memory *m = malloc(sizeof *m);

	if (!m) {
		munmap(rings, TP_RINGS_BYTES);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*m = (struct tp_memory){.rings = rings,
		.fd = fd,
		.out.ring = &rings[first ? 0 : 1],
		.in.ring = &rings[first ? 1 : 0]};
	return m;
}

/* Why a peer and we share no memory: in the log, and as what a user is told that has asked for
 * memory alone. */
struct reason {
	const char *log, *lost;
};

#define REASON(text)                                                                               \
	(struct reason)                                                                            \
	{                                                                                          \
		text, "no memory can be shared with it (" text "); -transport auto would use TCP"  \
	}

/* Memory of our own, by what it failed with. */
static struct reason not_made(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
		return REASON("too many open files");
	case ENOMEM:
		return REASON("out of memory");
	default:
		return REASON("the system gives none");
	}
}

/* What /proc says of the peer's. */
static struct reason not_opened(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ESRCH:
		return REASON("its process cannot be seen: another PID namespace?");
	case EACCES:
	case EPERM:
		return REASON(
			"its memory may not be opened: another user namespace, or not dumpable?");
	default:
		return not_made(error);
	}
}

/* Frames stay on the socket, unless the user wants nothing but memory. */
static void stay(struct tp *tp, struct tp_peer *p, struct reason why)
{
	log_event("peer %d: no memory is shared: %s", p->id, why.log);
	tp_memory_drop(p);
	/* one whose last message has come before the frames about memory is not lost for that */
	if (tp->mail.required && !tp->bye)
		tp_peer_lose(tp, p, why.lost);
}

static int decline(struct tp *tp, struct tp_peer *p, struct reason why)
{
	struct wire_frame f = {.kind = WIRE_DECLINED};

	stay(tp, p, why);
	return p->dying ? 0 : tp_out_link(tp, p, &f, false);
}

static void where_mailbox_is(const struct tp *tp, struct wire_frame *f)
{
	f->id = (uint64_t)getpid();
	f->peer_id = (uint32_t)tp->mail.fd;
	f->seq = (uint64_t)(uintptr_t)tp->mail.box->name;
	memcpy(f->envelope, tp->mail.name, TP_MEMORY_NAME);
}

/* These are the first bytes on a fresh connection: the kernel takes them whole. */
void tp_memory_offer(struct tp *tp, struct tp_peer *p)
{
	struct wire_frame f = {.kind = WIRE_OFFER, .epoch = tp->job.epoch};
	struct byte_ring *rings;
	int fd;

	if (!tp_memory_slot(tp, p, &f.length)) {
		stay(tp, p, not_made(errno));
		return;
	}
	rings = tp_memory_make("rings", tp->mail.name, TP_RINGS_BYTES, &fd);
	p->memory = rings ? memory_new(rings, fd, true) : NULL;
	if (!p->memory) {
		stay(tp, p, not_made(errno));
		return;
	}
	p->memory->state = TP_MEMORY_OFFERED;
	p->memory->own = (unsigned)f.length;
	where_mailbox_is(tp, &f);
	f.peer_id |= (uint64_t)fd << 32;
	tp->counts.frames_out++;
	if (send(p->fd, &f, sizeof f, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof f)
		tp_peer_lose(tp, p, strerror(errno));
}

static bool take_mailbox(const struct tp *tp, struct tp_memory *m, const struct wire_frame *f)
{
	m->slot = (unsigned)f->length;
	m->pid = (pid_t)f->id;
	m->name_at = f->seq;
	memcpy(m->name, f->envelope, sizeof m->name);
	m->theirs = tp_memory_take(
		f->id, (int)(uint32_t)f->peer_id, "mailbox", f->envelope, sizeof *m->theirs);
	if (!m->theirs)
		return false;
	m->owed = tp->mail.joined && mailbox_owes(m->theirs);
	return true;
}

static int on_offer(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct wire_frame answer = {.kind = WIRE_TAKEN};
	struct byte_ring *rings;

	if (!p->near || p->offered || p->id > tp->c.self || f->length >= MAILBOX_SLOTS)
		return FT_EPROTO;
	p->offered = true;
	if (!tp_memory_slot(tp, p, &answer.length))
		return decline(tp, p, not_made(errno));
	rings = tp_memory_take(
		f->id, (int)(f->peer_id >> 32), "rings", f->envelope, TP_RINGS_BYTES);
	p->memory = rings ? memory_new(rings, -1, false) : NULL;
	if (!p->memory || !take_mailbox(tp, p->memory, f))
		return decline(tp, p, not_opened(errno));
	p->memory->state = TP_MEMORY_TAKEN;
	p->memory->own = (unsigned)answer.length;
	where_mailbox_is(tp, &answer);
	return tp_out_link(tp, p, &answer, false);
}

static int go_over(struct tp *tp, struct tp_peer *p)
{
	struct wire_frame f = {.kind = WIRE_MEMORY};

	p->memory->state = TP_MEMORY_ON;
	return tp_out_link(tp, p, &f, true);
}

static int on_taken(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_memory *m = p->memory;

	if (!m || m->state != TP_MEMORY_OFFERED || f->length >= MAILBOX_SLOTS)
		return FT_EPROTO;
	close(m->fd);
	m->fd = -1;
	if (!take_mailbox(tp, m, f))
		return decline(tp, p, not_opened(errno));
	return go_over(tp, p);
}

static int on_memory(struct tp *tp, struct tp_peer *p)
{
	struct tp_memory *m = p->memory;

	if (!m || m->state == TP_MEMORY_OFFERED || p->in_ring)
		return FT_EPROTO;
	p->in_ring = &m->in;
	tp->sockets--;
	log_event("peer %d: through memory", p->id);
	return m->state == TP_MEMORY_TAKEN ? go_over(tp, p) : 0;
}

static int on_declined(struct tp *tp, struct tp_peer *p)
{
	if (!p->memory || p->memory->state == TP_MEMORY_ON)
		return FT_EPROTO;
	stay(tp, p, REASON("the peer cannot open it, or has none"));
	return 0;
}

int tp_memory_frame(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	switch ((enum wire_kind)f->kind) {
	case WIRE_OFFER:
		return on_offer(tp, p, f);
	case WIRE_TAKEN:
		return on_taken(tp, p, f);
	case WIRE_MEMORY:
		return on_memory(tp, p);
	case WIRE_DECLINED:
		return on_declined(tp, p);
	default:
		return FT_EPROTO;
	}
}
