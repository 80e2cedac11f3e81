# SPDX-License-Identifier: BSD-3-Clause
"""Every call of ftmpi.py, and what it refuses. MPI is called by ctypes alone, as in a program without mpi4py."""
import array
import re
import weakref

import numpy

import ftmpi

ERR_ARG, ERR_TRUNCATE, ERR_OTHER = 13, 15, 16
wrong = []


def expect(name, got, wanted):
    if got != wanted or type(got) is not type(wanted):
        wrong.append("%s: %r, not %r" % (name, got, wanted))


def refuses(pattern, call, *arguments, code=None, **named):
    """One sentence, on one line, that begins with the call and matches."""
    try:
        got = call(*arguments, **named)
    except ftmpi.Error as error:
        if not re.fullmatch("ftmpi\\.[\\w.]+(?:\\(-?\\d+\\))?: " + pattern, str(error)) or error.code != code:
            wrong.append("%s: %r, %r" % (pattern, str(error), error.code))
    else:
        wrong.append("%s: returned %r" % (pattern, got))


def outside(pattern):
    refuses(pattern, ftmpi.protect, 0, bytearray(8), code=ERR_OTHER)
    refuses(pattern, ftmpi.unprotect, 0, code=ERR_OTHER)
    refuses(pattern, ftmpi.State, 0, step=1, code=ERR_OTHER)
    refuses(pattern, ftmpi.set_coordination, "blocking", code=ERR_OTHER)
    refuses(pattern, ftmpi.progress, 0.5, code=ERR_OTHER)
    refuses(pattern, ftmpi.buffer_alloc, 8, code=ERR_OTHER)
    refuses(pattern, ftmpi.buffer_resize, 8, code=ERR_OTHER)
    refuses(pattern, ftmpi.buffer_seek, 0, code=ERR_OTHER)
    refuses(pattern, ftmpi.buffer_write, b"1", code=ERR_OTHER)
    refuses(pattern, ftmpi.buffer_read, 1, code=ERR_OTHER)
    for call in (ftmpi.restore, ftmpi.due, ftmpi.checkpoint, ftmpi.wait, ftmpi.restart_count, ftmpi.buffer_free):
        refuses(pattern, call, code=ERR_OTHER)


def ids():
    for id in (-1, 65536, 1.0, "1", None, True):
        refuses(r"the id .* is not a whole number from 0 to 65535", ftmpi.protect, id, bytearray(8))
        refuses(r"the id .* is not a whole number from 0 to 65535", ftmpi.unprotect, id)
        refuses(r"the id .* is not a whole number from 0 to 65535", ftmpi.State, id)
    ftmpi.protect(ftmpi.ID_MAX, bytearray(8))
    ftmpi.unprotect(ftmpi.ID_MAX)
    refuses("nothing is protected under this id", ftmpi.unprotect, ftmpi.ID_MAX, code=ERR_ARG)
    ftmpi.protect(numpy.int64(7), bytearray(8))
    ftmpi.unprotect(7)


def memories():
    a = numpy.zeros((6, 8))
    refuses(r"the array does not lie in one piece \(shape \(6,\), strides \(64,\)\): .*ascontiguousarray", ftmpi.protect, 1, a[:, 0])
    refuses(r"the array does not lie in one piece .*", ftmpi.protect, 1, a[::2])
    refuses(r"an array of Python objects \(dtype object\) .*ftmpi\.State.*", ftmpi.protect, 1, numpy.array([None, {}]))
    refuses(r"an array of Python objects .*", ftmpi.protect, 1, numpy.zeros(3, dtype=[("x", "f8"), ("y", "O")]))
    refuses(r"a masked array has two arrays: .*", ftmpi.protect, 1, numpy.ma.zeros(3))
    fixed = numpy.zeros(3)
    fixed.flags.writeable = False
    refuses(r"the array is read-only, .*", ftmpi.protect, 1, fixed)
    refuses(r"the memory of type bytes is read-only, .*bytearray", ftmpi.protect, 1, b"1234")
    refuses(r"the memory of type memoryview does not lie in one piece .*", ftmpi.protect, 1, memoryview(bytearray(8))[::2])
    for value in (5, 1.5, "text", None, [1, 2], {"x": 1}):
        refuses(r"an object of type \w+ has no memory to protect: .*ftmpi\.State", ftmpi.protect, 1, value)
    for good in (a, a.T, a[2:4], numpy.zeros(()), numpy.zeros(0), numpy.zeros((0, 5)), numpy.zeros(3, dtype="M8[s]"),
                 numpy.zeros(2, dtype=[("x", "f8"), ("y", "i4")]), numpy.matrix([[1, 2]]), bytearray(5), bytearray(),
                 array.array("d", [1, 2]), memoryview(bytearray(4))):
        ftmpi.protect(1, good)
    data = bytearray(4)
    ftmpi.protect(1, data)
    try:
        data.append(0)
        wrong.append("a protected bytearray becomes longer")
    except BufferError:
        pass
    ftmpi.unprotect(1)
    data.append(0)
    lent = weakref.ref(a)
    ftmpi.protect(1, a)
    del a, good
    expect("an array that only the module has", lent() is not None, True)
    ftmpi.unprotect(1)
    expect("... is gone when it is not protected", lent() is None, True)


def states():
    refuses(r"the limit 0 is not a whole number of bytes", ftmpi.State, 2, limit=0)
    refuses(r"the limit '9' is not a whole number of bytes", ftmpi.State, 2, limit="9")
    refuses(r"the attribute _x is not saved, .*underscore", ftmpi.State, 2, _x=1)
    state = ftmpi.State(2, limit=200, step=5)
    expect("an attribute", state.step, 5)
    expect("as text", repr(state), "ftmpi.State(2): {'step': 5}")
    state.text = "x" * 300
    refuses(r"it takes 3\d\d bytes, and its limit is 200: make it with limit=3\d\d or more, .*", ftmpi.checkpoint)
    state.text = lambda: 0
    refuses(r"it cannot be saved: \w+: .*", ftmpi.checkpoint)
    del state.text
    expect("a checkpoint with a state", ftmpi.checkpoint(), ftmpi.CHECKPOINTED)
    # the id is of an array now, and the state is not pickled any more
    state.text = "x" * 300
    ftmpi.protect(2, bytearray(8))
    expect("a checkpoint without", ftmpi.checkpoint(), ftmpi.CHECKPOINTED)
    ftmpi.unprotect(2)


def buffer():
    refuses("there is no data buffer: .*", ftmpi.buffer_write, b"1", code=1)
    refuses("there is no data buffer, .*", ftmpi.buffer_read, 1)
    refuses("there is no data buffer, .*", ftmpi.buffer_seek, 0)
    ftmpi.buffer_free()
    refuses("a size is negative", ftmpi.buffer_alloc, -1, code=ERR_ARG)
    refuses("1.5 is not a whole number", ftmpi.buffer_alloc, 1.5)
    refuses(r"\d+ has more than 64 bits", ftmpi.buffer_alloc, 2**64)
    ftmpi.buffer_alloc(16)
    ftmpi.buffer_write(numpy.arange(1, dtype="i8"))
    ftmpi.buffer_write(b"abc")
    refuses("fewer than 6 bytes are left in the data buffer", ftmpi.buffer_write, b"abcdef", code=ERR_TRUNCATE)
    refuses("an object of type int has no bytes to copy", ftmpi.buffer_write, 5)
    refuses("fewer than 6 bytes are left in the data buffer", ftmpi.buffer_read, 6, code=ERR_TRUNCATE)
    refuses("fewer than %d bytes are left in the data buffer" % 2**62, ftmpi.buffer_read, 2**62, code=ERR_TRUNCATE)
    refuses("a size is negative", ftmpi.buffer_read, -1, code=ERR_ARG)
    expect("where it was", ftmpi.buffer_seek(8), 11)
    expect("what was written", ftmpi.buffer_read(3), b"abc")
    ftmpi.buffer_resize(12)
    expect("where it is", ftmpi.buffer_seek(1, ftmpi.SEEK_END), 11)
    expect("one from the end", ftmpi.buffer_seek(0, ftmpi.SEEK_CUR), 11)
    refuses("there is no data buffer, or the place 13 lies outside of it", ftmpi.buffer_seek, 13)
    ftmpi.buffer_free()


def lines():
    expect("due without an interval", ftmpi.due(), False)
    expect("the first run", ftmpi.restart_count(), 0)
    expect("a checkpoint", ftmpi.checkpoint(), ftmpi.CHECKPOINTED)
    expect("waiting", ftmpi.wait(), ftmpi.CHECKPOINTED)
    refuses("'chance' is not .*", ftmpi.set_coordination, "chance", code=ERR_ARG)
    refuses('5 is not "blocking", .*', ftmpi.set_coordination, 5)


def progress():
    for fraction in (0, 1, 0.5, numpy.float32(0.25), numpy.int64(1), numpy.ones(1)[0]):
        expect("a fraction", ftmpi.progress(fraction), None)
    for fraction in (-0.1, 1.5, 2, float("nan"), float("inf")):
        refuses(r"\S+ is not a number from 0 to 1", ftmpi.progress, fraction, code=ERR_ARG)
    for fraction in (True, "0.5", b"0", None, 1j, [0.5], numpy.zeros(2), 10**400):
        refuses(r"(?s:.+) is not a number from 0 to 1", ftmpi.progress, fraction)
    for text in (None, "", "words", "w\u00f6rter" * 40, "\ud800", "a\0b"):
        expect("a text", ftmpi.progress(0.5, text), None)
    for text in (b"words", 5, ["words"]):
        refuses(r"the text .* is not a str", ftmpi.progress, 0.5, text)


mpi = ftmpi.library()
if not re.fullmatch(r"FTMPI \d+\.\d+\.\d+ \(MPI 5\.0 ABI 1\.0\)", ftmpi.version()):
    wrong.append("the version is " + ftmpi.version())
outside("MPI_Init was not called before: import mpi4py.MPI first, .*")
mpi.MPI_Init(None, None)
expect("nothing to restore", ftmpi.restore(), ftmpi.NOTHING)
ids()
memories()
states()
buffer()
lines()
progress()
mpi.MPI_Finalize()
outside("MPI_Finalize was called before")
print("\n".join(wrong) or "calls: all right", flush=True)
