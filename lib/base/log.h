/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of one process: whole lines on stderr, each a single write. Quiet unless the user asked
 * (ftmpirun -v); what the user must know is said with log_error. The secret of the job is never
 * given to it.
 */
#ifndef FTMPI_BASE_LOG_H
#define FTMPI_BASE_LOG_H

/* level 0: errors only; 1: events of the protocol (connections, refusals, suspicions). who is
 * copied. While no other thread logs; may be called again. */
void log_configure(int level, const char *who);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_event(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
