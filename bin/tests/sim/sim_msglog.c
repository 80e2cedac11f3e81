/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_msglog [RUNS [FIRST [talk | RULE]]]: so many random schedules over the real message logging
 * of lib/coord (10000), each from the next seed; one in 64 twice, to see that a seed repeats a run.
 * RULE: that one is left out, and has to be found out within so many; the names are below.
 * sim_msglog 1 SEED talk repeats what was found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msglog_sim.h"

enum { RUNS = 10000, TWICE = 64, STEPS = 200000 };

static const char *const names[RULES] = {"none", "gate", "no", "duplicates", "open", "early-cover",
	"log-saved", "events-gc", "prefix-kept", "prefix-first", "untold", "cancelled", "haste",
	"free", "reserved", "send-over", "cover"};

void world_fails(const struct world *w, const char *fmt, ...)
{
	FILE *to = w->without ? stdout : stderr;
	va_list args;

	fflush(stdout);
	fprintf(to, "sim_msglog%s%s: seed %llu: ", w->without ? ", found out without " : "",
		w->without ? names[w->without] : "", (unsigned long long)w->seed);
	va_start(args, fmt);
	vfprintf(to, fmt, args);
	va_end(args);
	fprintf(to, "; again: sim_msglog 1 %llu %s\n", (unsigned long long)w->seed,
		w->without ? names[w->without] : "talk");
	exit(w->without ? 0 : 1);
}

void world_says(const struct world *w, const char *fmt, ...)
{
	va_list args;

	if (!w->talks)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static bool all_ended(const struct world *w)
{
	for (int p = 0; p < w->n; p++)
		if (!program_ended(w, p))
			return false;
	return true;
}

static void step(struct world *w, unsigned kill_rate)
{
	int p = (int)rng_below(&w->rng, (unsigned)w->n);

	if (!w->ranks[p].up) {
		if (rng_chance(&w->rng, 50))
			world_restart(w, p);
	} else if (world_may_kill(w) && rng_chance(&w->rng, kill_rate)) {
		world_kill(w, p);
	} else if (rng_chance(&w->rng, 400)) {
		program_step(w, p);
		world_act(w, p);
	} else {
		world_move(w, p);
	}
}

/* Returns what tells one run from another. */
static uint64_t run(struct world *w, uint64_t seed)
{
	uint64_t hash = seed;
	unsigned kill_rate, steps = 0;

	*w = (struct world){.seed = seed,
		.rng.state = seed,
		.without = w->without,
		.talks = w->talks,
		.stats = w->stats};
	w->n = 2 + (int)rng_below(&w->rng, RANKS - 1);
	w->rounds = 3 + (int)rng_below(&w->rng, ROUNDS - 2);
	w->kills = (int)rng_below(&w->rng, 7);
	w->data = rng_chance(&w->rng, 500);
	w->quiet = w->data && rng_chance(&w->rng, 300);
	kill_rate = 1 + rng_below(&w->rng, 15);
	program_make(w);
	world_begin(w);
	while (!all_ended(w)) {
		if (steps++ == STEPS)
			world_fails(w, "no end: rank 0 is at %d of %d", w->ranks[0].memory.at,
				w->nops[0]);
		step(w, kill_rate);
	}
	world_settle(w);
	world_check_end(w);
	for (int p = 0; p < w->n; p++)
		hash = content_mix(hash, w->ranks[p].memory.hash);
	world_end(w);
	return content_mix(hash, w->rng.state);
}

static enum rule rule_of(const char *name)
{
	for (int r = 0; r < RULES; r++)
		if (strcmp(name, names[r]) == 0)
			return (enum rule)r;
	fprintf(stderr, "sim_msglog: there is no rule %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : RUNS;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct world *w = calloc(1, sizeof *w);

	if (!w)
		return 1;
	w->talks = argc > 3 && strcmp(argv[3], "talk") == 0;
	w->without = argc > 3 && !w->talks ? rule_of(argv[3]) : RULE_NONE;
	for (uint64_t seed = first; seed < first + runs; seed++) {
		uint64_t hash = run(w, seed);

		if (seed % TWICE == 0 && run(w, seed) != hash)
			world_fails(w, "two runs from one seed differ");
	}
	if (w->without) {
		fprintf(stderr,
			"sim_msglog: without %s nothing is wrong: the simulation does not look "
			"closely enough\n",
			names[w->without]);
		return 1;
	}
	printf("sim_msglog: %lu schedules: %lu kills, %lu broken connections, %lu losses of the "
	       "event logger; %lu checkpoints, %lu choices followed, %lu receives bound, %lu "
	       "messages of exchanges, %lu prefixes run again, %lu messages sent later or "
	       "again, %lu sends ended by checkpoints\n",
		runs, w->stats.kills, w->stats.cuts, w->stats.loggers, w->stats.checkpoints,
		w->stats.followed, w->stats.bound, w->stats.stages, w->stats.prefixes,
		w->stats.again, w->stats.ended);
	free(w);
	return 0;
}
