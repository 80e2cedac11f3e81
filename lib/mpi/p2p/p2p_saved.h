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

#include "ckpt/section_operations.h"
#include "coord/coord.h"

struct match_msg;
struct request;
struct tp;

/* What the protocol is told as the tag: operations of the library's plane have numbers without end,
 * and keep their order for each pair, but for those that nobody waits for. */
static inline int32_t coord_tag(uint64_t context, int32_t tag)
{
	return context & 1 && !(tag & SECTION_OPERATION_TAG) ? tag % 16 : tag;
}

/* Tell this protocol of every message of the program from now on; NULL: of none. drive does what
 * it asks for. */
void p2p_coordinate(struct coord *c, void (*drive)(void));

/* The protocol was told of something else. */
void p2p_drive(void);

/* The protocol is told of messages about windows, too, though they meet no receive: the stamp for
 * one that is sent; one was sent; one is whole, which is when it counts as received. */
uint32_t p2p_word_stamp(void);
void p2p_word_sent(int peer, uint64_t context);
void p2p_word_arrived(int peer, uint64_t context, uint32_t stamp);

/* Visit every message that has come and has no receive, what MPI_Mprobe has matched first, then the
 * unexpected ones; visit may
 * take it out of the lists. Ends, with false, when visit says false. */
bool p2p_each_unreceived(bool (*visit)(struct match_msg *msg, void *arg), void *arg);

/* A receive that the program has not finished and that has its message, since the last restore. */
bool p2p_is_open(const struct request *r);

/* Take over from the transport all messages that wait for a receive, announced ones included, and
 * wait until they and those of receives under way are here. false: no memory for one of them. */
bool p2p_secure(void);

/* Take over those that MPI_Mprobe has found and that are not whole yet. Are all of them, by now?
 * An image is taken only when they are: its program knows them by their handles, so they can
 * neither be dropped nor come again. */
bool p2p_secure_found(void);

/* Is all of a message that waits for a receive in this process's memory? */
bool p2p_is_here(const struct match_msg *msg);

/* Throw away one that waits for a receive; what MPI_Mprobe has found is void. No line notes it. */
void p2p_drop(struct tp *tp, struct match_msg *msg);

/* Is the message of a receive on its way? */
bool p2p_receiving(void);

/* Take over one that waits for a receive, announced or not. false: no memory. */
bool p2p_pull(struct match_msg *msg);

/* A copy of the message that a receive has in its buffer: of the message's own length, zeros where
 * it was cut. NULL: no memory. */
struct stored *p2p_copy(const struct request *r);

/* Visit every message that has come and that the program has not received. */
void p2p_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg);

/* Note all of these for the lines that are being made (inflight.h). */
void p2p_note(void);

/* Leave messages that have met their receives, which are open, out of all lines to come. */
void p2p_leave_open(void);

/* Throw away all messages of the program that wait for a receive, and leave those that have met
 * theirs out of all lines to come: they are void, too. After p2p_secure. */
void p2p_forget(void);

/* The contents of CKPT_MESSAGES: *out is malloc'ed. After p2p_secure. false: no memory. */
bool p2p_capture(uint8_t **out, size_t *len);

/* In a process that woke up from an image, when all pairs have begun anew: the protocol, whose
 * counts begin anew as well, gives each message that the program has not received its number. */
void p2p_number_anew(struct coord *coord);

/* Deliver what section_messages_valid accepted, as if it arrived now; the protocol gives each its
 * number. false: no memory. */
bool p2p_inject(struct coord *coord, const uint8_t *bytes, size_t len);

#endif
