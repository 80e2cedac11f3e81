/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intercomm: intercommunicators between two parts of the world, in many shapes: who is on which
 * side and in which order, messages to the other side, communicators made of them, every
 * collective, and wrong arguments. Everything is checked against what the shape says.
 */
#include "intercomm.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void intercomm_wrong(const struct intercomm *in, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	prog_wrong(in->prog, "%s, side %d of %d and %d, rank %d: %s", in->shape, in->side,
		in->us.size, in->them.size, in->rank, text);
}

/* ---- shapes ---- */

/* How the world is cut: the side of a rank, and whether side 1 stands in reverse order. */
struct shape {
	const char *name;
	int (*side_of)(int rank, int size, int cut);
	int reversed;
};

static int first_ones(int rank, int size, int cut)
{
	(void)size;
	return rank >= cut;
}

static int every_other(int rank, int size, int cut)
{
	(void)size;
	(void)cut;
	return rank % 2;
}

static const struct shape shapes[] = {
	{"the first ones and the others", first_ones, 0},
	{"the first ones and the others in reverse order", first_ones, 1},
	{"even and odd ones", every_other, 0},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void members(struct intercomm_side *out, const struct prog *prog, const struct shape *sh,
	int cut, int side)
{
	out->size = 0;
	for (int i = 0; i < prog->size; i++) {
		int r = sh->reversed && side == 1 ? prog->size - 1 - i : i;

		if (sh->side_of(r, prog->size, cut) == side)
			out->world[out->size++] = r;
	}
}

/* The last of each side leads, over a communicator in which ranks are not the world's. */
static void make(struct intercomm *in, const struct prog *prog, const struct shape *sh, int cut)
{
	int leader, their_leader, n = prog->size;
	MPI_Comm turned;

	in->prog = prog;
	in->shape = sh->name;
	in->side = sh->side_of(prog->rank, n, cut);
	members(&in->us, prog, sh, cut, in->side);
	members(&in->them, prog, sh, cut, !in->side);
	MPI_Comm_split(MPI_COMM_WORLD, in->side,
		sh->reversed && in->side == 1 ? -prog->rank : prog->rank, &in->local);
	MPI_Comm_rank(in->local, &in->rank);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -prog->rank, &turned);
	leader = in->us.size - 1;
	their_leader = n - 1 - in->them.world[in->them.size - 1];
	/* what does not count need not be right */
	MPI_Intercomm_create(in->local, leader, in->rank == leader ? turned : MPI_COMM_NULL,
		in->rank == leader ? their_leader : -1, 12, &in->comm);
	MPI_Comm_free(&turned);
}

static void unmake(struct intercomm *in)
{
	MPI_Comm_free(&in->comm);
	MPI_Comm_free(&in->local);
	if (in->comm != MPI_COMM_NULL)
		intercomm_wrong(in, "a freed handle is not MPI_COMM_NULL");
}

/* ---- who is there ---- */

static void check_group(const struct intercomm *in, MPI_Group g, const struct intercomm_side *side)
{
	MPI_Group world;
	int n, mine[INTERCOMM_MOST], at[INTERCOMM_MOST];

	MPI_Group_size(g, &n);
	if (n != side->size)
		intercomm_wrong(in, "a group of %d, not %d", n, side->size);
	for (int i = 0; i < n; i++)
		mine[i] = i;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_translate_ranks(g, n, mine, world, at);
	for (int i = 0; i < n; i++) {
		if (at[i] != side->world[i])
			intercomm_wrong(
				in, "rank %d is world rank %d, not %d", i, at[i], side->world[i]);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&g);
}

void intercomm_check(const struct intercomm *in, MPI_Comm c, const struct intercomm_side *us,
	const struct intercomm_side *them)
{
	int flag = 0, rank = -1, size = -1, remote = -1;
	MPI_Group g;

	MPI_Comm_test_inter(c, &flag);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	MPI_Comm_remote_size(c, &remote);
	if (!flag || size != us->size || remote != them->size)
		intercomm_wrong(in, "inter %d, size %d and %d, not %d and %d", flag, size, remote,
			us->size, them->size);
	if (rank < 0 || rank >= size || us->world[rank] != in->prog->rank)
		intercomm_wrong(in, "this process is rank %d", rank);
	MPI_Comm_group(c, &g);
	check_group(in, g, us);
	MPI_Comm_remote_group(c, &g);
	check_group(in, g, them);
}

/* ---- messages ---- */

/* All write to all of the other side; a source is a rank of the other side. */
static void messages(const struct intercomm *in)
{
	MPI_Request sent[INTERCOMM_MOST];
	MPI_Status st;
	int me = in->prog->rank, got;

	for (int i = 0; i < in->them.size; i++)
		MPI_Isend(&me, 1, MPI_INT, i, 7, in->comm, &sent[i]);
	for (int i = 0; i < in->them.size; i++) {
		MPI_Probe(MPI_ANY_SOURCE, 7, in->comm, &st);
		int from = st.MPI_SOURCE;

		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, in->comm, &st);
		if (st.MPI_SOURCE != from || from < 0 || from >= in->them.size ||
			got != in->them.world[from])
			intercomm_wrong(in, "a message of %d from rank %d, probed from %d", got,
				st.MPI_SOURCE, from);
	}
	MPI_Waitall(in->them.size, sent, MPI_STATUSES_IGNORE);
	for (int i = 0; i < in->them.size; i++)
		MPI_Isend(&me, 1, MPI_INT, i, i, in->comm, &sent[i]);
	for (int i = in->them.size - 1; i >= 0; i--) {
		MPI_Recv(&got, 1, MPI_INT, i, in->rank, in->comm, &st);
		if (got != in->them.world[i] || st.MPI_SOURCE != i || st.MPI_TAG != in->rank)
			intercomm_wrong(in, "rank %d wrote %d, source %d, tag %d", i, got,
				st.MPI_SOURCE, st.MPI_TAG);
	}
	MPI_Waitall(in->them.size, sent, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(&me, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0,
		in->comm, &st);
	if (st.MPI_SOURCE != MPI_PROC_NULL)
		intercomm_wrong(in, "nobody is source %d", st.MPI_SOURCE);
}

/* ---- the whole ---- */

/* Memory that all ranks of this host see, in a file that the test has made. */
static unsigned char *board_open(const struct prog *prog, const char *path, size_t bytes)
{
	int fd = path ? open(path, O_RDWR) : -1;
	void *p = MAP_FAILED;

	if (!path)
		return NULL;
	if (fd >= 0 && prog->rank == 0 && ftruncate(fd, (off_t)bytes) != 0)
		prog_wrong(prog, "%s cannot be made %zu bytes long", path, bytes);
	MPI_Barrier(MPI_COMM_WORLD);
	if (fd >= 0)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		prog_wrong(prog, "%s cannot be mapped", path);
	close(fd);
	return p;
}

/* Returns how many wrong calls were refused. */
static int one_shape(const struct prog *prog, const struct shape *sh, int cut, unsigned char *board)
{
	struct intercomm in;
	int refused;

	make(&in, prog, sh, cut);
	intercomm_check(&in, in.comm, &in.us, &in.them);
	messages(&in);
	intercomm_construct(&in);
	intercomm_collectives(&in);
	intercomm_reductions(&in);
	refused = intercomm_refusals(&in);
	if (board)
		intercomm_barriers(&in, board);
	unmake(&in);
	return refused;
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	const struct prog_option options[] = {{"-board", "FILE", PROG_TEXT, &path, 0,
		"an empty file on the ranks' only host, to see when ranks leave barriers"}};
	struct prog prog = {"intercomm", "intercommunicators in many shapes", options, 1, 0, 0};
	int made = 0, refused = 0, level;
	size_t bytes;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	if (prog.size < 2 || prog.size > INTERCOMM_MOST)
		prog_wrong(&prog, "2 to %d ranks are needed", INTERCOMM_MOST);
	bytes = (size_t)SHAPES * (size_t)prog.size * INTERCOMM_BARRIERS * (size_t)prog.size;
	unsigned char *board = board_open(&prog, path, bytes);

	for (int i = 0; i < SHAPES; i++) {
		for (int cut = 1; cut < prog.size && (cut == 1 || i < SHAPES - 1); cut++) {
			refused += one_shape(&prog, &shapes[i], cut,
				board ? board + made * INTERCOMM_BARRIERS * prog.size : NULL);
			made++;
		}
	}
	intercomm_overlap(&prog);
	if (board)
		munmap(board, bytes);
	if (prog.rank == 0)
		printf("intercomm: right, %d shapes, %d wrong calls, %d ranks\n", made, refused,
			prog.size);
	MPI_Finalize();
	return 0;
}
