/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A buffered send is a copy, and a standard send of that copy whose request belongs to nobody. So
 * nothing about it is new to a recovery line: it was sent when MPI_Bsend returned, and its receiver
 * pulls it in like any other.
 */
#include "p2p_buffer.h"

#include <stdlib.h>

#include "base/list.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_inside.h"
#include "p2p_state.h"
#include "request.h"

struct copy {
	struct link link;
	struct buffer *buffer;
	uint64_t number; /* in its buffer */
	size_t len;
	uint8_t bytes[];
};

/* Somebody waits until the copies up to this number have gone. */
struct flush {
	struct link link;
	struct buffer *buffer;
	uint64_t number;
	struct request *request;
};

_Static_assert(sizeof(struct copy) <= MPI_BSEND_OVERHEAD, "what the program has added is enough");

static struct buffer process, abandoned;
static struct link copies = {&copies, &copies};	   /* oldest first */
static struct link flushes = {&flushes, &flushes}; /* the same */

/* ---- room ---- */

static uint64_t room_for(size_t len)
{
	return sizeof(struct copy) + (uint64_t)len;
}

static bool serves(const struct buffer *b)
{
	return b && b->attached;
}

/* The nearest of those that a message of c may go through (MPI 5.0 section 3.6). */
static struct buffer *buffer_of(const struct comm *c)
{
	uint64_t session = c->group->session;
	struct buffer *b = session ? p2p.job.session_buffer(session) : NULL;

	if (serves(c->buffer))
		return c->buffer;
	return serves(b) ? b : &process;
}

static bool has_room(const struct buffer *b, size_t len)
{
	if (!b->attached)
		return false;
	return b->address == MPI_BUFFER_AUTOMATIC || b->used + room_for(len) <= (uint64_t)b->size;
}

/* Perhaps what lies there could go, if it were let. */
static int check_room(const struct buffer *b, size_t len)
{
	uint64_t size = (uint64_t)b->size;

	if (!has_room(b, len) && b->attached)
		engine_look();
	if (has_room(b, len))
		return MPI_SUCCESS;
	if (!b->attached)
		return fail_with(MPI_ERR_BUFFER, "no buffer is attached (MPI_Buffer_attach)");
	return fail_with(MPI_ERR_BUFFER,
		"a message of %zu bytes needs %llu in the attached buffer, and %llu of its %llu "
		"are free",
		len, (unsigned long long)room_for(len), (unsigned long long)(size - b->used),
		(unsigned long long)size);
}

static bool has_gone(const struct buffer *b, uint64_t number)
{
	list_for_each (item, &copies) {
		const struct copy *copy = container_of(item, struct copy, link);

		if (copy->buffer == b)
			return copy->number > number;
	}
	return true;
}

static void end_flushes(void)
{
	list_for_each_safe (item, &flushes) {
		struct flush *f = container_of(item, struct flush, link);

		if (!has_gone(f->buffer, f->number))
			continue;
		list_remove(&f->link);
		request_complete(f->request, MPI_SUCCESS);
	}
}

/* ---- sending ---- */

static void copy_gone(struct request *r)
{
	struct copy *copy = r->owner;

	list_remove(&copy->link);
	copy->buffer->used -= room_for(copy->len);
	free(copy);
	end_flushes();
	engine_completed();
}

static const struct request_class copy_class = {.start = p2p_start_message, .free = copy_gone};

static struct copy *copy_new(struct buffer *b, const struct p2p_message *m)
{
	size_t len = (size_t)p2p_room(m);
	struct copy *copy = malloc(sizeof *copy + len);

	if (!copy)
		return NULL;
	type_pack(m->type, m->buf, (size_t)m->count, copy->bytes);
	copy->buffer = b;
	copy->number = ++b->sent;
	copy->len = len;
	b->used += room_for(len);
	list_append(&copies, &copy->link);
	return copy;
}

/* m, but for what is sent. */
static int start_copy(struct copy *copy, const struct p2p_message *m)
{
	struct p2p_message bytes = {.buf = copy->bytes,
		.count = (MPI_Count)copy->len,
		.comm = m->comm,
		.type = type_bytes(),
		.rank = m->rank,
		.tag = m->tag};
	struct request *r = request_new(REQUEST_SEND, &bytes);
	struct request orphan = {.owner = copy};
	int rc;

	if (!r) {
		copy_gone(&orphan);
		return MPI_ERR_NO_MEM;
	}
	r->class = &copy_class;
	r->owner = copy;
	r->freed = true;
	rc = p2p_start(r);
	if (rc)
		request_free(r);
	return rc;
}

int buffer_send(const struct p2p_message *m)
{
	struct buffer *b = buffer_of(m->comm);
	size_t len = (size_t)p2p_room(m);
	struct copy *copy;
	int rc;

	engine_assert_held();
	if (m->rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	rc = check_room(b, len);
	if (rc)
		return rc;
	copy = copy_new(b, m);
	if (!copy)
		return fail_with(
			MPI_ERR_NO_MEM, "no memory for a copy of a message of %zu bytes", len);
	return start_copy(copy, m);
}

/* For the program it is over. */
int buffer_start(struct request *r)
{
	int rc = buffer_send(&r->m);

	if (rc == MPI_SUCCESS)
		request_complete(r, MPI_SUCCESS);
	return rc;
}

const struct request_class buffer_class = {.start = buffer_start};

int buffer_isend(const struct p2p_message *m, struct request **out)
{
	struct request *r = request_new(REQUEST_SEND, m);
	int rc;

	engine_assert_held();
	if (!r)
		return MPI_ERR_NO_MEM;
	r->class = &buffer_class;
	rc = p2p_start(r);
	if (rc)
		request_free(r);
	else
		*out = r;
	return rc;
}

/* ---- the buffer ---- */

struct buffer *buffer_of_process(void)
{
	return &process;
}

struct buffer *buffer_own(struct buffer **own)
{
	if (!*own)
		*own = calloc(1, sizeof **own);
	return *own;
}

int buffer_attach(struct buffer *b, void *address, MPI_Count size)
{
	engine_assert_held();
	if (!b)
		return fail_with(MPI_ERR_NO_MEM, "no memory to attach a buffer");
	if (b->attached)
		return fail_with(MPI_ERR_BUFFER, "a buffer is attached already");
	if (size < 0)
		return fail_with(MPI_ERR_ARG, "the size of the buffer is %lld", (long long)size);
	if (!address && size > 0)
		return fail_with(MPI_ERR_BUFFER, "the buffer is a null pointer");
	b->attached = true;
	b->address = address;
	b->size = address == MPI_BUFFER_AUTOMATIC ? 0 : size;
	return MPI_SUCCESS;
}

static bool is_empty(void *arg, int *expect)
{
	const struct buffer *b = arg;

	(void)expect;
	return b->used == 0;
}

/* One that is not there is as good as one without room (MPI 5.0 section 3.6). */
int buffer_detach(struct buffer *b, void **address, MPI_Count *size)
{
	engine_assert_held();
	if (!b)
		return fail_with(MPI_ERR_NO_MEM, "no memory to detach a buffer");
	engine_wait(is_empty, b);
	*address = b->attached ? b->address : NULL;
	*size = b->attached ? b->size : 0;
	b->attached = false;
	return MPI_SUCCESS;
}

struct flushing {
	const struct buffer *b;
	uint64_t number;
};

static bool is_flushed(void *arg, int *expect)
{
	const struct flushing *f = arg;

	(void)expect;
	return has_gone(f->b, f->number);
}

int buffer_flush(struct buffer *b)
{
	struct flushing f = {b, b ? b->sent : 0};

	engine_assert_held();
	if (!b)
		return fail_with(MPI_ERR_NO_MEM, "no memory to flush a buffer");
	engine_wait(is_flushed, &f);
	return MPI_SUCCESS;
}

static void flush_free(struct request *r)
{
	struct flush *f = r->owner;

	list_remove(&f->link);
	free(f);
}

static const struct request_class flush_class = {.free = flush_free};

int buffer_iflush(struct buffer *b, struct comm *c, struct request **out)
{
	struct flush *f = calloc(1, sizeof *f);
	struct request *r = b && f ? request_new_other(&flush_class, c, f) : NULL;

	engine_assert_held();
	if (!r) {
		free(f);
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	}
	*f = (struct flush){.buffer = b, .number = b->sent, .request = r};
	list_append(&flushes, &f->link);
	end_flushes();
	*out = r;
	return MPI_SUCCESS;
}

void buffer_abandon(struct buffer *b)
{
	list_for_each (item, &copies) {
		struct copy *copy = container_of(item, struct copy, link);

		if (copy->buffer != b)
			continue;
		copy->buffer = &abandoned;
		abandoned.used += room_for(copy->len);
	}
	end_flushes();
	free(b);
}

void buffers_fini(void)
{
	list_for_each_safe (item, &copies) {
		list_remove(item);
		free(container_of(item, struct copy, link));
	}
	list_for_each_safe (item, &flushes) {
		list_remove(item);
		free(container_of(item, struct flush, link));
	}
	process = abandoned = (struct buffer){0};
}
