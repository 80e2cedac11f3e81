/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neurons: a network of neurons that excite and inhibit each other, after Morris and Lecar, by the
 * method of Runge and Kutta of order 4. Each rank has a block of neurons. In a step every stage
 * begins with an allgather of the synapses (four), then one of the potentials follows, for the gap
 * junctions of the next step, and a gather of the potentials at rank 0, which counts the spikes:
 * five allgathers and a gather.
 *
 * What acts on a neuron is added up in the order of the others' numbers, so the answer is the same
 * to the last bit for every number of ranks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

enum { NEURONS_MAX = 4096 };

/* ms, mV; per area: uF, mS and uA. Class I neurons near their threshold. */
#define DT 0.05
#define CAPACITY 20.0
#define G_CALCIUM 4.0
#define G_POTASSIUM 8.0
#define G_LEAK 2.0
#define V_CALCIUM 120.0
#define V_POTASSIUM (-84.0)
#define V_LEAK (-60.0)
#define G_GAP 0.02
#define SPIKE 0.0 /* a potential that rises above this */

/* What changes in a neuron: potential, open potassium channels, its synapse. */
enum { V, W, S, VARIABLES };

struct synapse {
	double weight;	 /* 0: there is none */
	double reversal; /* mV: what it draws the other one to */
};

struct net {
	struct paper paper;
	long n, steps, seed;
	size_t block; /* neurons of a rank; the last ranks may have fewer */
	size_t first, mine;
	struct synapse *from; /* mine x n */
	double *current;      /* mine: from outside */
	double *x;	      /* VARIABLES x block: the state; of each variable in turn */
	double *stage, *slope, *sum;
	double *synapses;    /* of all, with the holes of the last ranks */
	double *potentials;  /* of all, at the beginning of the step */
	double *seen;	     /* rank 0: of all, after the last step */
	uint64_t counted[2]; /* rank 0: spikes, and a print of all it has seen */
};

/* Random numbers of a neuron or a pair of them; what: which one. */
static double chance(const struct net *net, uint64_t what, size_t i, size_t j)
{
	uint64_t pair = (uint64_t)i * NEURONS_MAX + (uint64_t)j;

	return paper_unit(paper_mix(pair ^ paper_mix(what ^ paper_mix((uint64_t)net->seed))));
}

static double *of(double *x, const struct net *net, int variable)
{
	return x + (size_t)variable * net->block;
}

/* A quarter of all pairs is connected; one neuron in five inhibits. */
static struct synapse synapse(const struct net *net, size_t to, size_t from)
{
	int inhibits = chance(net, 1, from, from) < 0.2;
	double weight = (0.5 + chance(net, 2, to, from)) * 8.0 / (double)net->n;

	if (to == from || chance(net, 3, to, from) >= 0.25)
		return (struct synapse){0.0, 0.0};
	return (struct synapse){inhibits ? 2.0 * weight : weight, inhibits ? -80.0 : 0.0};
}

static void begin_neuron(struct net *net, size_t i)
{
	size_t global = net->first + i;

	of(net->x, net, V)[i] = -60.0 + 40.0 * chance(net, 4, global, 0);
	of(net->x, net, W)[i] = 0.1 * chance(net, 5, global, 0);
	of(net->x, net, S)[i] = 0.0;
	net->current[i] = 38.0 + 12.0 * chance(net, 6, global, 0);
	for (size_t j = 0; j < (size_t)net->n; j++)
		net->from[i * (size_t)net->n + j] = synapse(net, global, j);
}

static void share_potentials(struct net *net)
{
	MPI_Allgather(of(net->x, net, V), (int)net->block, MPI_DOUBLE, net->potentials,
		(int)net->block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void make(struct net *net)
{
	const struct paper *p = &net->paper;
	size_t n = (size_t)net->n, ranks = (size_t)p->prog.size, rank = (size_t)p->prog.rank;
	double **vectors[] = {&net->x, &net->stage, &net->slope, &net->sum};
	double **wholes[] = {&net->synapses, &net->potentials, &net->seen};

	net->block = (n + ranks - 1) / ranks;
	net->first = rank * net->block < n ? rank * net->block : n;
	net->mine = n - net->first < net->block ? n - net->first : net->block;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		*vectors[i] = paper_array(p, VARIABLES * net->block, sizeof(double));
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
		*wholes[i] = paper_array(p, ranks * net->block, sizeof(double));
	net->from = paper_array(p, net->mine * n, sizeof *net->from);
	net->current = paper_array(p, net->mine, sizeof *net->current);
	for (size_t i = 0; i < net->mine; i++)
		begin_neuron(net, i);
	share_potentials(net);
	paper_protect(p, 1, net->x, VARIABLES * net->block, MPI_DOUBLE);
	paper_protect(p, 2, net->potentials, ranks * net->block, MPI_DOUBLE);
	paper_protect(p, 3, net->seen, ranks * net->block, MPI_DOUBLE);
	paper_protect(p, 4, net->counted, 2, MPI_UINT64_T);
}

/* ---- one neuron ---- */

static double synaptic_current(const struct net *net, size_t i, double v)
{
	const struct synapse *from = net->from + i * (size_t)net->n;
	double sum = 0.0;

	for (size_t j = 0; j < (size_t)net->n; j++)
		if (from[j].weight > 0.0)
			sum += from[j].weight * (net->synapses[j] * (from[j].reversal - v) +
							G_GAP * (net->potentials[j] - v));
	return sum;
}

static double open_calcium(double v)
{
	return 0.5 * (1.0 + tanh((v + 1.2) / 18.0));
}

/* The slopes of neuron i in the state `at`. */
static void slopes(struct net *net, double *at, size_t i)
{
	double v = of(at, net, V)[i], w = of(at, net, W)[i], s = of(at, net, S)[i];
	double open = 0.5 * (1.0 + tanh((v - 12.0) / 17.4));
	double released = 1.0 / (1.0 + exp(-(v + 10.0) / 5.0));

	of(net->slope, net, V)[i] =
		(net->current[i] + synaptic_current(net, i, v) -
			G_CALCIUM * open_calcium(v) * (v - V_CALCIUM) -
			G_POTASSIUM * w * (v - V_POTASSIUM) - G_LEAK * (v - V_LEAK)) /
		CAPACITY;
	of(net->slope, net, W)[i] = 0.067 * (open - w) * cosh((v - 12.0) / 34.8);
	of(net->slope, net, S)[i] = released * (1.0 - s) - 0.2 * s;
}

/* ---- a step ---- */

/* Slopes of all of ours in the state `at`. */
static void evaluate(struct net *net, double *at)
{
	MPI_Allgather(of(at, net, S), (int)net->block, MPI_DOUBLE, net->synapses, (int)net->block,
		MPI_DOUBLE, MPI_COMM_WORLD);
	for (size_t i = 0; i < net->mine; i++)
		slopes(net, at, i);
}

static void runge_kutta(struct net *net)
{
	static const double ahead[] = {0.0, 0.5, 0.5, 1.0}, part[] = {1.0, 2.0, 2.0, 1.0};
	size_t all = VARIABLES * net->block;

	memcpy(net->sum, net->x, all * sizeof *net->sum);
	for (int k = 0; k < 4; k++) {
		for (size_t i = 0; i < all; i++)
			net->stage[i] = net->x[i] + DT * ahead[k] * net->slope[i];
		evaluate(net, net->stage);
		for (size_t i = 0; i < all; i++)
			net->sum[i] += DT / 6.0 * part[k] * net->slope[i];
	}
	memcpy(net->x, net->sum, all * sizeof *net->x);
}

/* On rank 0: what all potentials are now, beside what they were. */
static void watch(struct net *net, const double *now)
{
	for (size_t i = 0; i < (size_t)net->n; i++) {
		if (!(fabs(now[i]) < 150.0))
			prog_wrong(&net->paper.prog, "the potential of neuron %zu is %g mV", i,
				now[i]);
		net->counted[0] += now[i] > SPIKE && net->seen[i] <= SPIKE;
	}
	memcpy(net->seen, now, (size_t)net->n * sizeof *now);
	net->counted[1] = paper_mix(net->counted[1]) + paper_print_of(now, (size_t)net->n, 0);
}

static void step(struct net *net)
{
	double *now = net->synapses; /* those are gathered anew in each stage */

	runge_kutta(net);
	share_potentials(net);
	MPI_Gather(of(net->x, net, V), (int)net->block, MPI_DOUBLE, now, (int)net->block,
		MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (net->paper.prog.rank == 0)
		watch(net, now);
}

static void judge(struct net *net)
{
	if (net->paper.prog.rank == 0 && net->counted[0] == 0 && net->steps >= 1000)
		prog_wrong(&net->paper.prog, "no neuron has fired");
	paper_right(&net->paper,
		"%ld neurons, %ld steps, seed %ld, %" PRIu64 " spikes, potentials were %016" PRIx64,
		net->n, net->steps, net->seed, net->counted[0], net->counted[1]);
}

static void clear(struct net *net)
{
	double *arrays[] = {net->current, net->x, net->stage, net->slope, net->sum, net->synapses,
		net->potentials, net->seen};

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	free(net->from);
}

int main(int argc, char **argv)
{
	struct net net = {.paper.steps = STEPS_DEFAULT, .n = 64, .steps = 5000, .seed = 1};
	const struct prog_option options[] = {
		{"neurons", NULL, PROG_LONG, &net.n, 1, "how many (default 64)"},
		{"-steps", "N", PROG_LONG, &net.steps, 1, "of 0.05 ms each (default 5000)"},
		{"-seed", "S", PROG_LONG, &net.seed, 0, "of the network (default 1)"},
		PAPER_OPTIONS(net.paper),
	};

	MPI_Init(&argc, &argv);
	net.paper.prog = (struct prog){"neurons",
		"a network of neurons by the method of Runge and "
		"Kutta",
		options, sizeof options / sizeof *options, 0, 1};
	paper_begin(&net.paper, argc, argv);
	paper_at_most(&net.paper, "neurons", net.n, NEURONS_MAX);
	make(&net);
	paper_start(&net.paper, net.steps);
	while (net.paper.step < net.steps) {
		step(&net);
		paper_step(&net.paper);
	}
	paper_stop(&net.paper);
	judge(&net);
	clear(&net);
	MPI_Finalize();
	return 0;
}
