/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of files and folders of a session, made and recognised. */
#ifndef FTMPI_CKPT_NAME_H
#define FTMPI_CKPT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CKPT_DIR_MAX = 4000, CKPT_PATH_BYTES = CKPT_DIR_MAX + 100 };

struct ckpt_path {
	char text[CKPT_PATH_BYTES];
};

enum ckpt_name_kind {
	CKPT_NAME_FOREIGN,
	CKPT_NAME_MANIFEST,	/* line-NNNNNNNN.manifest */
	CKPT_NAME_MANIFEST_TMP, /* line-NNNNNNNN.eEEEE.manifest.tmp */
	CKPT_NAME_FOLDER,	/* line-NNNNNNNN.eEEEE */
	CKPT_NAME_EPOCH,	/* epoch-EEEE: it has begun */
	CKPT_NAME_FILE,		/* in a folder: rank-RRRRR.ckpt */
	CKPT_NAME_FILE_TMP,	/* in a folder: rank-RRRRR.ckpt.tmp */
	CKPT_NAME_ALONE,	/* in a rank's folder: ckpt-NNNNNNNN.iEEEE (ckpt/rank_folder.h) */
	CKPT_NAME_ALONE_TMP	/* in a rank's folder: ckpt-NNNNNNNN.iEEEE.tmp */
};

struct ckpt_name {
	enum ckpt_name_kind kind;
	uint32_t line, epoch, rank; /* as far as the name has them; of what a rank made alone
				     * number and incarnation are line and epoch */
};

/* Only what ckpt_name_format writes is ours. */
struct ckpt_name ckpt_name_parse(const char *name);

/* dir/NAME. dir has at most CKPT_DIR_MAX bytes. */
void ckpt_name_format(struct ckpt_path *out, const char *dir, struct ckpt_name name);

/* The folder of the line, and one rank's file in it. */
void ckpt_path_folder(struct ckpt_path *out, const char *dir, uint32_t line, uint32_t epoch);
void ckpt_path_file(struct ckpt_path *out, const char *dir, uint32_t line, uint32_t epoch,
	uint32_t rank, bool tmp);

/* The folder of what this rank makes alone. */
void ckpt_path_alone(struct ckpt_path *out, const char *dir, uint32_t rank);

/* Is it the name of a session, as launcher and ranks make it (20261231-235959-0123abcd)? */
bool ckpt_name_is_session(const char *name);

/* dir/NAME of any name; cut when it is too long. */
void ckpt_path_in(struct ckpt_path *out, const char *dir, const char *name);

/* The folder that holds dir, as far as its text says. */
void ckpt_path_above(struct ckpt_path *out, const char *dir);

#endif
