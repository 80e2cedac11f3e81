/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to be loaded before a program (LD_PRELOAD), which is built twice; and it maps the file
 * IMAGE_DATA as data, when there is one in the environment. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int image_word(void);

int image_word(void)
{
	return WORD;
}

__attribute__((constructor)) static void map_data(void)
{
	const char *path = getenv("IMAGE_DATA");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (!path)
		return;
	if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(3);
	close(fd);
}
