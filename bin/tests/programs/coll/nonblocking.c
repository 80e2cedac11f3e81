/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nonblocking: collective operations that return a request. Every one in every form gives what the
 * blocking one gives; several are open at once and finished in any order; they go on while the
 * program computes; and the rules of MPI 5.0 sections 6.12 and 6.13.
 */
#include "nonblocking.h"

#include <stdio.h>
#include <string.h>

struct prog nb;
struct nb_blocks nb_even;
MPI_Comm nb_ring;

void nb_expect(bool holds, const char *what)
{
	if (!holds)
		prog_wrong(&nb, "not so: %s", what);
}

void nb_class(int rc, int class, const char *what)
{
	int got = MPI_SUCCESS;
	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &got);
	if (got != class)
		prog_wrong(&nb, "%s: error class %d, not %d", what, got, class);
}

static void make_blocks(void)
{
	for (int i = 0; i < NB_RANKS_MOST; i++) {
		nb_even.counts[i] = NB_BLOCK;
		nb_even.counts_c[i] = NB_BLOCK;
		nb_even.places[i] = i * NB_BLOCK;
		nb_even.places_c[i] = i * NB_BLOCK;
		nb_even.byte_places[i] = i * NB_BLOCK * (int)sizeof(int);
		nb_even.byte_places_c[i] = nb_even.byte_places[i];
		nb_even.types[i] = MPI_INT;
	}
}

static int run(const struct prog_case *c, const char *only)
{
	int done = 0;
	for (; c->name != NULL; c++) {
		if (*only && strcmp(only, c->name) != 0)
			continue;
		c->run();
		MPI_Barrier(MPI_COMM_WORLD);
		done++;
	}
	return done;
}

int main(int argc, char **argv)
{
	const char *only = "";
	const struct prog_option options[] = {
		{"case", NULL, PROG_TEXT, &only, 0, "only this case"},
	};
	nb = (struct prog){.name = "nonblocking",
		.text = "collective operations that return a request",
		.options = options,
		.count = 1};
	int level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&nb, argc, argv);
	if (nb.size > NB_RANKS_MOST)
		prog_wrong(&nb, "more than %d ranks", NB_RANKS_MOST);
	const int periodic = 1;
	make_blocks();
	MPI_Cart_create(MPI_COMM_WORLD, 1, &nb.size, &periodic, 0, &nb_ring);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	int done = run(nb_orders, only) + run(nb_rules, only) + run(nb_persistent, only);
	if (done == 0)
		prog_wrong(&nb, "there is no case '%s'", only);
	if (nb.rank == 0)
		printf("nonblocking: right, %d cases on %d ranks\n", done, nb.size);
	MPI_Comm_free(&nb_ring);
	MPI_Finalize();
	return 0;
}
