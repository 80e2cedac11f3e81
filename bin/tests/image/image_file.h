/* SPDX-License-Identifier: BSD-3-Clause */
/* An image in a file of its own, for programs that test images without the rest of the library. */
#ifndef FTMPI_TESTS_IMAGE_FILE_H
#define FTMPI_TESTS_IMAGE_FILE_H

#include <stdbool.h>

/* True: in the process that woke up from it. What fails ends the program with status 2. */
bool image_file_take(const char *path);

/* In the environment: the process becomes the image in that file before its main function. Before
 * that image_file_soil is called, for what shall not be seen afterwards. */
#define IMAGE_FILE "IMAGE_ALONE"
void image_file_soil(void);

/* A descriptor of the process that loads the image, and stays: above the image's, unless
 * image_file_soil has set it. With IMAGE_KEEP in the environment files keep
 * their length, with IMAGE_UNTRIED they are not tried before they are cut. */
extern int image_file_own;

#endif
