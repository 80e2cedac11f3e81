# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a rod, as examples/heat.py, without a call of FTMPI: for ftmpirun -image. rod.py STEPS [FILE]: after half of the steps
all wait until rank 0 finds this FILE, so that lines can be made and ranks be killed."""
import os
import random
import sys
import threading

import numpy
from mpi4py import MPI

CELLS = 1000
world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
left = rank - 1 if rank > 0 else MPI.PROC_NULL
right = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL
steps, file = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None

# What an interpreter has beside an array: objects, a generator of numbers, a thread that waits, a file that is open.
random.seed(rank)
seen = {}
wake = threading.Event()
waiter = threading.Thread(target=wake.wait)
waiter.start()
log = open("rod.%d" % rank, "w")

rod = (rank * CELLS + numpy.arange(CELLS + 2)) % 100.0
for step in range(steps):
    world.Sendrecv(rod[1:2], left, 0, rod[-1:], right, 0)
    world.Sendrecv(rod[-2:-1], right, 1, rod[:1], left, 1)
    rod[1:-1] = 0.25 * rod[:-2] + 0.5 * rod[1:-1] + 0.25 * rod[2:]
    if step % 100 == 0:
        seen[step] = random.random()
        rod[1] += seen[step]
        print(step, seen[step], file=log, flush=True)
    if file and step == steps // 2:
        print("rank %d waits" % rank, flush=True)
        there = numpy.zeros(1)
        while not there[0]:
            there[0] = os.path.exists(file)
            world.Bcast(there, 0)

wake.set()
waiter.join()
log.close()
heat = numpy.array([rod[1:-1].sum() + sum(seen.values())])
everywhere = numpy.zeros(1)
world.Reduce(heat, everywhere, MPI.SUM, 0)
if rank == 0:
    print("after %d steps the rod has %.9f, and %d numbers" % (steps, everywhere[0], len(seen)))
