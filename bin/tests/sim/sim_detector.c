/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_detector [RUNS [FIRST]]: so many random clusters (5000), each from the next seed; one in 64
 * twice, to see that a seed repeats a run. sim_detector 1 SEED repeats what was found.
 */
#include <stdio.h>
#include <stdlib.h>

#include "detector_sim.h"

enum { RUNS = 5000, EPOCHS = 4, TWICE = 64 };

/* Runs until a decision, or until there must have been one. */
static void run_epoch(struct sim *s)
{
	struct event e;
	uint64_t until;

	sim_begin_epoch(s);
	until = faults_last(s) + check_patience(s);
	while (s->verdict.kind == UNDECIDED && queue_next(&s->queue, &e) && e.at <= until)
		sim_event(s, &e);
	check_suspected(s);
	if (s->verdict.kind == UNDECIDED)
		check_undecided(s);
	else
		check_verdict(s);
	s->count.verdicts[s->verdict.kind]++;
	sim_end_epoch(s);
}

/* Whose ranks are to be moved: not the launcher's, of two. */
static void set_aside(struct sim *s)
{
	const struct verdict *v = &s->verdict;

	if (v->kind == HOST_GONE)
		s->host_gone[v->who] = true;
	if (v->kind == LINK_CUT)
		s->host_gone[v->who == s->launcher ? v->other : v->who] = true;
}

/* False: there is no host left. */
static bool place_again(struct sim *s)
{
	int left[HOSTS_MAX], n = 0;

	for (int h = 0; h < s->hosts; h++)
		if (!s->host_gone[h])
			left[n++] = h;
	for (int r = 0; n > 0 && r < s->ranks; r++)
		if (s->host_gone[s->node[r]])
			s->node[r] = left[sim_random(s, (uint64_t)n)];
	return n > 0;
}

static uint64_t run(struct sim *s, uint64_t seed)
{
	sim_begin_run(s, seed);
	do {
		run_epoch(s);
		set_aside(s);
	} while (s->epoch < EPOCHS && !s->ending && place_again(s));
	return s->trace;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*end || end == text) {
		fprintf(stderr, "usage: sim_detector [RUNS [FIRST SEED]]: '%s' is no number\n",
			text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct sim s;
	uint64_t runs = argc > 1 ? number(argv[1]) : RUNS;
	uint64_t first = argc > 2 ? number(argv[2]) : 1;

	for (uint64_t seed = first; seed < first + runs; seed++) {
		uint64_t trace = run(&s, seed);

		if (seed % TWICE == 0 && run(&s, seed) != trace) {
			fprintf(stderr, "seed %llu: two runs differ\n", (unsigned long long)seed);
			return 1;
		}
	}
	free(s.queue.heap);
	printf("sim_detector: %lu runs, %lu epochs, %lu faults, %lu suspicions; decided: %lu "
	       "nothing, "
	       "%lu host gone, %lu rank stopped, %lu rank died, %lu link cut\n",
		s.count.runs, s.count.epochs, s.count.faults, s.count.suspicions,
		s.count.verdicts[UNDECIDED], s.count.verdicts[HOST_GONE],
		s.count.verdicts[RANK_STOPPED], s.count.verdicts[RANK_DIED],
		s.count.verdicts[LINK_CUT]);
	return 0;
}
