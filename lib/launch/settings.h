/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the launcher decides for the whole job, beside the placement of ranks: the list of
 * "name=value" strings in the START message. Every name is listed in doc/control.md.
 */
#ifndef FTMPI_LAUNCH_SETTINGS_H
#define FTMPI_LAUNCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
	unsigned beat_ms;	  /* period of heartbeats; 0: none */
	unsigned beat_timeout_ms; /* silence after which a rank is suspected */
	unsigned ckpt_interval_ms;
	unsigned keep;	   /* recovery lines kept */
	unsigned restarts; /* of this job so far */
	unsigned appnum;   /* which part of the job this rank is of, from 0 */
	bool accept_binary;
	bool debug;   /* ranks may be stopped in a debugger: none is suspected */
	bool traffic; /* what a rank has sent is told in MPI_Finalize, lines or not */
	bool dump;    /* the user may ask for the ranks' queues */
	bool tcp_only,
		memory_only; /* how ranks of one host speak; neither: through memory if they can */
	bool apart; /* some ranks of this one's node may be on other hosts, as it has moved or they
		       have: it shares memory with none. What all choose by places stays */
	char coord[32];
	char keeper[81];	/* IP:PORT or [IP]:PORT of the job's keeper; "": there is none */
	unsigned log_limit_kib; /* of the log of what a rank has sent; 0: none */
	bool verify_replay;	/* is what a rank sends again the same? */
	char restore[256]; /* other sessions whose lines may be restored, with commas; "": none */
	uint32_t restore_line;	    /* of the one session named; 0: the newest */
	uint32_t committed;	    /* the newest line of this session so far; 0: none */
	bool from_start;	    /* ... and the job may begin again without it */
	bool image;		    /* recovery lines hold images of the ranks' processes */
	unsigned image_patience_ms; /* how long a rank may take to come to a safe point */
	char input[48]; /* PID:FD:INODE, who counts what it writes into rank 0's standard input; ""
			 */
	bool image_keep_files; /* files that were written to are not cut to their length of then */
};

void settings_default(struct settings *s);

/* Take one "name=value". 0, or FT_EPROTO with a sentence in err. */
int settings_take(struct settings *s, const char *word, char *err, size_t errsize);

/*
 * The setting "incarnations", which is as long as the job is large: how often each rank has been
 * started again alone, by rank, with commas between. Is the word (len bytes, without a NUL) this
 * one? And its value: n numbers. 0, or FT_EPROTO with a sentence in err: then out means nothing.
 */
bool settings_is_incarnations(const char *word, size_t len);
int settings_take_incarnations(
	uint32_t *out, uint32_t n, const char *word, size_t len, char *err, size_t errsize);

#endif
