/* SPDX-License-Identifier: BSD-3-Clause */
/* Keyed hash (BLAKE2b-256) and random bytes, from libsodium. */
#ifndef FTMPI_BASE_AUTH_H
#define FTMPI_BASE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUTH_KEY_BYTES = 32, AUTH_MAC_BYTES = 32, AUTH_NONCE_BYTES = 24 };

/* Once per process, before the others; 0 or FT_ESYS. May be called again. */
int auth_init(void);
void auth_random(void *out, size_t len);
void auth_mac(const uint8_t key[AUTH_KEY_BYTES], const void *msg, size_t len,
	uint8_t out[AUTH_MAC_BYTES]);

/* Of a handshake: over the label of the side that proves itself, padded to 8 bytes with zeros, the
 * hello, and the nonce of the accepting side. Two labels, so that no mac can be sent back to its
 * maker. */
enum auth_side { AUTH_ACCEPT, AUTH_CONNECT };

void auth_handshake_mac(const uint8_t key[AUTH_KEY_BYTES], enum auth_side side, const void *hello,
	size_t len, const uint8_t nonce[AUTH_NONCE_BYTES], uint8_t out[AUTH_MAC_BYTES]);

/* in constant time */
bool auth_equal(const uint8_t a[AUTH_MAC_BYTES], const uint8_t b[AUTH_MAC_BYTES]);

/* Overwrites a secret so that the compiler cannot leave it out. */
void auth_wipe(void *secret, size_t len);

#endif
