/* SPDX-License-Identifier: BSD-3-Clause */
#include "link_stage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "keeper/server.h"
#include "keeper/server_conn.h"
#include "unit.h"

enum { RANKS = 3, LIMIT = 16 << 20 };

struct fake_disk stage_disk;
struct keeper_server *stage_server;
const struct keeper_job stage_job = {.ranks = RANKS, .session = {1, 2}, .secret = {3, 4}};
struct sockaddr_in stage_at;
static struct event *tick; /* so that no turn waits for ever */
static int holds = -1;	   /* a socket that listens to nobody, so that nobody else gets the port */
static uint64_t seed = 1;

uint64_t stage_draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* ---- a network that gives bytes in pieces, and breaks after any of them ---- */

static _Thread_local bool is_first; /* the first thread has a good one */
atomic_uint stage_breaks_one_in;
atomic_uint stage_broken;
atomic_uint stage_full;
static atomic_ulong dice = 88172645463325252u;

ssize_t __real_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags);

/* How many bytes go; 0: none, and errno says why. */
static size_t rough(size_t n)
{
	unsigned one_in = is_first ? 0 : atomic_load(&stage_breaks_one_in);
	uint64_t d = atomic_fetch_add(&dice, 0x9e3779b97f4a7c15u);

	if (one_in == 0)
		return n;
	d = (d ^ d >> 29) * 0xbf58476d1ce4e5b9u;
	d ^= d >> 32;
	if (d % one_in == 0) {
		atomic_fetch_add(&stage_broken, 1);
		errno = ECONNRESET;
		return 0;
	}
	if (d % 7 == 0) {
		errno = d % 2 ? EAGAIN : EINTR;
		return 0;
	}
	return d % 3 ? n : 1 + (size_t)(d >> 8) % n;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags)
{
	if (!is_first && atomic_load(&stage_full) > 0) {
		atomic_fetch_sub(&stage_full, 1);
		errno = EAGAIN;
		return -1;
	}
	n = rough(n);
	return n ? __real_send(fd, bytes, n, flags) : -1;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags)
{
	n = rough(n);
	return n ? __real_recv(fd, bytes, n, flags) : -1;
}

/* ---- the keeper ---- */

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

/* At the port of `holds`. */
static int bound_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	ck_assert_int_ge(fd, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	ck_assert_msg(bind(fd, (struct sockaddr *)&stage_at, sizeof stage_at) == 0, "%s",
		strerror(errno));
	return fd;
}

int stage_listener(int backlog)
{
	int fd = bound_socket();

	ck_assert_msg(listen(fd, backlog) == 0, "%s", strerror(errno));
	return fd;
}

void stage_start(bool fresh)
{
	struct keeper_config config = {.job = stage_job,
		.folder = "f",
		.limit = LIMIT,
		.fresh = fresh,
		.listen_fd = stage_listener(SOMAXCONN),
		.disk = &stage_disk.disk};
	char said[512];

	stage_server = keeper_server_new(&config, said, sizeof said);
	ck_assert_msg(stage_server != NULL, "%s", said);
	tick = evtimer_new(keeper_server_base(stage_server), on_tick, NULL);
}

void stage_kill(void)
{
	event_free(tick);
	keeper_server_free(stage_server);
	stage_server = NULL;
}

void stage_setup(void)
{
	socklen_t len = sizeof stage_at;

	is_first = true;
	ck_assert_int_eq(auth_init(), 0);
	fake_disk_init(&stage_disk);
	stage_at = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	holds = bound_socket();
	getsockname(holds, (struct sockaddr *)&stage_at, &len);
}

void stage_stop(void)
{
	if (stage_server)
		stage_kill();
	fake_disk_free(&stage_disk);
	close(holds);
}

void stage_turn(void)
{
	struct timeval t = {0, 2000};

	if (!stage_server) {
		poll(NULL, 0, 1);
		return;
	}
	evtimer_add(tick, &t);
	keeper_server_turn(stage_server);
	evtimer_del(tick);
}

void stage_cut(uint32_t rank)
{
	if (stage_server->of_rank[rank])
		shutdown(stage_server->of_rank[rank]->fd, (int)stage_draw(3));
}

/* ---- ranks ---- */

static void fill(uint32_t rank, uint64_t first, uint32_t count, uint8_t *out)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t v[2] = {rank, (first + i) * 0x9e3779b97f4a7c15u};

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, v, sizeof v);
	}
}

static void on_read(void *ctx, uint64_t first, uint32_t count, uint8_t *records)
{
	struct rank *r = ctx;

	pthread_mutex_lock(&r->mutex);
	r->reads++;
	ck_assert_uint_gt(first, 0);
	ck_assert_uint_le(first + count - 1, r->last);
	fill(r->rank, first, count, records);
	for (; count > 0 && first <= r->covered; first++, count--, records += KEEPER_RECORD_BYTES)
		memset(records, 0, KEEPER_RECORD_BYTES);
	pthread_mutex_unlock(&r->mutex);
}

static void on_records(void *ctx, uint64_t first, uint32_t count, const uint8_t *records)
{
	struct rank *r = ctx;
	uint8_t want[KEEPER_WINDOW * KEEPER_RECORD_BYTES];

	fill(r->rank, first, count, want);
	pthread_mutex_lock(&r->mutex);
	ck_assert_uint_eq(first, r->covered + r->given + 1);
	ck_assert(memcmp(records, want, (size_t)count * KEEPER_RECORD_BYTES) == 0);
	r->given += count;
	pthread_mutex_unlock(&r->mutex);
}

static void on_ready(void *ctx, uint64_t last)
{
	struct rank *r = ctx;

	pthread_mutex_lock(&r->mutex);
	ck_assert(!r->ready);
	ck_assert_uint_eq(last, r->covered + r->given);
	r->ready = true;
	r->last = last > r->last ? last : r->last;
	r->acknowledged = r->reported = last;
	pthread_mutex_unlock(&r->mutex);
}

static void on_acknowledged(void *ctx, uint64_t number)
{
	struct rank *r = ctx;

	pthread_mutex_lock(&r->mutex);
	ck_assert_uint_le(number, r->last);
	ck_assert_uint_gt(number, r->reported);
	r->reported = number;
	r->acknowledged = number > r->acknowledged ? number : r->acknowledged;
	if (r->answers && number == r->last) {
		r->answers--;
		keeper_link_tell(r->link, ++r->last);
	}
	pthread_mutex_unlock(&r->mutex);
}

static void on_lost(void *ctx, uint64_t number)
{
	struct rank *r = ctx;

	pthread_mutex_lock(&r->mutex);
	ck_assert_uint_le(number, r->covered);
	r->losses++;
	r->reported = number;
	r->acknowledged = r->covered;
	pthread_mutex_unlock(&r->mutex);
}

static void on_refused(void *ctx, unsigned why)
{
	struct rank *r = ctx;

	pthread_mutex_lock(&r->mutex);
	ck_assert_uint_eq(r->refused, 0);
	r->refused = why;
	pthread_mutex_unlock(&r->mutex);
}

static const struct keeper_link_calls calls = {.records = on_records,
	.ready = on_ready,
	.acknowledged = on_acknowledged,
	.lost = on_lost,
	.refused = on_refused};

void rank_new(struct rank *r, uint32_t rank, uint32_t incarnation, uint64_t covered)
{
	struct keeper_link_job link = {
		.client = {.job = stage_job,
			.rank = rank,
			.incarnation = incarnation,
			.covered = covered,
			.read = on_read,
			.ctx = r},
		.address.len = sizeof stage_at,
		.calls = &calls,
	};

	*r = (struct rank){.rank = rank, .covered = covered, .last = covered};
	pthread_mutex_init(&r->mutex, NULL);
	memcpy(&link.address.addr, &stage_at, sizeof stage_at);
	link.loop = r->loop = loop_new("test-link");
	ck_assert_ptr_nonnull(r->loop);
	ck_assert_int_eq(keeper_link_new(&r->link, &link), 0);
}

void rank_go_on(struct rank *r)
{
	ck_assert_int_eq(loop_start(r->loop), 0);
}

void rank_begin(struct rank *r, uint32_t rank, uint32_t incarnation, uint64_t covered)
{
	rank_new(r, rank, incarnation, covered);
	rank_go_on(r);
}

void rank_end(struct rank *r)
{
	loop_stop(r->loop);
	keeper_link_free(r->link);
	loop_free(r->loop);
	pthread_mutex_destroy(&r->mutex);
}

void rank_add(struct rank *r, uint64_t n)
{
	pthread_mutex_lock(&r->mutex);
	r->last += n;
	keeper_link_tell(r->link, r->last);
	pthread_mutex_unlock(&r->mutex);
}

void rank_cover(struct rank *r, uint64_t number)
{
	pthread_mutex_lock(&r->mutex);
	r->covered = number;
	r->acknowledged = number > r->acknowledged ? number : r->acknowledged;
	keeper_link_cover(r->link, number);
	pthread_mutex_unlock(&r->mutex);
}

void rank_until(struct rank *r, bool (*done)(const struct rank *r), const char *what)
{
	uint64_t end = clock_ns() + DEADLINE_NS;
	bool is_done = false;

	while (!is_done) {
		stage_turn();
		pthread_mutex_lock(&r->mutex);
		is_done = done(r);
		ck_assert_msg(is_done || clock_ns() < end,
			"rank %u: not %s: ready %d, last %llu, covered %llu, given %llu, "
			"acknowledged %llu, lost %u times, refused %u, %u reads, broken %u times",
			r->rank, what, r->ready, (unsigned long long)r->last,
			(unsigned long long)r->covered, (unsigned long long)r->given,
			(unsigned long long)r->acknowledged, r->losses, r->refused, r->reads,
			atomic_load(&stage_broken));
		pthread_mutex_unlock(&r->mutex);
	}
}

bool rank_is_ready(const struct rank *r)
{
	return r->ready;
}

bool rank_is_acknowledged(const struct rank *r)
{
	return r->ready && r->answers == 0 && r->acknowledged == r->last;
}

int rank_descriptor(struct rank *r)
{
	struct descriptor_list list = {0};
	int fd;

	ck_assert_int_eq(loop_pause(r->loop, clock_ns() + DEADLINE_NS), 0);
	keeper_link_own_descriptors(r->link, &list);
	ck_assert_uint_le(list.n, 1);
	ck_assert(!list.incomplete);
	fd = list.n ? list.v[0] : -1;
	descriptor_list_free(&list);
	return fd;
}
