#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a rod: each rank has a part of the cells and exchanges its ends with its neighbours.

    export PYTHONPATH=/usr/local/share/ftmpi/python
    ftmpirun -progress -ckpt-interval 1 -workdir work -n 4 python3 heat.py 200000

It needs numpy, and mpi4py built for FTMPI (doc/python.md). Kill a rank (kill -9) after a second or two: the
job comes back, and the answer is the same.
"""
import sys

import numpy
from mpi4py import MPI

import ftmpi

CELLS = 1000
world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
left = rank - 1 if rank > 0 else MPI.PROC_NULL
right = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200000

rod = (rank * CELLS + numpy.arange(CELLS + 2)) % 100.0
state = ftmpi.State(0, step=0)
ftmpi.protect(1, rod)
if ftmpi.restore() == ftmpi.RESTORED and rank == 0:
    print("heat goes on at step", state.step, flush=True)

while state.step < steps:
    world.Sendrecv(rod[1:2], left, 0, rod[-1:], right, 0)
    world.Sendrecv(rod[-2:-1], right, 1, rod[:1], left, 1)
    # into the array that is protected: rod = ... would make another one
    rod[1:-1] = 0.25 * rod[:-2] + 0.5 * rod[1:-1] + 0.25 * rod[2:]
    state.step += 1
    if state.step % 100 == 0:
        ftmpi.progress(state.step / steps, "heating")  # for -progress, and ftmpi-top
    if ftmpi.due() and ftmpi.checkpoint() == ftmpi.CKPTERROR:  # -ckpt-interval has gone by
        print("heat: no checkpoint at step", state.step, "- it goes on", file=sys.stderr)

heat = numpy.array([rod[1:-1].sum()])
everywhere = numpy.zeros(1)
world.Reduce(heat, everywhere, MPI.SUM, 0)
if rank == 0:
    print("after %d steps the rod has %.9f" % (steps, everywhere[0]))
