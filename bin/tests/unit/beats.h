/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that beat over real sockets of this machine, in this process and in children of it, and
 * what they say of each other. */
#ifndef FTMPI_TESTS_BEATS_H
#define FTMPI_TESTS_BEATS_H

#include <stdbool.h>
#include <sys/types.h>

#include "heartbeat/heartbeat.h"
#include "heartbeat/record.h"

enum { BEATS_MAX = 4, BEATS_EPOCH = 7 };

struct beats {
	struct hb_config c; /* of the next rank to be started; self is set then */
	struct hb_address addresses[BEATS_MAX];
	int node[BEATS_MAX];
	int listener[BEATS_MAX]; /* -1: taken */
	struct hb *rank[BEATS_MAX];
	struct record_key key;
};

/* Sockets for that many ranks, each on a host of its own. From here on standard error is kept for
 * beats_said: the log, and "suspect PEER by SELF" for each suspicion. */
void beats_begin(struct beats *b, int size, unsigned period_ms, unsigned timeout_ms);
void beats_end(struct beats *b);

void beats_start(struct beats *b, int self);
void beats_stop(struct beats *b, int self, bool leaving);

/* The same in a child of its own. Before anything was started here. */
pid_t beats_child(struct beats *b, int self);

/* Waits until this has been said, and takes it and all before it away. */
void beats_said(const char *text);

/* The same for two, in any order. */
void beats_said_both(const char *one, const char *other);

/* beats_said, and the other text was not said before that. */
void beats_said_first(const char *text, const char *other);

/* Was it said, in what is there now and has not been taken away? */
bool beats_has_said(const char *text);

/* A connection to a rank's socket. */
int beats_connect(const struct beats *b, int to);
/* The same, and the nonce it gets. */
int beats_greeted(const struct beats *b, int to, uint8_t nonce[AUTH_NONCE_BYTES]);
/* The other side closes it. */
void beats_closed(int fd);

#endif
