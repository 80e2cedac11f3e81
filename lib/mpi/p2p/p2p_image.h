/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which messages come back with an image that was taken while they were on their way (eventlog,
 * tagging; doc/coord.md, C10), decided when the line is cut, and again, alike, by the process that
 * wakes up. In the memory of the image stay
 *
 * - what has met its receive, or was found by MPI_Mprobe, and is whole: it has left the queue, and
 *   nothing that comes takes its place;
 * - what waits for a receive and is whole, as all is that came before it from the same rank.
 *
 * All else counts as not received before the line: it is in the line, or is sent again. That is
 * what is announced or comes just now, whether a receive waits for it or not, and, since messages
 * of a rank are received in their order, what waits behind such a one, whatever its envelope: a
 * receive for any tag shall not find it first. One number of 8 bytes for each rank decides.
 *
 * All lines of the job are images, and p2p_secure_found has said yes. Under `blocking` everything
 * is whole and stays: only p2p_image_woke is called. All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_IMAGE_H
#define FTMPI_MPI_P2P_IMAGE_H

#include "coord/coord.h"

struct tp;

/*
 * Visit every message that has come and that does not stay. Those that stay count as received by
 * now, for lines that are begun later: the protocol gets the checksums of those that the program
 * has not received and that may be orphans (E11). Right before coord_checkpoint, whose list this
 * is. COORD_LIST asks for another: p2p_undelivered.
 */
void p2p_image_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg);

/* In place of p2p_note: note these for the lines that are being made. No message has come since
 * p2p_image_undelivered. */
void p2p_image_note(void);

/*
 * In a process that woke up, when its lines are void, before tp_begin_anew of tp, which the engine
 * need not have: what does not stay and
 * is whole is thrown away, as tp_begin_anew does with the rest; so are the messages by which ranks
 * agreed with each other behind the line, as these numbers come again.
 */
void p2p_image_woke(struct tp *tp);

#endif
