/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which system call was made, out of the code before it, as the register that had the number has
 * the result when the call is over. For x86-64: "mov $NUMBER, %eax" or "xor %eax, %eax", then
 * nothing, or instructions that fill other registers, then "syscall". So libc has most of its
 * calls, up to 2.40. Pure.
 */
#ifndef FTMPI_IMAGE_CALL_NUMBER_H
#define FTMPI_IMAGE_CALL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALL_NUMBER_BYTES = 48 }; /* so far before the end the number is looked for */

/* *end: what follows the call; so many bytes before it can be read. */
bool call_number_before(const uint8_t *end, size_t bytes, long *number);

#endif
