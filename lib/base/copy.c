/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/copy.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

/* What is shorter is in the caches anyhow. */
enum { ASIDE_LEAST = 128 << 10, STRIDE = 64 };

static size_t stream(void *to, const void *from, size_t len)
{
	__m128i *t = to;
	const __m128i *f = from;

	for (size_t i = 0; i < len / STRIDE; i++, t += 4, f += 4) {
		__m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1);
		__m128i c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);

		_mm_stream_si128(t, a);
		_mm_stream_si128(t + 1, b);
		_mm_stream_si128(t + 2, c);
		_mm_stream_si128(t + 3, d);
	}
	_mm_sfence();
	return len / STRIDE * STRIDE;
}

void copy_aside(void *to, const void *from, size_t len)
{
	size_t done = len >= ASIDE_LEAST ? stream(to, from, len) : 0;

	memcpy((char *)to + done, (const char *)from + done, len - done);
}
#else
void copy_aside(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
}
#endif
