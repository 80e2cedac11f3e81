/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "request.h"

enum { RANK_BITS = 20, NUMBER_BITS = 10, NUMBER_SHIFT = 32 + RANK_BITS };

#define PARTITIONED ((uint64_t)1 << 62)

/* ---- numbers ---- */

struct numbered {
	struct link link;
	uint64_t context;
	int peer, tag;
	bool send;
	uint32_t next;
};

static struct link numbers = {&numbers, &numbers}; /* the last one used first */
static uint64_t made;

static bool is_same(const struct numbered *a, const struct numbered *b)
{
	return a->context == b->context && a->peer == b->peer && a->tag == b->tag &&
	       a->send == b->send;
}

/* NULL: no memory. */
static struct numbered *number_of(const struct numbered *key)
{
	struct numbered *n;

	list_for_each (item, &numbers) {
		n = container_of(item, struct numbered, link);
		if (is_same(n, key)) {
			list_remove(&n->link);
			list_prepend(&numbers, &n->link);
			return n;
		}
	}
	n = malloc(sizeof *n);
	if (!n)
		return NULL;
	*n = *key;
	list_prepend(&numbers, &n->link);
	return n;
}

void parts_fini(void)
{
	list_for_each_safe (item, &numbers) {
		list_remove(item);
		free(container_of(item, struct numbered, link));
	}
}

uint64_t parts_made_ever(void)
{
	return made;
}

/* What sets its messages apart from all others. */
static int make_channel(const struct p2p_message *m, bool send, uint64_t *channel)
{
	struct numbered key = {
		.context = m->comm->context, .peer = m->rank, .tag = m->tag, .send = send};
	struct numbered *n;

	if (m->comm->context >> NUMBER_SHIFT)
		return fail_with(MPI_ERR_UNSUPPORTED_OPERATION,
			"partitioned communication is for communicators whose first rank is below "
			"2^%d in the job",
			RANK_BITS);
	n = number_of(&key);
	if (!n)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	made++;
	*channel = PARTITIONED | (uint64_t)(n->next++ % (1 << NUMBER_BITS)) << NUMBER_SHIFT;
	return MPI_SUCCESS;
}

/* ---- requests ---- */

struct part {
	int partitions, nready;
	bool ready[]; /* of a send */
};

static int start_send(struct request *r)
{
	struct part *p = r->owner;

	p->nready = 0;
	memset(p->ready, 0, (size_t)p->partitions * sizeof *p->ready);
	return p->partitions == 0 ? p2p_start_message(r) : MPI_SUCCESS;
}

static int no_cancel(struct request *r)
{
	(void)r;
	return fail_with(MPI_ERR_REQUEST, "partitioned communication cannot be cancelled");
}

static int finish_recv(struct request *r, MPI_Status *status)
{
	request_message_status(r, status);
	return MPI_SUCCESS;
}

static void part_free(struct request *r)
{
	free(r->owner);
}

static const struct request_class send_class = {
	.start = start_send, .cancel = no_cancel, .free = part_free};
static const struct request_class recv_class = {.start = p2p_start_message,
	.cancel = no_cancel,
	.finish = finish_recv,
	.query = finish_recv,
	.free = part_free};

int part_init(const struct p2p_message *m, bool send, int partitions, struct request **out)
{
	struct part *p = calloc(1, sizeof *p + (size_t)partitions * sizeof *p->ready);
	struct request *r = NULL;
	uint64_t channel = 0;
	int rc = make_channel(m, send, &channel);

	engine_assert_held();
	if (rc == MPI_SUCCESS && p)
		r = request_new(send ? REQUEST_SEND : REQUEST_RECV, m);
	if (rc == MPI_SUCCESS && !r)
		rc = fail_with(MPI_ERR_NO_MEM, "no memory for %d partitions", partitions);
	if (rc) {
		free(p);
		return rc;
	}
	p->partitions = partitions;
	r->class = send ? &send_class : &recv_class;
	r->owner = p;
	r->m.plane |= channel;
	r->persistent = true;
	*out = r;
	return MPI_SUCCESS;
}

/* ---- partitions ---- */

static int check_partition(const struct part *p, int partition)
{
	if (partition >= 0 && partition < p->partitions)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_ARG, "partition %d is not one of %d", partition, p->partitions);
}

static int check_ready(const struct part *p, int low, int high)
{
	int rc = check_partition(p, low);

	if (rc == MPI_SUCCESS)
		rc = check_partition(p, high);
	for (int i = low; rc == MPI_SUCCESS && i <= high; i++)
		if (p->ready[i])
			rc = fail_with(MPI_ERR_ARG, "partition %d was ready before", i);
	return rc;
}

int part_ready(struct request *r, int low, int high)
{
	struct part *p = r ? r->owner : NULL;
	int rc;

	engine_assert_held();
	if (!r || r->class != &send_class)
		return fail_with(MPI_ERR_REQUEST, "the request is not of MPI_Psend_init");
	if (!request_active(r))
		return fail_with(MPI_ERR_REQUEST, "the request is not started");
	rc = check_ready(p, low, high);
	if (rc)
		return rc;
	for (int i = low; i <= high; i++)
		p->ready[i] = true;
	if (high >= low)
		p->nready += high - low + 1;
	if (p->nready < p->partitions || high < low)
		return MPI_SUCCESS;
	rc = p2p_start_message(r);
	if (rc)
		request_complete(r, rc); /* or its waiter would wait for ever */
	return rc;
}

int part_check(struct request *r, int partition)
{
	engine_assert_held();
	if (!r) /* as one that is not active: MPI 5.0 section 4.2.3 */
		return MPI_SUCCESS;
	if (r->class != &recv_class)
		return fail_with(MPI_ERR_REQUEST, "the request is not of MPI_Precv_init");
	return check_partition(r->owner, partition);
}
