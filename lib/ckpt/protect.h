/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables that the program wants saved: id -> where and how long. The memory is the
 * program's. */
#ifndef FTMPI_CKPT_PROTECT_H
#define FTMPI_CKPT_PROTECT_H

#include <stdbool.h>
#include <stdint.h>

enum { CKPT_ID_MAX = 65535, CKPT_IDS_PAGE = 256 };

struct ckpt_protected {
	bool used;
	uint32_t id;
	uint32_t type; /* the user's own word for the type of an element */
	void *addr;
	uint64_t bytes, count;
};

/* {0} is empty. */
struct ckpt_registry {
	struct ckpt_protected *pages[(CKPT_ID_MAX + 1) / CKPT_IDS_PAGE];
	uint32_t count;
};

/* An id that is there gets its new place. 0; FT_EINVAL: the id is too large, or addr NULL;
 * FT_ENOMEM. */
int ckpt_protect(struct ckpt_registry *r, uint32_t id, void *addr, uint64_t bytes, uint32_t type,
	uint64_t count);

/* 0 or FT_ENONE */
int ckpt_unprotect(struct ckpt_registry *r, uint32_t id);

/* NULL when it is not there. Valid until that id is changed. */
const struct ckpt_protected *ckpt_protected_find(const struct ckpt_registry *r, uint32_t id);

/* The one with the next larger id; the first after NULL; NULL after the last. */
const struct ckpt_protected *ckpt_protected_next(
	const struct ckpt_registry *r, const struct ckpt_protected *after);

void ckpt_registry_free(struct ckpt_registry *r);

#endif
