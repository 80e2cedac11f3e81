/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank of a job, to which the others tell anything. The first byte: ranks (low 3 bits + 1),
 * this rank (next 3), auto in place of eventlog (bit 6). Then steps, a byte and what it needs:
 *
 *   0 checkpoint            1 send: peer, tag          2 a message comes: peer, tag, stamp
 *   3 told: peer, length, bytes                        4 told: peer, kind, flags, line, length,
 * what follows the header 5 written (0: not)      6 committed (0: not)       7 due: elapsed 8
 * receive all           9 restore: line, length of orphans, orphans
 */
#include "coord/coord.h"
#include "coord/control_message.h"
#include "fuzz.h"

enum { LINES = 64, STEPS = 400, CONTEXT = 6, WAITING = 64, HEAD = CONTROL_HEAD_BYTES };

static struct {
	struct coord c;
	struct script in;
	uint8_t captured[LINES], finished[LINES], over[LINES];
	uint32_t committing, restored, restores;
	struct coord_message waiting[WAITING];
	int nwaiting;
} f;

/* ---- what it may ask for ---- */

static struct coord_undelivered undelivered(void)
{
	struct coord_undelivered u = {0};

	for (int i = 0; i < f.nwaiting; i++)
		coord_undelivered_add(&u, &f.waiting[i]);
	FUZZ_CHECK(!u.incomplete, "out of memory");
	return u;
}

static void list(void)
{
	struct coord_undelivered u = undelivered();

	coord_listed(&f.c, &u);
	coord_undelivered_free(&u);
}

static bool capture(uint32_t line)
{
	FUZZ_CHECK(line < LINES && !f.captured[line], "line %u is captured again", line);
	f.captured[line] = true;
	for (int i = 0; i < f.nwaiting; i++)
		FUZZ_CHECK(coord_fate(&f.c, line, &f.waiting[i]) != COORD_OUT || f.c.size == 1 ||
				   f.waiting[i].peer == f.c.self,
			"what waits is out, while nobody has closed the line");
	return true;
}

static void settle(uint32_t line, int peer)
{
	FUZZ_CHECK(f.captured[line] && !f.finished[line] && !f.over[line], "line %u", line);
	FUZZ_CHECK(peer >= 0 && peer < f.c.size, "rank %d", peer);
	for (int i = 0; i < f.nwaiting; i++)
		FUZZ_CHECK(f.waiting[i].peer != peer ||
				   coord_fate(&f.c, line, &f.waiting[i]) != COORD_OPEN,
			"a message of a peer that has closed the line is open");
}

static void finish(uint32_t line)
{
	uint8_t *bytes;
	size_t len;

	FUZZ_CHECK(f.captured[line] && !f.finished[line] && !f.over[line], "line %u", line);
	f.finished[line] = true;
	/* stamps that are not what was reported: then checksums and orphans do not fit */
	if (!coord_save(&f.c, line, &bytes, &len))
		return;
	FUZZ_CHECK(coord_valid(bytes, len, f.c.size), "its orphans make no sense");
	free(bytes);
}

static void commit(uint32_t line, const struct coord_part *parts)
{
	FUZZ_CHECK(f.c.self == 0 && !f.committing, "line %u while %u is committed", line,
		f.committing);
	FUZZ_CHECK(f.finished[line] && !f.over[line], "line %u", line);
	for (int i = 0; i < f.c.size; i++)
		FUZZ_CHECK(parts[i].ok, "without the part of rank %d", i);
	f.committing = line;
}

static void over(uint32_t line, bool committed)
{
	FUZZ_CHECK(f.captured[line] && !f.over[line], "line %u", line);
	FUZZ_CHECK(!committed || f.finished[line], "a line that was not finished");
	f.over[line] = true;
}

static void tell(int peer, const uint8_t *bytes, size_t len)
{
	struct control_message r;

	FUZZ_CHECK(peer >= 0 && peer < f.c.size && peer != f.c.self, "to rank %d", peer);
	FUZZ_CHECK(control_message_decode(&r, bytes, len), "what is told makes no sense");
}

static void fatal(void *user, const char *sentence)
{
	(void)user;
	FUZZ_CHECK(false, "%s", sentence);
}

/* ---- calls of the program ---- */

static void take(void)
{
	const uint8_t *bytes;
	size_t len = script_bytes(&f.in, &bytes, script_u8(&f.in));

	if (coord_valid(bytes, len, f.c.size))
		FUZZ_CHECK(coord_load(&f.c, bytes, len), "out of memory");
}

static void act(const struct coord_action *a)
{
	switch (a->kind) {
	case COORD_SETTLE:
		settle(a->line, a->peer);
		break;
	case COORD_FINISH:
		finish(a->line);
		break;
	case COORD_COMMIT:
		commit(a->line, a->parts);
		break;
	case COORD_OVER:
		over(a->line, a->ok);
		break;
	case COORD_SEND:
		coord_finish_bytes(a->bytes, a->len);
		tell(a->peer, a->bytes, a->len);
		free(a->bytes);
		break;
	case COORD_LIST:
		list();
		break;
	case COORD_CAPTURE:
		coord_answer(&f.c, capture(a->line), 0);
		break;
	default:
		if (a->kind == COORD_WAIT)
			FUZZ_CHECK(coord_wait_is_over(&f.c), "waits");
		else if (a->kind == COORD_FORGET)
			f.nwaiting = 0;
		else if (a->kind == COORD_TAKE)
			take();
		coord_answer(&f.c, true, a->kind == COORD_FIND ? f.restored : 0);
	}
}

static void drive(void)
{
	struct coord_action a;

	while (coord_asks(&f.c) && coord_next_action(&f.c, &a))
		act(&a);
}

/* ---- steps ---- */

static int peer(void)
{
	return script_u8(&f.in) % f.c.size;
}

static void step_checkpoint(void)
{
	struct coord_undelivered u;

	if (f.c.line + 1 == LINES)
		return;
	u = undelivered();
	coord_checkpoint(&f.c, &u);
	coord_undelivered_free(&u);
}

static void step_send(void)
{
	int to = peer();

	coord_sent(&f.c, to, CONTEXT, script_u8(&f.in) % 4);
}

static void step_arrives(void)
{
	struct coord_message m = {.peer = peer(), .context = CONTEXT};

	m.tag = script_u8(&f.in) % 4;
	m.stamp = script_u8(&f.in);
	if (f.nwaiting == WAITING)
		return;
	if (coord_discards(&f.c, m.peer, m.context, m.tag, m.stamp)) {
		coord_compared(&f.c);
		return;
	}
	m.index = coord_arrived(&f.c, m.peer, m.context, m.tag, m.stamp);
	f.waiting[f.nwaiting++] = m;
}

/* In memory of its own, so that a look beyond the end is seen. */
static void told(int from, const uint8_t *head, size_t headlen, size_t len)
{
	uint32_t line = f.c.line;
	const uint8_t *rest;
	uint8_t *bytes;

	len = script_bytes(&f.in, &rest, len);
	bytes = malloc(headlen + len + !(headlen + len));
	FUZZ_CHECK(bytes, "out of memory");
	if (headlen)
		memcpy(bytes, head, headlen);
	if (len)
		memcpy(bytes + headlen, rest, len);
	coord_control(&f.c, from, bytes, headlen + len);
	FUZZ_CHECK(f.c.line == line, "the line changes");
	free(bytes);
}

static void step_told(void)
{
	int from = (int8_t)script_u8(&f.in);

	told(from, NULL, 0, script_u8(&f.in));
}

static void step_told_kind(void)
{
	uint8_t head[HEAD] = {0};
	int from = peer();

	head[0] = script_u8(&f.in) % 8;
	head[1] = script_u8(&f.in) % 4;
	head[4] = (uint8_t)f.restores;
	head[8] = script_u8(&f.in);
	told(from, head, sizeof head, script_u8(&f.in));
}

static void step_written(void)
{
	struct coord_part part = {.ok = 1, .seal = 7, .bytes = 9};
	bool ok = script_u8(&f.in);

	for (uint32_t line = 1; line < LINES; line++)
		if (f.captured[line] && !f.over[line] && (!ok || f.finished[line])) {
			coord_written(&f.c, line, ok ? &part : NULL);
			return;
		}
}

static void step_committed(void)
{
	uint32_t line = f.committing;
	bool ok = script_u8(&f.in);

	f.committing = 0;
	if (line)
		coord_committed(&f.c, line, ok);
}

static void step_received(void)
{
	struct orphan_sum sum = {.length = 8, .hash = 4711};

	for (int i = 0; i < f.nwaiting; i++)
		if (coord_is_early(&f.c, f.waiting[i].stamp))
			coord_received(&f.c, &f.waiting[i], &sum);
	f.nwaiting = 0;
}

static void step_restore(void)
{
	f.restored = script_u8(&f.in) % (LINES / 2);
	if (f.restores || f.committing || f.c.line > f.restored)
		return;
	coord_restore(&f.c);
	drive();
	f.restores++;
	memset(f.captured, 0, sizeof f.captured);
	memset(f.finished, 0, sizeof f.finished);
	memset(f.over, 0, sizeof f.over);
}

static void step(void)
{
	switch (script_u8(&f.in)) {
	case 0:
		step_checkpoint();
		break;
	case 1:
		step_send();
		break;
	case 2:
		step_arrives();
		break;
	case 3:
		step_told();
		break;
	case 4:
		step_told_kind();
		break;
	case 5:
		step_written();
		break;
	case 6:
		step_committed();
		break;
	case 7:
		coord_due(&f.c, script_u8(&f.in));
		break;
	case 8:
		step_received();
		break;
	case 9:
		step_restore();
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int how, ranks, self;

	memset(&f, 0, sizeof f);
	f.in = script_over(data, size);
	how = script_u8(&f.in);
	ranks = 1 + (how & 7);
	self = (how >> 3 & 7) % ranks;
	FUZZ_CHECK(coord_init(&f.c, how & 64 ? "auto" : "eventlog", self, ranks, fatal, NULL) == 0,
		"out of memory");
	for (int i = 0; i < STEPS && !script_ended(&f.in); i++) {
		step();
		drive();
	}
	for (uint32_t line = 0; (line = coord_next_line(&f.c, line));)
		FUZZ_CHECK(f.captured[line] && !f.over[line], "line %u", line);
	coord_fini(&f.c);
	return 0;
}
