/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/server.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "keeper/server_conn.h"

/* ---- what becomes durable in a turn ---- */

static void note_failure(struct keeper_server *s, uint32_t rank, int rc)
{
	struct event_path path = event_file_path(&s->folder, rank);
	struct timeval t = ms_from_now(RETRY_MS);

	s->waits[rank] = true;
	if (!s->failing)
		log_error("cannot write %s: %s; outcomes of rank %u, and what waits for them, are "
			  "held up until it can: make room there, or mend that",
			path.text, strerror(-rc), (unsigned)rank);
	s->failing = true;
	if (!evtimer_pending(s->retry, NULL))
		event_add(s->retry, &t);
}

/* Every file that has to be is written and flushed once. true: some became shorter. */
static bool commit_all(struct keeper_server *s)
{
	uint64_t before = s->events.used;
	bool shorter = false;

	for (uint32_t rank = 0; rank < s->job.ranks; rank++) {
		struct events_commit c;
		int rc;

		if (s->waits[rank] || !events_next_commit(&s->events, rank, &c))
			continue;
		rc = event_file_commit(&s->files[rank], &s->events, &c);
		if (rc) {
			note_failure(s, rank, rc);
			continue;
		}
		events_committed(&s->events, rank, &c);
		s->wrote = true;
		shorter = shorter || s->events.used < before;
		before = s->events.used;
	}
	return shorter;
}

static void note_limit(struct keeper_server *s)
{
	bool limited = false;

	for (uint32_t rank = 0; rank < s->job.ranks && !limited; rank++)
		limited = events_limited(&s->events, rank);
	if (limited && !s->limited)
		log_error("the outcomes of all ranks take %llu bytes, and the limit is %llu: ranks "
			  "wait until some of them are forgotten",
			(unsigned long long)(s->events.used * KEEPER_RECORD_BYTES),
			(unsigned long long)(s->events.limit * KEEPER_RECORD_BYTES));
	if (limited && !s->limited && s->on_limit)
		s->on_limit();
	s->limited = limited;
}

static void commit(struct keeper_server *s)
{
	/* what one file forgets is room for what waits for it elsewhere */
	while (commit_all(s))
		continue;
	note_limit(s);
	if (s->wrote)
		fault_point("keeper-durable");
	s->wrote = false;
	keeper_conns_answer(s);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_server *s = arg;

	(void)fd;
	(void)what;
	memset(s->waits, 0, s->job.ranks * sizeof *s->waits);
	while (commit_all(s))
		continue;
	if (!evtimer_pending(s->retry, NULL)) {
		s->failing = false;
		log_error("the files in %s can be written again", s->folder.path);
	}
}

void keeper_server_turn(struct keeper_server *s)
{
	event_base_loop(s->base, EVLOOP_ONCE);
	commit(s);
}

/* ---- the beginning ---- */

unsigned keeper_server_descriptors(uint32_t ranks)
{
	enum { OTHERS = 32 }; /* the loop's, the standard streams, a file that is written anew */

	return 2 * ranks + CONN_LIMITED * UNAUTHENTICATED_MAX + OTHERS;
}

/* A file is there for each rank before any of them comes: so one that is missing later was lost. */
static int open_files(
	struct keeper_server *s, const struct keeper_config *config, char *said, size_t size)
{
	for (uint32_t rank = 0; rank < s->job.ranks; rank++) {
		struct events_commit c;
		int rc = event_file_open(
			&s->files[rank], &s->folder, rank, config->fresh, &s->events, said, size);

		if (rc)
			return rc;
		if (*said)
			log_error("%s", said);
		if (!events_next_commit(&s->events, rank, &c))
			continue;
		rc = event_file_commit(&s->files[rank], &s->events, &c);
		if (rc) {
			struct event_path path = event_file_path(&s->folder, rank);

			snprintf(said, size,
				"cannot write %s: %s; make room there, or give another folder",
				path.text, strerror(-rc));
			return FT_ESYS;
		}
		events_committed(&s->events, rank, &c);
	}
	if (s->events.used <= s->events.limit)
		return 0;
	snprintf(said, size,
		"the files in %s hold %llu bytes of outcomes; start the keeper with the -limit "
		"that it had, or more",
		s->folder.path, (unsigned long long)(s->events.used * KEEPER_RECORD_BYTES));
	return FT_ETRUNC;
}

struct keeper_server *keeper_server_new(const struct keeper_config *config, char *said, size_t size)
{
	uint32_t ranks = config->job.ranks;
	struct keeper_server *s = calloc(1, sizeof *s);

	snprintf(said, size, "there is no memory for a keeper of %u ranks", (unsigned)ranks);
	if (!s) {
		close(config->listen_fd);
		return NULL;
	}
	s->job = config->job;
	s->listen_fd = config->listen_fd;
	s->folder = (struct event_folder){.disk = config->disk, .path = config->folder};
	s->on_limit = config->on_limit;
	memcpy(s->folder.session, config->job.session, sizeof s->folder.session);
	s->base = event_base_new();
	s->files = calloc(ranks, sizeof *s->files);
	s->waits = calloc(ranks, sizeof *s->waits);
	for (uint32_t rank = 0; s->files && rank < ranks; rank++)
		s->files[rank].fd = -1;
	list_init(&s->open);
	if (!s->base || !s->files || !s->waits || !events_init(&s->events, ranks, config->limit) ||
		keeper_conns_open(s) != 0)
		goto free_all;
	s->retry = evtimer_new(s->base, on_retry, s);
	if (!s->retry || open_files(s, config, said, size) != 0)
		goto free_all;
	return s;

free_all:
	keeper_server_free(s);
	return NULL;
}

uint32_t keeper_server_incarnation(const struct keeper_server *s, uint32_t rank)
{
	return s->events.v[rank].incarnation;
}

void keeper_server_free(struct keeper_server *s)
{
	keeper_conns_close(s);
	for (uint32_t rank = 0; s->files && rank < s->job.ranks; rank++)
		event_file_close(&s->files[rank]);
	events_free(&s->events);
	if (s->retry)
		event_free(s->retry);
	if (s->base)
		event_base_free(s->base);
	free(s->files);
	free(s->waits);
	auth_wipe(&s->job, sizeof s->job);
	free(s);
}

struct event_base *keeper_server_base(struct keeper_server *s)
{
	return s->base;
}
