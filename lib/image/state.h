/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel knows of a process beside what its memory holds: how it takes signals, its
 * timers, its limits, where it is. By system calls alone.
 */
#ifndef FTMPI_IMAGE_STATE_H
#define FTMPI_IMAGE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "image.h"

/* Timers, which a child does not have: by the process itself, before the fork. The caller takes no
 * signals. */
void image_state_timers(struct image_state *s);

/*
 * Of a timer that does not run, as it is for getitimer(2), although its signal is still to come:
 * that of a timer which goes off once may be pending, and ITIMER_REAL begins again when its signal
 * is taken. No image has pending signals, so in a process that wakes up it goes off at once. Pure.
 */
void image_state_timer_due(uint64_t timer[4], int which, bool pending);

/* Does this process have timers of timer_create(2)? No image has. False, too, where the kernel does
 * not say (it was built without CONFIG_CHECKPOINT_RESTORE). By the process itself. */
bool image_state_has_more_timers(void);

/* The soft limits of resources (getrlimit(2)), by number; set: no higher than the hard ones here.
 */
enum { IMAGE_LIMITS = 16 };
void image_state_limits(uint64_t soft[IMAGE_LIMITS]);
void image_state_limits_set(const uint64_t soft[IMAGE_LIMITS]);

/* Does a limit (RLIMIT_AS) say how much address space there is? Then that is the reason where there
 * is none. */
bool image_state_memory_is_limited(void);

/* The pages of all private mappings that can be written, those included that were never touched; 0:
 * the kernel does not say. A child has as many, unless there are some that no child gets
 * (MADV_DONTFORK). */
uint64_t image_state_private(void);

/* All else, by the process or its child. 0 or -errno: the folder cannot be told. */
int image_state_read(struct image_state *s);

/* By the process that wakes up, with all signals blocked, and so they stay. Returns what failed,
 * for a sentence; NULL: nothing. */
const char *image_state_set(const struct image_state *s);

/* The calling thread takes no signals; returns which it took none of before. */
uint64_t image_state_block(void);

/* Last, on its own stack: those that have come are taken. */
void image_state_unblock(uint64_t blocked);

#endif
