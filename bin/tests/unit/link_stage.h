/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks and their keeper in one process: each rank's link on a thread of its own, and the keeper,
 * by its real code, on a disk in memory, in turns of the test's first thread. Its port stays the
 * same whether it is there or not. The network of the ranks breaks when a test wants it to.
 */
#ifndef FTMPI_TESTS_LINK_STAGE_H
#define FTMPI_TESTS_LINK_STAGE_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fake_disk.h"
#include "keeper/link.h"

enum { DEADLINE_S = 60 };
#define DEADLINE_NS (DEADLINE_S * UINT64_C(1000000000))

/* ---- the keeper ---- */

extern struct fake_disk stage_disk;
extern struct keeper_server *stage_server; /* NULL: there is none */
extern const struct keeper_job stage_job;
extern struct sockaddr_in stage_at;

/* Without a keeper. */
void stage_setup(void);
void stage_stop(void);

void stage_start(bool fresh);
void stage_kill(void);

/* The keeper does what there is to do, if there is one. */
void stage_turn(void);

/* Where the keeper would listen. */
int stage_listener(int backlog);

/* The keeper's end of this rank's connection, if there is one, is cut. */
void stage_cut(uint32_t rank);

uint64_t stage_draw(uint64_t below);

/* ---- the network ---- */

/* One of so many calls of a rank breaks its connection, and the others take pieces of any length;
 * 0: none does. */
extern atomic_uint stage_breaks_one_in;
extern atomic_uint stage_broken; /* so many did */

/* The socket takes nothing, so many times. */
extern atomic_uint stage_full;

/* ---- ranks ---- */

struct rank {
	uint32_t rank;
	struct loop *loop;
	struct keeper_link *link;
	pthread_mutex_t mutex; /* guards what follows */
	bool ready;
	uint64_t last, covered; /* exist */
	uint64_t given, acknowledged;
	uint64_t reported; /* the latest acknowledgement */
	unsigned reads, losses, refused;
	uint64_t answers; /* so many records are added, each when the one before is acknowledged */
};

void rank_new(struct rank *r, uint32_t rank, uint32_t incarnation, uint64_t covered);
void rank_go_on(struct rank *r);

/* Both. */
void rank_begin(struct rank *r, uint32_t rank, uint32_t incarnation, uint64_t covered);
void rank_end(struct rank *r);

/* More records exist; told with the lock held that the calls take. */
void rank_add(struct rank *r, uint64_t n);
void rank_cover(struct rank *r, uint64_t number);

/* It is paused, until rank_go_on: the descriptor of its link; -1: it has none. */
int rank_descriptor(struct rank *r);

/* Until `done` is true of the rank. */
void rank_until(struct rank *r, bool (*done)(const struct rank *r), const char *what);

bool rank_is_ready(const struct rank *r);
bool rank_is_acknowledged(const struct rank *r);

#endif
