/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A keeper: listens for the ranks of one job, and keeps their logs of outcomes (events.h) in files
 * (event_file.h). One thread, which waits, reads what has come, writes what has to be durable,
 * flushes each file once, and only then answers.
 *
 * Timers (all here):
 *	HANDSHAKE_MS	a connection that has not proved itself by then is closed; so is one that
 *			was refused, and does not close
 *	RETRY_MS	after which a file that could not be written is tried again
 *	DESCRIPTORS_MS	pause before accepting goes on when the system has no descriptor
 *	REFUSALS_MS	in which at most REFUSALS_LINES refusals are logged (base/admission.h)
 *
 * Bounds: memory as events.h says; for each rank a connection with its buffers (80 KiB); at most
 * UNAUTHENTICATED_MAX connections of each of three kinds: without hello, without proof, refused.
 */
#ifndef FTMPI_KEEPER_SERVER_H
#define FTMPI_KEEPER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keeper/disk.h"
#include "keeper/keeper_handshake.h"

struct keeper_server;
struct event_base;

/* How many descriptors it may need, for a job of so many ranks. */
unsigned keeper_server_descriptors(uint32_t ranks);

struct keeper_config {
	struct keeper_job job;
	const char *folder;	/* locked; at most EVENT_FOLDER_MAX bytes; stays */
	uint64_t limit;		/* bytes of records of all ranks */
	bool fresh;		/* the job begins: a file that is not there has lost nothing */
	void (*on_limit)(void); /* it is reached, once each time; NULL */
	int listen_fd;		/* taken over, also when it fails */
	const struct disk *disk;
};

/* Reads the files, and makes those that are not there. NULL: `said` says why. */
struct keeper_server *keeper_server_new(
	const struct keeper_config *config, char *said, size_t size);
void keeper_server_free(struct keeper_server *s);

/* The newest incarnation of this rank that is durable; 0: none. */
uint32_t keeper_server_incarnation(const struct keeper_server *s, uint32_t rank);

/* Waits until something comes, and does all that it leads to. */
void keeper_server_turn(struct keeper_server *s);

/* For events of the caller's; their callbacks run in keeper_server_turn. */
struct event_base *keeper_server_base(struct keeper_server *s);

#endif
