/* SPDX-License-Identifier: BSD-3-Clause */
/* What api.h says of the process itself, beside fake_api.c, for tests of fatal errors. */
#include <stdlib.h>

#include "mpi/bindings/api.h"

void api_last_words(void)
{
}

_Noreturn void api_die(int errclass)
{
	_Exit(errclass);
}

const char *api_host(void)
{
	return "testhost";
}

int api_world_rank(void)
{
	return 3;
}
