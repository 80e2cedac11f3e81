/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "fuzz.h"

int fuzz_lowest_fd(void)
{
	int fd = dup(STDERR_FILENO);

	FUZZ_CHECK(fd >= 0, "no descriptor");
	close(fd);
	return fd;
}
