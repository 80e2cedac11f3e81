/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_stage.h"

#include "mpi/p2p/p2p.h"
#include "mpi/p2p/p2p_inside.h"
#include "mpi/p2p/p2p_probe.h"
#include "unit.h"

/* ---- the engine and the transport ---- */

struct engine_news engine_news;

struct tp *engine_tp(void)
{
	return NULL;
}

void engine_set_windows(bool any)
{
	(void)any;
}

void engine_tell(void)
{
}

void engine_look(void)
{
}

void engine_defer(struct engine_deferred *deferred)
{
	ck_assert_msg(false, "there is no work for later: %p", (void *)deferred);
}

void engine_defer_cancel(struct engine_deferred *deferred)
{
	(void)deferred;
}

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	ck_assert_msg(done(arg, &expect), "nothing comes while the test waits");
}

void engine_nap(int ms)
{
	(void)ms;
	engine_look();
}

bool engine_is_deferring(void)
{
	return false;
}

bool engine_spin_for_room(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	return done(arg, &expect);
}

void tp_claim(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place)
{
	(void)tp;
	((struct kept *)unexpected)->place = place;
}

uint64_t stage_coming, stage_matched;
int stage_matches, stage_again;

void tp_take(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place)
{
	((struct kept *)unexpected)->taken = true;
	tp_claim(tp, unexpected, place);
}

void tp_matched(struct tp *tp, int peer, uint64_t sync)
{
	(void)tp;
	(void)peer;
	stage_matched = sync;
	stage_matches++;
}

uint64_t tp_matching_sync(const struct tp *tp)
{
	(void)tp;
	return stage_coming;
}

void tp_withdraw_again(struct tp *tp, const struct tp_withdrawal *w)
{
	(void)tp;
	(void)w;
	stage_again++;
}

bool tp_is_here(const struct tp_unexpected *unexpected)
{
	return ((const struct kept *)unexpected)->here;
}

const void *tp_contents(const struct tp_unexpected *unexpected)
{
	ck_assert(tp_is_here(unexpected));
	return ((const struct kept *)unexpected)->bytes;
}

static char nothing;
struct tp *const stage_tp = (struct tp *)(void *)&nothing;
bool stage_may_drop;

void tp_begin_pair_anew(struct tp *tp, int peer)
{
	(void)tp, (void)peer;
	ck_abort_msg("no pair begins anew alone");
}

void tp_drop(struct tp *tp, struct tp_unexpected *unexpected)
{
	ck_assert_ptr_eq(tp, stage_tp);
	ck_assert_msg(stage_may_drop, "a message is dropped: %p", (void *)unexpected);
	((struct kept *)unexpected)->dropped = true;
}

int tp_send(struct tp *tp, int peer, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	(void)tp;
	(void)e;
	(void)payload;
	(void)len;
	(void)flags;
	ck_assert_msg(false, "something is sent to %d: %p", peer, cookie);
	return 0;
}

void tp_count_sent(struct tp *tp, int peer, size_t bytes)
{
	(void)tp;
	ck_assert_msg(false, "%zu bytes are sent to %d", bytes, peer);
}

bool tp_may_send(struct tp *tp, int peer)
{
	(void)tp;
	(void)peer;
	return true;
}

bool tp_flush(struct tp *tp)
{
	(void)tp;
	return false;
}

void tp_withdraw(struct tp *tp, int peer, const struct tp_envelope *e, const void *cookie)
{
	(void)tp;
	(void)e;
	ck_assert_msg(false, "a send to %d is taken back: %p", peer, cookie);
}

/* ---- the stage ---- */

static struct object words[2]; /* of the coordination, of windows */
int stage_unplaced[2];

static struct tp_place place_words(int peer, const struct envelope *e, uint64_t length)
{
	int which = comm_is_window(e->context);

	(void)peer;
	words[which].kind = which ? OBJECT_RMA_RECEIVED : OBJECT_CONTROL_RECEIVED;
	return (struct tp_place){.room = (size_t)length, .cookie = &words[which]};
}

static void unplace(struct object *head)
{
	stage_unplaced[head - words]++;
}

static const struct p2p_channel channel = {.place = place_words, .unplace = unplace};

static void lost(int peer, const char *why)
{
	(void)peer;
	(void)why;
}

bool stage_launched;

void stage_begin(void)
{
	static const int node[STAGE_SIZE], cores[STAGE_SIZE];
	struct world_info info = {0, STAGE_SIZE, node, cores, true};
	struct p2p_job job = {.size = STAGE_SIZE,
		.eager_limit = 4096,
		.launched = stage_launched,
		.lost = lost,
		.coordination = &channel,
		.windows = &channel};

	ck_assert_int_eq(comm_world_init(&info), MPI_SUCCESS);
	ck_assert_int_eq(p2p_init(&job), 0);
}

void stage_end(void)
{
	comm_world_delete_attributes();
	message_forget_all();
	comm_world_free();
	p2p_fini();
}

struct tp_envelope stage_envelope(uint64_t context, int tag, int source)
{
	struct envelope e = {.context = context, .tag = tag, .source = source};

	return envelope_pack(&e);
}

struct tp_envelope stage_in_world(int peer, int tag)
{
	return stage_envelope(comm_world()->context, tag, peer);
}

/* A message comes: the cookie that it meets. */
void *stage_comes(int peer, int tag)
{
	struct tp_envelope e = stage_in_world(peer, tag);

	return p2p_upcalls.match(NULL, peer, &e, STAGE_BYTES).cookie;
}

void stage_keep_as(struct kept *k, int peer, const struct tp_envelope *e)
{
	*k = (struct kept){
		.public = {
			.peer = peer, .length = STAGE_BYTES, .envelope = *e, .sync = stage_coming}};
	p2p_upcalls.keep(NULL, &k->public);
}

void stage_keep(struct kept *k, int peer, int tag)
{
	struct tp_envelope e = stage_in_world(peer, tag);

	stage_keep_as(k, peer, &e);
}

struct p2p_message stage_message_of(int rank, int tag, void *buf, struct type *t, MPI_Count count)
{
	return (struct p2p_message){.buf = buf,
		.count = count,
		.comm = comm_world(),
		.type = t,
		.rank = rank,
		.tag = tag};
}

struct request *stage_receive_in(int source, int tag, void *buf)
{
	struct p2p_message m = stage_message_of(source, tag, buf, type_bytes(), STAGE_BYTES);
	struct request *r;

	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	return r;
}

struct request *stage_receive(int source, int tag)
{
	static char nowhere[STAGE_BYTES];

	return stage_receive_in(source, tag, nowhere);
}

void stage_unmatch(void *cookie)
{
	p2p_upcalls.unmatch(NULL, cookie);
}

/* It comes, and is whole. */
void stage_is_for(struct request *r, int peer, int tag)
{
	MPI_Status status;

	ck_assert_ptr_eq(stage_comes(peer, tag), r);
	p2p_upcalls.received(NULL, r, STAGE_BYTES, 0);
	ck_assert_int_eq(request_wait(r, &status), MPI_SUCCESS);
	ck_assert_int_eq(status.MPI_SOURCE, peer);
	ck_assert_int_eq(status.MPI_TAG, tag);
}

struct match_msg *stage_probe(int source, int tag)
{
	struct p2p_found found;

	return p2p_probe(comm_world(), source, tag, &found);
}

struct message *stage_find(int source, int tag)
{
	struct p2p_found found;
	struct match_msg *msg = p2p_probe(comm_world(), source, tag, &found);
	struct message *m;
	MPI_Message handle;

	ck_assert_ptr_nonnull(msg);
	ck_assert_int_eq(message_take(comm_world(), msg, found.source, &handle), MPI_SUCCESS);
	ck_assert_int_eq(message_lookup(handle, &m), MPI_SUCCESS);
	ck_assert_ptr_nonnull(m);
	return m;
}

struct request *stage_receive_found(struct message *found, void *buf)
{
	struct p2p_message m = stage_message_of(0, 0, buf, type_bytes(), STAGE_BYTES);
	struct request *r;

	ck_assert_int_eq(message_receive(found, &m, &r), MPI_SUCCESS);
	return r;
}
