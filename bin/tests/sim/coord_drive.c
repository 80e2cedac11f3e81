/* SPDX-License-Identifier: BSD-3-Clause */
/* What protocols ask for is done, one after the other. */
#include <stdlib.h>

#include "coord_sim.h"

/* All ranks have come here, so nobody sends any more. */
static uint64_t exchange(const struct rank *r)
{
	uint64_t mine = 0;

	for (int q = 0; q < r->w->program.ranks; q++)
		mine += r->w->ranks[q].c.sent[r->self];
	return mine;
}

static void wait_for(struct rank *r, bool (*over)(const struct coord *c))
{
	while (!r->w->other && !over(&r->c)) {
		bool waits = coord_is_blocking(&r->c) && !r->w->later;
		bool moved = waits || r->w->before_restore ? deliver_to(r->w, r->self)
							   : move_network(r->w);

		if (!moved)
			world_fails(r->w, "rank %d waits for ever", r->self);
	}
}

static void secure(struct rank *r)
{
	for (int i = 0; i < r->inbox.n; i++)
		r->w->mails[r->inbox.v[i]].whole = true;
}

static bool conclude(struct rank *r, const struct coord_action *a)
{
	struct part *part = part_of(r, a->line);

	if (!a->ok)
		world_fails(r->w, "rank %d is not ready for line %u", r->self, a->line);
	part->over = true;
	part->committed = r->w->verdict;
	part->lost = !r->w->verdict;
	return r->w->verdict;
}

static uint64_t minimum(const struct rank *r)
{
	uint32_t least = r->c.line;

	for (int q = 0; q < r->w->program.ranks; q++)
		if (r->w->ranks[q].c.line < least)
			least = r->w->ranks[q].c.line;
	return least;
}

/* part: but what stays in its image; or NULL. */
static struct coord_undelivered undelivered(const struct rank *r, const struct part *part)
{
	struct coord_undelivered u = {0};

	for (int i = 0; i < r->inbox.n; i++) {
		struct coord_message m = message_of(r->w, r->inbox.v[i]);

		if (!part || !image_has(part, r->inbox.v[i]))
			coord_undelivered_add(&u, &m);
	}
	return u;
}

static void list(struct rank *r)
{
	struct coord_undelivered u = undelivered(r, NULL);

	coord_listed(&r->c, &u);
	coord_undelivered_free(&u);
}

/* What waits for nobody, or is answered by others. false: it is something else. */
static bool act_at_once(struct rank *r, const struct coord_action *a)
{
	switch (a->kind) {
	case COORD_SETTLE:
		settle_peer(r, a->line, a->peer);
		return true;
	case COORD_FINISH:
		if (coord_is_blocking(&r->c))
			write_later(r, a->line);
		else
			finish_line(r, a->line);
		return true;
	case COORD_MEET: /* answered when all have copied: step_later_line */
		r->meets = true;
		return true;
	case COORD_COMMIT:
		commit_line(r, a->line, a->parts);
		return true;
	case COORD_OVER:
		end_line(r, a->line, a->ok);
		return true;
	case COORD_SEND:
		coord_finish_bytes(a->bytes, a->len);
		send_control(r, a->peer, a->bytes, a->len);
		free(a->bytes);
		return true;
	case COORD_LIST:
		list(r);
		return true;
	default:
		return false;
	}
}

static void act(struct rank *r, const struct coord_action *a)
{
	bool ok = true;
	uint64_t number = 0;

	switch (a->kind) {
	case COORD_EXCHANGE:
		number = exchange(r);
		break;
	case COORD_WAIT:
		wait_for(r, coord_wait_is_over);
		break;
	case COORD_SECURE:
		secure(r);
		ok = !r->w->later || !rng_chance(&r->w->rng, r->w->rates.spoil);
		break;
	case COORD_SAVE:
		ok = !r->w->later || (a->ok && !rng_chance(&r->w->rng, r->w->rates.spoil));
		save_line(r, a->line, ok);
		break;
	case COORD_CONCLUDE:
		ok = conclude(r, a);
		break;
	case COORD_FIND:
		ok = find_line(r, &number);
		break;
	case COORD_QUIET:
		end_operations(r->w);
		break;
	case COORD_FORGET:
		r->inbox.n = 0;
		break;
	case COORD_TAKE:
		take_line(r);
		break;
	case COORD_MINIMUM:
		number = minimum(r);
		break;
	case COORD_CAPTURE:
		ok = capture_line(r, a->line);
		break;
	default:
		world_fails(r->w, "rank %d: action %d is unknown", r->self, a->kind);
	}
	coord_answer(&r->c, ok, number);
}

void drive(struct rank *r)
{
	struct coord_action a;

	while (coord_asks(&r->c) && coord_next_action(&r->c, &a))
		if (!act_at_once(r, &a))
			act(r, &a);
}

bool drive_checkpoint(struct rank *r)
{
	struct coord_undelivered u = undelivered(r, part_of(r, r->c.line + 1));

	coord_checkpoint(&r->c, &u);
	coord_undelivered_free(&u);
	drive(r);
	return coord_result(&r->c);
}

bool drive_restore(struct rank *r)
{
	coord_restore(&r->c);
	drive(r);
	return coord_result(&r->c);
}

bool drive_wait(struct rank *r)
{
	wait_for(r, coord_lines_over);
	return coord_lines_made(&r->c);
}

void drive_close(struct rank *r)
{
	coord_close(&r->c);
	drive(r);
}

bool drive_due(struct rank *r, bool elapsed)
{
	bool due = coord_due(&r->c, elapsed);

	drive(r);
	return due;
}
