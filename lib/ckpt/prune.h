/* SPDX-License-Identifier: BSD-3-Clause */
/* Removing lines that are not needed any more: what a job (ckpt_prune) and the tool do in common.
 */
#ifndef FTMPI_CKPT_PRUNE_H
#define FTMPI_CKPT_PRUNE_H

#include "ckpt/ckpt.h"
#include "ckpt/sentence.h"

struct ckpt_prune_order {
	unsigned keep;		       /* whole lines; 0: all */
	uint32_t making, making_epoch; /* as for ckpt_prune */
	bool idle; /* nobody says what is being made: lines that were not committed
		      go only when their number is below a committed one's */
	bool over; /* all ranks of the last epoch are through: nothing is being made any more */
	/* More than that all files have their lengths, or NULL. */
	bool (*whole)(void *ctx, const struct ckpt_manifest *m);
	/* Told of each line and each folder of an uncommitted one that goes, or NULL. */
	void (*removing)(void *ctx, uint32_t line, uint32_t epoch, bool committed);
	void *ctx;
};

int ckpt_prune_with(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_prune_order *order, struct ckpt_err err);

#endif
