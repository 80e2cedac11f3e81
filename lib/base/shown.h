/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign text made fit to be shown in a sentence: one line, no control characters, not endless. */
#ifndef FTMPI_BASE_SHOWN_H
#define FTMPI_BASE_SHOWN_H

enum { SHOWN_MOST = 200 };

struct shown {
	char text[SHOWN_MOST + sizeof "..."];
};

/* For use in place: snprintf(..., shown(word).text). */
struct shown shown(const char *text);

#endif
