/* SPDX-License-Identifier: BSD-3-Clause */
/* How many files and sockets this process may have open. */
#ifndef FTMPI_BASE_DESCRIPTORS_H
#define FTMPI_BASE_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/* Raise the soft limit to `wanted` if it is lower, as far as the hard limit lets us. */
void descriptors_raise(unsigned wanted);

/* Can `count` more be opened now? */
int descriptors_free(unsigned count);

/* Between these, no other thread that calls them opens one: so one that is closed in between can be
 * had again. */
void descriptors_lock(void);
void descriptors_unlock(void);

/*
 * What `opening` opens, an expression whose value is a descriptor that is closed at exec: its
 * number is none of 0, 1 and 2, which are the program's, also where it has closed them and still
 * prints. Meanwhile these are taken by what nothing can be written to. -1, with errno: as the
 * expression, or there is no other number.
 */
#define descriptor_past_streams(opening)                                                           \
	(descriptors_fill_streams(), descriptors_free_streams(opening))

/* Its halves, where what opens one returns something else: fd is -1 then. By one thread. */
void descriptors_fill_streams(void);
int descriptors_free_streams(int fd);

/* Those that are open from `from` to `to` are closed when the process executes a program. Takes no
 * memory and no lock. */
void descriptors_end_at_exec(unsigned from, unsigned to);

/* "too many open files: this process may have 64; raise the limit (ulimit -n)". Valid for ever; may
 * be called by any thread. */
const char *descriptors_text(void);

/*
 * Numbers of open descriptors, in no order; all zeros: none. A module that opens some has
 * a function, X_own_descriptors, that adds those which it has open now, to tell them from
 * the program's. It is called while the module can neither open nor close any.
 */
struct descriptor_list {
	int *v;
	size_t n, room;
	bool incomplete; /* some are missing: memory was short, or nobody knows them */
};

/* Negative: there is none. */
void descriptor_list_add(struct descriptor_list *l, int fd);
void descriptor_list_free(struct descriptor_list *l);

/* In a process that woke up from an image: whoever held the lock is not there any more, and the
 * limit may be another. While no other thread calls anything here. */
void descriptors_forget(void);

#endif
