/* SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops of the predefined operators. */
#ifndef FTMPI_MPI_OP_KERNELS_H
#define FTMPI_MPI_OP_KERNELS_H

#include <stddef.h>

#include "type_table.h"

enum op_kind {
	OP_SUM,
	OP_PROD,
	OP_MIN,
	OP_MAX,
	OP_BAND,
	OP_BOR,
	OP_BXOR,
	OP_LAND,
	OP_LOR,
	OP_LXOR,
	OP_MINLOC,
	OP_MAXLOC,
	OP_KINDS,
};

/* inout[i] = in[i] op inout[i] for i below n; the two arrays are aligned and do not overlap. */
typedef void op_kernel(const void *in, void *inout, size_t n);

/* NULL when the operator makes no sense for such values. */
op_kernel *op_kernels_find(enum op_kind kind, enum type_value value);

#endif
