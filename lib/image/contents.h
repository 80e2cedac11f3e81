/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sections of an image hold, one after another, for reading an image without loading
 * it. Pure. The bytes need not be believed: whatever they are, nothing beyond them is read.
 */
#ifndef FTMPI_IMAGE_CONTENTS_H
#define FTMPI_IMAGE_CONTENTS_H

#include <stdbool.h>

#include "image.h"

/* IMAGE_MAPS, from its first byte on. */
struct contents_maps {
	const uint8_t *at;
	size_t left;   /* bytes */
	uint64_t high; /* of the mapping before */
	bool bad;      /* these are no mappings, although the section says so */
};

/* As contents_next_mapping, but what the mapping is may be anything: only its bytes are all there.
 */
bool contents_next_entry(struct contents_maps *m, struct image_region *r, const char **name);

/* The next mapping, by address; the name of its file (r->name_length bytes, not ended by a NUL)
 * lies in the section. false: there is none any more, or m->bad. */
bool contents_next_mapping(struct contents_maps *m, struct image_region *r, const char **name);

/* IMAGE_PAGES, which is large: its caller reads the head of each run. */
struct contents_runs {
	uint64_t at, left;    /* where the next run is in the section; bytes from there on */
	uint64_t runs, bytes; /* so far */
	bool bad;
};

/* After the caller has read *run at c->at: any run, where fewer bytes are left than one has. true:
 * it counts, and another is behind it. false: it was the last, or c->bad. */
bool contents_next_run(struct contents_runs *c, const struct image_run *run);

#endif
