/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication: MPI 5.0 chapter 4. */
#include "point.h"

const struct point_case point_partitioned[] = {
	{NULL, NULL, 0},
};
