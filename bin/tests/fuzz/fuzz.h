/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzz targets share. A target is one function from bytes to nothing: it makes everything
 * it needs, frees it, and aborts with a line on stderr when a promise of the code under test does
 * not hold. The same function is driven by libFuzzer (make fuzz) and by replay.c (make check).
 */
#ifndef FTMPI_TESTS_FUZZ_H
#define FTMPI_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_INPUT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(holds, ...)                                                                     \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #holds);                \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input, read as a script. After its end everything is 0. */
struct script {
	const uint8_t *at, *end;
};

static inline struct script script_over(const uint8_t *data, size_t size)
{
	if (size > FUZZ_INPUT_MAX)
		size = FUZZ_INPUT_MAX;
	return (struct script){data, data + size};
}

static inline bool script_ended(const struct script *s)
{
	return s->at == s->end;
}

static inline uint8_t script_u8(struct script *s)
{
	return script_ended(s) ? 0 : *s->at++;
}

static inline uint16_t script_u16(struct script *s)
{
	uint16_t low = script_u8(s);

	return (uint16_t)(low | script_u8(s) << 8);
}

/* At most n bytes; how many there are. */
static inline size_t script_bytes(struct script *s, const uint8_t **out, size_t n)
{
	size_t left = (size_t)(s->end - s->at);

	if (n > left)
		n = left;
	*out = s->at;
	s->at += n;
	return n;
}

/* script_bytes as a string of its own, to be freed. */
static inline char *script_text(struct script *s, size_t n)
{
	const uint8_t *bytes;
	char *text;

	n = script_bytes(s, &bytes, n);
	text = calloc(1, n + 1);
	FUZZ_CHECK(text, "out of memory");
	memcpy(text, bytes, n);
	return text;
}

/* One sentence for people: something, on one line, ended, with nothing a terminal would act on. */
static inline void fuzz_check_sentence(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	FUZZ_CHECK(len > 0 && len < size, "no sentence");
	for (size_t i = 0; i < len; i++)
		FUZZ_CHECK((uint8_t)text[i] >= ' ' && text[i] != 0x7f,
			"byte %02x in the sentence: %s", (uint8_t)text[i], text);
}

/* Descriptors left open move the lowest free number. */
int fuzz_lowest_fd(void);

#endif
