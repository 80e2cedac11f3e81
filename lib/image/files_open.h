/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptors of an image come to a new process: all files are opened first, at numbers that
 * are in nobody's way, while nothing has been changed and any failure is a sentence; the exchange
 * then puts them to their numbers.
 */
#ifndef FTMPI_IMAGE_FILES_OPEN_H
#define FTMPI_IMAGE_FILES_OPEN_H

#include "files_steps.h"

/* Of an exchange, before which the image's own file is closed: flat, but for the steps. */
struct files_plan {
	struct files_inherited inherited;
	struct files_step *step;
	size_t steps;
};

/* Could all be opened, as far as their names tell? 0; or -errno with *why. */
int files_check(const struct image_file *f, char *why, size_t size);

/* 0; or -errno with *why. After it files_close, which ends what files_open began, or
 * files_exchange. The steps are malloc'ed. */
int files_open(struct files_plan *p, const struct image_file *f, char *why, size_t size);
void files_close(struct files_plan *p);

/* By system calls alone; files_inherited_are is told. NULL; or what failed, for a sentence. */
const char *files_exchange(const struct files_plan *p);

#endif
