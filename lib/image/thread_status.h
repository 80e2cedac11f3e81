/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is looked at before a thread is asked to stop, out of the texts of /proc/PID/task/TID
 * (proc_pid_status(5), proc_pid_syscall(5)). Pure, and nothing of libc that takes a lock.
 */
#ifndef FTMPI_IMAGE_THREAD_STATUS_H
#define FTMPI_IMAGE_THREAD_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	THREAD_NAME_BYTES = 16, /* with the NUL; Linux's TASK_COMM_LEN */
	THREAD_CALL_ARGUMENTS = 6
};

struct thread_status {
	char name[THREAD_NAME_BYTES]; /* what does not fit is cut off: an escaped byte is four */
	bool ended;		      /* it computes nothing any more */
	uint64_t blocked;	      /* signal n is bit n - 1 */
};

/* False: there is no state in it, or no mask of signals. */
bool thread_status_parse(const char *text, size_t length, struct thread_status *s);

/* A system call that a thread waits in. */
struct thread_call {
	long number;
	uint64_t argument[THREAD_CALL_ARGUMENTS];
	uint64_t stack, at; /* its stack, and the instruction that it returns to */
};

/* Out of the text of /proc/PID/task/TID/syscall. False: it waits in none. */
bool thread_call_parse(const char *text, size_t length, struct thread_call *c);

#endif
