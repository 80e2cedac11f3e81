/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of what a process was started with (launch/started.h). */
#include "launch/started.h"

#include "fuzz.h"

static void check_words(char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	for (size_t i = 0; i + 1 < n; i++)
		FUZZ_CHECK(words[i + 1] == words[i] + strlen(words[i]) + 1, "word %zu", i);
}

/* What is accepted is what would be written. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size < FUZZ_INPUT_MAX ? size : FUZZ_INPUT_MAX;
	uint8_t *bytes = malloc(len + 1), *again = malloc(len + 1);
	struct started s;

	FUZZ_CHECK(bytes && again, "out of memory");
	if (len)
		memcpy(bytes, data, len);
	if (started_decode(&s, bytes, len) == 0) {
		check_words(s.argv);
		check_words(s.envp);
		FUZZ_CHECK(s.nfds <= STARTED_FDS_MAX, "%zu descriptors", s.nfds);
		for (size_t i = 0; i < s.nfds; i++)
			FUZZ_CHECK(s.fds[i].fd > (i ? s.fds[i - 1].fd : -1), "descriptor %zu", i);
		FUZZ_CHECK(started_bytes(&s) == len, "it would be %zu bytes", started_bytes(&s));
		started_encode(&s, again);
		FUZZ_CHECK(memcmp(bytes, again, len) == 0, "it would be others");
		started_free(&s);
	}
	free(again);
	free(bytes);
	return 0;
}
