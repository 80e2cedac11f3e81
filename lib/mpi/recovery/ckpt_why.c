/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_why.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "launch/control.h"

const char *ckpt_why_text(enum ckpt_why why)
{
	static const char *const texts[] = {
		[CKPT_WHY_THREADS] = "another thread is inside an MPI call; all but one must stay "
				     "out of MPI",
		[CKPT_WHY_NO_MEMORY] = "no memory for it",
		[CKPT_WHY_STATE] = "no memory for a copy of what it has to hold",
		[CKPT_WHY_ORPHANS] = "no memory for a list of its orphans, or one of them was "
				     "cancelled by its sender",
		[CKPT_WHY_MESSAGES] = "no memory for the messages in transit",
		[CKPT_WHY_WINDOWS] = "it would cut what ranks do with a window, which some made "
				     "and freed before it, and others after it",
		[CKPT_WHY_CROWDED] = "this rank received more messages of those who are ahead of "
				     "it than checksums are kept of",
		[CKPT_WHY_NO_WRITER] = "there is no thread to write it",
		[CKPT_WHY_NO_COMMIT] = "there is no thread to do it",
	};

	return texts[why];
}

/* Lines of images are mostly the launcher's. */
static const char *maker(void)
{
	return ckpt_image_is_used() ? "" : "FTMPI_Perform_Checkpoint: ";
}

static const char *what(void)
{
	return ckpt_job()->alone ? "checkpoint" : "line";
}

/* But for numbers: the name of a line's file has the line's. */
static bool is_same_reason(const char *a, const char *b)
{
	const char *digits = "0123456789";

	while (*a && *b) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (*a) {
			a++;
			b++;
		}
	}
	return a[strspn(a, digits)] == b[strspn(b, digits)];
}

static void tell(uint32_t line, const char *why)
{
	control_refused(ckpt_job()->launch->control_fd, line, why);
}

/* Nobody looks at the result of a line that the launcher has asked for, or for which one time is as
 * good as another: the same reason is told once. */
void ckpt_why_not_made(uint32_t line, const char *why)
{
	static char last[1024];

	bool each_time = !ckpt_image_is_used() && !ckpt_job()->alone;

	if (each_time || !is_same_reason(last, why)) {
		tell(line, why);
		log_error("%s%s %u is not made: %s", maker(), what(), line, why);
	} else {
		log_event("%s %u is not made: %s", what(), line, why);
	}
	snprintf(last, sizeof last, "%s", why);
}

/* The call says FTMPI_CKPTERROR each time; the sentence comes once. */
void ckpt_why_behind(uint32_t line, size_t copies, uint64_t bytes)
{
	static bool said;

	if (!said)
		tell(line, "copies of earlier lines are not written yet");
	if (!said)
		log_error("%sline %u is not made: this rank holds %zu "
			  "copies of its state (%.0f MiB) that are not written yet, as the disk is "
			  "slower than the calls, or another rank is late for its own: until they "
			  "are written most calls make no line (this is said once)",
			maker(), line, copies, (double)bytes / (1 << 20));
	said = true;
}

void ckpt_why_not_committed(uint32_t line, const char *why)
{
	tell(line, why);
	log_error("%sline %u is not committed: %s", maker(), line, why);
}

void ckpt_why_made_by_others(uint32_t line, const char *session_dir)
{
	log_error("%sline %u of %s was made by others", maker(), line, session_dir);
}
