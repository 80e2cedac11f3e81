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

bool auth_equal(const uint8_t a[AUTH_MAC_BYTES], const uint8_t b[AUTH_MAC_BYTES])
{
	return sodium_memcmp(a, b, AUTH_MAC_BYTES) == 0;
}

void auth_wipe(void *secret, size_t len)
{
	sodium_memzero(secret, len);
}
