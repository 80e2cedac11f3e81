/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "image.h"
#include "tables.h"

enum { PIECE = 1 << 20 };

static int sum_of(const struct image_file *f, int section, uint8_t *piece, uint64_t *sum)
{
	uint64_t left = f->length[section], at = f->at[section];
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	while (left > 0) {
		ssize_t n = pread(f->fd, piece, left < PIECE ? left : PIECE, (off_t)at);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		XXH3_64bits_update(&state, piece, (size_t)n);
		at += (uint64_t)n;
		left -= (uint64_t)n;
	}
	*sum = XXH3_64bits_digest(&state);
	return 0;
}

int image_verify(const struct image_file *f, char *why, size_t size)
{
	static const char *const name[] = {[IMAGE_ORIGIN] = "origin",
		[IMAGE_PROCESS] = "process",
		[IMAGE_MAPS] = "mappings",
		[IMAGE_FILES] = "files",
		[IMAGE_PAGES] = "pages"};
	_Static_assert(sizeof name / sizeof *name == IMAGE_SECTIONS, "each has a name");
	uint64_t end = f->at[IMAGE_SECTIONS - 1] + f->length[IMAGE_SECTIONS - 1];
	struct stat is;
	uint8_t *piece;
	int rc = fstat(f->fd, &is) < 0 ? -errno : 0;

	if (rc) {
		snprintf(why, size, "the image cannot be looked at: %s", strerror(-rc));
		return rc;
	}
	rc = tables_sections(f, (uint64_t)is.st_size, why, size);
	if (rc == 0 && end < (uint64_t)is.st_size) {
		snprintf(why, size,
			"the file of the image has %" PRIu64 " bytes, and the image %" PRIu64
			": it is damaged; use another image",
			(uint64_t)is.st_size, end);
		rc = -EPROTO;
	}
	piece = rc ? NULL : malloc(PIECE);
	if (rc == 0 && !piece) {
		snprintf(why, size, "there is no memory for reading the image");
		rc = -ENOMEM;
	}
	for (int i = 0; i < IMAGE_SECTIONS && rc == 0; i++) {
		uint64_t sum = 0;

		rc = sum_of(f, i, piece, &sum);
		if (rc) {
			snprintf(why, size, "the image cannot be read: %s", strerror(-rc));
		} else if (sum != f->sum[i]) {
			snprintf(why, size,
				"the checksum of the image's section %d (%s) is %016" PRIx64
				", and was %016" PRIx64 ": the file is damaged; use another image",
				i, name[i], sum, f->sum[i]);
			rc = -EPROTO;
		}
	}
	free(piece);
	return rc;
}
