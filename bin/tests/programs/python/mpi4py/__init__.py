# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for mpi4py, whose package for Debian is built for another MPI: see MPI.py."""
