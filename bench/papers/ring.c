/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A token goes round the ring of ranks, by nonblocking calls:
 *
 *	ring ROUNDS BYTES [-until FILE]
 *
 * Each rank adds its number and 1 to the first and the last word of the token, which have to be
 * what the ranks before it have made of them. When it has done its rounds it says on standard
 * error, which a rank that runs again prints again, with times of CLOCK_MONOTONIC in ns,
 *
 *	ring: rank R, begun TIME, done TIME
 *
 * and waits, outside of MPI and just before MPI_Finalize, until FILE is there, for ten minutes at
 * most. A rank that is killed meanwhile has all of its rounds before it once more.
 */
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { TAG_TOKEN = 3, MOMENT_NS = 1000000, WAIT_SECONDS = 600 };

struct ring {
	struct prog prog;
	long rounds, bytes;
	const char *until;
	uint64_t *in, *out; /* the token: as it comes, as it goes */
	size_t last;	    /* word of it */
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What ranks 1 to `place` - 1 have added in this round, and all in those before it. */
static uint64_t expected(const struct ring *r, long round)
{
	uint64_t size = (uint64_t)r->prog.size;
	uint64_t place = r->prog.rank > 0 ? (uint64_t)r->prog.rank : size;

	return (uint64_t)round * (size * (size + 1) / 2) + place * (place + 1) / 2 - 1;
}

static void add(struct ring *r, long round)
{
	uint64_t *token = r->in, right = expected(r, round);

	if (token[0] != right || token[r->last] != right)
		prog_wrong(&r->prog,
			"in round %ld the token is %" PRIu64 " and %" PRIu64 ", not %" PRIu64,
			round, token[0], token[r->last], right);
	token[0] = token[r->last] = right + (uint64_t)r->prog.rank + 1;
	r->in = r->out;
	r->out = token;
}

/* Rank 0 sends what it has got in the round before. */
static void go_round(struct ring *r, long round)
{
	int rank = r->prog.rank, size = r->prog.size, bytes = (int)r->bytes;
	MPI_Request request[2];

	MPI_Irecv(r->in, bytes, MPI_BYTE, (rank + size - 1) % size, TAG_TOKEN, MPI_COMM_WORLD,
		&request[0]);
	if (rank > 0) {
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
		add(r, round);
	}
	MPI_Isend(
		r->out, bytes, MPI_BYTE, (rank + 1) % size, TAG_TOKEN, MPI_COMM_WORLD, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	if (rank == 0)
		add(r, round);
}

static void wait_for_file(const struct ring *r, const char *name)
{
	const struct timespec moment = {.tv_nsec = MOMENT_NS};
	int64_t end = now() + (int64_t)WAIT_SECONDS * 1000000000;

	while (access(name, F_OK) != 0) {
		if (now() > end)
			prog_wrong(&r->prog, "%s is not there after %d s", name, WAIT_SECONDS);
		nanosleep(&moment, NULL);
	}
}

int main(int argc, char **argv)
{
	struct ring r = {.rounds = 1000, .bytes = 1024};
	const struct prog_option options[] = {
		{"rounds", NULL, PROG_LONG, &r.rounds, 1, "rounds of the token (default 1000)"},
		{"bytes", NULL, PROG_LONG, &r.bytes, 8, "of the token (default 1024)"},
		{"-until", "FILE", PROG_TEXT, &r.until, 0, "wait at the end until this is there"},
	};
	int64_t begun;

	MPI_Init(&argc, &argv);
	r.prog = (struct prog){
		"ring", "a token goes round", options, sizeof options / sizeof *options, 0, 1};
	prog_begin(&r.prog, argc, argv);
	r.last = (size_t)r.bytes / sizeof *r.in - 1;
	r.in = calloc((size_t)r.bytes, 1);
	r.out = calloc((size_t)r.bytes, 1);
	if (r.bytes > INT_MAX || r.in == NULL || r.out == NULL)
		prog_wrong(&r.prog, "a token of %ld bytes is too long", r.bytes);
	MPI_Barrier(MPI_COMM_WORLD);
	begun = now();
	for (long round = 0; round < r.rounds; round++)
		go_round(&r, round);
	fprintf(stderr, "ring: rank %d, begun %" PRId64 ", done %" PRId64 "\n", r.prog.rank, begun,
		now());
	if (r.until != NULL)
		wait_for_file(&r, r.until);
	if (r.prog.rank == 0)
		printf("ring: right, %ld rounds of %ld bytes, token %" PRIu64 ", %d ranks\n",
			r.rounds, r.bytes, r.out[0], r.prog.size);
	free(r.out);
	free(r.in);
	MPI_Finalize();
	return 0;
}
