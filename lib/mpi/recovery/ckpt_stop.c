/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_stop.h"

#include <assert.h>
#include <stdint.h>
#include <time.h>

#include "base/lock.h"
#include "mpi/engine/engine.h"

static struct {
	uintptr_t by; /* lock_self of the thread that makes a line; 0 */
	bool wanted;
	void (*asked)(void);
} stop;

/* By nanosleep: of this a process that wakes up has all that it needs. */
void ckpt_stop_moment(void)
{
	const struct timespec a_moment = {0, 1000000};

	engine_assert_held();
	engine_unlock();
	nanosleep(&a_moment, NULL);
	engine_lock();
}

static void at_safe_point(bool begins)
{
	if (stop.by == lock_self())
		return;
	if (begins && !stop.by && stop.asked)
		stop.asked();
	while (stop.by)
		ckpt_stop_moment();
}

void ckpt_stop_use(void (*asked)(void))
{
	engine_assert_held();
	stop.asked = asked;
	stop.wanted = false;
	engine_on_safe_point(asked ? at_safe_point : NULL);
	engine_want_safe_point(false);
}

void ckpt_stop_want(bool wanted)
{
	engine_assert_held();
	stop.wanted = wanted;
	if (!stop.by) /* else one is wanted, and the sleeper was woken for it */
		engine_want_safe_point(wanted);
}

void ckpt_stop_begin(void)
{
	engine_assert_held();
	assert(!stop.by);
	stop.by = lock_self();
	engine_want_safe_point(true);
}

void ckpt_stop_end(void)
{
	engine_assert_held();
	stop.by = 0;
	engine_want_safe_point(stop.wanted);
}

bool ckpt_stop_is_begun(void)
{
	engine_assert_held();
	return stop.by != 0;
}
