/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_number.h"

enum {
	REX = 0x40,
	REX_B = 1,
	REX_R = 4,
	REX_W = 8,
	ADDITIONAL = 8, /* registers that need a bit of REX */
	MOV_TO_MEMORY = 0x89,
	MOV_LOAD = 0x8b,
	LEA = 0x8d,
	MOV_NUMBER = 0xb8,
	MOV_NUMBER_TO = 0xc7,
	XOR = 0x31,
	XOR_LOAD = 0x33,
	AT_REGISTER = 3,
	AT_BASE_INDEX = 4,
	AT_WORD = 5,
	CALL_BYTES = 2,
	NUMBERS = 1024, /* there are fewer calls */
	WORD_BYTES = 4
};

/* "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2, 2.1. */
struct operands {
	unsigned mode, reg, rm;
	size_t bytes;
};

static struct operands operands(const uint8_t *code, unsigned rex)
{
	struct operands o = {.mode = code[0] >> 6,
		.reg = (code[0] >> 3 & 7) + (rex & REX_R ? ADDITIONAL : 0),
		.rm = (code[0] & 7) + (rex & REX_B ? ADDITIONAL : 0),
		.bytes = 1};
	unsigned base = code[0] & 7;

	if (o.mode == AT_REGISTER)
		return o;
	if (base == AT_BASE_INDEX) {
		base = code[1] & 7;
		o.bytes++;
	}
	if (o.mode == 1)
		o.bytes++;
	else if (o.mode == 2 || base == AT_WORD)
		o.bytes += WORD_BYTES;
	return o;
}

/* Of an instruction that fills a register other than eax, or memory; 0: it is another one. */
static size_t length_of(const uint8_t *code)
{
	const unsigned rex = (code[0] & 0xf0) == REX ? code[0] : 0;
	const uint8_t *op = code + (rex ? 1 : 0);
	const size_t before = (size_t)(op - code) + 1;
	const struct operands o = operands(op + 1, rex);

	if ((op[0] & 0xf8) == MOV_NUMBER)
		return (op[0] & 7) || (rex & REX_B)
			       ? before + (rex & REX_W ? 2 * WORD_BYTES : WORD_BYTES)
			       : 0;
	switch (op[0]) {
	case MOV_LOAD:
	case LEA:
	case XOR_LOAD:
		return o.reg ? before + o.bytes : 0;
	case MOV_TO_MEMORY:
	case XOR:
		return o.mode != AT_REGISTER || o.rm ? before + o.bytes : 0;
	case MOV_NUMBER_TO:
		return o.mode != AT_REGISTER || o.rm ? before + o.bytes + WORD_BYTES : 0;
	default:
		return 0;
	}
}

/* Where the number is loaded: how many bytes that takes; 0: nowhere here. */
static size_t number_at(const uint8_t *code, unsigned before, long *number)
{
	const unsigned rex = (before & 0xf0) == REX ? before : 0;

	if (code[0] == MOV_NUMBER && !(rex & REX_B)) {
		*number = code[1] | code[2] << 8 | code[3] << 16 | (long)code[4] << 24;
		return 1 + WORD_BYTES;
	}
	*number = 0;
	return (code[0] == XOR || code[0] == XOR_LOAD) && code[1] == 0xc0 &&
			       !(rex & (REX_B | REX_R))
		       ? 2
		       : 0;
}

static bool leads_to(const uint8_t *code, const uint8_t *call)
{
	while (code < call) {
		size_t length = length_of(code);

		if (!length)
			return false;
		code += length;
	}
	return code == call;
}

bool call_number_before(const uint8_t *end, size_t bytes, long *number)
{
	const uint8_t *call = end - CALL_BYTES;

	if (bytes < CALL_BYTES || call[0] != 0x0f || call[1] != 0x05)
		return false;
	if (bytes > CALL_NUMBER_BYTES)
		bytes = CALL_NUMBER_BYTES;
	/* one byte before it is looked at, too */
	for (size_t back = CALL_BYTES + 2; back + 1 <= bytes; back++) {
		const uint8_t *code = end - back;
		size_t length = number_at(code, code[-1], number);

		/* it may be in the midst of another instruction, and then is none of a call's */
		if (length && *number < NUMBERS && length + CALL_BYTES <= back &&
			leads_to(code + length, call))
			return true;
	}
	return false;
}
