/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON on stdout, as it comes: commas, quotes and escapes are put in here. */
#ifndef FTMPI_BIN_CKPT_JSON_H
#define FTMPI_BIN_CKPT_JSON_H

#include <stdbool.h>
#include <stdint.h>

/* key NULL: an element of a list, or the whole. */
void json_open(const char *key, char bracket); /* { or [ */
void json_close(char bracket);		       /* } or ] */
void json_string(const char *key, const char *value);
void json_number(const char *key, int64_t value);
void json_unsigned(const char *key, uint64_t value);
void json_bool(const char *key, bool value);

/* null for an empty string */
void json_string_or_null(const char *key, const char *value);

#endif
