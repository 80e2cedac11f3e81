/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output. The first small message after a flush is written by its sender at once; those that follow
 * it before the next flush wait in a batch and leave together. Whatever the socket does not take is
 * queued, in order, and written by tp_look, or when the kernel says that there is room.
 *
 * Memory for what the socket may leave is there before the first byte is written: a frame that has
 * begun must be ended, or the stream is lost with all that comes behind it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/error.h"
#include "transport/memory.h"

/* Every header that leaves carries what this side has consumed. */
static void finish_header(struct tp *tp, struct tp_peer *p, struct wire_frame *f)
{
	f->epoch = tp->job.epoch;
	f->credit = p->owed;
	p->unconsumed_in -= p->owed;
	p->owed = 0;
	tp->counts.frames_out++;
	if (__builtin_expect(p->mend.on, false))
		tp_mend_say(p, f);
}

static void append(struct tp *tp, struct tp_peer *p, struct tp_out *o)
{
	list_append(&p->queue, &o->link);
	tp->work.queued++;
	if (!list_linked(&p->busy))
		list_append(&tp->busy, &p->busy);
}

static struct tp_out *last_batch(struct tp_peer *p)
{
	return list_empty(&p->queue) ? NULL : container_of(p->queue.prev, struct tp_out, link);
}

static bool has_room(const struct tp_out *o, size_t len)
{
	return o && o->room - o->len >= len;
}

/* From now on enqueue finds room for len bytes to this peer: in its last batch, or in the spare. */
static bool reserve(struct tp *tp, struct tp_peer *p, size_t len)
{
	size_t room = len > TP_BATCH ? len : TP_BATCH;
	struct tp_out *o;

	if (has_room(tp->spare, len) || has_room(last_batch(p), len))
		return true;
	o = malloc(sizeof *o + room);
	if (!o)
		return false;
	*o = (struct tp_out){.room = room};
	free(tp->spare);
	tp->spare = o;
	return true;
}

/* Take len bytes of a (header) and b (payload) from byte `from` on into the queue. After reserve.
 */
static void enqueue(struct tp *tp, struct tp_peer *p, const struct iovec iov[2], size_t from)
{
	struct tp_out *o = last_batch(p);

	if (!has_room(o, iov[0].iov_len + iov[1].iov_len - from)) {
		o = tp->spare;
		tp->spare = NULL;
		append(tp, p, o);
	}
	for (int i = 0; i < 2; i++) {
		size_t skip = from < iov[i].iov_len ? from : iov[i].iov_len;

		if (iov[i].iov_len > skip)
			memcpy(o->bytes + o->len, (const uint8_t *)iov[i].iov_base + skip,
				iov[i].iov_len - skip);
		o->len += iov[i].iov_len - skip;
		from -= skip;
	}
}

/* Bytes taken by the ring, where the peer may have written what it cannot have meant. */
static size_t write_ring(struct tp *tp, struct tp_peer *p, const struct iovec *iov, int n)
{
	size_t bytes = byte_ring_write(p->out_ring, iov, n);

	if (bytes == SIZE_MAX) {
		tp_peer_lose(tp, p, ft_error_text(FT_EPROTO));
		return 0;
	}
	if (bytes > 0)
		tp_memory_post(p);
	return bytes;
}

/* Bytes taken by the ring or the socket, 0 when it is full or (having marked the peer) broken. */
static size_t write_some(struct tp *tp, struct tp_peer *p, struct iovec *iov, int n)
{
	ssize_t done;

	if (p->out_ring)
		return write_ring(tp, p, iov, n);
	tp->counts.sends++;
	do {
		if (n == 1) {
			done = send(
				p->fd, iov->iov_base, iov->iov_len, MSG_DONTWAIT | MSG_NOSIGNAL);
		} else {
			struct msghdr m = {.msg_iov = iov, .msg_iovlen = (size_t)n};

			done = sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
		}
	} while (done < 0 && errno == EINTR);
	if (done >= 0)
		return (size_t)done;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		tp_peer_broke(tp, p, strerror(errno));
	return 0;
}

int tp_out_small(
	struct tp *tp, struct tp_peer *p, struct wire_frame *f, const void *payload, size_t len)
{
	uint8_t together[sizeof *f + TP_COPY_MAX];
	struct iovec iov[2] = {{f, sizeof *f}, {(void *)(uintptr_t)payload, len}};
	size_t done;

	if (!reserve(tp, p, sizeof *f + len))
		return FT_ENOMEM;
	finish_header(tp, p, f);
	if (p->state != TP_UP || (p->wrote == tp->flush && !p->out_ring) ||
		!list_empty(&p->queue)) {
		enqueue(tp, p, iov, 0);
		return 0;
	}
	if (__builtin_expect(p->mend.on, false)) { /* a copy is kept */
		enqueue(tp, p, iov, 0);
		p->wrote = tp->flush;
		tp_out_write(tp, p);
		return 0;
	}
	if (len && len <= TP_COPY_MAX) {
		memcpy(together, f, sizeof *f);
		memcpy(together + sizeof *f, payload, len);
		iov[0] = (struct iovec){together, sizeof *f + len};
		iov[1].iov_len = 0;
	}
	p->wrote = tp->flush;
	done = write_some(tp, p, iov, iov[1].iov_len ? 2 : 1);
	if (done < iov[0].iov_len + iov[1].iov_len)
		enqueue(tp, p, iov, done);
	return 0;
}

int tp_out_control(
	struct tp *tp, struct tp_peer *p, enum wire_kind kind, uint64_t id, uint64_t peer_id)
{
	struct wire_frame f = {.kind = (uint8_t)kind, .id = id, .peer_id = peer_id};

	return tp_out_small(tp, p, &f, NULL, 0);
}

void tp_out_credit(struct tp *tp, struct tp_peer *p)
{
	if (p->state == TP_UP && !p->dying && !p->bye_sent)
		tp_out_control(tp, p, WIRE_CREDIT, 0, 0);
}

int tp_out_large(struct tp *tp, struct tp_peer *p, struct wire_frame *f, struct tp_send *op)
{
	struct tp_out *o = malloc(sizeof *o + sizeof *f);

	if (!o)
		return FT_ENOMEM;
	*o = (struct tp_out){.op = op,
		.payload = op->payload,
		.cursor = op->cursor,
		.payload_len = op->len,
		.len = sizeof *f,
		.room = sizeof *f};
	finish_header(tp, p, f);
	memcpy(o->bytes, f, sizeof *f);
	append(tp, p, o);
	tp_out_write(tp, p);
	return 0;
}

int tp_out_link(struct tp *tp, struct tp_peer *p, struct wire_frame *f, bool last)
{
	struct tp_out *o = malloc(sizeof *o + sizeof *f);

	if (!o)
		return FT_ENOMEM;
	*o = (struct tp_out){.of_link = true, .last = last, .len = sizeof *f, .room = sizeof *f};
	finish_header(tp, p, f);
	memcpy(o->bytes, f, sizeof *f);
	append(tp, p, o);
	tp_out_write(tp, p);
	return 0;
}

static void out_free(struct tp *tp, struct tp_out *o)
{
	list_remove(&o->link);
	tp->work.queued--;
	tp_out_free(tp, o);
}

enum { OUT_IOV = 64 };

/* The unwritten parts of the first entries of the queue. Of one in pieces there may be more than
 * there is room for, so it is the last. */
static int gather(struct tp_peer *p, struct iovec *iov)
{
	int n = 0;

	list_for_each (item, &p->queue) {
		struct tp_out *o = container_of(item, struct tp_out, link);
		size_t head = o->done < o->len ? o->done : o->len;

		if (n > OUT_IOV - 2)
			break;
		if (o->len > head)
			iov[n++] = (struct iovec){o->bytes + head, o->len - head};
		if (o->cursor)
			return n + o->cursor->next(o->cursor, iov + n, OUT_IOV - n);
		if (o->payload_len > o->done - head)
			iov[n++] =
				(struct iovec){(void *)(uintptr_t)(o->payload + (o->done - head)),
					o->payload_len - (o->done - head)};
		if (o->last)
			break;
	}
	return n;
}

static void pass_pieces(struct tp_out *o, size_t bytes)
{
	size_t head = o->done < o->len ? o->len - o->done : 0;

	if (bytes > head)
		o->cursor->pass(o->cursor, bytes - head);
}

/* The last frame on the socket is written: what leaves now goes into the ring. */
static void go_over(struct tp *tp, struct tp_peer *p)
{
	p->out_ring = &p->memory->out;
	if (p->want_out)
		tp_peer_want_out(tp, p, false);
}

static void written(struct tp *tp, struct tp_peer *p, size_t bytes)
{
	p->mend.wrote += bytes;
	while (bytes) {
		struct tp_out *o = container_of(p->queue.next, struct tp_out, link);
		size_t left = o->len + o->payload_len - o->done;

		if (o->cursor)
			pass_pieces(o, bytes < left ? bytes : left);
		if (bytes < left) {
			o->done += bytes;
			return;
		}
		bytes -= left;
		if (__builtin_expect(p->mend.on, false)) {
			list_remove(&o->link);
			tp->work.queued--;
			tp_kept_add(tp, p, o);
			continue;
		}
		if (o->op)
			tp_send_written(tp, o->op);
		if (o->last)
			go_over(tp, p);
		out_free(tp, o);
	}
}

bool tp_out_write(struct tp *tp, struct tp_peer *p)
{
	struct iovec iov[OUT_IOV];
	bool moved = false;
	size_t done;

	if (p->state != TP_UP || p->dying || tp_mend_holds(p))
		return false;
	while (!list_empty(&p->queue)) {
		done = write_some(tp, p, iov, gather(p, iov));
		if (!done)
			return moved;
		written(tp, p, done);
		moved = true;
	}
	if (p->want_out)
		tp_peer_want_out(tp, p, false);
	return moved;
}

static size_t frame_bytes(const uint8_t *at)
{
	struct wire_frame f;

	memcpy(&f, at, sizeof f);
	return sizeof f + (f.kind == WIRE_EAGER ? f.length : 0);
}

/* It says nothing of the stream that was. */
static void renew_header(const struct tp *tp, uint8_t *at)
{
	struct wire_frame f;

	memcpy(&f, at, sizeof f);
	f.epoch = tp->job.epoch;
	if (tp_mend_is_said(&f))
		f.id = 0;
	memcpy(at, &f, sizeof f);
}

/* What was queued for a peer whose channel is quiet: frames that nobody has begun to write belong
 * to the new epoch from now on, those about the connection that was are forgotten. */
void tp_out_renew(struct tp *tp, struct tp_peer *p)
{
	list_for_each_safe (item, &p->queue) {
		struct tp_out *o = container_of(item, struct tp_out, link);
		size_t at = 0;

		if (o->of_link) {
			out_free(tp, o);
			continue;
		}
		assert(!o->payload_len || o->done == 0);
		while (at < o->done)
			at += frame_bytes(o->bytes + at);
		assert(at == o->done);
		for (; at < o->len; at += frame_bytes(o->bytes + at))
			renew_header(tp, o->bytes + at);
		o->len -= o->done;
		memmove(o->bytes, o->bytes + o->done, o->len);
		o->done = 0;
		if (!o->len)
			out_free(tp, o);
	}
}

/* Nothing of it will leave: what was queued is answered. */
void tp_out_drop(struct tp *tp, struct tp_peer *p, int rc)
{
	struct link *item;

	while ((item = list_first(&p->queue))) {
		struct tp_out *o = container_of(item, struct tp_out, link);
		struct tp_send *op = o->op;

		out_free(tp, o);
		if (op)
			tp_send_done(tp, op, rc);
	}
}

/* The same where the pair begins anew: synchronous sends stay. */
void tp_out_drop_anew(struct tp *tp, struct tp_peer *p)
{
	list_for_each (item, &p->queue) {
		struct tp_out *o = container_of(item, struct tp_out, link);

		if (!o->op || !o->op->sync)
			continue;
		list_remove(&o->op->link);
		list_append(&p->sending, &o->op->link);
		o->op = NULL;
	}
	tp_out_drop(tp, p, 0);
}

bool tp_out_all(struct tp *tp)
{
	bool moved = false;

	list_for_each_safe (item, &tp->busy) {
		struct tp_peer *p = container_of(item, struct tp_peer, busy);

		moved |= tp_out_write(tp, p);
		if (list_empty(&p->queue))
			list_remove(&p->busy);
	}
	return moved;
}
