/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be set in the environment of a rank. One table: name, default, least, most, text. The
 * manual page ftmpi(7) lists the same names, and a test compares them.
 */
#ifndef FTMPI_BASE_KNOB_H
#define FTMPI_BASE_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNOB_TABLE(X)                                                                              \
	X(KNOB_EAGER_LIMIT, "FTMPI_EAGER_LIMIT", 65536, 0, 1 << 20,                                \
		"messages of at most this many bytes are sent without waiting for their receive")  \
	X(KNOB_UNEXPECTED_LIMIT, "FTMPI_UNEXPECTED_LIMIT", 4 << 20, 2 << 20, 1 << 30,              \
		"bytes that a rank keeps for one sender before a receive asks for them")           \
	X(KNOB_SPIN_US, "FTMPI_SPIN_US", 200, 0, 1000000,                                          \
		"microseconds a wait looks and yields before it sleeps, 50 times that with a "     \
		"processor for each rank (5 times while others use it, too); and, up to 100 "      \
		"(ten times as long, up to 2000, without one), a blocking send or collective "     \
		"operation waits for room in the ring to a receiver")                              \
	X(KNOB_CONNECT_MS, "FTMPI_CONNECT_MS", 10000, 10, 3600000,                                 \
		"milliseconds after which a rank that cannot be connected to is given up")         \
	X(KNOB_PORT_BASE, "FTMPI_PORT_BASE", 24100, 1024, 65000,                                   \
		"rank r of a job started by hand listens on this port + r")

enum knob {
#define X(id, name, value, least, most, text) id,
	KNOB_TABLE(X)
#undef X
		KNOB_COUNT
};

/* Reads the environment. 0, or FT_EINVAL with a sentence in err: a value that is no number or is
 * out of range is refused, not replaced. Call before there are threads. */
int knob_load(char *err, size_t errsize);

int64_t knob_get(enum knob k);

/* Another value from now on; false when it is out of range. The caller's lock is that of whoever
 * asks with knob_get: only some are asked more than once. */
bool knob_set(enum knob k, int64_t value);

/* For people. */
const char *knob_name(enum knob k);
const char *knob_text(enum knob k);

#endif
