/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of messages in order: by peer, context, tag, index. Pure. */
#ifndef FTMPI_COORD_MESSAGE_SORT_H
#define FTMPI_COORD_MESSAGE_SORT_H

#include <stddef.h>

#include "coord/coord.h"

/* < 0, 0, > 0 */
int message_order(const struct coord_message *a, const struct coord_message *b);

/* n items of `size` bytes, each of which begins with its struct coord_message. A long list is
 * sorted without comparisons, in a time that grows with n alone, as the program waits meanwhile. */
void message_sort(void *items, size_t n, size_t size);

#endif
