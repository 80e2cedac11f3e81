/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calling process is. It asks libc and the dynamic linker, which take locks: not in the
 * child of a fork, nor while other threads are stopped. */
#ifndef FTMPI_IMAGE_PROCESS_HERE_H
#define FTMPI_IMAGE_PROCESS_HERE_H

#include "process.h"

/* Before main, once: what the program may change later, and an image shall have as it was. */
void process_here_init(void);

/* 0: *p is to be freed; its names are those of the dynamic linker, and last as long as the
 * libraries are loaded. -errno: *why is a sentence. */
int process_here(struct process *p, char *why, size_t size);

/* The id among these notes of an ELF file, aligned to 4 or 8 bytes, as p_align says. Returns its
 * length; 0: there is none, or it is longer than PROCESS_ID_MAX. Pure. */
uint32_t process_build_id(
	const uint8_t *notes, size_t bytes, size_t align, uint8_t id[PROCESS_ID_MAX]);

/* Does this code of aarch64 sign a return address: is there a paciasp or a pacibsp? Pure. */
bool process_signs(const uint32_t *code, size_t instructions);

/* May a part of an ELF file with these flags (PF_R, PF_W, PF_X) have code, or constants for it? A
 * linker can put all into one (ld -N). Pure. */
bool process_part_has_code(uint32_t flags);

/* How many threads this process has. -errno: *why is a sentence. */
int process_threads(char *why, size_t size);

#endif
