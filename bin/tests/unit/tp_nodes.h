/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several transports in one process, with real sockets on loopback and, where a test wants it,
 * shared memory, driven in turns. The user's side here matches every message with the receive that
 * has the same number in its envelope.
 */
#ifndef FTMPI_TESTS_TP_NODES_H
#define FTMPI_TESTS_TP_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "transport/transport.h"
#include "unit.h"

/* Node i is of rank i; the last one is for a second process of a rank. */
enum { N = 3, ANOTHER = N, NODES, SLOTS = 600, EAGER = 4096, UNEXPECTED = 65536, WAIT_MS = 20000 };

struct slot {
	bool posted, done;
	bool counted;	 /* when nobody has asked for it: it cannot be asked for twice */
	bool of_library; /* no receive of the program: not counted among those posted */
	int unmatched;	 /* so often: it waits for its message again */
	struct tp_place place;
	uint64_t length;
	int rc;
	struct tp_unexpected *held;
	uint64_t sync; /* it was taken before it was matched: what its sender calls it */
	bool matched;
	bool match_then;    /* a receive matches it as soon as it is whole */
	bool later, let_go; /* its sender wants it back: not now; it has it back */
};

struct node {
	struct tp *tp;
	uint32_t incarnation;
	struct loop *loop;
	struct lock lock;
	struct slot in[N][SLOTS]; /* by sender and message number */
	unsigned posted;	  /* receives that wait for their message */
	int sent, sent_rc, lost;
	const char *lost_why; /* the last one's */
};

extern struct node nodes[NODES];
extern int listeners[NODES];

/* Contents to send, and where they come. */
extern uint8_t big[1 << 20], got[1 << 20];
void fill(uint8_t *buf, size_t len, unsigned seed);

/* From now on nodes that start share memory. */
void nodes_share_memory(void);

/* Each has a processor. */
void nodes_are_roomy(void);

/* ... and lose whom they cannot share it with. */
void nodes_require_memory(void);

/* Their connections are mended when they break. */
void nodes_mend(void);

/* Their peers come back when they are lost. */
void nodes_come_back(void);

/* Before nodes_start: node 0 has this lock, and nodes_look leaves it to others. */
void nodes_leave_first(struct lock *lock);

/* The main function of a test whose cases run over TCP, also as between hosts, and through memory.
 */
#define NODES_MAIN(name, ...)                                                                      \
	UNIT_MAIN(name, __VA_ARGS__; suite_add_tcase(suite, tc); tc = tcase_create("mended");      \
		  tcase_set_timeout(tc, UNIT_DEADLINE_S);                                          \
		  tcase_add_checked_fixture(tc, nodes_mend, NULL); __VA_ARGS__;                    \
		  suite_add_tcase(suite, tc); tc = tcase_create("through memory");                 \
		  tcase_set_timeout(tc, UNIT_DEADLINE_S);                                          \
		  tcase_add_checked_fixture(tc, nodes_share_memory, NULL); __VA_ARGS__)

/* All of them, in epoch 1. */
void nodes_start(void);
void nodes_stop(void);

/* New listening sockets, in listeners. */
void nodes_listen(void);

/* Builds the physical half of one, which listens at listeners[i]. */
void node_attach(int i, uint32_t epoch);
void node_stop(int i);

/* A new process of this rank, in place of node i, at an address of its own. The others are not
 * told.
 */
void node_begin(int i, int rank, uint32_t incarnation);

/* The same, which listens at listeners[i]. */
void node_begin_there(int i, int rank, uint32_t incarnation);

/* ... now node `at` is. */
void node_told(int at, int rank, uint32_t incarnation);

/* Which rank listens at this address? */
int node_at(const struct sockaddr *a);

/* One turn of each. */
void nodes_look(void);
void nodes_all_locks(void (*what)(struct lock *l));

/* The loops' threads make upcalls too: what they write is read with the locks held. */
#define WAIT_FOR(condition)                                                                        \
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull;; nodes_look()) {                  \
		bool holds;                                                                        \
                                                                                                   \
		nodes_all_locks(lock_take);                                                        \
		holds = (condition);                                                               \
		nodes_all_locks(lock_give);                                                        \
		if (holds)                                                                         \
			break;                                                                     \
		ck_assert_msg(clock_ns() < until, "waited %d ms for %s", WAIT_MS, #condition);     \
	}

struct tp_counts counts_of(int i);

/* No frame about memory is on its way between node i and `peers` others that it has spoken with.
 * With the lock held, as in WAIT_FOR. */
bool is_settled(int i, int peers);

int send_to(int from, int to, uint32_t number, const void *buf, size_t len, unsigned flags);

/* A receive for the message of this number, which may be there already. */
struct slot *post_place(int at, int from, uint32_t number, struct tp_place place);
struct slot *post(int at, int from, uint32_t number, void *buf, size_t room);

/* It is taken before a receive has matched it; a receive has; its sender wants it back. */
struct slot *take(int at, int from, uint32_t number, void *buf, size_t room);
void match(int at, int from, uint32_t number);
void withdraw_from(int from, int to);

#endif
