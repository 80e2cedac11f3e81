/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a job and its restarts: random bytes that the launcher draws (doc/design.md). They
 * are in every handshake, heartbeat and recovery line. */
#ifndef FTMPI_BASE_SESSION_H
#define FTMPI_BASE_SESSION_H

enum { SESSION_BYTES = 16 };

#endif
