/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/auth.h"

#include <sodium.h>

#include "base/error.h"

int auth_init(void)
{
	return sodium_init() < 0 ? FT_ESYS : 0;
}

void auth_random(void *out, size_t len)
{
	randombytes_buf(out, len);
}

void auth_mac(
	const uint8_t key[AUTH_KEY_BYTES], const void *msg, size_t len, uint8_t out[AUTH_MAC_BYTES])
{
	crypto_generichash(out, AUTH_MAC_BYTES, msg, len, key, AUTH_KEY_BYTES);
}

void auth_handshake_mac(const uint8_t key[AUTH_KEY_BYTES], enum auth_side side, const void *hello,
	size_t len, const uint8_t nonce[AUTH_NONCE_BYTES], uint8_t out[AUTH_MAC_BYTES])
{
	static const char label[][8] = {[AUTH_ACCEPT] = "accept", [AUTH_CONNECT] = "connect"};
	crypto_generichash_state sum;

	crypto_generichash_init(&sum, key, AUTH_KEY_BYTES, AUTH_MAC_BYTES);
	crypto_generichash_update(&sum, (const uint8_t *)label[side], sizeof label[side]);
	crypto_generichash_update(&sum, hello, len);
	crypto_generichash_update(&sum, nonce, AUTH_NONCE_BYTES);
	crypto_generichash_final(&sum, out, AUTH_MAC_BYTES);
}

bool auth_equal(const uint8_t a[AUTH_MAC_BYTES], const uint8_t b[AUTH_MAC_BYTES])
{
	return sodium_memcmp(a, b, AUTH_MAC_BYTES) == 0;
}

void auth_wipe(void *secret, size_t len)
{
	sodium_memzero(secret, len);
}
