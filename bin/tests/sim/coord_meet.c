/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of those who wait for each other, and not for the disk (B5): all arrive; then each copies
 * its part, and goes on when all have their copies, in a time of its own. What is left of the line
 * is done as for those who do not wait.
 */
#include "coord_sim.h"

/* Nobody is left to send before all have arrived, and what each has is the same until it goes on.
 * B6. */
static bool begin(struct world *w)
{
	uint32_t line = w->ranks[0].c.line + 1;

	for (int q = 0; q < w->program.ranks; q++)
		if (w->program.ops[q][w->ranks[q].state.pc].kind != OP_CKPT ||
			!coord_lines_over(&w->ranks[q].c))
			return false;
	w->meeting = line;
	for (int q = 0; q < w->program.ranks; q++) {
		w->ranks[q].state.pc++;
		cut_part(&w->ranks[q], line);
		w->ranks[q].state.pc--;
	}
	w->seen->later++;
	world_says(w, "all begin line %u", line);
	return true;
}

static bool has_copied(struct rank *r)
{
	const struct part *part = part_of(r, r->w->meeting);

	return part->captured || part->lost;
}

static void copy(struct rank *r)
{
	world_says(r->w, "%d comes to line %u", r->self, r->w->meeting);
	drive_checkpoint(r);
	if (r->c.line != r->w->meeting || r->meets != has_copied(r))
		world_fails(r->w, "rank %d has not come to line %u", r->self, r->w->meeting);
	if (r->w->meeting > r->w->latest) {
		r->w->latest = r->w->meeting;
		r->w->seen->lines++;
	}
}

/* When the rule that they meet is left out: it looks at itself alone. */
static bool have_met(struct rank *r, bool *ok)
{
	struct world *w = r->w;

	*ok = true;
	for (int q = 0; q < w->program.ranks; q++) {
		if (w->unmet && q != r->self)
			continue;
		if (!has_copied(&w->ranks[q]))
			return false;
		*ok &= part_of(&w->ranks[q], w->meeting)->captured;
	}
	return true;
}

static bool leave(struct rank *r)
{
	struct world *w = r->w;
	uint32_t line = w->meeting;
	bool ok;

	if (!have_met(r, &ok))
		return false;
	world_says(w, "%d goes on: line %u %s", r->self, line, ok ? "is to be written" : "is none");
	r->meets = false;
	r->left = line;
	r->state.pc++;
	for (int q = 0; q < w->program.ranks && w->meeting; q++)
		if (w->ranks[q].left != line)
			break;
		else if (q == w->program.ranks - 1)
			w->meeting = 0;
	coord_answer(&r->c, ok, 0);
	drive(r);
	if (coord_result(&r->c) != ok)
		world_fails(w, "rank %d: has line %u a part of every rank?", r->self, line);
	return true;
}

bool step_later_line(struct rank *r)
{
	struct world *w = r->w;

	if (!w->meeting && !begin(w))
		return false;
	if (r->left == w->meeting)
		return false;
	if (r->meets)
		return leave(r);
	copy(r);
	return true;
}

void write_later(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);

	if (!part->captured || part->finished || part->over || part->lost)
		world_fails(r->w, "rank %d, line %u: written out of its time", r->self, line);
	for (int q = 0; q < r->w->program.ranks; q++)
		if (!part_of(&r->w->ranks[q], line)->captured && !r->w->unmet)
			world_fails(r->w, "rank %d, line %u: written, and rank %d has no copy",
				r->self, line, q);
	part->finished = true;
}
