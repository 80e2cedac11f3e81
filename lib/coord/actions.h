/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be done, in its order: appended by the protocol, taken by its driver. */
#ifndef FTMPI_COORD_ACTIONS_H
#define FTMPI_COORD_ACTIONS_H

#include "coord/coord.h"

/* Frees what was not taken. */
void actions_free(struct coord *c);

/* Behind all that are there. Bytes of one belong to it, and to whoever takes it. */
void actions_add(struct coord *c, const struct coord_action *a);

/* Send what was encoded (given away; NULL: no memory) to peer; nothing once this rank has ended. */
void actions_send(struct coord *c, int peer, uint8_t *bytes, size_t len);

/* All but those of this kind are dropped. */
void actions_keep(struct coord *c, enum coord_action_kind kind);

/* false: there is none. */
bool actions_take(struct coord *c, struct coord_action *a);

#endif
