/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a sender's log, which is taken message by message and given back in about the same
 * order. It comes in blocks: of about a quarter of what the log holds already, from 1 KiB to 8 MiB
 * and 64 KiB; or of one message that needs more. Those of 2 MiB and more are huge pages where the
 * system has them, as to clear small ones takes longer than to copy messages into them; they go
 * back to the system with the last message in them. One of 64 KiB at most stays when it is empty.
 * The owner's lock guards all of it, from all threads.
 */
#ifndef FTMPI_COORD_LOG_MEMORY_H
#define FTMPI_COORD_LOG_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct log_memory {
	struct log_block *open; /* what comes next goes there; NULL: into a new one */
};

/* head bytes (a multiple of 8), and len, which begin a cache line if they are 1 KiB or more;
 * aligned for pointers. held: bytes that the log has. NULL: no memory. Its owner stays where it is
 * until log_memory_close. */
void *log_memory_take(struct log_memory *m, size_t head, size_t len, uint64_t held);

/* Also behind log_memory_close. */
void log_memory_give(void *taken);

/* What was taken stays until it is given back. */
void log_memory_close(struct log_memory *m);

#endif
