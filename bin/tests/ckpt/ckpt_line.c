/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ckpt_line SESSION_DIR LINE EPOCH RANKS [PROGRAM | - [ORPHANS [OPERATIONS]]]: makes and commits a
 * recovery line, for tests of what reads them; with - as PROGRAM it is not committed. Each rank has
 * the data buffer (100000 bytes), variable 7 (80 bytes), messages (10 bytes), and orphans and
 * operations if their bytes are given (hexadecimal). Lines are of November 2026, of other times
 * with CKPT_LINE_TIME in the environment (Unix seconds).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt/ckpt.h"

enum { TYPE = 0x214 /* MPI_DOUBLE */, TIME = 1795293000, BUFFER = 100000, ORPHANS_MAX = 1000 };

static int fails(const char *err)
{
	fprintf(stderr, "ckpt_line: %s\n", err);
	return 1;
}

static size_t hex(const char *text, uint8_t *out)
{
	size_t n = 0;

	while (n < ORPHANS_MAX && sscanf(text + 2 * n, "%2hhx", &out[n]) == 1)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[BUFFER], orphans[ORPHANS_MAX], operations[ORPHANS_MAX];
	struct ckpt_section s[] = {{CKPT_BUFFER, 0, 0, 0, bytes, BUFFER},
		{CKPT_VARIABLE, 7, TYPE, 0, bytes, 80}, {CKPT_MESSAGES, 0, 0, 0, bytes, 10},
		{CKPT_ORPHANS, 0, 0, 0, orphans, 0}, {CKPT_OPERATIONS, 0, 0, 0, operations, 0}};
	struct ckpt_identity id = {0};
	struct ckpt_manifest m = {0};
	char err[512];
	size_t sections = 3;
	int rc = 0;

	if (argc < 5)
		return fails("SESSION_DIR LINE EPOCH RANKS [PROGRAM | - [ORPHANS [OPERATIONS]]]");
	if (argc > 6)
		s[sections++].len = hex(argv[6], orphans);
	if (argc > 7)
		s[sections++].len = hex(argv[7], operations);
	m.line = (uint32_t)atoi(argv[2]);
	m.epoch = id.epoch = (uint32_t)atoi(argv[3]);
	m.size = id.size = (uint32_t)atoi(argv[4]);
	m.time_s = getenv("CKPT_LINE_TIME") ? atoll(getenv("CKPT_LINE_TIME")) : TIME + m.line;
	snprintf(m.program_name, sizeof m.program_name, "%s", argc > 5 ? argv[5] : "solver");
	memcpy(id.program_name, m.program_name, sizeof id.program_name);
	m.ranks = calloc(m.size, sizeof *m.ranks);
	for (size_t i = 0; i < BUFFER; i++)
		bytes[i] = (uint8_t)(i * 17 + m.line);
	for (id.rank = 0; rc == 0 && m.ranks && id.rank < id.size; id.rank++)
		rc = ckpt_write(&ckpt_fs_posix, argv[1], &id, m.line, s, sections,
			&m.ranks[id.rank].seal, &m.ranks[id.rank].bytes, err, sizeof err);
	if (rc == 0 && (argc < 6 || strcmp(argv[5], "-") != 0))
		rc = ckpt_commit(&ckpt_fs_posix, argv[1], &m, err, sizeof err);
	free(m.ranks);
	return rc ? fails(err) : 0;
}
