/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_coord [RUNS [FIRST [talk | unmet]]]: so many random clusters over the real lib/coord (10000),
 * each from the next seed; one in 64 twice, to see that a seed repeats a run. sim_coord 1 SEED talk
 * repeats what was found and tells all that happens. unmet: ranks do not wait for each other's
 * copies (B5); that has to be found out.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coord_sim.h"

enum { RUNS = 10000, TWICE = 64 };

/* Where a rule is left out that is what has to happen. */
void world_fails(const struct world *w, const char *fmt, ...)
{
	FILE *to = w->unmet ? stdout : stderr;
	va_list args;

	fflush(stdout);
	fprintf(to, "sim_coord%s: seed %llu, %s: ", w->unmet ? ", found out" : "",
		(unsigned long long)w->seed, w->protocol);
	va_start(args, fmt);
	vfprintf(to, fmt, args);
	va_end(args);
	fprintf(to, "; again: sim_coord 1 %llu %s\n", (unsigned long long)w->seed,
		w->unmet ? "unmet" : "talk");
	exit(w->unmet ? 0 : 1);
}

/* Also the trace by which two runs are compared. */
void world_says(struct world *w, const char *fmt, ...)
{
	va_list args;

	w->trace = (w->trace ^ rng_next(&(struct rng){.state = w->rng.state})) * 0x100000001b3;
	if (!w->talks)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void mails_add(struct mails *m, int id)
{
	if (m->n == MAILS)
		abort();
	m->v[m->n++] = id;
}

int mails_take(struct mails *m, int at)
{
	int id = m->v[at];

	m->n--;
	for (int i = at; i < m->n; i++)
		m->v[i] = m->v[i + 1];
	return id;
}

struct part *part_of(struct rank *r, uint32_t line)
{
	if (line <= r->w->base || line - r->w->base >= LINES)
		world_fails(r->w, "rank %d: there is no line %u", r->self, line);
	return &r->parts[line - r->w->base];
}

struct coord_message message_of(const struct world *w, int id)
{
	const struct mail *m = &w->mails[id];
	const struct envelope *e = &w->program.envs[m->env];

	return (struct coord_message){.peer = e->from,
		.context = e->context,
		.tag = e->tag,
		.index = m->index,
		.stamp = m->stamp};
}

/* ---- one schedule ---- */

static void choose_rates(struct world *w)
{
	static const unsigned crash[] = {0, 2, 6, 15}, spoil[] = {0, 0, 5, 25};
	struct rng *g = &w->rng;

	w->rates = (struct rates){.crash = crash[rng_below(g, 4)],
		.program = rng_below(g, 1000),
		.control = rng_below(g, 1000),
		.spoil = spoil[rng_below(g, 4)],
		.drain = rng_below(g, 2) * rng_below(g, 20),
		.late = rng_below(g, 1000),
		.elapsed = rng_below(g, 800),
		.slow = rng_below(g, 1000)};
	if (w->program.aligned) /* rare things need several restores there */
		w->rates.crash += 8;
	w->crashes_left = 8;
}

static void drain(struct world *w)
{
	while (!w->other && move_network(w))
		;
	if (!w->other)
		check_drained(w);
}

static bool crashes(struct world *w)
{
	bool wakes;

	if (!w->crashes_left || !rng_chance(&w->rng, w->rates.crash))
		return false;
	w->crashes_left--;
	world_says(w, "crash");
	/* of who has copied its part of a line, and comes back from another, no image tells */
	wakes = w->nstore && !w->meeting && rng_chance(&w->rng, 300);
	world_end_epoch(w, wakes);
	world_begin_epoch(w, wakes);
	return true;
}

bool all_ended(const struct world *w)
{
	for (int q = 0; q < w->program.ranks; q++)
		if (w->program.ops[q][w->ranks[q].state.pc].kind != OP_END)
			return false;
	return true;
}

/* What protocols still have to do is done while they are closed, or before. */
static void end(struct world *w)
{
	int n = w->program.ranks, first = (int)rng_below(&w->rng, (unsigned)n);

	check_end(w);
	for (int i = 0; i < n && !w->other; i++)
		drive_close(&w->ranks[(first + i) % n]);
	if (!w->other)
		check_closed(w);
	while (!w->other && move_network(w))
		;
	if (!w->other)
		check_left(w);
	world_end_epoch(w, false);
	store_clear(w);
}

/* It ends with a sentence. */
static uint64_t end_at_once(struct world *w)
{
	world_says(w, "another message came again");
	world_end_epoch(w, false);
	store_clear(w);
	return w->trace;
}

static bool moves(struct world *w)
{
	if (rng_chance(&w->rng, w->rates.program))
		return move_program(w) || move_network(w);
	return move_network(w) || move_program(w);
}

static void stuck(struct world *w)
{
	for (int q = 0; q < w->program.ranks; q++)
		if (w->program.ops[q][w->ranks[q].state.pc].kind != OP_END)
			world_fails(w, "rank %d waits for ever, at %d", q, w->ranks[q].state.pc);
}

static uint64_t run(struct world *w, uint64_t seed)
{
	w->seed = w->rng.state = w->trace = seed;
	w->base = w->latest = 0;
	w->protocol = "none";
	w->other = false;
	w->images = rng_chance(&w->rng, 500);
	memset(w->sends, 0, sizeof w->sends);
	program_make(&w->program, &w->rng);
	choose_rates(w);
	world_begin_epoch(w, false);
	while (!all_ended(w) || rng_chance(&w->rng, 900)) {
		if (w->other)
			return end_at_once(w);
		if (rng_chance(&w->rng, w->rates.drain))
			drain(w);
		if (!crashes(w) && !moves(w)) {
			stuck(w);
			drain(w);
			break;
		}
	}
	if (w->other)
		return end_at_once(w);
	end(w);
	return w->trace;
}

static uint64_t number(const char *text)
{
	char *rest;
	uint64_t n = strtoull(text, &rest, 10);

	if (*rest || rest == text) {
		fprintf(stderr, "usage: sim_coord [RUNS [FIRST SEED [talk]]]: '%s' is no number\n",
			text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct world w;
	static struct seen seen;
	uint64_t runs = argc > 1 ? number(argv[1]) : RUNS;
	uint64_t first = argc > 2 ? number(argv[2]) : 1;

	w.seen = &seen;
	w.talks = argc > 3 && strcmp(argv[3], "talk") == 0;
	w.unmet = argc > 3 && strcmp(argv[3], "unmet") == 0;
	for (uint64_t seed = first; seed < first + runs; seed++) {
		uint64_t trace = run(&w, seed);

		if (seed % TWICE == 0 && run(&w, seed) != trace) {
			fprintf(stderr, "seed %llu: two runs differ\n", (unsigned long long)seed);
			return 1;
		}
	}
	if (w.unmet) {
		fprintf(stderr, "sim_coord: ranks do not wait for each other's copies, and nobody "
				"finds out\n");
		return 1;
	}
	printf("sim_coord: %llu runs, %lu lines begun, %lu committed, %lu given up (%lu parts cut "
	       "a window, %lu had too many orphans), %lu made by all at once, %lu of these "
	       "committed "
	       "later, %lu by who was two "
	       "ahead or more; in transit %lu, orphan %lu, to both %lu; %lu restores (%lu "
	       "woken up), %lu kept in images, %lu thrown away, %lu jobs ended as they were "
	       "others; %lu comparisons "
	       "with the interval form, "
	       "%lu control messages\n",
		(unsigned long long)runs, seen.lines, seen.committed, seen.given_up, seen.torn,
		seen.crowded, seen.blocking + seen.later, seen.later, seen.ahead, seen.transit,
		seen.orphans, seen.both, seen.restores, seen.woken, seen.kept, seen.thrown,
		seen.other, seen.oracle, seen.control);
	return 0;
}
