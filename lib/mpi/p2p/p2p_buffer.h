/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffered sends (MPI 5.0 section 3.6). What a program attaches is room: it says how much of what
 * was sent may wait to be fetched. The copies themselves lie in the library's own memory, so no
 * order in which they are fetched can break the room into pieces that are too small, and a program
 * that writes into its buffer spoils no message. All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_BUFFER_H
#define FTMPI_MPI_P2P_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

struct p2p_message;
struct request;

/* One for the process, and one for each communicator or session that has its own. */
struct buffer {
	bool attached;
	void *address;
	MPI_Count size;
	uint64_t used; /* by copies that are not fetched */
	uint64_t sent; /* how many copies there were */
};

/* At finalize: what was never fetched. */
void buffers_fini(void);

/* The process's; and an object's own, made when it is first asked for. NULL: out of memory. */
struct buffer *buffer_of_process(void);
struct buffer *buffer_own(struct buffer **own);

/* b may be NULL where there was no memory for it. MPI_ERR_BUFFER, MPI_ERR_ARG, MPI_ERR_NO_MEM.
 * Detaching waits until nothing lies in it; flushing, until what lies in it now has gone. The
 * request belongs to c, or with NULL to nobody. */
int buffer_attach(struct buffer *b, void *address, MPI_Count size);
int buffer_detach(struct buffer *b, void **address, MPI_Count *size);
int buffer_flush(struct buffer *b);
int buffer_iflush(struct buffer *b, struct comm *c, struct request **out);

/* Its owner goes: it is freed. What lies in it is sent all the same, and nobody waits for it. */
void buffer_abandon(struct buffer *b);

/* Copy it and begin to send it. MPI_ERR_BUFFER: there is no room. */
int buffer_send(const struct p2p_message *m);

/* The same as a request that is done when it is started; persistent or not. */
int buffer_isend(const struct p2p_message *m, struct request **out);
int buffer_start(struct request *r);
extern const struct request_class buffer_class;

#endif
