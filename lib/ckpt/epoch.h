/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the job gone on in a later epoch? Then this one's ranks are late. */
#ifndef FTMPI_CKPT_EPOCH_H
#define FTMPI_CKPT_EPOCH_H

#include "ckpt/ckpt.h"
#include "ckpt/sentence.h"

/* 0: nothing of a later epoch is in the folder; FT_ESTALE: something is; FT_ESYS, FT_ENOMEM. With a
 * sentence that begins with the folder. No folder: nothing. */
int ckpt_epoch_check(
	const struct ckpt_fs *fs, const char *session_dir, uint32_t epoch, struct ckpt_err err);

#endif
