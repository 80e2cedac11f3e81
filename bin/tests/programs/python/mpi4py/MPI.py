# SPDX-License-Identifier: BSD-3-Clause
"""What the tests and examples/heat.py call of mpi4py.MPI, over ctypes: with mpi4py's names and arguments, for arrays of
doubles that lie in one piece. As with mpi4py, MPI_Init is called by the import, with MPI_THREAD_MULTIPLE, and MPI_Finalize at the end.
FTMPI_TEST_LIBRARY is the library to load."""
import atexit
import ctypes
import os

_mpi = ctypes.CDLL(os.environ["FTMPI_TEST_LIBRARY"])
_world, _double, SUM = (ctypes.c_void_p(handle) for handle in (0x101, 0x214, 0x21))
PROC_NULL = -3
THREAD_MULTIPLE = 3


def _check(code):
    if code:
        raise RuntimeError("MPI error %d" % code)


def _buffer(array):
    if array is None:
        return None, 0, _double
    assert array.dtype == float and array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data), array.size, _double


class _World:
    def _number(self, call):
        number = ctypes.c_int()
        _check(call(_world, ctypes.byref(number)))
        return number.value

    def Get_rank(self):
        return self._number(_mpi.MPI_Comm_rank)

    def Get_size(self):
        return self._number(_mpi.MPI_Comm_size)

    def Barrier(self):
        _check(_mpi.MPI_Barrier(_world))

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=-1, recvtag=-1):
        _check(_mpi.MPI_Sendrecv(*_buffer(sendbuf), dest, sendtag, *_buffer(recvbuf), source, recvtag, _world, None))

    def Reduce(self, sendbuf, recvbuf, op=SUM, root=0):
        address, count, double = _buffer(sendbuf)
        _check(_mpi.MPI_Reduce(address, _buffer(recvbuf)[0], count, double, op, root, _world))

    def Bcast(self, buf, root=0):
        _check(_mpi.MPI_Bcast(*_buffer(buf), root, _world))

    def Abort(self, errorcode=0):
        _mpi.MPI_Abort(_world, errorcode)


COMM_WORLD = _World()
_mpi.MPI_Init_thread(None, None, THREAD_MULTIPLE, ctypes.byref(ctypes.c_int()))
atexit.register(_mpi.MPI_Finalize)
