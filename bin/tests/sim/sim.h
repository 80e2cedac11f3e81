/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store of recovery lines over a file system that forgets. A world is one schedule: epochs of a
 * job whose ranks write, commit and prune, and before each file operation of theirs something may
 * happen: the rank dies, the operation fails, everything crashes, the next epoch begins while this
 * one lives on unseen, or a rank of an old epoch does late what it had been about to do.
 *
 * What must hold, at every moment:
 *   1. A line that is accepted is bit for bit one that was saved, of the epoch that its manifest
 * says.
 *   2. A line whose commit returned 0, its epoch being the job's, is accepted, or `keep` newer ones
 * are.
 *   3. A line that was committed while its epoch was the job's is whole when its manifest is there.
 *   4. After some undisturbed lines nothing is left but the newest `keep`.
 *   5. Nobody of an epoch before commits, or begins to prune, when an epoch has said that it began.
 */
#ifndef FTMPI_TESTS_SIM_H
#define FTMPI_TESTS_SIM_H

#include "ckpt/ckpt.h"
#include "rng.h"
#include "simfs.h"

enum { RANKS_MAX = 3, COMMITS_MAX = 200, LATE_MAX = 16 };

/* How often of a thousand operations, or of a thousand steps of a line (pause). */
struct rates {
	unsigned crash, death, error, split, late, beside, pause;
};

/* A call of ckpt_commit. */
struct commit {
	uint32_t line, epoch, attempt;
	bool calling;  /* it has not returned */
	bool own;      /* no later epoch had begun when it returned */
	bool promised; /* and it returned 0 */
};

enum late_what { LATE_WRITE, LATE_COMMIT, LATE_PRUNE };

/* What a rank was about to do when the job took it for dead. */
struct late {
	enum late_what what;
	uint32_t line, epoch, attempt, rank;
	struct ckpt_manifest m;
	struct ckpt_rank_file files[RANKS_MAX];
};

/* How often things were seen, so that a run can say that it was not idle. */
struct seen {
	unsigned long ops, crashes, deaths, errors, splits, lates, commits, refused, passed_over,
		besides, given_up, said, too_late;
};

struct world {
	uint64_t seed;
	struct rng rng;
	struct simfs *fs;
	struct rates rates;
	struct seen *seen;
	uint32_t ranks, keep;
	uint32_t epoch;	     /* the job's; others are late */
	uint32_t said;	     /* the latest epoch that has said durably that it began */
	uint32_t generation; /* of processes: a crash ends them all */
	uint32_t attempts;
	unsigned depth, late_depth, beside_depth; /* worlds within operations */
	struct ahead *ahead;			  /* lines that the epoch makes at once; NULL */
	long ops_left;
	bool trace;
	bool wordless; /* its epochs cannot say that they begin */
	struct commit commits[COMMITS_MAX];
	unsigned ncommits;
	struct late late[LATE_MAX];
	unsigned nlate;
};

/* The processes of one epoch, seen through their file operations. */
struct actor {
	struct ckpt_fs ops;
	struct world *w;
	uint32_t epoch, generation;
	bool dead, quiet; /* quiet: nothing happens to it */
	bool may_remove;  /* while it prunes: no later epoch had begun before */
};

void actor_init(struct actor *a, struct world *w, uint32_t epoch, bool quiet);
bool actor_alive(const struct actor *a);

extern const char sim_dir[];

/* ---- sim_oracle.c ---- */

/* What a rank saves: valid as long as the struct. */
struct contents {
	uint8_t bytes[160];
	struct ckpt_section s[4];
	size_t n;
};

void contents_of(
	struct contents *c, uint32_t line, uint32_t epoch, uint32_t attempt, uint32_t rank);
struct ckpt_identity identity_of(const struct world *w, uint32_t epoch, uint32_t rank);

/* Checks 1, 2 and 3; returns the largest committed number, 0 for none. */
uint32_t world_check(struct world *w, const char *when);

/* Check 4, after undisturbed lines. */
void world_check_clean(struct world *w);

/* Says what was seen, with the seed, and ends the process. */
void world_fails(const struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void world_traces(const struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- sim_ahead.c ---- */

/* Some lines that overlap; false when the epoch is over. */
bool world_make_overlapping(struct actor *a, uint32_t *next);

/* A rank writes for one of them while something else is done. */
void world_write_beside(struct world *w);

/* ---- sim_job.c ---- */

/* What ranks do. job_pauses: this one stops here, and the job takes its epoch for dead. */
int job_write(
	struct actor *a, uint32_t line, uint32_t attempt, uint32_t rank, struct ckpt_rank_file *f);
int job_commit(struct actor *a, const struct ckpt_manifest *m, uint32_t attempt);
void job_prune(struct actor *a, uint32_t making);
void job_begin(struct actor *a);
bool job_pauses(struct actor *a, struct late l);

/* The next epoch, until it dies or has done enough. */
void world_run_epoch(struct world *w);
void world_run_late(struct world *w);
/* One whole schedule. */
void world_run(struct world *w);

#endif
