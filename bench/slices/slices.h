/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it costs to log messages, in one process: a run is cut into short slices, and the library
 * tells the protocol of the messages of one of each two and not of the other, as chance has it. So
 * whatever drifts counts for both, and nothing else differs: not the process, nor where its memory
 * lies, nor the moment. This is linked with the library's own objects, to get at the place where
 * the protocol is told; lines must not be made meanwhile.
 */
#ifndef FTMPI_SLICES_H
#define FTMPI_SLICES_H

/* At most so many slices. Collective. */
void slices_begin(int most);

/* A slice ends here, the next one begins. All ranks are to come here at the same point of the
 * program. `now` is in seconds, of a clock or of the processors. The first call begins
 * the first slice. */
void slices_turn(double now);

/* Collective, after the last one. Rank 0 prints "slices ON OFF": seconds of eight slices with
 * logging and without, summed over the ranks: the median of those without, and that times the
 * median of the ratios of each eight to those among them. */
void slices_say(void);

#endif
