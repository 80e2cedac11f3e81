/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to another host may break while both processes live: a firewall forgets it, an
 * address is renewed, a cable is moved. Then it is made again, and both streams of frames go on
 * where they were: what one side has written and the other has not read is written once more. All
 * that stands above the stream (credit, names of messages, a body that is half read) stays.
 *
 * So what was written is kept (kept.c) until the peer says that it has come: small frames as
 * copies, at most 8 MiB of them, and payloads where they lie, whose sends are not done before. A
 * payload in pieces that is not gathered (send.c) is gone through once and cannot be. When what is
 * missing is not kept any more the peer is lost, as it is when nobody listens for it, for
 * REFUSED_MS, or when ten connections in a row broke within 10 s and brought nothing.
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
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/tp.h"

enum { TELL_BYTES = 256 << 10 };

void tp_mend_tell(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	if (!m->on || p->state != TP_UP || p->dying)
		return;
	if (!m->ack_due && (p->bye_received || m->came - m->told < TELL_BYTES))
		return;
	if (tp_out_control(tp, p, WIRE_CREDIT, 0, 0) != 0)
		tp_peer_lose(tp, p, ft_error_text(FT_ENOMEM));
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
	m->progress = tp_mend_progress(m);
	m->began = m->wrote;
	m->resuming = true;
	m->have = 0;
	tp->work.asked += m->began > 0; /* tp_mend_end_resuming takes it back */
	/* the first bytes on a fresh connection: the kernel takes them whole */
	if (send(p->fd, &f, sizeof f, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof f)
		tp_peer_broke(tp, p, "it takes nothing");
}

/* Both streams go on. */
static void resumed(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	tp_mend_end_resuming(tp, p);
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
	else if (p->mend.began > 0 ? !tp_kept_go_back(tp, p, f->length) : f->length > 0)
		tp_peer_lose(tp, p, "what was lost with the connection is not kept any more");
	else
		resumed(tp, p);
	return p->state == TP_UP && !p->dying;
}
