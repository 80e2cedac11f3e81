/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a keeper: one for each rank, to which what becomes durable is appended
 * (event_format.h). One that is for the most part forgotten is written anew: under another name,
 * which it changes when it is durable; a file gets its name in the same way at first. So a file
 * that has its name was whole.
 */
#ifndef FTMPI_KEEPER_EVENT_FILE_H
#define FTMPI_KEEPER_EVENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/session.h"
#include "keeper/disk.h"
#include "keeper/events.h"

enum {
	EVENT_PATH_MAX = 4096,
	EVENT_FOLDER_MAX = EVENT_PATH_MAX - 64, /* the longest name of a folder */
	EVENT_WASTE = 1 << 20, /* so many bytes must be in vain before a file is written anew */
};

struct event_folder {
	const struct disk *disk;
	const char *path;
	uint8_t session[SESSION_BYTES];
};

struct event_file {
	const struct event_folder *folder;
	uint32_t rank;
	int fd;			 /* -1: there is no file */
	uint64_t length, commit; /* of what is durable */
	uint64_t shrink_at;	 /* writing it anew failed: not again before it is that long */
	bool anew;  /* what lies behind that is not known, or there is no file: written anew next */
	bool tight; /* the last commit failed */
};

struct event_path {
	char text[EVENT_PATH_MAX];
};

/* folder/rank-00003.events */
struct event_path event_file_path(const struct event_folder *folder, uint32_t rank);

/* event_file_open.c. Reads the file of `rank` into its log. Where there is none, and it must be
 * there (not `fresh`), or where it is damaged, the log is lost (events_lose), and `said` says so;
 * else it is empty. What the log has then is durable, or has to be written before anybody is
 * answered
 * (`changed`). A negative code: the keeper cannot begin, for the reason that `said` has: the
 * file cannot be read (FT_ESYS), belongs to another job (FT_EMISMATCH), holds more than the limit
 * (FT_ETRUNC), FT_ENOMEM. f is open in any case. */
int event_file_open(struct event_file *f, const struct event_folder *folder, uint32_t rank,
	bool fresh, struct events *e, char *said, size_t size);

/* Makes this durable. A negative errno: it is not, though it may be in the file already; then the
 * same or more is tried again. */
int event_file_commit(struct event_file *f, const struct events *e, const struct events_commit *c);

void event_file_close(struct event_file *f);

#endif
