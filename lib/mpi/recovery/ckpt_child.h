/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The child that writes an image is waited for as long as it gets on. What it does can be seen: it
 * looks at memory, or writes. One that does neither, as it was stopped or its disk does not answer,
 * would keep all lines waiting, and the end of the program. Any thread.
 */
#ifndef FTMPI_MPI_CKPT_CHILD_H
#define FTMPI_MPI_CKPT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * progress() is another number whenever the child has got on. true: it has ended, *status is as
 * waitpid(2) says, or -1 when somebody else has waited for it. false: for idle_ms, which count only
 * while this process runs, it did not get on; it is still there.
 */
bool ckpt_child_wait(pid_t child, uint64_t (*progress)(void), uint32_t idle_ms, int *status);

/* Ends it, and waits for that a second at most: longer the kernel keeps only what waits for a disk
 * that is gone. */
void ckpt_child_kill(pid_t child);

#endif
