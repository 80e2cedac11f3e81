/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large the log of what this rank has sent may become. The launcher is told how it grows, and
 * for whom, so that it asks those ranks for checkpoints. At the limit a send waits for that. One
 * that has waited for long goes on, and so do all after it until there is room: it may be that no
 * checkpoint can be made.
 */
#include "base/clock.h"
#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_log_inside.h"

/* The launcher is told of each such part of the limit, or so many bytes where there is none.
 * A send that waits looks each NAP_MS, and tells again each AGAIN_MS. */
enum { PARTS = 16, STEP = 4 << 20, NAP_MS = 1, AGAIN_MS = 100 };

#define MS UINT64_C(1000000)

static struct {
	struct p2p_log_limit c;
	uint64_t bytes, told;
	bool gave_up, said;
} limit;

void p2p_log_limit_start(const struct p2p_log_limit *c)
{
	limit.c = *c;
	limit.bytes = limit.told = 0;
	limit.gave_up = limit.said = false;
}

/* The peer whose messages take most of it; nothing is logged for this rank itself. */
static int largest(void)
{
	int peer = 0;

	for (int i = 1; i < p2p_msglog->size; i++)
		if (p2p_msglog->pairs[i].log.bytes > p2p_msglog->pairs[peer].log.bytes)
			peer = i;
	return peer;
}

static void tell(void)
{
	int peer = largest();

	limit.told = limit.bytes;
	if (peer != p2p_msglog->self)
		limit.c.tell(limit.bytes, peer, p2p_msglog->pairs[peer].log.bytes);
}

static void tell_of_step(void)
{
	uint64_t step = limit.c.bytes ? limit.c.bytes / PARTS : STEP;
	uint64_t away =
		limit.bytes > limit.told ? limit.bytes - limit.told : limit.told - limit.bytes;

	if (away >= step)
		tell();
}

static bool has_room(size_t len)
{
	return limit.bytes == 0 || limit.bytes + len <= limit.c.bytes;
}

static void say_that_it_grows(void)
{
	if (!limit.said)
		log_error("%s: the log of what this rank has sent has reached -log-limit, and %s, "
			  "so it grows (this is said once)",
			fail_call(),
			limit.c.patience_ms
				? "no checkpoint of a receiver came that would let it shrink"
				: "a send waits for checkpoints of images (-image) alone");
	limit.said = true;
}

/* What was told may be over by now without having helped, so it is told again. An image of this
 * process may be taken meanwhile, and another process go on here, with another clock. */
static void wait_for_room(size_t len)
{
	uint64_t until = clock_program_ns() + limit.c.patience_ms * MS, again = 0, now;

	while (!has_room(len) && (now = clock_program_ns()) < until) {
		if (now >= again) {
			tell();
			again = now + AGAIN_MS * MS;
		}
		engine_look();
		if (!has_room(len))
			engine_nap(NAP_MS);
	}
	limit.gave_up = !has_room(len);
}

void p2p_log_limit_await(size_t len)
{
	if (!limit.c.bytes || has_room(len) || engine_is_deferring())
		return;
	if (!limit.gave_up)
		wait_for_room(len);
	if (limit.gave_up)
		say_that_it_grows();
}

/* Not all that is sent is logged. */
void p2p_log_limit_grown(uint64_t bytes)
{
	limit.bytes += bytes;
	tell_of_step();
}

void p2p_log_limit_shrunk(void)
{
	limit.bytes = msglog_bytes(p2p_msglog);
	if (limit.bytes <= limit.c.bytes / 2)
		limit.gave_up = false;
	tell_of_step();
}
