/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This rank's part of a line as an image of its whole process (image/image.h): a child writes it
 * while the program goes on, and messages in transit and orphans are appended. In the process that
 * wakes up from it ckpt_image_take returns a second time. One at a time. Under the engine lock,
 * unless something else is said.
 *
 * Rooms above know the library's threads and descriptors: they give what is needed here at the
 * start of an image job (ckpt_image_use).
 */
#ifndef FTMPI_MPI_CKPT_IMAGE_H
#define FTMPI_MPI_CKPT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"

struct ckpt_capture;
struct descriptor_list;
struct ckpt_job;
struct ckpt_reader;
struct image_file;

/* Sections of a file that lie behind those of the image: messages, orphans. */
enum { CKPT_IMAGE_BESIDE = 2 };

struct ckpt_image_host {
	/* End the library's threads but the writer, until go_on; as physical_pause. Without the
	 * lock. */
	int (*pause)(uint64_t until_ns);
	/* Does not return when that cannot be. */
	void (*go_on)(void);
	/* What a process that wakes up cannot find out by itself is noted. */
	void (*note)(void);
	/* The library's descriptors. false: the list is incomplete. */
	bool (*descriptors)(struct descriptor_list *l);
	/* In the process that woke up: everything physical is built anew, the protocol goes back to
	 * the line, and what the line holds beside the image is given back. The lock is held, and
	 * not let go: the program's other threads run already. */
	void (*woke)(void);
	/* This process, which woke up, cannot take part in the job. */
	void (*give_up)(const char *why) __attribute__((noreturn));
};

/* From here on lines are images. NULL: not any more. */
void ckpt_image_use(const struct ckpt_image_host *host);
bool ckpt_image_is_used(void);

/* Why this rank has no part of the line that is made next; NULL: it has. text is not copied. */
void ckpt_image_object(const char *text);
const char *ckpt_image_objection(void);

/* The file of the next line's image is made: before the threads end, as no heartbeats come then,
 * and a disk may take its time. NULL; or why there is none, in text. */
const char *ckpt_image_begin(const struct ckpt_job *j, uint32_t line, char *text, size_t size);

/* It goes, unless an image has become of it. */
void ckpt_image_end(void);

/*
 * The library's threads end until ckpt_image_go_on, the lock let go meanwhile; the caller has seen
 * to it that no other thread of the program begins a call (ckpt_stop.h). NULL; or a sentence: they,
 * the writer or another thread's wait did not come to their end, and all go on.
 */
const char *ckpt_image_pause(void);
void ckpt_image_go_on(void);

/*
 * Between these two, for the line that was begun. NULL, and there is a child; or why there is none,
 * perhaps in text. In a process that woke up it returns NULL, too, and ckpt_image_wakes says one
 * more than before.
 */
const char *ckpt_image_take(const struct ckpt_job *j, char *text, size_t size);

/* How often this process has woken up: one that is the image of itself counts on. */
unsigned ckpt_image_wakes(void);

/* In a process that woke up, before control_inited: the launcher is told from where on its standard
 * input is to be given. */
void ckpt_image_tell_input(void);

/* When the child has written all, what else was gathered (NULL: nothing) is appended and the file
 * is durable. false: err says why, and nothing is left of it. Needs no lock. */
bool ckpt_image_write(
	const struct ckpt_capture *c, struct coord_part *written, char *err, size_t errsize);

/* The child is ended, and nothing is left of its file. No child: nothing happens. */
void ckpt_image_abandon(void);

/* The process begins again in place: the child, which nobody will wait for, is ended. Any thread,
 * without the lock. */
void ckpt_image_restarting(void);

/* What a negative errno of lib/image says of a line: 0; FT_ENOMEM (memory or descriptors
 * are short here) and FT_ESYS (something cannot be read now), which say nothing of it; or
 * FT_EMISMATCH. */
int ckpt_image_outcome(int rc);

/* Can this process become the one of this image, as far as can be seen before it tries? 0; or
 * as ckpt_image_outcome, and why is a sentence. */
int ckpt_image_fits(const struct ckpt_reader *r, char *why, size_t size);

/* Where its sections lie. false: it lacks one. */
bool ckpt_image_file(const struct ckpt_reader *r, struct image_file *f);

/* In the process that woke up, when the protocol and all pairs have begun anew: the messages that
 * this line of the session's folder holds are delivered, and its orphans known. false: err says
 * why. */
bool ckpt_image_give_back(
	struct ckpt_job *j, const char *session_dir, uint32_t line, char *err, size_t errsize);

#endif
