/* SPDX-License-Identifier: BSD-3-Clause */
/* The handshake target: a member with a listening socket, and what the script says to it. */
#ifndef FTMPI_TESTS_FUZZ_HANDSHAKE_H
#define FTMPI_TESTS_FUZZ_HANDSHAKE_H

#include "fuzz.h"
#include "transport/handshake.h"

enum { RANKS = 4, SELF = 1, EPOCH = 3 };

/* The job as its members know it. */
struct handshake_job fuzz_job(uint32_t self);

/* The keyed hash of doc/wire.md, said once more: MAC(secret, word | hello | Nb). */
void handshake_mac(const char *word, const struct wire_hello *hello, const uint8_t nonce[24],
	uint8_t out[AUTH_MAC_BYTES]);

/* Changes a message as the script says: mostly not at all. False: it is what it was. */
bool handshake_spoil(struct script *in, void *message, size_t len);

/* handshake_talk.c: whole conversations over sockets */
void handshake_talk(struct script *in);

#endif
