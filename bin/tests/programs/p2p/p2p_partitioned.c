/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication: MPI 5.0 chapter 4. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "p2p.h"

enum { PARTS = 8, PART = 5000, ALL = PARTS * PART };

static MPI_Request send_to(void *p, int dest, int tag)
{
	MPI_Request r;

	p2p_error("Psend_init", MPI_SUCCESS,
		MPI_Psend_init(
			p, PARTS, PART, MPI_BYTE, dest, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	return r;
}

/* The same bytes in another number of partitions. */
static MPI_Request recv_from(void *p, int source, int tag)
{
	MPI_Request r;

	p2p_error("Precv_init", MPI_SUCCESS,
		MPI_Precv_init(
			p, 2, ALL / 2, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	return r;
}

static void fill(unsigned char *p, int seed)
{
	unsigned char *made = p2p_bytes(seed, ALL);

	memcpy(p, made, ALL);
	free(made);
}

/* In three ways, out of order; a plain message of the same tag goes elsewhere. */
static void send_all(void)
{
	unsigned char *p = prog_alloc(&p2p, ALL);
	MPI_Request r = send_to(p, 1, 1);
	int flag, list[] = {7, 0, 3};

	for (int round = 0; round < 3; round++) {
		memset(p, 0, ALL);
		MPI_Start(&r);
		p2p_wait(1);
		fill(p, round);
		p2p_error("Pready_range", MPI_SUCCESS, MPI_Pready_range(4, 6, r));
		p2p_error("Pready_list", MPI_SUCCESS, MPI_Pready_list(3, list, r));
		MPI_Pready(1, r);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		p2p_want(!flag, "done, and partition 2 is not ready");
		MPI_Send(&round, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Pready(2, r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		p2p_want(r != MPI_REQUEST_NULL, "a persistent request is gone");
	}
	MPI_Request_free(&r);
	free(p);
}

static void recv_all(void)
{
	unsigned char *p = prog_alloc(&p2p, ALL);
	MPI_Request r = recv_from(p, 0, 1);
	MPI_Status s;
	int flag, plain;

	MPI_Parrived(r, 0, &flag);
	p2p_want(flag, "an inactive request is not complete");
	flag = 0;
	p2p_error("no request", MPI_SUCCESS, MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
	p2p_want(flag, "no request is not complete");
	for (int round = 0; round < 3; round++) {
		MPI_Start(&r);
		MPI_Parrived(r, 1, &flag);
		p2p_want(!flag, "arrived before it was ready");
		p2p_tell(0);
		MPI_Recv(&plain, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		p2p_want(plain == round, "a plain message: %d", plain);
		for (flag = 0; !flag;)
			MPI_Parrived(r, 1, &flag);
		MPI_Wait(&r, &s);
		p2p_status("partitioned", &s, 0, 1, ALL);
		p2p_check("partitioned", p, round, ALL);
	}
	MPI_Request_free(&r);
	free(p);
}

static void rounds(void)
{
	if (p2p.rank == 0)
		send_all();
	else if (p2p.rank == 1)
		recv_all();
}

/* They match as they were made, however they are started. */
static void as_made(void)
{
	unsigned char *p[3];
	MPI_Request r[3];

	for (int i = 0; i < 3; i++)
		p[i] = prog_alloc(&p2p, ALL);
	if (p2p.rank == 0) {
		for (int i = 0; i < 3; i++) {
			fill(p[i], i);
			r[i] = send_to(p[i], 1, 1);
		}
		for (int i = 2; i >= 0; i--) {
			MPI_Start(&r[i]);
			MPI_Pready_range(0, PARTS - 1, r[i]);
		}
	} else if (p2p.rank == 1) {
		for (int i = 0; i < 3; i++)
			r[i] = recv_from(p[i], 0, 1);
		MPI_Startall(3, r);
	}
	if (p2p.rank < 2) {
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 3; i++)
			MPI_Request_free(&r[i]);
	}
	for (int i = 0; i < 3; i++) {
		if (p2p.rank == 1)
			p2p_check("as made", p[i], i, ALL);
		free(p[i]);
	}
}

static void nobody(void)
{
	MPI_Request r[2];
	int x = 1, flag = 0;

	MPI_Psend_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Startall(2, r);
	MPI_Pready(0, r[0]);
	MPI_Parrived(r[1], 0, &flag);
	p2p_want(flag, "from nobody, and it has not arrived");
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void errors(void)
{
	MPI_Request in, out, null = MPI_REQUEST_NULL;
	unsigned char *p = prog_alloc(&p2p, ALL), *q = prog_alloc(&p2p, ALL);
	int flag, twice[] = {3, 3};

	p2p_error("partitions", MPI_ERR_ARG,
		MPI_Psend_init(p, -1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &out));
	p2p_error("count", MPI_ERR_COUNT,
		MPI_Psend_init(p, 2, -1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &out));
	p2p_error("too many", MPI_ERR_COUNT,
		MPI_Psend_init_c(p, 1 << 30, (MPI_Count)1 << 40, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			MPI_INFO_NULL, &out));
	p2p_error("any source", MPI_ERR_RANK,
		MPI_Precv_init(
			p, 2, 1, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &in));
	p2p_error("any tag", MPI_ERR_TAG,
		MPI_Precv_init(
			p, 2, 1, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &in));
	fill(p, 1);
	out = send_to(p, p2p.rank, 2);
	in = recv_from(q, p2p.rank, 2);
	p2p_error("not started", MPI_ERR_REQUEST, MPI_Pready(0, out));
	MPI_Start(&out);
	MPI_Start(&in);
	p2p_error("a receive", MPI_ERR_REQUEST, MPI_Pready(0, in));
	p2p_error("a send", MPI_ERR_REQUEST, MPI_Parrived(out, 0, &flag));
	p2p_error("null", MPI_ERR_REQUEST, MPI_Pready(0, null));
	p2p_error("cancel", MPI_ERR_REQUEST, MPI_Cancel(&in));
	p2p_error("range", MPI_ERR_ARG, MPI_Pready(PARTS, out));
	p2p_error("range", MPI_ERR_ARG, MPI_Pready_range(-1, 2, out));
	p2p_error("range", MPI_ERR_ARG, MPI_Parrived(in, 2, &flag));
	p2p_error("twice", MPI_ERR_ARG, MPI_Pready_list(2, twice, out));
	p2p_error("twice", MPI_ERR_ARG, MPI_Pready_range(2, 4, out));
	MPI_Pready_range(0, 2, out);
	MPI_Pready_range(4, PARTS - 1, out);
	MPI_Wait(&out, MPI_STATUS_IGNORE);
	MPI_Wait(&in, MPI_STATUS_IGNORE);
	p2p_check("after errors", q, 1, ALL);
	MPI_Request_free(&out);
	MPI_Request_free(&in);
	free(p);
	free(q);
}

static struct {
	MPI_Request request;
	unsigned char *bytes, *made;
} shared;

static void *ready_one(void *arg)
{
	int i = *(int *)arg;

	memcpy(shared.bytes + i * PART, shared.made + i * PART, PART);
	MPI_Pready(i, shared.request);
	return NULL;
}

/* Each partition by a thread of its own. */
static void by_threads(void)
{
	pthread_t thread[PARTS];
	int number[PARTS];

	shared.made = p2p_bytes(6, ALL);
	shared.bytes = prog_alloc(&p2p, ALL);
	if (p2p.rank == 0) {
		shared.request = send_to(shared.bytes, 1, 3);
		MPI_Start(&shared.request);
		for (int i = 0; i < PARTS; i++) {
			number[i] = i;
			p2p_want(pthread_create(&thread[i], NULL, ready_one, &number[i]) == 0,
				"no thread");
		}
		for (int i = 0; i < PARTS; i++)
			pthread_join(thread[i], NULL);
	} else if (p2p.rank == 1) {
		shared.request = recv_from(shared.bytes, 0, 3);
		MPI_Start(&shared.request);
	}
	if (p2p.rank < 2) {
		MPI_Wait(&shared.request, MPI_STATUS_IGNORE);
		MPI_Request_free(&shared.request);
	}
	if (p2p.rank == 1)
		p2p_check("by threads", shared.bytes, 6, ALL);
	free(shared.made);
	free(shared.bytes);
}

const struct p2p_case p2p_partitioned[] = {
	{"partitioned-rounds", rounds, 2},
	{"partitioned-as-made", as_made, 2},
	{"partitioned-nobody", nobody, 1},
	{"partitioned-errors", errors, 1},
	{"partitioned-threads", by_threads, 2},
	{NULL, NULL, 0},
};
