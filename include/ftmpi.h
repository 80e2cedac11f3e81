/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FTMPI: MPI 5.0 (mpi.h) and what this library adds to it. A program that includes mpi.h alone uses
 * nothing but the standard.
 */
#ifndef FTMPI_INCLUDE_FTMPI_H
#define FTMPI_INCLUDE_FTMPI_H

#include "mpi.h"

/* The version of this library. */
#define FTMPI_VERSION "0.1.0"
#define FTMPI_VERSION_MAJOR 0
#define FTMPI_VERSION_MINOR 1
#define FTMPI_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Checkpoints by the program's own hand. A program names what it needs to go on: variables and
 * arrays (FTMPI_CKPT_Protect), or whatever it packs into the data buffer (FTMPI_CKPT_AddToBuffer).
 * FTMPI_Perform_Checkpoint saves both, on all ranks: one recovery line. After a failure every rank
 * runs from main again, and FTMPI_Restore gives them back.
 * The calls with a capital after FTMPI_ are those of the FTMPI report (sections 3.2.5 and 3.3.6),
 * which failed silently where these return an error; sizes have 64 bits.
 *
 * How ranks come to a line is the protocol's affair (`ftmpirun -coord NAME`, or
 * FTMPI_CKPT_Set_coordination). Under "blocking" all ranks stop, save and go on together. Under
 * "eventlog" and "tagging" nobody waits: a rank copies its state and goes on; the copy is written
 * meanwhile, with the messages that turn out to belong to the line.
 *
 * In a job of `ftmpirun -image` lines hold whole processes, and no call is needed. A program that
 * has these calls may keep them: FTMPI_Perform_Checkpoint returns FTMPI_RESTORED in the process that
 * goes on from the line, with all variables as they were; FTMPI_Restore has nothing to restore, and
 * FTMPI_Checkpoint_due is not true by time, as lines by time are made without it. Under "blocking"
 * lines by time are written while the program runs; FTMPI_Perform_Checkpoint waits until its line is
 * committed, and before it for one by time that is still being written.
 *
 * Thread rule for all of them: between MPI_Init and MPI_Finalize, or while there is a session, by any
 * one thread at a time, no other thread being inside an MPI or FTMPI call. What is said of
 * MPI_Init and MPI_Finalize holds for the first session and the exit of a program of sessions. Unless
 * said otherwise these calls return MPI_SUCCESS or an MPI error class (MPI_Error_class of it is itself)
 * and call no error handler.
 */

/* A call after which data would be missing in a recovery line, or wrong, if it fails: the compiler warns
 * when its result is not looked at. FTMPI_NO_WARN_UNUSED before the #include switches that off; what
 * fails is told on standard error in any case, the first failure of each such call. */
#if defined(__GNUC__) && !defined(FTMPI_NO_WARN_UNUSED)
#define FTMPI_MUST_LOOK __attribute__((warn_unused_result))
#else
#define FTMPI_MUST_LOOK
#endif

/* What FTMPI_Perform_Checkpoint, FTMPI_CKPT_Wait and FTMPI_Restore return. */
#define FTMPI_CHECKPOINTED 0 /* the line is committed; Perform_Checkpoint that does not wait: captured */
#define FTMPI_RESTORED 1     /* buffer and protected variables are those of the line restored */
#define FTMPI_CKPTERROR 2    /* no line was made; the one before it stays; the program may go on */
#define FTMPI_NOTHING 3	     /* FTMPI_Restore: there is nothing to restore, begin at the beginning */

/* How FTMPI_CKPT_SeekBufPtr counts. */
#define FTMPI_SEEK_SET 0 /* from the beginning */
#define FTMPI_SEEK_CUR 1 /* from the current position */
#define FTMPI_SEEK_END 2 /* back from the end */

/* Largest id of a protected variable. */
#define FTMPI_CKPT_ID_MAX 65535

/*
 * Make a recovery line of all ranks of MPI_COMM_WORLD. Every rank has to call it as often as the
 * others: the i-th calls of all ranks are one line. Saves the data buffer, the protected variables,
 * and every message that its sender sent before its call and its receiver receives after its own.
 * Requests may be open; after a restore an unfinished receive is posted again by the program, an
 * unfinished send is not. Unfinished collective operations of a communicator are begun again, in the
 * same order and with the same arguments, before others of that kind; they go on where they were. Of
 * their buffers the program restores what it has to give; what they have written so far the line has
 * itself. Persistent collective requests that were there are made again, before or after the restore,
 * in the same order, and those that were active are started again; of those that are made before the
 * restore datatypes and operators are not freed before it.
 *
 * In a job that was restarted the latest line is restored by FTMPI_Restore, which waits for all ranks
 * under every protocol. Under "blocking" the first FTMPI_Perform_Checkpoint does so instead, if it
 * comes first. Under "eventlog" and "tagging" the ranks come to that at different steps, so there
 * FTMPI_Restore has to be called before, also in the first run: rank 0 says so at the first line if it
 * was not, and a restarted job ends with a sentence.
 *
 * In a job of `ftmpirun -coord msglog`, without -image, there are no lines: each rank makes its own
 * checkpoints, as often and whenever it calls, and goes on from its own latest one, alone, as
 * FTMPI_Restore returns (doc/msglog.md). Nothing that depends on whether and when there was a
 * checkpoint, as on this result or on FTMPI_Checkpoint_due, may be saved or sent: a rank that runs
 * again makes others. FTMPI_CHECKPOINTED: it is captured, and FTMPI_CKPT_Wait waits until it is
 * durable. FTMPI_Restore has to be called before, also in the first run. FTMPI_CKPTERROR: there is
 * none. Standard error says why, once, where the program can do something about it: a receive was
 * cancelled and not completed, or something is open of a communicator that was freed, or the program
 * has a distributed graph that it made after FTMPI_Restore, or has made a partitioned request after
 * it; nothing is said while the one before is
 * written, or this rank runs again. What is open the program has again as below, alone: the calls that
 * make communicators ask no other rank then, and are left out where they gave MPI_COMM_NULL; of
 * receives for one source, tag and communicator the order is that in which they were posted; and
 * where a call names some of several requests, or tells whether all are done (MPI_Waitany,
 * MPI_Testsome, MPI_Testall), they are in their old places, and none is of a send that was open, as
 * this program does not have it: sends are over when the call returns, though their receives may not
 * be posted, unless it is FTMPI_CKPTERROR for one of the reasons above. doc/msglog.md has it kind by
 * kind. With -image nothing is saved by this call.
 *
 * What is open across a line, call by call. Of MPI_Isendrecv the receive is posted again, alone. A
 * message that MPI_Mprobe has found and that was not received is to be found again: its handle is
 * void. A partitioned send was sent if its last partition was ready; else it is started again, and
 * the partitions that were ready are made so again. Of partitioned requests as many are made again as
 * before, those that were freed included; under "msglog" all are made before FTMPI_Restore. A
 * generalised request is the program's own affair: it is started again. Attributes, names, info hints
 * and error handlers are set again.
 * Communicators: those that the program makes before its FTMPI_Restore are made as in the first run.
 * Others that it had are made again in the same order, those that were freed left out, before others
 * of the same processes, and before operations of theirs or the next line; by MPI_Comm_dup what
 * MPI_Comm_idup had made, as long as other copies are to be begun again. They may be made of any
 * communicator under "blocking"; see below for the others.
 *
 * "blocking": collective over MPI_COMM_WORLD. Returns the same on every rank: FTMPI_CHECKPOINTED:
 * the line is committed; FTMPI_RESTORED; FTMPI_CKPTERROR when the line could not be written (the
 * reason is on standard error of the rank that met it) or when another thread is inside MPI.
 *
 * "eventlog", "tagging": local; the time it takes is that of a copy. FTMPI_CHECKPOINTED: this rank's
 * part is captured. The line is committed when all ranks have made their call and what they captured
 * is written; the program is not told, but may ask (FTMPI_CKPT_Wait). Ranks may be ahead of others
 * by any number of lines. FTMPI_CKPTERROR: this rank had no memory for the copy, or holds as many
 * as it may, or another thread is inside MPI: the line is given up on all ranks. (A part that cannot
 * be written later gives it up as well, with the reason on standard error.) The next call makes the
 * next line all the same.
 * A rank holds four copies of its state at most, or as many as take less than 64 MiB (never more
 * than 64), until they are written: that is when all ranks have made their calls and the disk has
 * come to it. Asked faster than that, the call does not wait, but makes a line of every second call,
 * of every fourth, and so on, and returns FTMPI_CKPTERROR for the others; standard error says so
 * once. FTMPI_Checkpoint_due asks no faster than that. Messages that come meanwhile from ranks that
 * have not made their call yet, and that the program receives, are copied as well: when these copies
 * take more than 256 MiB and more than the state, the lines that they may belong to are given up.
 * What these two ask of a program beyond "blocking":
 *  - A communicator is made and freed on the same side of each line by all its members: between its
 *    i-th and its (i+1)-th call on all of them; and MPI_Comm_idup is finished there, too, or open on
 *    all of them. One that may have to be made again after FTMPI_Restore is made of a communicator
 *    that the program uses for nothing else.
 *  - What a rank sends after its call, and others received before theirs, is sent again after a
 *    restore and thrown away, so it has to be the same, byte for byte, padding included. What a rank
 *    sends, to whom, with which tag and in which order, must follow from what it has saved and what
 *    it has received since: not from clocks, addresses, random numbers whose state is not saved, or
 *    memory that was never written; and not from which of several messages came first. That can be
 *    seen by MPI_ANY_SOURCE and MPI_ANY_TAG, MPI_Waitany, MPI_Waitsome, MPI_Test and its like,
 *    MPI_Iprobe, MPI_Improbe and MPI_Parrived: a program may use them where what it sends does not
 *    depend on their results. A master that deals tasks to whoever asks first is not of that kind,
 *    and needs "blocking".
 *    It is checked: what comes again is compared with what was received, and when it is another
 *    message, or has not come again by MPI_Finalize, the job ends with a sentence that names the
 *    ranks. No wrong answer comes of it then; but the lines made so far are of no use.
 *
 * Windows (MPI_Win_create and the others): under "blocking" no epoch may be open on any rank: none
 * that MPI_Win_lock, MPI_Win_start or MPI_Win_post has begun, and since the last MPI_Win_fence no
 * operation; else every rank gets FTMPI_CKPTERROR, with a sentence on standard error. Between epochs
 * all effects of operations are in the targets' memory, which is saved as any memory is
 * (FTMPI_CKPT_Protect); after a restore the program makes its windows again. "eventlog" and
 * "tagging": FTMPI_CKPTERROR while this rank has a window; and a line is given up, with the reason on
 * standard error, when a window was made and freed before it on some ranks and after it on others.
 *
 * Before MPI_Init or after MPI_Finalize: FTMPI_CKPTERROR. Source: FTMPI report 3.2.5.
 */
int FTMPI_Perform_Checkpoint(void);

/*
 * Wait until the lines that this rank has begun are committed or given up. Collective over
 * MPI_COMM_WORLD in effect: it waits for ranks that have not made their calls yet. Returns
 * FTMPI_CHECKPOINTED: the latest line is committed, or this rank has begun none;
 * FTMPI_CKPTERROR: it was given up, or outside MPI_Init .. MPI_Finalize. Under "blocking" it returns
 * at once what FTMPI_Perform_Checkpoint has returned; in a job of `ftmpirun -image` it waits for the
 * line that is being written, and tells of the latest. In a job of `ftmpirun -coord msglog` without
 * -image it is local, and tells of this rank's own checkpoint. MPI_Finalize waits for lines that all
 * ranks have begun; the call is for programs that want to be sure before that.
 */
int FTMPI_CKPT_Wait(void);

/*
 * Ask for a protocol: "blocking", "eventlog" or "tagging". All ranks ask for the same one, once, before
 * their first FTMPI_Perform_Checkpoint. It has effect under `ftmpirun -coord auto` (without it that
 * means eventlog); when another protocol was chosen at launch, that stays, and this is no error.
 * Local. Errors: MPI_ERR_ARG (NULL, or no protocol of that name), MPI_ERR_OTHER (another one is in
 * use already, or outside MPI_Init .. MPI_Finalize).
 */
int FTMPI_CKPT_Set_coordination(const char *name);

/*
 * Give back the latest recovery line, if this job was restarted from one and has not got it yet.
 * Collective over MPI_COMM_WORLD when there is something to restore, local otherwise. Messages that
 * were sent since MPI_Init and not received are thrown away; those that the line holds are there to
 * be received. Returns FTMPI_RESTORED, FTMPI_NOTHING, or FTMPI_CKPTERROR outside MPI_Init ..
 * MPI_Finalize. A job none of whose lines is whole is ended with a sentence.
 * In a job of `ftmpirun -coord msglog`, without -image, it is local, and gives back this rank's own
 * checkpoint. What the program does before the call it does again when it comes back, and what others
 * sent it then comes again. All ranks begin a collective operation before it, or all after it; no
 * receive may be posted that has no message, or this rank has no checkpoints, which is said. When it
 * returns FTMPI_RESTORED the program begins again what was open (see FTMPI_Perform_Checkpoint), and
 * the next call of MPI has to be the one that followed the checkpoint: other ranks have not come
 * back, so a barrier here would wait for them for ever. `ftmpirun -verify-replay` tells of a program
 * that does otherwise. What all ranks do once,
 * as they begin their work, is left out then, or done before FTMPI_Restore.
 *
 * What is open across the call when a line is restored: collective operations, and operations on
 * windows, are ended by it, before anything is given back; the program waits for them as usual. So
 * all members of a communicator begin such an operation before their FTMPI_Restore, or all after it:
 * else the job is ended with a sentence. A receive that has met its message, also within the call,
 * is ended with it; one that has not stays, and takes the next one, of the line or later. Epochs of
 * windows stay open. All this belongs to the first part of the program, and to no line: what was open
 * in the line is begun again after the call, as FTMPI_Perform_Checkpoint has it. A job with a thread
 * inside an MPI call is ended with a sentence.
 */
int FTMPI_Restore(void);

/*
 * Is it time for a checkpoint? *flag: 1 when `ftmpirun -ckpt-interval S` was given and S seconds have
 * gone by since the last line or the start, else 0. Errors: MPI_ERR_ARG (flag is NULL), MPI_ERR_OTHER
 * (outside MPI_Init .. MPI_Finalize).
 *
 * "blocking": collective over MPI_COMM_WORLD; the same on every rank. With `-coord msglog` local: not
 * while the checkpoint before is written, nor while this rank does again what it had done before it
 * failed. "eventlog", "tagging": local; each rank is told once for each line, at a moment of its own,
 * and not before its part of the last line is written (S seconds may be too short for the disk). So under every protocol this is right:
 * `if (flag) FTMPI_Perform_Checkpoint();`, with nothing collective in that branch.
 */
int FTMPI_Checkpoint_due(int *flag);

/* *count: how often this job was restarted, 0 in the first run; with `-coord msglog` how often this
 * rank was, which must not change what it sends. Local. Errors: MPI_ERR_ARG, MPI_ERR_OTHER. */
int FTMPI_Get_restart_count(int *count);

/*
 * Tell how far this rank's program has come: `ftmpirun -progress`, `ftmpi-top` and the record of the job
 * show what some rank has told last. fraction: of the whole, from 0 to 1. text: NULL, or a few words, of
 * which 63 bytes are shown. Local; it waits for nothing. Of calls that follow each other within half a second the
 * first one counts, and the first whose fraction is 1; so a program may call it in each step. Nothing that is
 * saved or sent depends on it. Thread rule: between MPI_Init and MPI_Finalize, by any thread at any time.
 * Errors: MPI_ERR_ARG (fraction is not from 0 to 1), MPI_ERR_OTHER (outside MPI_Init .. MPI_Finalize).
 */
int FTMPI_Progress(double fraction, const char *text);

/*
 * From now on the `count` elements of `datatype` at addr are saved by each checkpoint and loaded by a
 * restore, under this id (0 .. FTMPI_CKPT_ID_MAX). Local; ids and sizes may differ between ranks.
 * addr stays the program's, and must stay valid until FTMPI_CKPT_Unprotect or MPI_Finalize. An id
 * that is already protected is given its new place. When the line that was restored holds this id
 * and it has not been loaded yet, it is loaded now; so an array whose size was itself restored can
 * be allocated first. Memory that was freed all the same makes the next FTMPI_Perform_Checkpoint fail,
 * with a sentence that names the id, if the system has taken it back. Errors: MPI_ERR_ARG (id, NULL
 * address), MPI_ERR_COUNT (negative), MPI_ERR_TYPE (null, not committed), MPI_ERR_SIZE (the line holds
 * another number of bytes), MPI_ERR_NO_MEM, MPI_ERR_OTHER (outside MPI_Init .. MPI_Finalize).
 */
int FTMPI_CKPT_Protect(int id, void *addr, MPI_Count count, MPI_Datatype datatype) FTMPI_MUST_LOOK;

/* Forget this id. Errors: MPI_ERR_ARG when it is not protected. */
int FTMPI_CKPT_Unprotect(int id);

/*
 * The data buffer: a random access file in memory, saved by each checkpoint, there again after a
 * restore with its size and its pointer at 0. One per process. Sizes and offsets are bytes.
 * Source: FTMPI report 3.2.5.
 */

/* Make the buffer, of dsize bytes, zeroed; an existing one is replaced. Errors: MPI_ERR_ARG
 * (negative), MPI_ERR_NO_MEM (an existing buffer stays). */
int FTMPI_CKPT_AllocBuffer(MPI_Count dsize) FTMPI_MUST_LOOK;

/* Change its size; what fits stays, new bytes are zero, a pointer beyond the end moves to the end.
 * Without a buffer: as AllocBuffer. Errors: MPI_ERR_ARG, MPI_ERR_NO_MEM (it stays as it was). */
int FTMPI_CKPT_ReAllocBuffer(MPI_Count dsize) FTMPI_MUST_LOOK;

/* Free it. Without a buffer: nothing happens. */
int FTMPI_CKPT_DeAllocBuffer(void);

/* The pointer to the beginning. Errors: MPI_ERR_BUFFER (there is no buffer). */
int FTMPI_CKPT_ResetBufPtr(void);

/* Move the pointer; returns where it was, or -1 when the new place would lie outside the buffer, how
 * is unknown, or there is no buffer (nothing moves then). SeekBufPtr(0, FTMPI_SEEK_CUR) tells the
 * position. */
MPI_Count FTMPI_CKPT_SeekBufPtr(MPI_Count offset, int how);

/* Copy vsize bytes at the pointer from var into the buffer, or from the buffer to var; the pointer
 * moves on. Errors: MPI_ERR_ARG (negative, NULL), MPI_ERR_BUFFER (there is no buffer),
 * MPI_ERR_TRUNCATE (fewer bytes are left: nothing is copied). */
int FTMPI_CKPT_AddToBuffer(const void *var, MPI_Count vsize) FTMPI_MUST_LOOK;
int FTMPI_CKPT_GetFromBuffer(void *var, MPI_Count vsize) FTMPI_MUST_LOOK;

/* The report spells these names in two ways. */
#define FTMPI_CHKPT_AllocBuffer FTMPI_CKPT_AllocBuffer
#define FTMPI_CHKPT_ReAllocBuffer FTMPI_CKPT_ReAllocBuffer
#define FTMPI_CHKPT_DeAllocBuffer FTMPI_CKPT_DeAllocBuffer
#define FTMPI_CHKPT_ResetBufPtr FTMPI_CKPT_ResetBufPtr
#define FTMPI_CHKPT_SeekBufPtr FTMPI_CKPT_SeekBufPtr
#define FTMPI_CHKPT_AddToBuffer FTMPI_CKPT_AddToBuffer
#define FTMPI_CHKPT_GetFromBuffer FTMPI_CKPT_GetFromBuffer
#define FTMPI_CHKPTERROR FTMPI_CKPTERROR
#define FTMPISEEK_SET FTMPI_SEEK_SET
#define FTMPISEEK_CUR FTMPI_SEEK_CUR
#define FTMPISEEK_END FTMPI_SEEK_END

#ifdef __cplusplus
}
#endif

#endif
