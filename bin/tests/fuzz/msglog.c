/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checkpoint holds of message logging, and what the event logger says of outcomes. The first
 * byte: ranks of the job, less 1; the second: the rank; the third: how many of the last bytes are
 * outcomes. The rest is the bytes. */
#include "coord/msglog.h"

#include "fuzz.h"

/* What is accepted is what would be written. */
static void again(struct msglog *m, const uint8_t *bytes, size_t len)
{
	uint8_t *wrote;
	size_t n;

	FUZZ_CHECK(msglog_save(m, &wrote, &n), "out of memory");
	FUZZ_CHECK(n == len && memcmp(wrote, bytes, n) == 0, "it would be others");
	msglog_saved(m, false);
	free(wrote);
}

/* Each peer gets what it lacks, in order and once. */
static void send_all(struct msglog *m)
{
	struct msglog_hello all = {.limit = MSGLOG_ALL};
	struct msglog_action a;
	uint64_t last[256] = {0};

	for (int q = 0; q < m->size; q++)
		if (q != m->self)
			msglog_connected(m, q, &all);
	while (msglog_next(m, &a)) {
		FUZZ_CHECK(a.what == MSGLOG_SEND, "nothing else is to be done");
		FUZZ_CHECK(a.message->number > last[a.peer] &&
				   a.message->number <= m->pairs[a.peer].sent,
			"message %d", (int)a.message->number);
		last[a.peer] = a.message->number;
	}
}

/* All outcomes of before, but for long runs of noes. */
static void happen(struct outcomes *o, const struct outcome *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == OUTCOME_MATCH)
			FUZZ_CHECK(outcomes_match(o, v[i].receive, v[i].peer, v[i].value),
				"receive %d gets another message", (int)v[i].receive);
	for (const struct outcome *next; (next = outcomes_expected(o)) && next->value < 1000;)
		outcomes_follow(o);
	FUZZ_CHECK(outcomes_expected(o) || outcomes_is_live(o), "receives are left");
}

static void load(
	int ranks, int self, const uint8_t *bytes, size_t len, const struct outcome *v, size_t n)
{
	struct msglog m;
	bool valid = msglog_valid(bytes, len, self, ranks);

	FUZZ_CHECK(msglog_init(&m, self, ranks), "out of memory");
	FUZZ_CHECK(valid || !msglog_load(&m, bytes, len, v, n), "what is not valid was loaded");
	if (valid && msglog_load(&m, bytes, len, v, n)) {
		happen(&m.outcomes, v, n);
		if (outcomes_is_live(&m.outcomes) && n == 0)
			again(&m, bytes, len);
		send_all(&m);
	}
	if (msglog_load_prefix(&m, bytes, len))
		FUZZ_CHECK(valid && m.running_prefix, "a prefix of what is not valid");
	msglog_fini(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int ranks = 1 + script_u8(&in), self = script_u8(&in) % ranks;
	size_t told = script_u8(&in), len = (size_t)(in.end - in.at);
	uint8_t *bytes = (uint8_t *)script_text(&in, len);
	struct outcome *v;

	told = told < len ? told : len;
	v = malloc((told / OUTCOME_BYTES + 1) * sizeof *v);
	FUZZ_CHECK(v, "out of memory");
	if (outcomes_decode(v, bytes + len - told, told, ranks))
		load(ranks, self, bytes, len - told, v, told / OUTCOME_BYTES);
	free(v);
	free(bytes);
	return 0;
}
