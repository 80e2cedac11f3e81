/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error codes in words (MPI 5.0 section 9.4 and 9.5). The codes of this library are its classes. A
 * program adds classes and codes above MPI_ERR_LASTCODE. Has its own lock, because these calls are
 * legal at any time in any thread (section 11.4.1).
 */
#ifndef FTMPI_MPI_ERRTEXT_H
#define FTMPI_MPI_ERRTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The constant's name ("MPI_ERR_RANK"), or "MPI_ERR_UNKNOWN" for what the standard does not have.
 */
const char *errtext_name(int code);

/* Whether code can be raised: one of the standard's classes, MPI_SUCCESS too, or a live added one.
 */
bool errtext_is_code(int code);

/* Its class; MPI_ERR_UNKNOWN when it is no code. */
int errtext_class_of(int code);

/* The sentence for code, cut to `size` bytes with the NUL; returns its length. */
size_t errtext_get(int code, char *text, size_t size);

/* The highest code in use, at least MPI_ERR_LASTCODE; removed codes count (section 9.5). */
int errtext_last_code(void);

/* The program's own. Errors: MPI_ERR_ARG, MPI_ERR_NO_MEM. */
int errtext_add_class(int *errclass);
int errtext_add_code(int errclass, int *code);
int errtext_add_string(int code, const char *text);

/* Take them back. MPI_ERR_ARG when it is not there, or (a class) still has codes, or (either) still
 * has a string. */
int errtext_remove_class(int errclass);
int errtext_remove_code(int code);
int errtext_remove_string(int code);

#endif
