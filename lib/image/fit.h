/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a process become the one of an image? Its regions are compared with those of the image: what
 * is mapped anew, what stays, what is removed, or what is in the way. Pure.
 */
#ifndef FTMPI_IMAGE_FIT_H
#define FTMPI_IMAGE_FIT_H

#include "image.h"
#include "process_map.h"

/* A region of an image, with its name, ended by a NUL. */
struct image_mapping {
	struct image_region r;
	const char *name;
	bool filled; /* the image has pages for it; known when its runs were looked at */
};

enum fit {
	FIT_KERNEL, /* the kernel's, and there as well */
	FIT_FRESH,  /* to be mapped without a file, over what is there */
	FIT_BREAK,  /* the heap: the program break is moved, before anything is mapped */
	FIT_GROW,   /* a part of the stack, which grows to its old size before that (fit_stack) */
	FIT_THERE,  /* of the same part of the same file already */
	FIT_RUNS,   /* the same, and the code that loads the image runs there */
	FIT_FILE,   /* to be mapped from its file */
	FIT_IN_THE_WAY,
};

/* What becomes of mapping m in a process with these regions. FIT_IN_THE_WAY: *other is the region
 * that differs; NULL: there is none where one had to be. */
enum fit fit_for(const struct image_mapping *m, const struct region *own, size_t count,
	const struct region **other);

/* Can the process's stack grow to the size of the image's, whatever parts both are in? The kernel
 * lets none grow closer than `gap` bytes to what lies below it. NULL: it can, or the image has
 * none. Else the lowest part of the image's, and *other as for fit_for. */
const struct image_mapping *fit_stack(const struct image_mapping *image, size_t n,
	const struct region *own, size_t count, uint64_t gap, const struct region **other);

/* Parts of the process's own memory that the image does not have, but for its heap and stack and
 * what the kernel or the code that loads needs: at most max of
 * them, as low and high. Returns how many there are. */
size_t fit_to_remove(const struct image_mapping *image, size_t n, const struct region *own,
	size_t count, uint64_t (*out)[2], size_t max);

/* An address with `bytes` free behind it in both, a multiple of step; 0: there is none. */
uint64_t fit_gap(const struct image_mapping *image, size_t n, const struct region *own,
	size_t count, uint64_t bytes, uint64_t step);

#endif
