/* SPDX-License-Identifier: BSD-3-Clause */
/* The process itself, for tests of fatal errors. */
#include <stdlib.h>

#include "mpi/handle/process.h"

void process_last_words(void)
{
}

_Noreturn void process_die(int errclass)
{
	_Exit(errclass);
}

const char *process_host(void)
{
	return "testhost";
}

int process_rank(void)
{
	return 3;
}
