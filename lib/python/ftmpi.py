# SPDX-License-Identifier: BSD-3-Clause
"""FTMPI's own calls (ftmpi.h) for Python: checkpoints by the program's own hand.

    from mpi4py import MPI                  # built for FTMPI: doc/python.md
    import ftmpi, numpy

    field = numpy.zeros(1000)
    state = ftmpi.State(0, step=0)          # small Python objects, by pickle
    ftmpi.protect(1, field)                 # an array, as it lies in memory
    ftmpi.restore()                         # after a failure: both are those of the latest line
    while state.step < 100000:
        compute(field)
        state.step += 1
        if ftmpi.due():                     # -ckpt-interval has gone by
            ftmpi.checkpoint()

    ftmpirun -n 4 -ckpt-interval 10 -workdir work python3 program.py

After a failure each rank runs its program again from the beginning, and restore() brings back what is
protected: the contents of the same arrays, and the attributes of the same State. What is said in ftmpi.h
(`man 3 FTMPI_Perform_Checkpoint`) of messages, requests, communicators and windows holds here, too: what a
line holds, and what the program begins again, is the same in every language.

The module calls libftmpi.so.0 through ctypes, in the copy that mpi4py uses; it has nothing to compile, and
needs neither mpi4py nor numpy to be imported. A process that was started without ftmpirun is a job of one rank, and has
checkpoints all the same. Calls release the interpreter's lock: no other thread may be inside an MPI or FTMPI
call but progress() meanwhile, nor change what is protected while checkpoint() or restore() runs.

All calls but library() and version() are for the time between MPI_Init (which importing mpi4py.MPI calls) and
MPI_Finalize, or while there is a session. Those that fail raise Error with one sentence. Source of all: ftmpi.h.
"""

import ctypes
import enum
import os
import pickle
import re
import sys

__all__ = ["CHECKPOINTED", "CKPTERROR", "Error", "ID_MAX", "NOTHING", "RESTORED", "Result", "SEEK_CUR", "SEEK_END", "SEEK_SET",
           "State", "buffer_alloc", "buffer_free", "buffer_read", "buffer_resize", "buffer_seek", "buffer_write", "checkpoint",
           "due", "library", "progress", "protect", "restart_count", "restore", "set_coordination", "unprotect", "version", "wait"]

__version__ = "0.1.0"


class Result(enum.IntEnum):
    """What restore(), checkpoint() and wait() return (ftmpi.h: FTMPI_CHECKPOINTED and so on)."""

    CHECKPOINTED = 0  #: the line is committed; from a checkpoint() that does not wait: captured
    RESTORED = 1      #: what is protected is that of the line restored
    CKPTERROR = 2     #: no line was made; the one before it stays; the program may go on
    NOTHING = 3       #: restore(): there is nothing to restore, begin at the beginning


CHECKPOINTED = Result.CHECKPOINTED
RESTORED = Result.RESTORED
CKPTERROR = Result.CKPTERROR
NOTHING = Result.NOTHING

#: Largest id of a protected variable (FTMPI_CKPT_ID_MAX).
ID_MAX = 65535

#: How buffer_seek counts: from the beginning, from the current position, back from the end.
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class Error(Exception):
    """A call of ftmpi.h failed.

    Attributes:
        code: the MPI error class that the call returned (MPI_ERR_ARG and so on, as numbers of mpi.h), or
            None when it was not made.
    """

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


# ---- the library ----

_SONAME = "libftmpi.so.0"
_BYTE = ctypes.c_void_p(0x247)  # MPI_BYTE of the MPI 5.0 ABI
_NAMES = 8192                   # MPI_MAX_LIBRARY_VERSION_STRING, and more than MPI_MAX_ERROR_STRING
_WORDS = 63                     # bytes of a text of FTMPI_Progress that are shown

# Error classes of the ABI that have sentences of their own here.
_SUCCESS, _ERR_BUFFER, _ERR_ARG, _ERR_TRUNCATE, _ERR_OTHER, _ERR_SIZE = 0, 1, 13, 15, 16, 52

# What is protected, by id, and the State among it: an array must outlive its protection.
_kept = {}
_states = {}

_library = None
_mpi4py_seen = False  # and compared with _library


def _has(library, name):
    try:
        getattr(library, name)
    except AttributeError:
        return False
    return True


def _open(name, mode=os.RTLD_NOW):
    try:
        return ctypes.CDLL(name, mode=mode)
    except OSError:
        return None


def _of_mpi4py():
    """The library that mpi4py calls, or None when it is not imported, or does not say."""
    module = getattr(sys.modules.get("mpi4py.MPI"), "__file__", None)
    found = _open(module, os.RTLD_NOW | os.RTLD_NOLOAD) if module else None
    # what is linked with it is looked through as well; a build that opens its MPI by itself has none there
    if found is None or not _has(found, "MPI_Init"):
        return None
    if not _has(found, "FTMPI_Restore"):
        raise Error("mpi4py (%s) is built for another MPI (%s): build it for FTMPI as doc/python.md says, and start the program with "
                    "ftmpirun" % (module, _version_of(found)))
    return found


def _places():
    """Where the library may be when nobody has loaded it: as installed, in a clone, and where the loader looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in ("../../../lib", "../../build/lib"):
        yield os.path.normpath(os.path.join(here, path, _SONAME))
    yield _SONAME


def _find():
    found = _of_mpi4py()
    if found is not None:
        return found
    # Under this name it is known to the loader whoever has loaded it: mpi4py, or a library that links with it.
    found = _open(_SONAME, os.RTLD_NOW | os.RTLD_NOLOAD)
    if found is not None:
        return found
    program = ctypes.CDLL(None)
    if _has(program, "FTMPI_Restore"):
        return program
    tried = []
    for path in _places():
        found = _open(path)
        if found is not None:
            return found
        tried.append(path)
    raise Error("the library of FTMPI cannot be loaded (tried %s): run make install, or set LD_LIBRARY_PATH to its folder" %
                ", ".join(tried))


def _version_of(library):
    text = ctypes.create_string_buffer(_NAMES)
    length = ctypes.c_int()
    if not _has(library, "MPI_Get_library_version") or library.MPI_Get_library_version(text, ctypes.byref(length)) != _SUCCESS:
        return "which has no version"
    return text.value.decode("ascii", "replace").split("\n")[0].split(",")[0]


def _check_version(library):
    found = re.match(r"FTMPI (\d+\.\d+)\.\d+", _version_of(library))
    wanted = __version__.rpartition(".")[0]
    if not found or found.group(1) != wanted:
        raise Error("the library that is loaded is %s, and this module (%s) is of FTMPI %s: set PYTHONPATH to share/ftmpi/python of the same "
                    "installation" % (_version_of(library), os.path.abspath(__file__), __version__))


def _declare(library):
    integer, pointer, count = ctypes.c_int, ctypes.c_void_p, ctypes.c_int64
    for name, arguments in (("FTMPI_Perform_Checkpoint", ()), ("FTMPI_CKPT_Wait", ()), ("FTMPI_Restore", ()),
                            ("FTMPI_CKPT_Set_coordination", (ctypes.c_char_p,)), ("FTMPI_Checkpoint_due", (pointer,)),
                            ("FTMPI_Progress", (ctypes.c_double, ctypes.c_char_p)), ("FTMPI_Get_restart_count", (pointer,)), ("FTMPI_CKPT_Protect", (integer, pointer, count, pointer)),
                            ("FTMPI_CKPT_Unprotect", (integer,)), ("FTMPI_CKPT_AllocBuffer", (count,)),
                            ("FTMPI_CKPT_ReAllocBuffer", (count,)), ("FTMPI_CKPT_DeAllocBuffer", ()),
                            ("FTMPI_CKPT_AddToBuffer", (pointer, count)), ("FTMPI_CKPT_GetFromBuffer", (pointer, count)),
                            ("FTMPI_CKPT_SeekBufPtr", (count, integer)), ("MPI_Initialized", (pointer,)), ("MPI_Finalized", (pointer,)),
                            ("MPI_Error_string", (integer, ctypes.c_char_p, pointer))):
        getattr(library, name).argtypes = arguments
    library.FTMPI_CKPT_SeekBufPtr.restype = count


def library():
    """The library of FTMPI in this process, as a ctypes.CDLL: the one that mpi4py uses, else one that is
    loaded already, else the one of this installation, which is loaded then.

    A program without mpi4py can make its MPI calls through it. It may be called at any time.

    Errors: Error when mpi4py is there and is built for another MPI, when there is no library, and when it is
    of another version than this module.
    """
    global _library, _mpi4py_seen
    if _library is None:
        found = _find()
        _check_version(found)
        _declare(found)
        _library = found
        _mpi4py_seen = "mpi4py.MPI" in sys.modules
    elif not _mpi4py_seen and "mpi4py.MPI" in sys.modules:
        found = _of_mpi4py()
        if found is not None and _address(found.FTMPI_Restore) != _address(_library.FTMPI_Restore):
            raise Error("mpi4py was imported after ftmpi was used, and has a copy of the library of its own: import mpi4py.MPI first")
        _mpi4py_seen = True
    return _library


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def version():
    """The version of the library, as text: "FTMPI 0.1.0 (MPI 5.0 ABI 1.0)". At any time."""
    return _version_of(library())


# ---- calls ----

def _flag(library, name):
    flag = ctypes.c_int()
    getattr(library, name)(ctypes.byref(flag))
    return flag.value != 0


def _inside(call):
    """The library, between MPI_Init and MPI_Finalize or in a session; an Error names the call."""
    lib = library()
    if _flag(lib, "MPI_Initialized") and not _flag(lib, "MPI_Finalized"):
        return lib
    # only this call tells whether there is a session
    count = ctypes.c_int()
    code = lib.FTMPI_Get_restart_count(ctypes.byref(count))
    if code == _SUCCESS:
        return lib
    if _flag(lib, "MPI_Finalized"):
        raise Error("%s: MPI_Finalize was called before" % call, code)
    raise Error("%s: MPI_Init was not called before: import mpi4py.MPI first, of an mpi4py that is built for FTMPI (doc/python.md)" % call,
                code)


def _text(code):
    text = ctypes.create_string_buffer(_NAMES)
    length = ctypes.c_int()
    if _library.MPI_Error_string(code, text, ctypes.byref(length)) != _SUCCESS:
        return "error %d" % code
    return text.value.decode("ascii", "replace")


def _check(code, call, reasons=None):
    """Raises Error unless the call has returned MPI_SUCCESS; reasons: sentences for error classes."""
    if code != _SUCCESS:
        raise Error("%s: %s" % (call, (reasons or {}).get(code) or _text(code)), code)


# ---- what is protected ----

def _memory(data, call):
    """(address, bytes, what has to be kept) of a numpy array, a bytearray or another writable buffer."""
    kind = type(data).__name__
    interface = getattr(data, "__array_interface__", None)
    if interface is not None and hasattr(data, "flags") and hasattr(data, "nbytes"):
        if getattr(data.dtype, "hasobject", False):
            raise Error("%s: an array of Python objects (dtype %s) has only their addresses: use ftmpi.State for them" %
                        (call, data.dtype))
        if hasattr(data, "mask"):
            raise Error("%s: a masked array has two arrays: protect its data and its mask under an id each" % call)
        if not data.flags.c_contiguous and not data.flags.f_contiguous:
            raise Error("%s: the array does not lie in one piece (shape %s, strides %s): protect the array that it is a part of, or a "
                        "copy by numpy.ascontiguousarray" % (call, data.shape, data.strides))
        if not data.flags.writeable:
            raise Error("%s: the array is read-only, and a restore writes to it: protect a copy" % call)
        return interface["data"][0], data.nbytes, data
    try:
        view = memoryview(data)
    except TypeError:
        raise Error("%s: an object of type %s has no memory to protect: give a numpy array or a bytearray, and keep other objects in "
                    "ftmpi.State" % (call, kind)) from None
    if view.readonly:
        raise Error("%s: the memory of type %s is read-only, and a restore writes to it: give a numpy array or a bytearray" % (call, kind))
    if not view.c_contiguous:
        raise Error("%s: the memory of type %s does not lie in one piece (shape %s, strides %s)" % (call, kind, view.shape, view.strides))
    # while it is exported its owner cannot change its size
    if view.nbytes == 0:
        return ctypes.addressof(_nothing), 0, view
    return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes, view


_nothing = ctypes.c_char()


def _check_id(id, call):
    if isinstance(id, bool) or not hasattr(id, "__index__") or not 0 <= id.__index__() <= ID_MAX:
        raise Error("%s: the id %r is not a whole number from 0 to %d" % (call, id, ID_MAX))
    return id.__index__()


def _protect(id, data, call):
    address, size, kept = _memory(data, call)
    address = address if size else ctypes.addressof(_nothing)
    _check(_inside(call).FTMPI_CKPT_Protect(id, address, size, _BYTE), call,
           {_ERR_SIZE: "the line that is restored has another number of bytes under this id than the %d given: the sizes of arrays (and "
                   "the limit of a State) have to be those of the run that made it" % size})
    _kept[id] = kept
    _states.pop(id, None)


def protect(id, array):
    """Save this array at each checkpoint, and load it at a restore, under this id. Local.

    Arguments:
        id: a whole number from 0 to ID_MAX. Ids and sizes may differ between ranks. An id that is protected
            already is given its new place.
        array: a numpy array of any shape and any dtype without Python objects, that lies in one piece in
            memory (C or Fortran order) and is writable; or a bytearray, array.array or another object with
            a writable, contiguous buffer. It is the memory that counts: assign to its elements
            (`array[:] = ...`), as `array = ...` only gives the name to another array. The module keeps a
            reference until unprotect(); a bytearray cannot change its size until then.

    When the line that was restored holds this id and it has not been loaded yet, it is loaded now. So an
    array whose size was itself restored can be made after restore().

    Returns: nothing.
    Errors: Error for an id out of range, for memory that is not as above, when the line holds another number
    of bytes (code: MPI_ERR_SIZE), when there is no memory, and outside MPI.
    Source: FTMPI_CKPT_Protect.
    """
    call = "ftmpi.protect"
    _protect(_check_id(id, call), array, "%s(%d)" % (call, id))


def unprotect(id):
    """Forget this id: it is in no later line, and its array may go. Local.

    Errors: Error when it is not protected, and outside MPI. Source: FTMPI_CKPT_Unprotect.
    """
    call = "ftmpi.unprotect"
    id = _check_id(id, call)
    call = "%s(%d)" % (call, id)
    _check(_inside(call).FTMPI_CKPT_Unprotect(id), call, {_ERR_ARG: "nothing is protected under this id"})
    _kept.pop(id, None)
    _states.pop(id, None)


class State:
    """Small Python objects that are saved and restored together, as attributes.

        state = ftmpi.State(0, step=0, seed=7)
        ...
        state.step += 1
        state.best = {"x": 1.5}             # attributes may be added on the way

    checkpoint() pickles the attributes into a buffer of `limit` bytes, which is protected under the id;
    restore() replaces all of them by those of the line. A State that is made after restore() has those of the
    line at once, and what it was given is passed over.

    Arguments:
        id: as of protect().
        limit: how many bytes the pickle may take at most, 65536 unless given. As much is written at each
            checkpoint, and it has to be the same when a line is restored. For large data use protect().
        others: the attributes to begin with; names that begin with an underscore are not allowed.

    Errors: Error as of protect(); and from checkpoint() when the pickle takes more than the limit, or an
    object cannot be pickled. Then this rank has made no call for a checkpoint, and the others wait for it:
    let the exception end the program.

    Unpickling runs what the pickle says, so the work directory has to be as well guarded as the program is.
    """

    def __init__(self, id, limit=65536, **attributes):
        call = "ftmpi.State"
        id = _check_id(id, call)
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise Error("%s(%d): the limit %r is not a whole number of bytes" % (call, id, limit))
        object.__setattr__(self, "_call", "%s(%d)" % (call, id))
        object.__setattr__(self, "_limit", limit)
        object.__setattr__(self, "_memory", bytearray(8 + limit))
        for name, value in attributes.items():
            setattr(self, name, value)
        _protect(id, self._memory, self._call)
        _states[id] = self
        self._load()

    def __setattr__(self, name, value):
        if name.startswith("_"):
            raise Error("%s: the attribute %s is not saved, as its name begins with an underscore" % (self._call, name))
        object.__setattr__(self, name, value)

    def __repr__(self):
        return "%s: %r" % (self._call, self._attributes())

    def _attributes(self):
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _save(self):
        try:
            data = pickle.dumps(self._attributes(), protocol=4)
        except Exception as error:  # whatever an object's own method raises
            raise Error("%s: it cannot be saved: %s: %s" % (self._call, type(error).__name__, error)) from error
        if len(data) > self._limit:
            raise Error("%s: it takes %d bytes, and its limit is %d: make it with limit=%d or more, or keep large arrays with "
                        "ftmpi.protect" % (self._call, len(data), self._limit, len(data)))
        self._memory[:8] = len(data).to_bytes(8, "little")
        self._memory[8:8 + len(data)] = data
        self._memory[8 + len(data):] = bytes(self._limit - len(data))

    def _load(self):
        size = int.from_bytes(self._memory[:8], "little")
        if size == 0:
            return
        if size > self._limit:
            raise Error("%s: what the line has under this id is no State" % self._call)
        try:
            attributes = pickle.loads(self._memory[8:8 + size])
            if not isinstance(attributes, dict):
                raise TypeError("a %s" % type(attributes).__name__)
        except Exception as error:  # a class that is not there any more, for one
            raise Error("%s: it cannot be restored: %s: %s" % (self._call, type(error).__name__, error)) from error
        for name in self._attributes():
            delattr(self, name)
        vars(self).update(attributes)


# ---- lines ----

def restore():
    """Give back the latest recovery line, if this job was restarted from one and has not got it yet.

    Call it once, before the loop, also in the first run. Collective over MPI_COMM_WORLD when there is
    something to restore; with `ftmpirun -coord msglog` local, and the next MPI call is the one that followed
    the checkpoint.

    Returns: RESTORED: what is protected, States among it, is that of the line; NOTHING: begin at the
    beginning (also in a job of `ftmpirun -image`, which needs no call).
    Errors: Error outside MPI, and when a State cannot be unpickled. Source: FTMPI_Restore.
    """
    result = Result(_inside("ftmpi.restore").FTMPI_Restore())
    if result == RESTORED:
        _load_states()
    return result


def _load_states():
    for state in list(_states.values()):
        state._load()


def due():
    """Is it time for a checkpoint: has `-ckpt-interval` gone by since the last line?

    Under every protocol this is right, with nothing collective in the branch:

        if ftmpi.due():
            ftmpi.checkpoint()

    Collective over MPI_COMM_WORLD, and the same on every rank, under `-coord blocking`; else local.

    Returns: True or False.
    Errors: Error outside MPI. Source: FTMPI_Checkpoint_due.
    """
    flag = ctypes.c_int()
    _check(_inside("ftmpi.due").FTMPI_Checkpoint_due(ctypes.byref(flag)), "ftmpi.due")
    return flag.value != 0


def checkpoint():
    """Make a recovery line of all ranks of MPI_COMM_WORLD: every rank calls it as often as the others.

    Saves what is protected, the data buffer, and the messages that are on their way. Under `-coord blocking`
    collective; under `eventlog` and `tagging`, and with `msglog`, local, and as long as a copy takes.

    Returns: CHECKPOINTED: the line is committed or, where the call does not wait, captured (see wait());
    RESTORED: this process goes on from the line, all is as it was; CKPTERROR: there is no line, standard error says why,
    and the program may go on. CHECKPOINTED is 0: compare, as in `checkpoint() == ftmpi.CKPTERROR`.
    Errors: Error outside MPI; and when a State cannot be saved, see there. Source: FTMPI_Perform_Checkpoint.
    """
    lib = _inside("ftmpi.checkpoint")
    for state in list(_states.values()):
        state._save()
    result = Result(lib.FTMPI_Perform_Checkpoint())
    if result == RESTORED:
        _load_states()
    return result


def wait():
    """Wait until the lines that this rank has begun are committed or given up. In effect collective.

    Returns: CHECKPOINTED: the latest line is committed, or this rank has begun none; CKPTERROR: it was
    given up. Errors: Error outside MPI. Source: FTMPI_CKPT_Wait.
    """
    return Result(_inside("ftmpi.wait").FTMPI_CKPT_Wait())


def set_coordination(name):
    """Ask for a protocol: "blocking", "eventlog" or "tagging", once, before the first checkpoint(), on all
    ranks. It has effect under `ftmpirun -coord auto`; where another was chosen at launch that stays. Local.

    Errors: Error when there is no protocol of that name, when another is in use, and outside MPI.
    Source: FTMPI_CKPT_Set_coordination.
    """
    call = "ftmpi.set_coordination"
    if not isinstance(name, str):
        raise Error('%s: %r is not "blocking", "eventlog" or "tagging"' % (call, name))
    _check(_inside(call).FTMPI_CKPT_Set_coordination(name.encode("utf-8")), call,
           {_ERR_ARG: '%r is not "blocking", "eventlog" or "tagging"' % name, _ERR_OTHER: "another protocol is in use already"})


def restart_count():
    """How often this job was restarted, 0 in the first run; with `-coord msglog` how often this rank was. Local.

    Returns: a whole number. Errors: Error outside MPI. Source: FTMPI_Get_restart_count.
    """
    count = ctypes.c_int()
    _check(_inside("ftmpi.restart_count").FTMPI_Get_restart_count(ctypes.byref(count)), "ftmpi.restart_count")
    return count.value


def progress(fraction, text=None):
    """Tell how far this rank's program has come: `ftmpirun -progress`, `ftmpi-top` and the record of the job show
    what some rank has told last.

        ftmpi.progress(state.step / steps, "heating")

    Arguments:
        fraction: of the whole, a number from 0 to 1.
        text: a few words, of which 63 bytes of UTF-8 are shown; or None.

    Local; it waits for nothing, and nothing that is saved or sent depends on it. Of calls that follow each other within half
    a second the first one counts, and the first whose fraction is 1; so a program may call it in each step. Unlike other calls it
    may be called by any thread at any time.

    Errors: Error for a fraction that is no number, or not from 0 to 1 (code: MPI_ERR_ARG), for a text that is no str, and
    outside MPI. Source: FTMPI_Progress.
    """
    call = "ftmpi.progress"
    try:
        number = None if isinstance(fraction, (bool, str, bytes, bytearray)) else float(fraction)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise Error("%s: %r is not a number from 0 to 1" % (call, fraction))
    if text is not None and not isinstance(text, str):
        raise Error("%s: the text %r is not a str" % (call, text))
    # a letter that would be cut is left out
    words = None if text is None else text.encode("utf-8", "replace")[:_WORDS].decode("utf-8", "ignore").encode("utf-8")
    _check(_inside(call).FTMPI_Progress(number, words), call, {_ERR_ARG: "%r is not a number from 0 to 1" % (fraction,)})


# ---- the data buffer ----

_REASONS = {_ERR_BUFFER: "there is no data buffer: call ftmpi.buffer_alloc first", _ERR_ARG: "a size is negative"}


def _whole(number, call):
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise Error("%s: %r is not a whole number" % (call, number))
    number = number.__index__()
    if not -2**63 <= number < 2**63:
        raise Error("%s: %d has more than 64 bits" % (call, number))
    return number


def buffer_alloc(size):
    """Make the data buffer: one for each process, a random access file in memory of `size` zeroed bytes, which each
    checkpoint saves, and a restore brings back with its size and its pointer at 0. One that is there is replaced. Local.

    Errors: Error for a negative size, and when there is no memory. Source: FTMPI_CKPT_AllocBuffer.
    """
    call = "ftmpi.buffer_alloc"
    _check(_inside(call).FTMPI_CKPT_AllocBuffer(_whole(size, call)), call, _REASONS)


def buffer_resize(size):
    """Change the size of the data buffer in bytes: what fits stays, new bytes are zero. Without one: as buffer_alloc().

    Errors: Error for a negative size, and when there is no memory. Source: FTMPI_CKPT_ReAllocBuffer.
    """
    call = "ftmpi.buffer_resize"
    _check(_inside(call).FTMPI_CKPT_ReAllocBuffer(_whole(size, call)), call, _REASONS)


def buffer_free():
    """Free the data buffer; without one nothing happens. Source: FTMPI_CKPT_DeAllocBuffer."""
    _check(_inside("ftmpi.buffer_free").FTMPI_CKPT_DeAllocBuffer(), "ftmpi.buffer_free")


def buffer_seek(offset, how=SEEK_SET):
    """Move the pointer of the data buffer: `offset` bytes from the beginning (SEEK_SET), from where it is
    (SEEK_CUR), or back from the end (SEEK_END).

    Returns: where it was; so `buffer_seek(0, ftmpi.SEEK_CUR)` tells the position.
    Errors: Error when the new place would lie outside, or there is no buffer: nothing moves then.
    Source: FTMPI_CKPT_SeekBufPtr, FTMPI_CKPT_ResetBufPtr.
    """
    call = "ftmpi.buffer_seek"
    was = _inside(call).FTMPI_CKPT_SeekBufPtr(_whole(offset, call), _whole(how, call))
    if was < 0:
        raise Error("%s: there is no data buffer, or the place %d lies outside of it" % (call, offset))
    return was


def buffer_write(data):
    """Copy `data` (bytes, or any object with a contiguous buffer, a numpy array for one) to the data buffer, at its pointer,
    which moves on.

    Errors: Error when there is no buffer, when fewer bytes are left than data has (code: MPI_ERR_TRUNCATE; nothing is copied),
    or data has no contiguous buffer. Source: FTMPI_CKPT_AddToBuffer.
    """
    call = "ftmpi.buffer_write"
    try:
        data = memoryview(data).tobytes()
    except (TypeError, ValueError):
        raise Error("%s: an object of type %s has no bytes to copy" % (call, type(data).__name__)) from None
    _check(_inside(call).FTMPI_CKPT_AddToBuffer(data, len(data)), call,
           {**_REASONS, _ERR_TRUNCATE: "fewer than %d bytes are left in the data buffer" % len(data)})


def buffer_read(size):
    """Copy `size` bytes from the data buffer, at its pointer, which moves on.

    Returns: bytes. Errors: Error when there is no buffer, when fewer bytes are left (code: MPI_ERR_TRUNCATE),
    or the size is negative. Source: FTMPI_CKPT_GetFromBuffer.
    """
    call = "ftmpi.buffer_read"
    size = _whole(size, call)
    lib = _inside(call)
    if size < 0:
        raise Error("%s: a size is negative" % call, _ERR_ARG)
    # what is asked for is only made when as much is there
    here = buffer_seek(0, SEEK_CUR)
    buffer_seek(0, SEEK_END)
    left = buffer_seek(here) - here
    if size > left:
        raise Error("%s: fewer than %d bytes are left in the data buffer" % (call, size), _ERR_TRUNCATE)
    data = ctypes.create_string_buffer(size)
    _check(lib.FTMPI_CKPT_GetFromBuffer(data, size), call, _REASONS)
    return data.raw[:size]
