/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_cost.h"

#include "base/clock.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"

#define TELL_NS UINT64_C(1000000000)

static struct {
	uint32_t lines;
	uint64_t stood_ns, longest_ns; /* of those that are not told yet */
	uint64_t told;		       /* when the launcher heard of the last ones */
} cost;

void ckpt_cost_tell(const struct ckpt_job *j)
{
	engine_assert_held();
	if (cost.lines == 0)
		return;
	control_cost(j->launch->control_fd, cost.lines, cost.stood_ns, cost.longest_ns);
	ckpt_cost_forget();
	cost.told = clock_ns();
}

void ckpt_cost_stood(const struct ckpt_job *j, uint64_t since)
{
	uint64_t now = clock_ns(), ns = now - since;

	engine_assert_held();
	cost.lines++;
	cost.stood_ns += ns;
	if (ns > cost.longest_ns)
		cost.longest_ns = ns;
	if (now - cost.told >= TELL_NS)
		ckpt_cost_tell(j);
}

void ckpt_cost_forget(void)
{
	cost.lines = 0;
	cost.stood_ns = cost.longest_ns = 0;
}
