/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol that waits, and what every restore needs of it. Collective. */
#ifndef FTMPI_COORD_BLOCKING_H
#define FTMPI_COORD_BLOCKING_H

#include "coord/coord.h"

bool blocking_checkpoint(struct coord *c);

/* Afterwards nothing is on its way to this rank, and nobody sends before all are through. What
 * env->secure says. */
bool blocking_drain(struct coord *c);

#endif
