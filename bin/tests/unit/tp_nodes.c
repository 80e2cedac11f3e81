/* SPDX-License-Identifier: BSD-3-Clause */
#include "tp_nodes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/auth.h"

struct node nodes[NODES];
int listeners[NODES];
static struct lock *first_lock; /* of node 0, when somebody else looks for it */
uint8_t big[1 << 20], got[1 << 20];

static struct net_address addresses[N];
static const uint8_t session[WIRE_SESSION_BYTES] = "a session", secret[AUTH_KEY_BYTES] = "a secret";

void nodes_leave_first(struct lock *lock)
{
	first_lock = lock;
}

static struct lock *lock_of(int i)
{
	return i == 0 && first_lock ? first_lock : &nodes[i].lock;
}

static struct slot *slot_of(struct node *n, int peer, const struct tp_envelope *e)
{
	uint32_t number;

	memcpy(&number, e->bytes, sizeof number);
	ck_assert_uint_lt(number, SLOTS);
	return &n->in[peer][number];
}

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	struct slot *s = slot_of(user, peer, e);
	struct node *n = user;

	(void)length;
	if (!s->posted)
		return (struct tp_place){.counted = s->counted};
	n->posted -= !s->of_library;
	return s->place;
}

static void on_keep(void *user, struct tp_unexpected *held)
{
	slot_of(user, held->peer, &held->envelope)->held = held;
}

static void on_forget(void *user, struct tp_unexpected *held)
{
	struct slot *s = slot_of(user, held->peer, &held->envelope);

	ck_assert_ptr_eq(s->held, held);
	s->held = NULL;
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct slot *s = cookie;
	struct node *n = user;

	s->done = true;
	s->length = length;
	s->rc = rc;
	if (!s->match_then)
		return;
	s->matched = true;
	tp_matched(n->tp, (int)((s - &n->in[0][0]) / SLOTS), s->sync);
}

static void on_unmatch(void *user, void *cookie)
{
	struct slot *s = cookie;
	struct node *n = user;

	ck_assert(!s->done);
	s->unmatched++;
	n->posted += !s->of_library;
}

static struct slot *slot_called(struct node *n, int peer, uint64_t sync)
{
	for (int i = 0; i < SLOTS; i++)
		if (n->in[peer][i].sync == sync && sync)
			return &n->in[peer][i];
	return NULL;
}

static bool on_withdraw(void *user, const struct tp_withdrawal *w)
{
	struct slot *s = slot_called(user, w->peer, w->id);

	if (w->unexpected)
		return true;
	if (!s || s->matched || s->let_go || s->later)
		return false;
	s->let_go = true;
	return true;
}

static enum tp_sync on_open(void *user, int peer, uint64_t sync)
{
	struct slot *s = slot_called(user, peer, sync);

	if (s && s->let_go)
		return TP_SYNC_TAKEN_BACK;
	return s && !s->matched ? TP_SYNC_WAITS : TP_SYNC_MATCHED;
}

static void on_sent(void *user, void *cookie, int rc)
{
	struct node *n = user;

	(void)cookie;
	n->sent++;
	if (rc)
		n->sent_rc = rc;
}

static void on_lost(void *user, int peer, const char *why)
{
	struct node *n = user;

	(void)peer;
	n->lost_why = why;
	n->lost++;
}

static void on_notify(void *user)
{
	(void)user;
}

static const struct tp_upcalls upcalls = {.match = on_match,
	.keep = on_keep,
	.forget = on_forget,
	.received = on_received,
	.sent = on_sent,
	.lost = on_lost,
	.notify = on_notify,
	.withdraw = on_withdraw,
	.open = on_open,
	.unmatch = on_unmatch};

static int listen_here(int i)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	ck_assert_int_eq(listen(fd, 64), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	memcpy(&addresses[i].addr, &a, sizeof a);
	addresses[i].len = sizeof a;
	return fd;
}

int node_at(const struct sockaddr *a)
{
	for (int i = 0; i < N; i++)
		if (memcmp(a, &addresses[i].addr, addresses[i].len) == 0)
			return i;
	return -1;
}

void nodes_listen(void)
{
	for (int i = 0; i < N; i++)
		listeners[i] = listen_here(i);
}

static bool near[N], memory_required, roomy;

void nodes_are_roomy(void)
{
	roomy = true;
}

void nodes_share_memory(void)
{
	memset(near, true, sizeof near);
}

void nodes_require_memory(void)
{
	memory_required = true;
}

static bool mends[N], come_back;
static uint32_t incarnations[N]; /* the newest ones */

void nodes_come_back(void)
{
	come_back = true;
}

void nodes_mend(void)
{
	memset(mends, true, sizeof mends);
}

bool is_settled(int i, int peers)
{
	struct tp_counts c;

	tp_read_counts(nodes[i].tp, &c);
	return c.through_memory == (near[0] ? peers : 0);
}

void node_attach(int i, uint32_t epoch)
{
	struct node *n = &nodes[i];
	struct tp_physical phys = {.loop = n->loop = loop_new("test"),
		.listen_fd = listeners[i],
		.addresses = addresses,
		.session = session,
		.secret = secret,
		.epoch = epoch,
		.connect_ms = WAIT_MS,
		.refused_is_final = true,
		.near = near,
		.roomy = roomy,
		.memory_required = memory_required,
		.incarnations = incarnations,
		.come_back = come_back,
		.mends = mends};

	lock_take(lock_of(i));
	ck_assert_int_eq(tp_attach(n->tp, &phys), 0);
	lock_give(lock_of(i));
	ck_assert_int_eq(loop_start(n->loop), 0);
}

static void node_new(int i, int rank)
{
	struct tp_config c = {.self = rank,
		.size = N,
		.eager_limit = EAGER,
		.unexpected_limit = UNEXPECTED,
		.lock = lock_of(i),
		.posted = &nodes[i].posted,
		.up = &upcalls,
		.user = &nodes[i]};

	nodes[i].tp = tp_new(&c);
	node_attach(i, 1);
}

void nodes_start(void)
{
	ck_assert_int_eq(auth_init(), 0);
	nodes_listen();
	for (int i = 0; i < NODES; i++)
		lock_init(&nodes[i].lock);
	for (int i = 0; i < N; i++)
		node_new(i, i);
}

void node_begin(int i, int rank, uint32_t incarnation)
{
	listeners[i] = listen_here(rank);
	node_begin_there(i, rank, incarnation);
}

void node_begin_there(int i, int rank, uint32_t incarnation)
{
	memset(nodes[i].in, 0, sizeof nodes[i].in);
	nodes[i].posted = 0;
	incarnations[rank] = nodes[i].incarnation = incarnation;
	node_new(i, rank);
}

void node_told(int at, int rank, uint32_t incarnation)
{
	lock_take(lock_of(at));
	tp_came_back(nodes[at].tp, rank, incarnation, &addresses[rank]);
	lock_give(lock_of(at));
}

void node_stop(int i)
{
	tp_detach(nodes[i].tp, TP_CLOSE);
	loop_free(nodes[i].loop);
	tp_free(nodes[i].tp);
	nodes[i].tp = NULL;
}

void nodes_stop(void)
{
	for (int i = 0; i < NODES; i++)
		if (nodes[i].tp)
			node_stop(i);
}

void nodes_look(void)
{
	for (int i = first_lock ? 1 : 0; i < NODES; i++) {
		if (!nodes[i].tp)
			continue;
		lock_take(lock_of(i));
		tp_flush(nodes[i].tp);
		tp_look(nodes[i].tp, -1);
		lock_give(lock_of(i));
	}
}

void nodes_all_locks(void (*what)(struct lock *l))
{
	for (int i = 0; i < NODES; i++)
		what(lock_of(i));
}

struct tp_counts counts_of(int i)
{
	struct tp_counts c;

	lock_take(lock_of(i));
	tp_read_counts(nodes[i].tp, &c);
	lock_give(lock_of(i));
	return c;
}

int send_to(int from, int to, uint32_t number, const void *buf, size_t len, unsigned flags)
{
	struct tp_envelope e = {{0}};
	int rc;

	memcpy(e.bytes, &number, sizeof number);
	lock_take(lock_of(from));
	rc = tp_send(nodes[from].tp, to, &e, buf, len, flags, &nodes[from]);
	lock_give(lock_of(from));
	return rc;
}

struct slot *post_place(int at, int from, uint32_t number, struct tp_place place)
{
	struct slot *s = &nodes[at].in[from][number];

	lock_take(lock_of(at));
	s->place = place;
	s->place.cookie = s;
	s->posted = true;
	if (s->held)
		tp_claim(nodes[at].tp, s->held, s->place);
	else
		nodes[at].posted += !s->of_library;
	lock_give(lock_of(at));
	return s;
}

struct slot *post(int at, int from, uint32_t number, void *buf, size_t room)
{
	return post_place(at, from, number, (struct tp_place){.buf = buf, .room = room});
}

struct slot *take(int at, int from, uint32_t number, void *buf, size_t room)
{
	struct slot *s = &nodes[at].in[from][number];

	lock_take(lock_of(at));
	s->place = (struct tp_place){.buf = buf, .room = room, .cookie = s};
	s->sync = s->held->sync;
	tp_take(nodes[at].tp, s->held, s->place);
	s->held = NULL;
	lock_give(lock_of(at));
	return s;
}

void match(int at, int from, uint32_t number)
{
	struct slot *s = &nodes[at].in[from][number];

	lock_take(lock_of(at));
	s->matched = true;
	tp_matched(nodes[at].tp, from, s->sync);
	lock_give(lock_of(at));
}

void withdraw_from(int from, int to)
{
	lock_take(lock_of(from));
	tp_withdraw(nodes[from].tp, to, &(struct tp_envelope){{0}}, &nodes[from]);
	lock_give(lock_of(from));
}

void fill(uint8_t *buf, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)(seed * 31 + i * 7 + (i >> 8));
}
