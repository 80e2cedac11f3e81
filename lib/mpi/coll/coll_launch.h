/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan becomes a request (coll_open.h). */
#ifndef FTMPI_MPI_COLL_LAUNCH_H
#define FTMPI_MPI_COLL_LAUNCH_H

#include "coll_open.h"

/*
 * planned: what the plan has returned. On success *out is the request, started unless persistent;
 * it owns o. Else o is gone, and the error said.
 */
int coll_launch(struct coll_open *o, int planned, bool persistent, struct request **out);

/* Those that the program left. No thread is inside. */
void coll_launch_fini(void);

#endif
