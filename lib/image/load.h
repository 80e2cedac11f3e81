/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_IMAGE_LOAD_H
#define FTMPI_IMAGE_LOAD_H

/* In the process that woke up, when all its threads are on their own stacks: the memory that the
 * load used is given back, unless something is carried in it. By system calls alone. */
void image_load_end(void);

#endif
