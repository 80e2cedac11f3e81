/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that processes of one host share: a file without a name in any folder (memfd_create). Its
 * maker passes the numbers of its process and of its descriptor; others open it through that entry
 * of /proc. It disappears with the last process that has it open or mapped, however these end. Any
 * thread.
 */
#ifndef FTMPI_BASE_MEMORY_FILE_H
#define FTMPI_BASE_MEMORY_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* What /proc shows of it, with its end. Another process of the same number, in a container or on a
 * host of the same name, has no file of this name when the name is one that nobody else can have
 * chosen. */
enum { MEMORY_FILE_NAME = 64 };

/* A file of so many bytes, all 0, which nobody can shorten or lengthen any more. Its descriptor,
 * which is the caller's, or -1 and errno. */
int memory_file_make(const char *name, size_t bytes);

/* The file that process `pid` has open as `fd`. A descriptor, which is the caller's, or -1 and
 * errno: ENXIO when it is another file than the one of this name and length. */
int memory_file_open(pid_t pid, int fd, const char *name, size_t bytes);

#endif
