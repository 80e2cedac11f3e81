/* SPDX-License-Identifier: BSD-3-Clause */
#include "log_keeper.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/loop.h"
#include "ckpt_alone_data.h"
#include "coord/msglog.h"
#include "coord/outcomes.h"
#include "keeper/link.h"
#include "launch/control.h"
#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"

static struct {
	struct loop *loop; /* NULL: messages are not logged */
	struct keeper_link *link;
	const struct launch *launch;
	/* what it gives at first */
	pthread_mutex_t lock;
	pthread_cond_t ready;
	bool is_ready;
	int rank, size, rc;
	bool verify, woken;
	const uint8_t *state; /* a checkpoint of data that is gone on from; NULL */
	size_t state_len;
	struct outcome *v;
	size_t n;
} k = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static _Noreturn void end(int errclass, const char *why)
{
	process_last_words();
	log_error("message logging: %s", why);
	process_die(errclass);
}

/* ---- the keeper's words ---- */

/* Before a thread that gives it and takes it again, in a loop that tests or probes. */
static void take_lock(void)
{
	lock_take_before(engine_lock_object());
}

static void read_records(void *ctx, uint64_t first, uint32_t count, uint8_t *records)
{
	(void)ctx;
	take_lock();
	p2p_log_encode(first, count, records);
	engine_unlock();
}

static void take_records(void *ctx, uint64_t first, uint32_t count, const uint8_t *records)
{
	struct outcome *v = realloc(k.v, (k.n + count) * sizeof *v);

	(void)ctx;
	(void)first;
	if (!v)
		end(MPI_ERR_NO_MEM, "there is no memory for what happened before");
	k.v = v;
	if (!outcomes_decode(v + k.n, records, (size_t)count * OUTCOME_BYTES, k.size))
		end(MPI_ERR_INTERN, "what the keeper has of before makes no sense");
	k.n += count;
}

static void tell(uint64_t last)
{
	keeper_link_tell(k.link, last);
}

static void forget(uint64_t number)
{
	keeper_link_cover(k.link, number);
}

static void forget_records(void)
{
	free(k.v);
	k.v = NULL;
	k.n = 0;
}

/* Those that wait for a checkpoint wait for its writing, too. */
enum { WRITES = 6 };

static void tell_size(uint64_t bytes, int peer, uint64_t of_peer)
{
	control_logs(k.launch->control_fd, bytes, peer, of_peer);
}

static void limit_log(void)
{
	const struct settings *s = &k.launch->settings;
	struct p2p_log_limit limit = {.bytes = (uint64_t)s->log_limit_kib << 10,
		.patience_ms = s->image ? WRITES * s->image_patience_ms : 0,
		.tell = tell_size};

	p2p_log_limit_start(&limit);
}

static int begin(void)
{
	static const struct p2p_log_keeper keeper = {tell, forget};
	int rc;

	engine_lock();
	limit_log();
	rc = k.state ? p2p_log_start(k.rank, k.size, &keeper, NULL, 0, k.verify)
		     : p2p_log_start(k.rank, k.size, &keeper, k.v, k.n, k.verify);
	if (rc == 0 && k.state && !p2p_log_begin_prefix(k.state, k.state_len, k.v, k.n))
		rc = FT_ENOMEM;
	engine_unlock();
	forget_records();
	return rc;
}

/* Here, so that nothing comes between. A process that woke up has the engine's lock meanwhile. */
static void is_ready(void *ctx, uint64_t last)
{
	int rc = k.woken ? 0 : begin();

	(void)ctx;
	(void)last;
	pthread_mutex_lock(&k.lock);
	k.rc = rc;
	k.is_ready = true;
	pthread_cond_signal(&k.ready);
	pthread_mutex_unlock(&k.lock);
}

/* What may leave now does. */
static void hand_over(void)
{
	if (!engine_tp())
		return;
	tp_flush(engine_tp());
	engine_tell();
}

static void acknowledged(void *ctx, uint64_t number)
{
	(void)ctx;
	take_lock();
	p2p_log_acknowledged(number);
	hand_over();
	engine_unlock();
}

static void lost(void *ctx, uint64_t number)
{
	(void)ctx;
	(void)number;
	take_lock();
	p2p_log_untold();
	engine_unlock();
}

static void refused(void *ctx, unsigned reason)
{
	char why[160];

	(void)ctx;
	snprintf(why, sizeof why, "the keeper refuses this process of the rank: %s",
		keeper_refusal_text(reason));
	end(MPI_ERR_OTHER, why);
}

static const struct keeper_link_calls calls = {take_records, is_ready, acknowledged, lost, refused};

/* ---- start and end ---- */

bool log_keeper_wanted(const struct launch *l)
{
	return strcmp(l->settings.coord, "msglog") == 0;
}

/* IP:PORT or [IP]:PORT. */
static bool address_of(const char *text, struct net_address *out)
{
	char host[INET6_ADDRSTRLEN + 2], *colon, *end;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&out->addr;
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&out->addr;
	unsigned long port;

	memset(out, 0, sizeof *out);
	if (strlen(text) >= sizeof host + 6)
		return false;
	colon = strrchr(text, ':');
	if (!colon || (size_t)(colon - text) >= sizeof host)
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port < 1 || port > 65535)
		return false;
	memcpy(host, text, (size_t)(colon - text));
	host[colon - text] = '\0';
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		out->len = sizeof *v4;
		return true;
	}
	if (host[0] != '[' || host[colon - text - 1] != ']')
		return false;
	host[colon - text - 1] = '\0';
	if (inet_pton(AF_INET6, host + 1, &v6->sin6_addr) != 1)
		return false;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)port);
	out->len = sizeof *v6;
	return true;
}

static uint64_t covered(void)
{
	if (k.woken)
		return p2p_log_taken();
	return k.state ? msglog_saved_outcomes(k.state, k.state_len) : 0;
}

/* Keepers count incarnations from 1 on. */
static int connect_to(const struct launch *l)
{
	struct keeper_link_job job = {.loop = k.loop, .calls = &calls};

	job.client = (struct keeper_client_job){.job = {.ranks = (uint32_t)l->size},
		.rank = (uint32_t)l->rank,
		.incarnation = l->incarnations[l->rank] + 1,
		.covered = covered(),
		.read = read_records};
	memcpy(job.client.job.session, l->session, sizeof job.client.job.session);
	memcpy(job.client.job.secret, l->secret, sizeof job.client.job.secret);
	if (!address_of(l->settings.keeper, &job.address))
		return FT_EINVAL;
	return keeper_link_new(&k.link, &job);
}

static void await_records(void)
{
	pthread_mutex_lock(&k.lock);
	while (!k.is_ready)
		pthread_cond_wait(&k.ready, &k.lock);
	pthread_mutex_unlock(&k.lock);
}

/* The lock is the engine's only where a process woke up. */
static int start(const struct launch *l, bool woken, char *err, size_t errsize)
{
	int rc;

	k.launch = l;
	k.woken = woken;
	k.state = woken ? NULL : ckpt_alone_data_state(&k.state_len);
	k.rank = l->rank;
	k.size = l->size;
	k.verify = l->settings.verify_replay;
	k.is_ready = false;
	k.loop = loop_new("ftmpi-keeper");
	rc = k.loop ? connect_to(l) : FT_ENOMEM;
	if (rc == 0)
		rc = loop_start(k.loop);
	if (rc == FT_EINVAL)
		snprintf(err, errsize, "the keeper's address '%s' cannot be understood",
			l->settings.keeper);
	else if (rc)
		snprintf(err, errsize, "%s", ft_error_text(rc));
	if (rc)
		return rc;
	await_records();
	fault_point("log-given");
	rc = woken ? p2p_log_woke(k.v, k.n) : k.rc;
	forget_records();
	if (rc)
		snprintf(err, errsize, "%s", ft_error_text(rc));
	return rc;
}

int log_keeper_start(const struct launch *l, char *err, size_t errsize)
{
	return start(l, false, err, errsize);
}

/* ---- images ---- */

int log_keeper_pause(uint64_t until_ns)
{
	return loop_pause(k.loop, until_ns);
}

int log_keeper_go_on(void)
{
	return loop_start(k.loop);
}

void log_keeper_own_descriptors(struct descriptor_list *list)
{
	loop_own_descriptors(k.loop, list);
	keeper_link_own_descriptors(k.link, list);
}

void log_keeper_forget(void)
{
	loop_forget(k.loop);
	keeper_link_forget(k.link);
	loop_stop(k.loop);
	loop_free(k.loop);
	k.loop = NULL;
	k.link = NULL;
	pthread_mutex_init(&k.lock, NULL);
	pthread_cond_init(&k.ready, NULL);
}

int log_keeper_woke(const struct launch *l, char *err, size_t errsize)
{
	engine_assert_held();
	return start(l, true, err, errsize);
}

/* ---- the end ---- */

void log_keeper_stop(void)
{
	if (!k.loop)
		return;
	loop_stop(k.loop);
	keeper_link_free(k.link);
	loop_free(k.loop);
	k.loop = NULL;
	k.link = NULL;
}
