/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_traffic.h"

#include "base/clock.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"

#define TELL_NS UINT64_C(1000000000)

static struct {
	bool made;     /* lines, or checkpoints */
	uint64_t told; /* when */
} traffic;

static void add(struct control_traffic *t, int rank, struct tp_sent sent)
{
	uint32_t block = (uint32_t)rank / t->ranks;

	if (sent.messages == 0)
		return;
	if (t->n == 0 || t->sent[t->n - 1].block != block)
		t->sent[t->n++] = (struct control_sent){.block = block};
	t->sent[t->n - 1].messages += sent.messages;
	t->sent[t->n - 1].bytes += sent.bytes;
}

static void tell(const struct ckpt_job *j, uint32_t line, bool all)
{
	int size = j->launch->size;
	struct control_traffic t = {.epoch = j->launch->epoch,
		.line = line,
		.all = all,
		.ranks = control_block_of(size)};

	for (int rank = 0; rank < size; rank++)
		add(&t, rank, tp_sent_to(engine_tp(), rank));
	control_traffic(j->launch->control_fd, &t);
}

void ckpt_traffic_before(const struct ckpt_job *j, uint32_t line)
{
	uint64_t now = clock_ns();

	engine_assert_held();
	traffic.made = true;
	if (now - traffic.told < TELL_NS)
		return;
	tell(j, line, false);
	traffic.told = now;
}

void ckpt_traffic_all(const struct ckpt_job *j)
{
	const struct settings *s = &j->launch->settings;

	engine_assert_held();
	if (s->traffic || traffic.made || j->alone || s->restarts > 0)
		tell(j, 0, true);
}
