/* SPDX-License-Identifier: BSD-3-Clause */
/* A program is taken for one with AddressSanitizer by this function. */
void __asan_init(void);

void __asan_init(void)
{
}
