/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

int64_t clock_ahead;

void clock_go_on(uint64_t then)
{
	clock_ahead = (int64_t)(then - clock_ns());
}
