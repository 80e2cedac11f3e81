/* SPDX-License-Identifier: BSD-3-Clause */
/* What protocols ask for of lines, as a simulated rank does it. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "coord_sim.h"

/* A message that is in is asked for at once (E4). */
static void hold(struct rank *r, struct part *part, uint32_t line, int id)
{
	struct coord_message m = message_of(r->w, id);
	enum coord_fate fate = coord_fate(&r->c, line, &m);

	if (fate == COORD_OUT)
		return;
	mails_add(&part->candidates, id);
	if (fate == COORD_IN)
		r->w->mails[id].pull = true;
}

bool capture_line(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);

	part->captured = !rng_chance(&r->w->rng, r->w->rates.spoil);
	part->lost = !part->captured;
	for (int i = 0; part->captured && i < r->inbox.n; i++)
		if (!image_has(part, r->inbox.v[i]))
			hold(r, part, line, r->inbox.v[i]);
	return part->captured;
}

void settle_peer(struct rank *r, uint32_t line, int peer)
{
	struct world *w = r->w;
	struct part *part = part_of(r, line);

	if (!part->captured || part->finished || part->over)
		world_fails(w, "rank %d, line %u: settled out of its time", r->self, line);
	for (int i = part->candidates.n; i-- > 0;) {
		struct coord_message m = message_of(w, part->candidates.v[i]);

		if (m.peer != peer)
			continue;
		switch (coord_fate(&r->c, line, &m)) {
		case COORD_OPEN:
			world_fails(w, "rank %d, line %u: %d has closed it, and a message is open",
				r->self, line, peer);
		case COORD_OUT:
			mails_take(&part->candidates, i);
			break;
		case COORD_IN:
			w->mails[part->candidates.v[i]].pull = true;
		}
	}
}

static void keep_orphans(struct rank *r, struct part *part, uint32_t line)
{
	free(part->orphans);
	if (!coord_save(&r->c, line, &part->orphans, &part->norphans))
		world_fails(r->w, "rank %d, line %u: no orphans", r->self, line);
	if (!coord_valid(part->orphans, part->norphans, r->w->program.ranks))
		world_fails(r->w, "rank %d, line %u: orphans that are not valid", r->self, line);
}

void finish_line(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);

	if (!part->captured || part->finished || part->over || part->lost)
		world_fails(r->w, "rank %d, line %u: finished out of its time", r->self, line);
	part->finished = true;
	for (int i = 0; i < part->candidates.n; i++) {
		struct coord_message m = message_of(r->w, part->candidates.v[i]);

		if (coord_fate(&r->c, line, &m) != COORD_IN)
			world_fails(r->w, "rank %d, line %u: finished, and a message is not in",
				r->self, line);
	}
	part->torn = coord_torn(&r->c, line);
	part->crowded = coord_crowded(&r->c, line);
	r->w->seen->crowded += part->crowded;
	if (part->crowded)
		return;
	keep_orphans(r, part, line);
	check_part(r, line);
}

void commit_line(struct rank *r, uint32_t line, const struct coord_part *parts)
{
	struct world *w = r->w;

	if (r->self || w->committing)
		world_fails(w, "rank %d: asked to commit line %u while %u is", r->self, line,
			w->committing);
	for (int q = 0; q < w->program.ranks; q++) {
		const struct part *part = part_of(&w->ranks[q], line);

		if (!part->durable || part->lost || !parts[q].ok ||
			parts[q].seal != line * 8 + (unsigned)q)
			world_fails(
				w, "line %u is to be committed without the part of %d", line, q);
	}
	w->committing = line;
	w->commit_known = false;
}

void end_line(struct rank *r, uint32_t line, bool committed)
{
	struct part *part = part_of(r, line);

	world_says(r->w, "%d: line %u is over%s", r->self, line, committed ? ", committed" : "");
	if (!part->begun || part->over)
		world_fails(r->w, "rank %d: line %u is over twice", r->self, line);
	part->over = true;
	part->committed = committed;
	if (committed)
		r->w->seen->committed += r->self == 0;
	else
		r->w->seen->given_up += r->self == 0;
}

/* Kind, flags and line are where doc/coord.md says. */
static void count_control(struct world *w, const uint8_t *bytes, size_t len)
{
	uint32_t line;

	if (len < 12 || bytes[0] >= CONTROL_KINDS)
		world_fails(w, "a control message has no kind");
	memcpy(&line, bytes + 8, 4);
	line = le32toh(line) - w->base;
	w->seen->control++;
	if (w->before_restore || line >= LINES)
		return;
	w->control_of[line][bytes[0]]++;
	w->control_of[line][0] += bytes[0] == 1 && bytes[1] & 1;
}

void send_control(struct rank *r, int peer, const uint8_t *bytes, size_t len)
{
	struct world *w = r->w;
	struct control *t = malloc(sizeof *t + len);

	if (peer == r->self || peer < 0 || peer >= w->program.ranks)
		world_fails(w, "rank %d sends a control message to %d", r->self, peer);
	if (!t)
		abort();
	t->next = NULL;
	t->len = len;
	memcpy(t->bytes, bytes, len);
	*w->control_end[r->self][peer] = t;
	w->control_end[r->self][peer] = &t->next;
	count_control(w, bytes, len);
}

/* Under a protocol that waits, for the disk or for others' copies alone. */
void save_line(struct rank *r, uint32_t line, bool ok)
{
	struct part *part = part_of(r, line);

	part->captured = ok;
	part->lost = !ok;
	if (r->w->images) /* all is whole */
		image_cut(r, part);
	if (!ok)
		return;
	part->finished = part->durable = !r->w->later;
	part->candidates = r->inbox;
	if (r->w->images)
		part->candidates.n = 0;
	keep_orphans(r, part, line);
	if (!r->w->other) /* else the job has ended, and nothing more comes */
		check_part(r, line);
}
