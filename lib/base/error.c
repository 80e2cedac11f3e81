/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

const char *ft_error_text(int code)
{
	switch (code) {
	case FT_OK:
		return "no error";
#define X(name, number, text)                                                                      \
	case name:                                                                                 \
		return text;
		ERROR_TABLE(X)
#undef X
	default:
		return "unknown error";
	}
}
