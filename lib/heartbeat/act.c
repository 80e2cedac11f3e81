/* SPDX-License-Identifier: BSD-3-Clause */
/* What the detector found is told to the user, and logged. */
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "heartbeat/hb.h"

/* Standard error may be a pipe that nobody reads for a while, and a rank that waits for it would
 * seem to be dead. */
bool hb_may_log(void)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) == 1;
}

static void say(const struct detector_act *a)
{
	static const char *const silent[] = {
		[DETECTOR_SUSPECT] = "suspected",
		[DETECTOR_SILENT] = "not suspected, as the job is debugged",
		[DETECTOR_AGAIN] = "beats again",
	};

	if (a->kind == DETECTOR_NOTHING || !hb_may_log())
		return;
	if (a->kind == DETECTOR_FIRST || a->kind == DETECTOR_LEFT)
		log_event("rank %d %s", a->peer,
			a->kind == DETECTOR_FIRST ? "beats" : "leaves, and beats no more");
	else
		log_event("rank %d silent %u ms: %s", a->peer, a->silent_ms, silent[a->kind]);
}

void hb_act(struct hb *h, const struct detector_act *a)
{
	if (a->kind == DETECTOR_SUSPECT)
		h->c.suspect(h->c.user, a->peer, a->silent_ms, a->progress);
	else if (a->kind == DETECTOR_AGAIN)
		h->c.heard(h->c.user, a->peer);
	say(a);
}

void hb_handle(struct hb *h, const struct record *r)
{
	struct detector_act a =
		detector_beat(h->detector, (int)r->from, r->progress, r->leaving, clock_ns());

	hb_act(h, &a);
}
