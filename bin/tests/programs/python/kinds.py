# SPDX-License-Identifier: BSD-3-Clause
"""Everything that ftmpi.py can protect comes back: the last rank kills itself after a line, with all changed since. kinds.py [late | other |
gone]: the arrays are protected after ftmpi.restore(); an array has another size then; an object of a class that is not there any more."""
import os
import signal
import sys

import numpy
from mpi4py import MPI

import ftmpi

how = sys.argv[1] if len(sys.argv) > 1 else ""
world = MPI.COMM_WORLD
rank, last = world.Get_rank(), world.Get_rank() == world.Get_size() - 1
again = ftmpi.restart_count() > 0


def ended(kind, error, trace):
    """As `python3 -m mpi4py` does: MPI_Finalize would wait for the others, and they for this rank."""
    print("rank %d: %s" % (rank, error), flush=True)
    world.Abort(3)


sys.excepthook = ended


class Point:
    """Pickled by name."""

    def __init__(self, x):
        self.x = x


def memories(factor):
    grid = numpy.arange(12.0).reshape(3, 4) * factor + rank
    records = numpy.zeros(2, dtype=[("x", "f8"), ("n", "i2")])
    records["x"], records["n"] = 0.5 * factor, factor
    return [grid, numpy.asfortranarray(grid), records, numpy.array(["2026-01-01", "NaT"], dtype="M8[D]") + factor,
            bytearray(b"%d of rank %d" % (factor, rank)), numpy.zeros((0, 3)), numpy.full((rank + 1) * 100000, factor, dtype="u1")]


def bytes_of(memory):
    return bytes(memory) if isinstance(memory, bytearray) else memory.tobytes("K")


state = ftmpi.State(0, step=0, words=["none"], extra=1)
here = memories(2)
if how != "late":
    for id, memory in enumerate(here, 1):
        ftmpi.protect(id, memory)
result = ftmpi.restore()
if how == "other" and again:
    try:
        ftmpi.protect(9, bytearray(5))
    except ftmpi.Error as error:
        print("rank %d: %s, %d" % (rank, error, error.code), flush=True)
if how == "gone" and again:
    del Point
late = ftmpi.State(8, point=None)
if how == "late":
    for id, memory in enumerate(here, 1):
        ftmpi.protect(id, memory)

if not again:
    state.step, state.words = 7, ["a", ("b", numpy.float64(rank))]
    del state.extra
    late.point = Point(3) if how == "gone" else {"x": 3}
    for memory, wanted in zip(here, memories(5)):
        memory[:] = wanted
    if how == "other":
        ftmpi.protect(9, bytearray(4))
    ftmpi.buffer_alloc(100)
    ftmpi.buffer_write(b"rank %d" % rank)
    made = ftmpi.checkpoint()
    made = ftmpi.wait() if made == ftmpi.CHECKPOINTED else made
    print("rank %d: %s" % (rank, made.name), flush=True)
    state.step, state.words, late.point = 8, [], None
    for memory, wanted in zip(here, memories(6)):
        memory[:] = wanted
    world.Barrier()
    if last:
        os.kill(os.getpid(), signal.SIGKILL)
    world.Barrier()    # which is not over before the last one has come back
else:
    wrong = [str(id) for id, (memory, wanted) in enumerate(zip(here, memories(5)), 1) if bytes_of(memory) != bytes_of(wanted)]
    if (state.step, state.words, hasattr(state, "extra"), late.point) != (7, ["a", ("b", float(rank))], False, {"x": 3}):
        wrong.append(repr((state, late)))
    if ftmpi.buffer_seek(0) or ftmpi.buffer_read(6) != b"rank %d" % rank or ftmpi.buffer_seek(0, ftmpi.SEEK_END) != 6:
        wrong.append("the data buffer")
    print("rank %d: %s, %s" % (rank, result.name, ", ".join(wrong) or "all as it was"), flush=True)
    world.Barrier()
    world.Barrier()
