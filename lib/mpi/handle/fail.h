/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with a call. Functions below the bindings return MPI_SUCCESS or an MPI error class;
 * whoever first knows the error says it with fail_with, once. The binding that leaves the call
 * hands both to the error handler. Everything here is the thread's own.
 */
#ifndef FTMPI_MPI_FAIL_H
#define FTMPI_MPI_FAIL_H

#include <stdbool.h>

#include "mpi.h" /* error classes */

struct fail_thread {
	const char *call;
	bool said; /* something is wrong, in words that are elsewhere */
	bool is_null;
};

/* Hidden, and found without a call: every call begins here. So it takes of the few bytes that the
 * dynamic linker has left for libraries that are loaded while the program runs. */
extern _Thread_local struct fail_thread fail_thread
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* A call begins, and nothing is wrong yet. `call` is its name, a literal. */
static inline void fail_begin(const char *call)
{
	fail_thread.call = call;
	fail_thread.said = false;
}

/* Name of the MPI call that this thread is in. */
const char *fail_call(void);

/* Record what is wrong ("rank 9 is not in a communicator of 4"); returns errclass. */
int fail_with(int errclass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a null pointer where the call needs an address: MPI_ERR_ARG. That is a mistake of
 * the call, not of its object; errhandler_raise says which handler is called. */
int fail_null(const char *what);

/* Is what was said last such a null pointer? */
bool fail_is_null(void);

/* The text given to the last fail_with of this thread, "" when there is none. */
const char *fail_detail(void);

#endif
