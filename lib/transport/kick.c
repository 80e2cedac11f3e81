/* SPDX-License-Identifier: BSD-3-Clause */
/* Waking the thread that sleeps, or whoever waits for the descriptor. */
#include <unistd.h>

#include "transport/tp.h"

void tp_kick(struct tp *tp)
{
	uint64_t one = 1;

	if (write(tp->wake_fd, &one, sizeof one) < 0)
		return; /* the counter is full: it is awake */
}
