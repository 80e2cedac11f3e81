/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mpibench can measure. `bytes` is the size of a message; of the whole buffer for bcast,
 * reduce, allreduce and scan; of each rank's block for allgather, alltoall, gather, scatter and
 * reduce_scatter; of a kernel the size, as in the head of its file.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "mpibench.h"

static void pingpong(void)
{
	int peer = 1 - rank;

	if (rank > 1)
		return;
	if (rank == 0)
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
	MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
}

/* WINDOW messages from rank 0 to 1, and one word back. */
static void window(void)
{
	MPI_Request request[WINDOW];
	char word = 0;

	if (rank > 1)
		return;
	for (int i = 0; i < WINDOW; i++) {
		if (rank == 0)
			MPI_Isend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[i]);
		else
			MPI_Irecv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request[i]);
	}
	MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
	if (rank == 0)
		MPI_Recv(&word, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&word, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

/* TENS messages each way at once, each in its own buffer. */
static void both_ways(void)
{
	MPI_Request request[2 * TENS];
	int peer = 1 - rank;

	if (rank > 1)
		return;
	for (int i = 0; i < TENS; i++)
		MPI_Irecv(in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
			&request[i]);
	for (int i = 0; i < TENS; i++)
		MPI_Isend(out + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
			&request[TENS + i]);
	MPI_Waitall(2 * TENS, request, MPI_STATUSES_IGNORE);
}

/* Once round all ranks: each but rank 0 passes on what it has received. */
static void ring_any(void)
{
	int next = (rank + 1) % size;

	if (rank == 0)
		MPI_Send(out, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
	MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 0)
		MPI_Send(out, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
	MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
	MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
	MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(void)
{
	MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(void)
{
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void gather(void)
{
	MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
	MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
	MPI_Scan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter(void)
{
	static int *counts;

	if (counts == NULL)
		counts = malloc((size_t)size * sizeof *counts);
	for (int i = 0; i < size; i++)
		counts[i] = bytes / 8;
	MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The whole job is timed from outside: it starts, meets and ends. */
static double start(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}

static double one_way_us(double seconds)
{
	return seconds * 1e6 / 2;
}

static double mb_a_second(double seconds)
{
	return bytes / one_way_us(seconds);
}

static double mb_a_second_each_way(double seconds)
{
	return TENS * (bytes / (seconds * 1e6));
}

static double hop_us(double seconds)
{
	return seconds * 1e6 / size;
}

static double messages_a_second(double seconds)
{
	return WINDOW / seconds;
}

static double us(double seconds)
{
	return seconds * 1e6;
}

static const struct bench benches[] = {
	{.name = "pingpong", .run = pingpong, .shown = one_way_us},
	{.name = "steady", .run = pingpong, .shown = one_way_us, .window = 0.1},
	{.name = "bandwidth", .run = pingpong, .shown = mb_a_second},
	{.name = "both_ways", .run = both_ways, .shown = mb_a_second_each_way, .messages = TENS},
	{.name = "ring_any", .run = ring_any, .shown = hop_us},
	{.name = "rate", .run = window, .shown = messages_a_second},
	{.name = "match", .run = matching_reverse, .shown = matching_us},
	{.name = "barrier", .run = barrier, .shown = us},
	{.name = "bcast", .run = bcast, .shown = us},
	{.name = "reduce", .run = reduce, .shown = us},
	{.name = "allreduce", .run = allreduce, .shown = us},
	{.name = "allgather", .run = allgather, .shown = us},
	{.name = "alltoall", .run = alltoall, .shown = us},
	{.name = "gather", .run = gather, .shown = us},
	{.name = "scatter", .run = scatter, .shown = us},
	{.name = "scan", .run = scan, .shown = us},
	{.name = "reduce_scatter", .run = reduce_scatter, .shown = us},
	{.name = "bcast_sync", .run = bcast, .shown = us, .synchronised = true},
	{.name = "reduce_sync", .run = reduce, .shown = us, .synchronised = true},
	{.name = "gather_sync", .run = gather, .shown = us, .synchronised = true},
	{.name = "scatter_sync", .run = scatter, .shown = us, .synchronised = true},
	{.name = "start", .number = start},
	{.name = "memory", .number = own_memory},
	{.name = "waiting", .number = own_waiting},
	{.name = "beating", .number = own_beating},
	{.name = "cg", .number = cg, .own_buffers = true},
	{.name = "transpose", .number = transpose, .own_buffers = true},
	{.name = "halo", .number = halo, .own_buffers = true},
	{.name = "sort", .number = sample_sort, .own_buffers = true},
	{.name = "strided_8", .number = strided_8},
	{.name = "strided_1k", .number = strided_1k},
	{.name = "strided_64k", .number = strided_64k},
	{.name = "holding_8", .number = holding_8},
	{.name = "holding_1k", .number = holding_1k},
	{.name = "holding_64k", .number = holding_64k},
};

const struct bench *bench_find(const char *name)
{
	for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
		if (strcmp(name, benches[i].name) == 0)
			return &benches[i];
	return NULL;
}
