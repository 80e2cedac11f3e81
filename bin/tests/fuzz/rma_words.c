/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank of a window, to which the others say anything. The first byte: a dynamic window (bit 0).
 * Then steps, a byte and what it needs:
 *
 *   0 words: rank, and as `say` below has it                 1 it wants to know: rank, bytes of the
 * answer (0: none) 2 it waits for a lock: rank
 */
#include "rma_words.h"

#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/p2p/request.h"

enum { OTHER_CONTEXT = 4 };

struct words_fuzz f;

/* ---- a message ---- */

/* u8 kind, u8 how, i16 at, u16 bytes, u8 count, i8 extent, u8 layout, u16 op, u16 basic, u16 length
 * and as many bytes. how: 1 bytes and count are far more, 2 at is far away, 4 of no window, 8 from
 * another rank of the window, 16 the layout is longer than all, 32 the head is cut off, 64 not
 * whole */
enum { MANY = 1, FAR = 2, NO_WINDOW = 4, FOREIGN = 8, LONG = 16, CUT = 32, LOST = 64 };

static struct rma_head read_head(struct script *in, unsigned how)
{
	struct rma_head say = {.at = (uint64_t)(int64_t)(int16_t)script_u16(in)};

	if (f.w.flavor == MPI_WIN_FLAVOR_DYNAMIC)
		say.at += (uintptr_t)f.memory;
	say.at ^= how & FAR ? (uint64_t)1 << 63 : 0;
	say.bytes = (uint64_t)script_u16(in) << (how & MANY ? 48 : 0);
	say.count = (uint64_t)script_u8(in) << (how & MANY ? 40 : 0);
	say.extent = (int8_t)script_u8(in);
	say.layout_len = how & LONG ? 0xfffffff0u | script_u8(in) : script_u8(in) * 8u;
	say.op = script_u16(in);
	say.basic = script_u16(in);
	say.value = say.op;
	return say;
}

static void say(struct script *in, int peer)
{
	uint8_t kind = script_u8(in), how = script_u8(in);
	struct rma_head head = read_head(in, how);
	const uint8_t *bytes;
	size_t len = script_bytes(in, &bytes, script_u16(in)), all = sizeof head + len;
	struct envelope e = {.context = how & NO_WINDOW ? RMA_CONTEXT | OTHER_CONTEXT : f.w.context,
		.source = peer + (how & FOREIGN ? (int)kind - 3 : 0)};
	struct tp_place place;

	head.kind = kind;
	if (how & CUT)
		all = len < sizeof head ? len : sizeof head - 1;
	place = rma_channel.place(peer, &e, all);
	FUZZ_CHECK(all >= sizeof head, "%zu bytes are words", all);
	FUZZ_CHECK(place.room == all, "room for %zu of %zu bytes", place.room, all);
	memcpy(place.buf, &head, sizeof head);
	memcpy((char *)place.buf + sizeof head, bytes, len);
	f.said = 0;
	rma_channel.received(place.cookie, how & LOST ? -1 : 0);
	words_run_deferred();
	words_judge(peer, &head, len);
}

/* ---- what it asks itself ---- */

static void wants(struct script *in, int peer)
{
	size_t bytes = script_u8(in);
	struct rma_area result = {f.result + WORDS_BYTES - bytes, bytes, type_bytes()};
	struct win_peer *p = &f.w.peers[peer];
	bool noted = bytes ? rma_pending_add_result(p, &result, NULL) : rma_pending_add(p);

	FUZZ_CHECK(noted, "out of memory");
	words_note_wish(peer, bytes);
}

static void step(struct script *in)
{
	uint8_t what = script_u8(in);
	int peer = script_u8(in) % WORDS_RANKS;

	switch (what % 3) {
	case 0:
		say(in, peer);
		break;
	case 1:
		wants(in, peer);
		break;
	default:
		f.w.peers[peer].waits = true;
	}
}

/* Who holds the lock is who was granted it. */
static void check_window(void)
{
	unsigned holders = 0;

	for (int i = 0; i < WORDS_RANKS; i++) {
		holders += f.w.peers[i].holds;
		FUZZ_CHECK(f.w.peers[i].results <= f.w.peers[i].unanswered,
			"rank %d owes more data", i);
	}
	FUZZ_CHECK(holders == f.w.shared + f.w.exclusive, "%u hold the lock, not %u and %d",
		holders, f.w.shared, f.w.exclusive);
	FUZZ_CHECK(!f.w.exclusive || holders == 1, "%u hold it alone", holders);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);

	words_begin(script_u8(&in) & 1);
	if (setjmp(f.nonsense) == 0) {
		for (int i = 0; i < WORDS_STEPS && !script_ended(&in); i++) {
			step(&in);
			check_window();
		}
		words_end();
	}
	words_clear();
	return 0;
}
