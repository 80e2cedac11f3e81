/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction operators (MPI 5.0 section 6.9.2 to 6.9.5). */
#ifndef FTMPI_MPI_OP_H
#define FTMPI_MPI_OP_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "mpi/handle/object.h"
#include "type.h"

struct op {
	struct object head;
	bool commutative;
	MPI_User_function *user; /* one of the two, or neither for a predefined operator */
	MPI_User_function_c *user_c;
	MPI_Op handle;
};

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_OP with fail_with said. */
int op_lookup(MPI_Op handle, struct op **out);

/* MPI_SUCCESS if op may be applied to elements of type t, else MPI_ERR_OP with fail_with said. */
int op_check(const struct op *op, const struct type *t);

/* inout[i] = in[i] op inout[i] for `count` elements laid out as t (with its extent). `in` stands to
 * the left. The two do not overlap. op_check has allowed it. The engine lock is held and is let go
 * around a user's function. */
void op_apply(struct op *op, const void *in, void *inout, size_t count, struct type *t);

void op_hold(struct op *op);
void op_release(struct op *op);

/* A user's operator, from one of the two kinds of function; the caller's by one reference, and
 * known to op_lookup until op_free. MPI_ERR_NO_MEM with fail_with said. */
int op_make(
	MPI_User_function *user, MPI_User_function_c *user_c, bool commutative, struct op **out);
void op_free(struct op *op);

#endif
