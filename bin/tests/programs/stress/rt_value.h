/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of every basic type in one form, for the reference of reductions. */
#ifndef FTMPI_PROGRAMS_RT_VALUE_H
#define FTMPI_PROGRAMS_RT_VALUE_H

#include "rt_data.h"

enum rt_op {
	RT_SUM,
	RT_PROD,
	RT_MAX,
	RT_MIN,
	RT_LAND,
	RT_LOR,
	RT_LXOR,
	RT_BAND,
	RT_BOR,
	RT_BXOR,
	RT_MAXLOC,
	RT_MINLOC,
	RT_OPS
};

struct rt_value {
	uint64_t bits; /* integers, sign-extended where the type is signed; bool; byte */
	double re, im; /* floating types, and the value of a pair */
	int index;     /* of a pair */
};

const char *rt_op_name(enum rt_op op);
MPI_Op rt_op_handle(enum rt_op op);

/* May op be used on b? (MPI 5.0 section 6.9.2) */
bool rt_op_fits(const struct rt_basic *b, enum rt_op op);

/* A number that op can be applied to many times without rounding. */
struct rt_value rt_value_draw(const struct rt_basic *b, enum rt_op op, uint64_t random);
struct rt_value rt_value_combine(
	const struct rt_basic *b, enum rt_op op, struct rt_value left, struct rt_value right);
void rt_value_store(const struct rt_basic *b, struct rt_value v, void *at);

#endif
