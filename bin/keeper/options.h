/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_KEEPER_OPTIONS_H
#define FTMPI_KEEPER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/address.h"

enum { EXIT_FAILS = 1, EXIT_USAGE = 2 };

struct options {
	const char *folder;
	uint64_t limit;
	uint32_t ranks;
	uint32_t silence; /* s; 0: for ever */
	uint32_t wait;	  /* s */
	struct net_address listen;
	bool fresh, clears, waits, log, help; /* waits: -wait was given */
};

/* 0, or EXIT_USAGE: a sentence was printed. */
int options_read(struct options *o, int argc, char **argv);
void options_help(FILE *out);

#endif
