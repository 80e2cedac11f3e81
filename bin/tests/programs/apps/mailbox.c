/* SPDX-License-Identifier: BSD-3-Clause */
#include "mail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct mail_open *list_add(const struct prog *prog, struct mail_list *list)
{
	if (list->count == list->room) {
		size_t room = list->room > 0 ? 2 * list->room : 64;
		struct mail_open *at = realloc(list->at, room * sizeof(*at));
		if (at == NULL)
			prog_wrong(prog, "out of memory for %zu requests", room);
		list->at = at;
		list->room = room;
	}
	return &list->at[list->count++];
}

static void list_remove(struct mail_list *list, size_t i)
{
	free(list->at[i].buffer);
	list->count--;
	memmove(&list->at[i], &list->at[i + 1], (list->count - i) * sizeof(*list->at));
}

void mailbox_make(struct mailbox *box, const struct prog *prog, const struct mail_plan *plan)
{
	*box = (struct mailbox){.prog = prog, .plan = *plan, .queues = mail_queues(plan)};
	size_t queues = (size_t)box->queues, chains = queues * (size_t)plan->size;
	box->count = prog_alloc(prog, queues * sizeof(*box->count));
	memset(box->count, 0, queues * sizeof(*box->count));
	box->chain = prog_alloc(prog, chains * sizeof(*box->chain));
	memset(box->chain, 0, chains * sizeof(*box->chain));
	box->comm[MAIL_NAMED] = MPI_COMM_WORLD;
	for (int c = MAIL_NAMED + 1; c < MAIL_HALF; c++)
		MPI_Comm_dup(MPI_COMM_WORLD, &box->comm[c]);
	MPI_Comm_split(MPI_COMM_WORLD, prog->rank % 2, prog->rank, &box->comm[MAIL_HALF]);
}

void mailbox_free(struct mailbox *box)
{
	for (int c = MAIL_NAMED + 1; c < MAIL_COMMS; c++)
		MPI_Comm_free(&box->comm[c]);
	free(box->count);
	free(box->chain);
	free(box->receives.at);
	free(box->sends.at);
}

/* Between ranks of the job and those of a communicator. */
static int rank_in(int comm, int rank)
{
	return comm == MAIL_HALF ? rank / 2 : rank;
}

static int rank_of(const struct mailbox *box, int comm, int rank)
{
	return comm == MAIL_HALF ? 2 * rank + box->prog->rank % 2 : rank;
}

void mailbox_post(struct mailbox *box, int queue)
{
	struct mail_message m = mail_receive(&box->plan, queue);
	struct mail_open *open = list_add(box->prog, &box->receives);
	open->queue = queue;
	open->buffer = prog_alloc(box->prog, (size_t)box->plan.most);
	MPI_Irecv(open->buffer, (int)box->plan.most, MPI_BYTE,
		m.source < 0 ? MPI_ANY_SOURCE : rank_in(m.comm, m.source),
		m.tag < 0 ? MPI_ANY_TAG : m.tag, box->comm[m.comm], &open->request);
}

static void post_due(struct mailbox *box, long step)
{
	for (long s = step - MAIL_LATE; s <= step + MAIL_EARLY; s++)
		for (long i = 0; i < mail_count(&box->plan, s); i++) {
			struct mail_message m = mail_message(&box->plan, s, i);
			int queue = mail_queue(&box->plan, &m);
			if (m.dest != box->prog->rank || m.post != step || m.way == MAIL_PROBED)
				continue;
			box->count[queue].posted++;
			mailbox_post(box, queue);
		}
}

static void send_due(struct mailbox *box, long step)
{
	for (long i = 0; i < mail_count(&box->plan, step); i++) {
		struct mail_message m = mail_message(&box->plan, step, i);
		if (m.source != box->prog->rank)
			continue;
		struct mail_open *open = list_add(box->prog, &box->sends);
		open->buffer = prog_alloc(box->prog, (size_t)m.bytes);
		mail_fill(&box->plan, &m, open->buffer);
		(m.synchronous ? MPI_Issend : MPI_Isend)(open->buffer, (int)m.bytes, MPI_BYTE,
			rank_in(m.comm, m.dest), m.tag, box->comm[m.comm], &open->request);
	}
}

static void forget_done_sends(struct mailbox *box)
{
	for (size_t i = box->sends.count; i-- > 0;) {
		int done = 0;
		MPI_Test(&box->sends.at[i].request, &done, MPI_STATUS_IGNORE);
		if (done)
			list_remove(&box->sends, i);
	}
}

/* A message was received: what came, and when, goes into the chain of its source. */
static void enter(struct mailbox *box, int queue, const uint8_t *data, const MPI_Status *status)
{
	struct mail_message m = mail_receive(&box->plan, queue);
	int bytes = 0, source = rank_of(box, m.comm, status->MPI_SOURCE);
	MPI_Get_count(status, MPI_BYTE, &bytes);
	if ((m.source >= 0 && m.source != source) || (m.tag >= 0 && m.tag != status->MPI_TAG))
		prog_wrong(box->prog, "a receive from rank %d with tag %d got rank %d's, tag %d",
			m.source, m.tag, source, status->MPI_TAG);
	uint64_t *chain = &box->chain[queue * box->plan.size + source];
	*chain = mail_chain(*chain, mail_hash(status->MPI_TAG, data, bytes));
	box->count[queue].done++;
	box->received++;
}

/* The oldest receive of the queue. */
static void finish(struct mailbox *box, int queue)
{
	MPI_Status status;
	size_t i = 0;
	while (box->receives.at[i].queue != queue)
		i++;
	MPI_Wait(&box->receives.at[i].request, &status);
	enter(box, queue, box->receives.at[i].buffer, &status);
	list_remove(&box->receives, i);
}

static void probe_and_receive(struct mailbox *box, int queue)
{
	MPI_Status status;
	int bytes = 0;
	MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, box->comm[MAIL_PROBED], &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	uint8_t *data = prog_alloc(box->prog, (size_t)bytes);
	MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, box->comm[MAIL_PROBED],
		&status);
	enter(box, queue, data, &status);
	free(data);
}

static void ripen(struct mailbox *box, long step)
{
	for (long s = step - MAIL_LAG; s <= step; s++)
		for (long i = 0; i < mail_count(&box->plan, s); i++) {
			struct mail_message m = mail_message(&box->plan, s, i);
			int queue = mail_queue(&box->plan, &m);
			if (m.dest == box->prog->rank && s + mail_lag(&box->plan, queue) == step)
				box->count[queue].ripe++;
		}
}

static void finish_ripe(struct mailbox *box)
{
	for (int q = 0; q < box->queues; q++) {
		struct mail_count *c = &box->count[q];
		bool probed = mail_receive(&box->plan, q).way == MAIL_PROBED;
		while (c->done < c->ripe && (probed || c->done < c->posted)) {
			if (probed)
				probe_and_receive(box, q);
			else
				finish(box, q);
		}
	}
}

/* Who is sent to waits for nothing that is sent later, so nobody waits for ever. */
void mailbox_step(struct mailbox *box, long step)
{
	if (step % 2 == 0)
		post_due(box, step);
	send_due(box, step);
	if (step % 2 != 0)
		post_due(box, step);
	ripen(box, step);
	finish_ripe(box);
	forget_done_sends(box);
}

uint64_t mailbox_sum(const struct mailbox *box)
{
	uint64_t sum = 0;
	for (int i = 0; i < box->queues * box->plan.size; i++)
		sum = mail_chain(sum, box->chain[i]);
	return sum;
}

static void expect(const struct mailbox *box, uint64_t *chain)
{
	uint8_t *data = prog_alloc(box->prog, (size_t)box->plan.most);
	for (long s = 1; s <= box->plan.steps; s++)
		for (long i = 0; i < mail_count(&box->plan, s); i++) {
			struct mail_message m = mail_message(&box->plan, s, i);
			int queue = mail_queue(&box->plan, &m);
			if (m.dest != box->prog->rank)
				continue;
			mail_fill(&box->plan, &m, data);
			uint64_t *c = &chain[queue * box->plan.size + m.source];
			*c = mail_chain(*c, mail_hash(m.tag, data, m.bytes));
		}
	free(data);
}

static void verify_chains(const struct mailbox *box)
{
	int chains = box->queues * box->plan.size;
	uint64_t *chain = prog_alloc(box->prog, (size_t)chains * sizeof(*chain));
	memset(chain, 0, (size_t)chains * sizeof(*chain));
	expect(box, chain);
	for (int i = 0; i < chains; i++) {
		struct mail_message m = mail_receive(&box->plan, i / box->plan.size);
		if (chain[i] != box->chain[i])
			prog_wrong(box->prog,
				"messages from rank %d, received %s with tag %d in communicator "
				"%d, did not come once each and in order",
				i % box->plan.size, m.source < 0 ? "from any" : "by name", m.tag,
				m.comm);
	}
	free(chain);
}

void mailbox_verify(struct mailbox *box)
{
	while (box->sends.count > 0) {
		MPI_Wait(&box->sends.at[0].request, MPI_STATUS_IGNORE);
		list_remove(&box->sends, 0);
	}
	verify_chains(box);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int c = 0; c < MAIL_COMMS; c++) {
		MPI_Status status;
		int more = 0;
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, box->comm[c], &more, &status);
		if (more)
			prog_wrong(box->prog, "a message too many from rank %d with tag %d",
				rank_of(box, c, status.MPI_SOURCE), status.MPI_TAG);
	}
}
