/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process is, on the machine that it runs on: whatever must be the same for its memory to be
 * of use in another process. It is noted before an image is taken, is part of it, and is compared
 * with the process that is to become that image. All but process_here.h is pure.
 */
#ifndef FTMPI_IMAGE_PROCESS_H
#define FTMPI_IMAGE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROCESS_WORDS = 9, /* of cpuid, without bits that say nothing about instructions; of aarch64
				  DCZID_EL0 and CTR_EL0 */
	PROCESS_TEXT = 80,
	PROCESS_ID_MAX = 64,
	PROCESS_NAME_MAX = 4095,
	PROCESS_OBJECTS_MAX = 4096,
	PROCESS_BYTES_MAX = 4 << 20, /* of one that is encoded */
	PROCESS_CODE_MAX = 4,
};

/* The program, or a library that is loaded. */
struct process_object {
	uint64_t low, high; /* addresses: its first one, and the one behind its last */
	const char *name;   /* as the dynamic linker has it; empty: the program */
	uint32_t id_length; /* 0: it has no build id */
	uint8_t id[PROCESS_ID_MAX];
};

/* Are addresses the same in every process of this program? */
enum process_addresses {
	PROCESS_FIXED,
	PROCESS_RANDOM,
	PROCESS_STAY_RANDOM, /* the kernel refuses to change that */
};

struct process {
	uint32_t machine; /* ELF's e_machine */
	uint64_t page_bytes;
	char kernel[PROCESS_TEXT]; /* its release */
	uint64_t vdso;		   /* XXH3 of the kernel's code; 0: there is none */
	char processor[PROCESS_TEXT];
	uint64_t hwcap, hwcap2;
	uint64_t registers, register_bytes; /* that the kernel saves: XCR0 and its area; 0 and what
					       a vector of SVE has */
	uint32_t word[PROCESS_WORDS];
	char libc[PROCESS_TEXT];
	uint32_t thread_id_at; /* in glibc's block of a thread */
	uint32_t personality;  /* without ADDR_NO_RANDOMIZE, which `addresses` speaks of */
	uint64_t stack_limit;  /* RLIMIT_STACK at its begin; UINT64_MAX: none */
	uint64_t break_start;
	struct process_object *object; /* malloc'ed, as are names that were decoded */
	size_t objects;
	char *names;
	/* of a process alone; no image has these */
	enum process_addresses addresses;
	const char *sanitizer; /* NULL: none */
	bool tiles;	       /* it has asked for the registers of AMX */
	/* of the program or library that this code is in: what of its file is never written, and
	 * has to stay as long as an image is loaded */
	struct {
		uint64_t low, high;
	} code[PROCESS_CODE_MAX];
	size_t codes;
	const char *signer; /* the program or library whose code signs return addresses, with
			       keys that are others in each process; NULL: none */
};

/* The bytes of *p, in *out, malloc'ed. 0, -ENOMEM; -E2BIG: more than an image describes. */
int process_encode(const struct process *p, uint8_t **out, size_t *length);

/* 0: *p is to be freed. -ENOMEM; -EPROTO: the bytes are none of a process. */
int process_decode(struct process *p, const uint8_t *bytes, size_t length);
void process_free(struct process *p);

/* Can there be images of such a process? 0; or -EOPNOTSUPP, and *why is a sentence. */
int process_possible(const struct process *here, char *why, size_t size);

/*
 * Can this process become the one of the image? 0; or -EINVAL, and *why is a sentence: the first
 * difference, the two values, what to do. Libraries that the image's process loaded on its own
 * are not here yet, and are no difference.
 */
int image_fits(const struct process *image, const struct process *here, char *why, size_t size);

/* Does the same program or library, by its build id, lie at this address in both? Then its file
 * needs no comparison. */
bool process_same_object(const struct process *image, const struct process *here, uint64_t address);

/* Does any of the code that loads images lie between these? */
bool process_has_code(const struct process *p, uint64_t low, uint64_t high);

#endif
