/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/choice.h"

#include <stdlib.h>

#include "base/error.h"

/* Pauses before listing again after a trouble, 4.4 s together: a server that changes over, a mount
 * that comes back. A file that is missing is looked for once more, without a pause: its line was
 * removed, which the folder tells, or it is gone. LISTINGS bounds that, as
 * another process may commit and remove lines all the time. */
static const unsigned pauses[] = {100, 300, 1000, 3000};

enum { TROUBLES = sizeof pauses / sizeof *pauses, LISTINGS = 100 };

void ckpt_choice_free(struct ckpt_choice *c)
{
	for (unsigned i = 0; i < CKPT_CHOICE_SESSIONS; i++) {
		free(c->list[i].line);
		c->list[i] = (struct ckpt_listing){0};
	}
	free(c->struck);
	c->struck = NULL;
	c->nstruck = c->room = 0;
}

void ckpt_choice_listed(struct ckpt_choice *c, unsigned session, uint32_t *line, size_t n)
{
	free(c->list[session].line);
	c->list[session] = (struct ckpt_listing){line, n};
}

/* One more trouble: false when there were enough. */
static bool trouble(struct ckpt_choice *c, unsigned *pause_ms)
{
	if (c->troubles == TROUBLES)
		return false;
	*pause_ms = pauses[c->troubles++];
	return true;
}

bool ckpt_choice_unlisted(struct ckpt_choice *c, unsigned *pause_ms)
{
	return trouble(c, pause_ms);
}

static struct ckpt_struck *find_struck(const struct ckpt_choice *c, unsigned session, uint32_t line)
{
	for (size_t i = 0; i < c->nstruck; i++)
		if (c->struck[i].session == session && c->struck[i].line == line)
			return &c->struck[i];
	return NULL;
}

static bool is_lost(const struct ckpt_choice *c)
{
	const struct ckpt_listing *own = &c->list[0];

	return c->committed && !c->may_lose && (own->n == 0 || own->line[0] < c->committed);
}

static struct ckpt_next propose(struct ckpt_choice *c)
{
	struct ckpt_next next = {.step = CKPT_NONE};

	for (unsigned s = 0; s < CKPT_CHOICE_SESSIONS; s++)
		for (size_t i = 0; i < c->list[s].n; i++) {
			uint32_t line = c->list[s].line[i];
			const struct ckpt_struck *known = find_struck(c, s, line);

			if (known && known->out)
				continue;
			next = (struct ckpt_next){.step = CKPT_PROPOSE, .session = s, .line = line};
			next.last = known || c->troubles == TROUBLES;
			return next;
		}
	return next;
}

struct ckpt_next ckpt_choice_next(struct ckpt_choice *c)
{
	struct ckpt_next next = {.step = CKPT_LIST};

	if (c->again) {
		c->again = false;
		next.pause_ms = c->pause_ms;
		return next;
	}
	if (is_lost(c)) {
		if (!trouble(c, &next.pause_ms))
			next.step = CKPT_LOST;
		return next;
	}
	c->proposed = propose(c);
	return c->proposed;
}

static int strike(struct ckpt_choice *c, unsigned session, uint32_t line, bool out)
{
	struct ckpt_struck *known = find_struck(c, session, line);

	if (known) {
		known->out = known->out || out;
		return 0;
	}
	if (c->nstruck == c->room) {
		size_t room = c->room ? 2 * c->room : 16;
		struct ckpt_struck *grown = realloc(c->struck, room * sizeof *grown);

		if (!grown)
			return FT_ENOMEM;
		c->struck = grown;
		c->room = room;
	}
	c->struck[c->nstruck++] = (struct ckpt_struck){session, line, out};
	return 0;
}

int ckpt_choice_told(struct ckpt_choice *c, enum ckpt_outcome outcome)
{
	struct ckpt_next p = c->proposed;
	int rc = 0;

	if (outcome == CKPT_WHOLE)
		return 0;
	c->pause_ms = 0;
	if (outcome == CKPT_MISSING)
		c->again = !p.last && c->listings < LISTINGS;
	if (outcome == CKPT_NOT_NOW)
		c->again = !p.last && trouble(c, &c->pause_ms);
	c->listings += c->again;
	if (!c->again || outcome == CKPT_MISSING)
		rc = strike(c, p.session, p.line, !c->again);
	return rc;
}

uint32_t ckpt_choice_most(const struct ckpt_choice *c)
{
	uint32_t most = 0;

	for (unsigned s = 0; s < CKPT_CHOICE_SESSIONS; s++)
		if (c->list[s].n && c->list[s].line[0] > most)
			most = c->list[s].line[0];
	return most;
}

unsigned ckpt_choice_given_up(const struct ckpt_choice *c)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->nstruck; i++)
		n += c->struck[i].out;
	return n;
}
