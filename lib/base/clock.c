/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

int64_t clock_ahead;

_Atomic uint64_t clock_stands;

void clock_stand(void)
{
	atomic_store(&clock_stands, clock_program_ns());
}

void clock_go_on(void)
{
	atomic_store(&clock_stands, 0);
}

void clock_go_on_from_there(void)
{
	uint64_t there = atomic_load(&clock_stands);

	if (there)
		clock_ahead = (int64_t)(there - clock_ns());
	clock_go_on();
}
