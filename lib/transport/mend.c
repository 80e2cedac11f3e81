/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to another host may break while both processes live: a firewall forgets it, an
 * address is renewed, a cable is moved. Then it is made again, and both streams of frames go on
 * where they were: what one side has written and the other has not read is written once more. All
 * that stands above the stream (credit, names of messages, a body that is half read) stays.
 *
 * So what was written is kept until the peer says that it has come: small frames as copies, at most
 * KEPT_MAX bytes of them, and payloads where they lie, whose sends are not done before. A payload
 * in pieces that is not gathered (send.c) is gone through once and cannot be. When what is missing
 * is not kept any more the peer is lost, as it is when nobody listens for it, or when IN_VAIN_MOST
 * connections in a row broke within LIVED_S and brought nothing.
 *
 * What has come is said in the headers of EAGER, DATA and CREDIT; a CREDIT of its own is sent when
 * a payload is here, or BYE, and when TELL_BYTES were not told. A rank is finished when the other
 * has said that the BYE is there, so that neither is gone while the other may need it.
 *
 * On each connection the first 64 bytes in each direction are a RESUME, which is no part of the
 * stream. Whoever has written before waits for the other's. Either side may connect; one that still
 * takes the old connection for whole lets it go when the other has had as many, as its hello says.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/tp.h"

enum { KEPT_MAX = 8 << 20, TELL_BYTES = 256 << 10, IN_VAIN_MOST = 10, LIVED_S = 10 };

static uint64_t size_of(const struct tp_out *o)
{
	return o->len + o->payload_len;
}

static struct tp_out *first_of(const struct link *list)
{
	return list_empty(list) ? NULL : container_of(list->next, struct tp_out, link);
}

/* ---- what is kept ---- */

/* It has come, or it is the other side's own affair. */
static void drop_first(struct tp *tp, struct tp_peer *p)
{
	struct tp_out *o = first_of(&p->mend.kept);
	struct tp_send *op = o->op;

	p->mend.kept_from += size_of(o);
	p->mend.kept_bytes -= o->len;
	list_remove(&o->link);
	tp_out_free(tp, o);
	if (op)
		tp_send_written(tp, op);
}

static void drop_all(struct tp *tp, struct tp_peer *p)
{
	while (!list_empty(&p->mend.kept))
		drop_first(tp, p);
}

/* A copy behind what the last one has copied. */
static bool goes_into_last(struct tp_mend *m, const struct tp_out *o)
{
	struct tp_out *last =
		list_empty(&m->kept) ? NULL : container_of(m->kept.prev, struct tp_out, link);

	if (!last || last->op || o->op || last->room - last->len < o->len)
		return false;
	memcpy(last->bytes + last->len, o->bytes, o->len);
	last->len += o->len;
	return true;
}

void tp_mend_keep(struct tp *tp, struct tp_peer *p, struct tp_out *o)
{
	struct tp_mend *m = &p->mend;

	m->kept_bytes += o->len;
	if (goes_into_last(m, o)) {
		tp_out_free(tp, o);
	} else {
		list_append(&m->kept, &o->link);
		if (o->cursor)
			drop_all(tp, p);
	}
	while (m->kept_bytes > KEPT_MAX)
		drop_first(tp, p);
}

/* What the peer lacks is known, or its connection is gone. Until then somebody has to look. */
static void end_resuming(struct tp *tp, struct tp_peer *p)
{
	if (tp_mend_holds(p))
		tp->work.asked--;
	p->mend.resuming = false;
}

void tp_mend_reset(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	drop_all(tp, p);
	end_resuming(tp, p);
	m->ack_due = m->bye_came = false;
	m->times = 0;
	m->in_vain = 0;
	m->why = NULL;
	m->kept_from = m->wrote = m->came = m->told = m->began = m->progress = 0;
}

int tp_mend_acked(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_mend *m = &p->mend;

	if (!tp_mend_is_said(f))
		return 0;
	if (f->id > m->wrote)
		return FT_EPROTO;
	if (f->kind == WIRE_CREDIT && f->peer_id && p->bye_sent)
		m->bye_came = true;
	while (!list_empty(&m->kept) && m->kept_from + size_of(first_of(&m->kept)) <= f->id)
		drop_first(tp, p);
	return 0;
}

void tp_mend_tell(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	if (!m->on || p->state != TP_UP || p->dying)
		return;
	if (!m->ack_due && (p->bye_received || m->came - m->told < TELL_BYTES))
		return;
	if (tp_out_control(tp, p, WIRE_CREDIT, 0, p->bye_received) != 0)
		tp_peer_lose(tp, p, ft_error_text(FT_ENOMEM));
}

/* ---- it breaks ---- */

static uint64_t progress(const struct tp_mend *m)
{
	return m->came + m->kept_from;
}

static bool may_mend(const struct tp *tp, const struct tp_peer *p)
{
	const struct tp_out *o = first_of(&p->queue);

	return p->mend.on && !tp->mends_no_more && p->state == TP_UP && !p->dying &&
	       p->mend.in_vain < IN_VAIN_MOST && !(o && o->cursor && o->done > 0);
}

static void cut(struct tp *tp, struct tp_peer *p, const char *why)
{
	log_event("peer %d: the connection broke: %s", p->id, why);
	epoll_ctl(tp->epoll_fd, EPOLL_CTL_DEL, p->fd, NULL);
	close(p->fd);
	p->fd = -1;
	p->want_out = false;
	p->mend.why = why;
	end_resuming(tp, p);
	if (progress(&p->mend) > p->mend.progress ||
		clock_ns() > p->mend.since + LIVED_S * 1000000000ull)
		p->mend.in_vain = 0;
	else
		p->mend.in_vain++;
	tp->counts.connected--;
	tp->sockets--;
}

bool tp_mend_begin(struct tp *tp, struct tp_peer *p, const char *why)
{
	if (!may_mend(tp, p))
		return false;
	cut(tp, p, why);
	if (p->bye_sent && p->bye_received && p->mend.bye_came && list_empty(&p->queue))
		tp_peer_set(p, TP_AWAITING); /* it wants to know that we have its BYE, or is gone */
	else
		tp_conns_connect(tp, p->id);
	return true;
}

/* It has had one less where it was not told that this one is up. */
bool tp_mend_may_replace(const struct tp *tp, const struct tp_peer *p, uint16_t times)
{
	return may_mend(tp, p) && times > 0 &&
	       (times == p->mend.times || (p->mend.resuming && times + 1 == p->mend.times));
}

void tp_mend_replace(struct tp *tp, struct tp_peer *p)
{
	cut(tp, p, "the other side found it broken");
	tp_peer_set(p, TP_AWAITING);
}

void tp_mend_no_more(struct tp *tp)
{
	tp_assert_held(tp);
	tp->mends_no_more = true;
	for (int i = 0; i < tp->c.size; i++) {
		struct tp_peer *p = &tp->peers[i];

		if (p->mend.why && p->state != TP_UP && p->state != TP_LOST)
			tp_peer_lose(tp, p, p->mend.why);
	}
	tp_reap(tp);
}

/* ---- it goes on ---- */

/* What forgets idle connections does not forget this one; and one that is gone without a word is
 * noticed. */
static void probe_when_idle(int fd)
{
	int on = 1, idle_s = 60, each_s = 10, most = 6;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &each_s, sizeof each_s);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof most);
}

void tp_mend_up(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;
	struct wire_frame f = {.kind = WIRE_RESUME,
		.epoch = tp->job.epoch,
		.length = m->came,
		.peer_id = p->bye_received};

	if (++m->times == 0)
		m->times = 1;
	f.seq = m->times;
	probe_when_idle(p->fd);
	m->told = m->came;
	m->ack_due = false;
	m->since = clock_ns();
	m->progress = progress(m);
	m->began = m->wrote;
	m->resuming = true;
	m->have = 0;
	tp->work.asked += m->began > 0; /* end_resuming takes it back */
	/* the first bytes on a fresh connection: the kernel takes them whole */
	if (send(p->fd, &f, sizeof f, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof f)
		tp_peer_broke(tp, p, "it takes nothing");
}

/* What the peer lacks is at the head of the queue again. false: it is not kept. */
static bool go_back(struct tp *tp, struct tp_peer *p, uint64_t came)
{
	struct tp_mend *m = &p->mend;
	struct link lacks;
	uint64_t at;
	struct tp_out *o;

	if (came < m->kept_from || came > m->wrote)
		return false;
	while ((o = first_of(&m->kept)) && m->kept_from + size_of(o) <= came)
		drop_first(tp, p);
	at = m->kept_from;
	list_init(&lacks);
	while ((o = first_of(&m->kept))) {
		list_remove(&o->link);
		list_append(&lacks, &o->link);
		m->kept_bytes -= o->len;
		tp->work.queued++;
	}
	while (!list_empty(&p->queue)) {
		struct link *item = list_pop(&p->queue);

		list_append(&lacks, item);
	}
	while (!list_empty(&lacks)) {
		o = container_of(list_pop(&lacks), struct tp_out, link);
		o->done = came > at ? (size_t)(came - at) : 0;
		at += size_of(o);
		list_append(&p->queue, &o->link);
	}
	if (!list_empty(&p->queue) && !list_linked(&p->busy))
		list_append(&tp->busy, &p->busy);
	m->wrote = came;
	return true;
}

/* Both streams go on. */
static void resumed(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	end_resuming(tp, p);
	if (m->resume.peer_id && p->bye_sent)
		m->bye_came = true;
	if (m->resume.seq > m->times && m->resume.seq <= UINT16_MAX)
		m->times = (uint16_t)m->resume.seq;
	if (m->why) {
		tp->counts.mended++;
		log_error(
			"the connection to rank %d broke (%s), and was made again", p->id, m->why);
	}
	m->why = NULL;
	tp_out_write(tp, p);
}

static bool read_resume(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;
	ssize_t n = recv(
		p->fd, (uint8_t *)&m->resume + m->have, sizeof m->resume - m->have, MSG_DONTWAIT);

	tp->counts.recvs++;
	if (n == 0)
		tp_peer_broke(tp, p, "it closed the connection");
	else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		tp_peer_broke(tp, p, strerror(errno));
	if (n > 0)
		m->have += (size_t)n;
	return n > 0 && m->have == sizeof m->resume;
}

bool tp_mend_resume(struct tp *tp, struct tp_peer *p)
{
	const struct wire_frame *f = &p->mend.resume;

	if (!read_resume(tp, p))
		return false;
	if (f->kind != WIRE_RESUME || f->epoch != tp->job.epoch)
		tp_peer_lose(tp, p, ft_error_text(FT_EPROTO));
	else if (p->mend.began > 0 ? !go_back(tp, p, f->length) : f->length > 0)
		tp_peer_lose(tp, p, "what was lost with the connection is not kept any more");
	else
		resumed(tp, p);
	return p->state == TP_UP && !p->dying;
}
