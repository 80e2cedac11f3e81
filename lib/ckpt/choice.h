/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which line to go back to. Pure: rank 0 tells what the folders list and what became of the line
 * that it proposed, and is told what to do next. The newest line first; sessions in the order in
 * which they were given. A line that is damaged is not proposed again. When a file is not there, or
 * cannot be read at the moment, the folders are listed again: somebody may have committed or
 * removed lines meanwhile, and a file server that stumbles gets up again. All of that is bounded.
 */
#ifndef FTMPI_CKPT_CHOICE_H
#define FTMPI_CKPT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sessions that one choice is made from: the job's own, and those that -restore names. */
enum { CKPT_CHOICE_SESSIONS = 11 };

/* What became of a line on a rank; of all ranks together it is the least. */
enum ckpt_outcome {
	CKPT_BROKEN,  /* damaged, or of another job: it will not get better */
	CKPT_MISSING, /* a file of it is not there */
	CKPT_NOT_NOW, /* it cannot be read, but perhaps another time */
	CKPT_WHOLE,
};

enum ckpt_step {
	CKPT_PROPOSE, /* the line in session, line */
	CKPT_LIST,    /* list all folders again, after a pause */
	CKPT_NONE,    /* there is none (left) */
	CKPT_LOST,    /* lines that were committed are not there */
};

struct ckpt_next {
	enum ckpt_step step;
	unsigned session; /* its place in the order */
	uint32_t line;
	unsigned pause_ms; /* before the listing */
	bool last;	   /* of the tries of this line, should it be NOT_NOW or MISSING */
};

struct ckpt_choice {
	uint32_t committed; /* the highest line of session 0 that was committed; 0: none */
	bool may_lose;	    /* ... though it need not be there any more */
	/* the rest is the choice's own */
	struct ckpt_listing {
		uint32_t *line; /* newest first; owned */
		size_t n;
	} list[CKPT_CHOICE_SESSIONS];
	struct ckpt_struck {
		unsigned session;
		uint32_t line;
		bool out; /* else its files were missed once */
	} * struck;
	size_t nstruck, room;
	unsigned troubles, listings;
	bool again; /* list again, after pause_ms */
	unsigned pause_ms;
	struct ckpt_next proposed;
};

/* All zeros is a choice that has just begun, but for what its caller sets. */
void ckpt_choice_free(struct ckpt_choice *c);

/* A folder was listed: takes line, newest first, malloc'ed. */
void ckpt_choice_listed(struct ckpt_choice *c, unsigned session, uint32_t *line, size_t n);

/* A folder could not be listed: false when that was tried often enough. Else *pause_ms, and list
 * again. */
bool ckpt_choice_unlisted(struct ckpt_choice *c, unsigned *pause_ms);

/* After all folders were listed, or a line was told of. */
struct ckpt_next ckpt_choice_next(struct ckpt_choice *c);

/* What became of the line that was proposed last. 0 or FT_ENOMEM. */
int ckpt_choice_told(struct ckpt_choice *c, enum ckpt_outcome outcome);

/* The highest number that was listed. */
uint32_t ckpt_choice_most(const struct ckpt_choice *c);

/* How many lines were given up. */
unsigned ckpt_choice_given_up(const struct ckpt_choice *c);

#endif
