/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images (C10): what lies in a rank's memory as a whole when its line is cut comes back with it, in
 * place of being in the line or coming again. By definition it counts as received.
 */
#include "coord_sim.h"

/* By the first that is not whole of each sender; what is a rank's own is in its memory anyway. */
static bool stays(struct rank *r, bool *lacks, int id)
{
	struct mail *m = &r->w->mails[id];
	int from = r->w->program.envs[m->env].from;

	m->whole |= from == r->self;
	lacks[from] |= !m->whole;
	return m->whole && (m->post >= 0 || !lacks[from]);
}

/* One that has its receive was told when it came; one that waits is told each time. */
static void tell(struct rank *r, int id)
{
	const struct mail *m = &r->w->mails[id];
	struct coord_message name = message_of(r->w, id);
	struct orphan_sum sum = sum_of(m->env, m->number, m->contents);

	if (m->post >= 0)
		note_contents(r, id);
	else if (coord_is_early(&r->c, m->stamp))
		coord_received(&r->c, &name, &sum);
}

void image_cut(struct rank *r, struct part *part)
{
	bool lacks[RANKS] = {0};

	for (int i = 0; i < r->inbox.n; i++) {
		int id = r->inbox.v[i];
		const struct mail *m = &r->w->mails[id];

		if (!stays(r, lacks, id))
			continue;
		tell(r, id);
		part->kept_by[part->kept.n] = m->post;
		mails_add(&part->kept, id);
		part->state.got[m->env] |= BIT(m->number);
		part->state.had[m->env][m->number] = m->contents;
		r->w->seen->kept++;
	}
}

bool image_has(const struct part *part, int id)
{
	for (int i = 0; i < part->kept.n; i++)
		if (part->kept.v[i] == id)
			return true;
	return false;
}

void image_store(const struct world *w, const struct part *part, struct stored_image *s)
{
	s->n = part->kept.n;
	for (int i = 0; i < s->n; i++) {
		const struct mail *m = &w->mails[part->kept.v[i]];

		s->mail[i].env = m->env;
		s->mail[i].number = m->number;
		s->mail[i].contents = m->contents;
		s->post[i] = part->kept_by[i];
	}
}

/* The program has not received it, but the protocol takes it for that. */
void image_wake(struct rank *r, const struct stored_image *s)
{
	for (int i = 0; i < s->n; i++) {
		int id = inject(r, &s->mail[i]), post = s->post[i];

		r->state.got[s->mail[i].env] &= ~BIT(s->mail[i].number);
		r->woke[s->mail[i].env] |= BIT(s->mail[i].number);
		if (post < 0)
			continue;
		r->w->mails[id].post = post;
		r->matched[post] = id;
	}
}
