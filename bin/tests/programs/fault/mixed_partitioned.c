/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's partitioned messages: made once, started at one step, their partitions ready at this one
 * and the next ones, received in other partitions than they are sent in. A send whose last
 * partition was ready before the line is not started again after a restore; another is, and its
 * partitions that were ready are made so again.
 */
#include "mixed.h"

#include <stdbool.h>
#include <stdlib.h>

enum { PERIOD = 5, OPEN = 4, READY = 3, TAG = 60, CHANNELS = 3, PARTS = 6 };

_Static_assert(OPEN < PERIOD && (int)OPEN <= (int)MIXED_LAG, "finished before the next");

static struct channel {
	int distance;
	long bytes; /* of one of PARTS partitions */
	MPI_Request send, receive;
	uint8_t *out, *in;
} channels[CHANNELS];

/* The step at which those that are open were started; 0: none are. */
static struct {
	int64_t started;
	int64_t ready[CHANNELS]; /* steps whose partitions are */
} state;

static uint64_t key_of(const struct mixed *m, long step, int channel, int source)
{
	return mixed_random(m, MIXED_PARTITIONED, step, (uint64_t)channel << 32 | (uint32_t)source);
}

static int source_of(const struct mixed *m, const struct channel *c)
{
	return (m->prog->rank + m->prog->size - c->distance) % m->prog->size;
}

static long all_bytes(const struct channel *c)
{
	return PARTS * c->bytes;
}

/* Two channels have one tag, and are told apart by the order in which they are made. */
static int tag_of(int channel)
{
	return TAG + channel / 2;
}

static void make(const struct mixed *m, int i)
{
	struct channel *c = &channels[i];
	int to = (m->prog->rank + c->distance) % m->prog->size, share = (int)c->bytes;
	MPI_Comm comm = m->comm[MIXED_PARTITIONED_COMM];

	c->out = prog_alloc(m->prog, (size_t)all_bytes(c));
	c->in = i == 1 ? mixed_blank(m, all_bytes(c)) : prog_alloc(m->prog, (size_t)all_bytes(c));
	MPI_Psend_init(
		c->out, PARTS, share, MPI_BYTE, to, tag_of(i), comm, MPI_INFO_NULL, &c->send);
	if (i == 1)
		MPI_Precv_init(c->in, PARTS / 3, 3 * share / MIXED_ITEM, m->item, source_of(m, c),
			tag_of(i), comm, MPI_INFO_NULL, &c->receive);
	else
		MPI_Precv_init(c->in, PARTS / 2, 2 * share, MPI_BYTE, source_of(m, c), tag_of(i),
			comm, MPI_INFO_NULL, &c->receive);
}

/* The partitions of the j-th step of a send: by chance, the rest at the last. */
static bool is_ready_at(const struct mixed *m, int channel, int partition, int64_t j)
{
	uint64_t which = (uint64_t)channel * 100 + (uint64_t)partition;
	uint64_t random = mixed_random(
		m, MIXED_PARTITIONED, -(long)state.started, which * 100 + (uint64_t)m->prog->rank);

	return (int64_t)(random % READY) == j;
}

static void make_ready(const struct mixed *m, int channel, int64_t j)
{
	for (int partition = PARTS; partition-- > 0;)
		if (is_ready_at(m, channel, partition, j))
			MPI_Pready(partition, channels[channel].send);
}

/* Every partition was ready by then. */
static bool is_sent(const struct mixed *m, int channel)
{
	int n = 0;

	for (int64_t j = 0; j < state.ready[channel]; j++)
		for (int partition = 0; partition < PARTS; partition++)
			n += is_ready_at(m, channel, partition, j);
	return n == PARTS;
}

static void start_send(const struct mixed *m, int i)
{
	mixed_fill(key_of(m, (long)state.started, i, m->prog->rank), channels[i].out,
		all_bytes(&channels[i]));
	MPI_Start(&channels[i].send);
}

static void start(const struct mixed *m, long step)
{
	state.started = step;
	for (int i = 0; i < CHANNELS; i++) {
		MPI_Start(&channels[i].receive);
		start_send(m, i);
		state.ready[i] = 0;
	}
}

static void ready_more(const struct mixed *m)
{
	for (int i = 0; i < CHANNELS; i++)
		if (state.ready[i] < READY)
			make_ready(m, i, state.ready[i]++);
}

static void finish(struct mixed *m, int i)
{
	struct channel *c = &channels[i];
	long step = (long)state.started;
	uint8_t *data = c->in;
	MPI_Status status;
	int arrived;

	MPI_Wait(&c->receive, &status);
	MPI_Parrived(c->receive, 0, &arrived);
	if (!arrived)
		prog_wrong(m->prog, "a partition of a message that is whole has not arrived");
	if (i == 1) {
		data = prog_alloc(m->prog, (size_t)all_bytes(c));
		mixed_collect(m, data, all_bytes(c), c->in);
	}
	mixed_enter(m, MIXED_PARTITIONED, source_of(m, c), tag_of(i), data, all_bytes(c));
	if (mixed_worth(0, 0, data, all_bytes(c)) !=
		mixed_worth_of(m, 0, 0, key_of(m, step, i, source_of(m, c)), all_bytes(c)))
		prog_wrong(m->prog, "channel %d: what came is not that of step %ld", i, step);
	if (i == 1)
		free(data);
	MPI_Wait(&c->send, MPI_STATUS_IGNORE);
}

static bool starts_at(const struct mixed *m, long step)
{
	return step >= 1 && step <= m->steps && step % PERIOD == 1;
}

static void step_shares(struct mixed *m, long step)
{
	if (state.started && step == state.started + OPEN) {
		for (int i = CHANNELS; i-- > 0;)
			finish(m, i);
		state.started = 0;
	}
	if (starts_at(m, step))
		start(m, step);
	if (state.started)
		ready_more(m);
}

static void begin(struct mixed *m)
{
	long most = m->most < 400000 ? m->most : 400000;
	long bytes[CHANNELS] = {200, 4 * MIXED_ITEM, most / PARTS};

	mixed_protect(m, MIXED_PARTITIONED, &state, sizeof(state));
	for (int i = 0; i < CHANNELS; i++) {
		channels[i].bytes = bytes[i];
		channels[i].distance =
			(int)(mixed_random(m, MIXED_PARTITIONED, 0, (uint64_t)(i / 2)) %
				(uint64_t)m->prog->size);
		make(m, i);
	}
}

static void restored(struct mixed *m)
{
	for (int i = 0; i < CHANNELS && state.started; i++) {
		MPI_Start(&channels[i].receive);
		if (is_sent(m, i))
			continue;
		start_send(m, i);
		for (int64_t j = 0; j < state.ready[i]; j++)
			make_ready(m, i, j);
	}
}

static uint64_t expect(const struct mixed *m, long step)
{
	uint64_t sum = 0;

	for (int i = 0; i < CHANNELS && starts_at(m, step); i++) {
		int source = source_of(m, &channels[i]);

		sum += mixed_worth_of(
			m, source, tag_of(i), key_of(m, step, i, source), all_bytes(&channels[i]));
	}
	return sum;
}

static void end(struct mixed *m)
{
	(void)m;
	for (int i = 0; i < CHANNELS; i++) {
		MPI_Request_free(&channels[i].send);
		MPI_Request_free(&channels[i].receive);
		free(channels[i].out);
		free(channels[i].in);
	}
}

const struct mixed_part mixed_partitioned = {
	.name = "partitioned",
	.begin = begin,
	.restored = restored,
	.step = step_shares,
	.expect = expect,
	.end = end,
};
