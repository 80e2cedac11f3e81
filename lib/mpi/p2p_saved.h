/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a recovery line needs of the messages: every one that was sent and that the program has not
 * received, in the order in which it would get them. All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_SAVED_H
#define FTMPI_MPI_P2P_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"

/* Tell this protocol of every message of the program from now on; NULL: of none. */
void p2p_coordinate(struct coord *c);

/* Take over from the transport all messages that wait for a receive, announced ones included, and
 * wait until they and those of receives under way are here. false: no memory for one of them. */
bool p2p_secure(void);

/* Throw away all messages of the program that wait for a receive. After p2p_secure. */
void p2p_forget(void);

/* The contents of CKPT_MESSAGES: *out is malloc'ed. After p2p_secure. false: no memory. */
bool p2p_capture(uint8_t **out, size_t *len);

/* Whether these bytes are such contents, for a job of `size` ranks. */
bool p2p_valid(const uint8_t *bytes, size_t len, int size);

/* Deliver what p2p_valid accepted, as if it arrived now. false: no memory. */
bool p2p_inject(const uint8_t *bytes, size_t len);

#endif
