/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronous sends whose messages were brought here for a recovery line, before a receive has
 * matched them (image jobs; doc/coord.md, C12). Their senders wait until one has, and are told
 * then. A line has the sender's name for such a message; the sender asks about it when all have
 * gone back to the line, or may take it back (p2p_sync_asked.c). All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_SYNC_H
#define FTMPI_MPI_P2P_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "match.h"
#include "transport/transport.h"

struct stored;

/* ---- p2p_sync.c ---- */

/* Lines of this job are images, or not any more. */
void p2p_sync_use(bool use);
bool p2p_sync_is_used(void);

/* What one that waits for a receive is called at its sender; 0: nobody waits for that. */
uint64_t p2p_sync_name(const struct match_msg *msg);

/* The same of the message that is being matched now, in the transport's upcall. */
uint64_t p2p_sync_matching(void);

/* One that was taken over from the transport is whole and has its receive. */
void p2p_sync_matched(struct stored *m);

/* Its sender wants it back, which cannot be now; a line was made, or a message is whole: it may be
 * now; or nobody wants it any more. */
void p2p_sync_withdraw_later(const struct tp_withdrawal *w);
void p2p_sync_withdraw_again(void);
void p2p_sync_withdraw_never(void);

/* ---- p2p_sync_asked.c ---- */

/* In a process that woke up, before the pairs begin anew: senders will ask. */
void p2p_sync_anew(void);

/* The transport's upcalls. */
bool p2p_on_withdraw(void *user, const struct tp_withdrawal *w);
enum tp_sync p2p_on_open(void *user, int peer, uint64_t sync);

#endif
