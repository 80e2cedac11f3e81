/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a connection to or from a keeper, until they are frames (keeper_wire.h). Pure.
 * Memory: one frame, and what came behind it in the same read.
 */
#ifndef FTMPI_KEEPER_FRAMES_H
#define FTMPI_KEEPER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keeper/keeper_wire.h"

enum { FRAMES_BYTES = sizeof(struct keeper_frame) + KEEPER_WINDOW * KEEPER_RECORD_BYTES };

struct frames {
	size_t at, have; /* bytes that were taken, and that came */
	uint8_t bytes[FRAMES_BYTES];
};

/* Where the next bytes belong, and how many of them; none while a whole frame waits. */
uint8_t *frames_room(struct frames *in, size_t *room);
void frames_came(struct frames *in, size_t n);

/* So many bytes that are no frame: those of a handshake. false: they are not here yet. */
bool frames_take(struct frames *in, void *out, size_t n);

enum frames_sender { FRAMES_OF_RANK, FRAMES_OF_KEEPER };

/* 1: *frame is the next one, and makes sense from this sender; *records are valid until
 * frames_room. 0: it is not here yet. FT_EPROTO: it makes no sense. */
int frames_next(struct frames *in, enum frames_sender sender, struct keeper_frame *frame,
	const uint8_t **records);

#endif
