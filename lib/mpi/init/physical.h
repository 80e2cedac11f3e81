/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a rank belongs to this process alone, and to this epoch of the job: what the launcher
 * said, sockets and shared memory, the library's threads. The rest (communicators, requests,
 * messages that wait, the counters of the protocols) is logical: it outlives this, which is dropped
 * and built anew while the process lives. One at a time.
 */
#ifndef FTMPI_MPI_PHYSICAL_H
#define FTMPI_MPI_PHYSICAL_H

#include "launch/launch.h"
#include "transport/transport.h"

struct descriptor_list; /* base/descriptors.h */

/* Learn what this process is, from its launcher or by hand, or end it with a sentence. */
void physical_learn(int *argc, char ***argv);

/* What a process that is to wake up has of its agent: its sockets, and the body of the START that
 * it was given (CONTROL_START), which the caller keeps. */
struct physical_start {
	int control_fd, listen_fd, beat_fd; /* physical's from here on */
	const void *body;
	size_t len;
};

/* The same in a process that woke up. The reader of START has sent RUNS and PROGRAM. It has to
 * be the same rank of as many, else it ends with a sentence. */
void physical_learn_again(const struct physical_start *start);

/* What was learnt. Good until physical_unlearn, physical_forget and the next physical_learn. */
const struct launch *physical_launch(void);

/* Build all of it, without its threads. 0, FT_ENOMEM or FT_ESYS. The engine's lock is held, and not
 * let go. */
int physical_build(struct tp *tp);

/* Begin the threads. 0, FT_ENOMEM or FT_ESYS. Last: from here on other ranks connect, and must not
 * take the descriptors that others need. */
int physical_start(void);

/* Until physical_go_on the library has no threads here but the writer (ckpt/writer.h). 0; FT_ETIME:
 * at until_ns (clock_ns) one of them had not come to its end, and all go on; FT_ESYS: as that, and
 * one cannot go on. Not with the engine's lock held. */
int physical_pause(uint64_t until_ns);

/* 0 or FT_ESYS: there is no thread to be had, and this process cannot go on. */
int physical_go_on(void);

/* For engine_wait, under message logging: all ranks have come to MPI_Finalize, as LEAVE has said.
 */
bool physical_may_leave(void *arg, int *expect);

/* Tell the heartbeats' observers that their silence is no failure, and end the heartbeats. */
void physical_leave(void);

/* As physical_start, without heartbeats, for a search of this process for its image; then
 * physical_listen_no_more, from which on no rank connects to this one: what has come to the
 * listening socket waits there. 0, or the errors of the first. */
int physical_start_search(void);
int physical_listen_no_more(void);

/* End the threads and close everything but the control socket, with TP_KEEP_LISTENER also but the
 * listening one. Not with the engine's lock held. */
void physical_drop(struct tp *tp, enum tp_end how);

/* What was learnt is freed, but for the control socket. */
void physical_unlearn(void);

/* Before an image of this process is taken, when the library's threads have ended: what a process
 * that wakes up from the image cannot find out by itself is noted. The program's clock stands until
 * physical_go_on, so that no thread reads more than the image has. */
void physical_note(void);

/*
 * Adds the descriptors that the library has open here: what an image leaves out. Between
 * physical_pause and physical_go_on, with the engine's lock held, and while the writer is not there
 * (ckpt_writer_wait). False: the list is incomplete, as memory is short, or what libevent has open
 * could not be told from what the program opened at the same moment; there is no image then. Not
 * among them: a file that a caller has open for itself, and memory of a window that ranks share,
 * which no image can hold.
 */
bool physical_descriptors(struct descriptor_list *list);

/*
 * In a process that woke up from that image, first of all: its threads, descriptors and locks are
 * not those of the image. Nothing is waited for, sent or closed. libevent knows descriptors by
 * their old numbers, so it comes before the library opens any. The program's clock goes
 * on from physical_note. Then physical_learn_again and physical_build, as in a new process. With
 * the engine's lock held: the program's other threads run already. What physical_build has made is
 * forgotten before (physical_forget_built).
 */
void physical_forget(void);

/* Nothing but numbers and addresses is left of what physical_build has made: it is dropped without
 * closing, unmapping or joining anything. The calling thread is inside a call and holds the
 * engine's lock, which is not let go. alone: as in engine_forget. */
void physical_forget_built(struct tp *tp, bool alone);

/* This process cannot take part in the job: a sentence, a message to the launcher, status 1. */
_Noreturn void physical_give_up(const char *why);

/* The same, unless rc is FT_ENOMEM or FT_ESYS, what may be otherwise at the next start: then the
 * process ends so that the launcher begins all ranks again (process_die_for_now). */
_Noreturn void physical_give_up_for(int rc, const char *why);

#endif
