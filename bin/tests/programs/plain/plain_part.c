/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that plain_depths opens and closes (dlopen): what it answers depends on what the same
 * thread has asked it before.
 */
#include <stdint.h>

uint64_t plain_part_next(uint64_t x);

static _Thread_local uint64_t asked[1000];
static _Thread_local unsigned at;

uint64_t plain_part_next(uint64_t x)
{
	at = (at + 1) % (sizeof asked / sizeof *asked);
	asked[at] = asked[at] * UINT64_C(6364136223846793005) + x;
	return asked[at] ^ at;
}
