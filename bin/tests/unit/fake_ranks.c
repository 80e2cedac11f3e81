/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_ranks.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/comm.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"
#include "mpi/type/type.h"

/* pipes[from][to] */
static int pipes[RANKS_MAX][RANKS_MAX][2];

struct letter {
	uint64_t context;
	int tag;
	size_t bytes;
};

void *ranks_share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

void ranks_one_host(struct ranks_job *job, int size, int cores)
{
	job->size = size;
	for (int i = 0; i < size; i++) {
		job->node[i] = 0;
		job->cores[i] = cores;
	}
}

void ranks_must(bool ok, const char *what, long got)
{
	if (ok)
		return;
	fprintf(stderr, "world rank %d: %s (it is %ld)\n", comm_world_info()->rank, what, got);
	_exit(1);
}

static _Noreturn void be_rank(const struct ranks_job *job, int rank)
{
	struct world_info info = {rank, job->size, job->node, job->cores, true};

	alarm(RANKS_DEADLINE_S);
	if (comm_world_init(&info) != MPI_SUCCESS)
		_exit(1);
	comm_name_world(true);
	job->body(job->shared);
	comm_world_delete_attributes();
	comm_world_free();
	exit(0);
}

static void each_pipe(int size, bool open)
{
	for (int i = 0; i < size; i++) {
		for (int j = 0; j < size; j++) {
			if (open && pipe(pipes[i][j]) != 0)
				abort();
			if (!open) {
				close(pipes[i][j][0]);
				close(pipes[i][j][1]);
			}
		}
	}
}

/* Wait for any rank. The first that did not end well takes the others along, which would wait for
 * it until their alarm. */
static bool wait_for_one(pid_t *pids, int size)
{
	int status = -1;
	pid_t pid = waitpid(-1, &status, 0);
	bool well = pid > 0 && status == 0;

	for (int i = 0; i < size; i++) {
		if (pids[i] == pid) {
			pids[i] = 0;
			if (!well)
				fprintf(stderr, "world rank %d: status %#x\n", i, (unsigned)status);
		} else if (!well && pids[i] > 0) {
			kill(pids[i], SIGKILL);
		}
	}
	return well;
}

int ranks_run(const struct ranks_job *job)
{
	pid_t pids[RANKS_MAX];
	int bad = 0;

	each_pipe(job->size, true);
	fflush(NULL);
	for (int i = 0; i < job->size; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			be_rank(job, i);
	}
	each_pipe(job->size, false);
	for (int i = 0; i < job->size; i++)
		bad += !wait_for_one(pids, job->size);
	return bad;
}

static void put(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		_exit(2);
}

static void get(int fd, void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = read(fd, (char *)p + done, n - done);

		if (k <= 0)
			_exit(2);
		done += (size_t)k;
	}
}

/* Bytes between two ranks of c, in the plane of the library. */
static void send_bytes(struct comm *c, const void *buf, size_t bytes, int dest, int tag)
{
	struct letter l = {c->context | PLANE_COLL, tag, bytes};
	int fd = pipes[c->group->world[c->rank]][comm_world_rank(c, dest)][1];

	put(fd, &l, sizeof(l));
	put(fd, buf, bytes);
}

static void recv_bytes(struct comm *c, void *buf, size_t bytes, int source, int tag)
{
	struct letter l;
	int fd = pipes[comm_world_rank(c, source)][c->group->world[c->rank]][0];

	get(fd, &l, sizeof(l));
	ranks_must(l.context == (c->context | PLANE_COLL), "another context", (long)l.context);
	ranks_must(l.tag == tag, "another tag", l.tag);
	ranks_must(l.bytes == bytes, "another length", (long)l.bytes);
	get(fd, buf, bytes);
}

/* What is no collective keeps clear of the collectives' plane and tags. */
static void check_apart(const struct p2p_message *m)
{
	ranks_must(m->plane == PLANE_COLL, "in the library's plane", (long)m->plane);
	ranks_must(m->tag >= 1 << 30, "a tag above those of collectives", m->tag);
}

int p2p_send_wait(const struct p2p_message *m)
{
	check_apart(m);
	send_bytes(m->comm, m->buf, (size_t)m->count * m->type->size, m->rank, m->tag);
	return MPI_SUCCESS;
}

int p2p_recv(const struct p2p_message *m, MPI_Status *status)
{
	(void)status;
	check_apart(m);
	recv_bytes(m->comm, m->buf, (size_t)m->count * m->type->size, m->rank, m->tag);
	return MPI_SUCCESS;
}

int coll_now_bcast(struct comm *c, void *buf, size_t bytes, int root)
{
	int tag = (int)(c->coll_seq++ & 0x3fffffff);

	if (c->rank != root)
		recv_bytes(c, buf, bytes, root, tag);
	for (int i = 0; i < c->size && c->rank == root; i++) {
		if (i != root)
			send_bytes(c, buf, bytes, i, tag);
	}
	return MPI_SUCCESS;
}

int coll_now_allgather(struct comm *c, const void *mine, size_t bytes, void *all)
{
	int tag = (int)(c->coll_seq++ & 0x3fffffff);

	for (int i = 0; i < c->size; i++)
		send_bytes(c, mine, bytes, i, tag);
	for (int i = 0; i < c->size; i++)
		recv_bytes(c, (char *)all + (size_t)i * bytes, bytes, i, tag);
	return MPI_SUCCESS;
}

int coll_now_swap(struct comm *c, const struct coll_swap *w)
{
	int tag = (int)(c->coll_seq++ & 0x3fffffff);

	for (int i = 0; i < c->npeers && c->rank == 0; i++)
		send_bytes(c, w->mine, w->my_bytes, i, tag);
	recv_bytes(c, w->theirs, w->their_bytes, 0, tag);
	return MPI_SUCCESS;
}

int coll_now_agree(struct comm *c, void *both, size_t bytes)
{
	struct coll_swap w = {both, bytes, (char *)both + bytes, bytes};

	if (c->remote)
		coll_now_swap(c, &w);
	return coll_now_bcast(c->remote ? c->local : c, both, bytes, 0);
}

/* ---- there are no requests here ---- */

void requests_each(void (*visit)(struct request *r, void *arg), void *arg)
{
	(void)visit;
	(void)arg;
}

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	ranks_must(done(arg, &expect), "nothing to wait for", expect);
}

int comm_idup(struct comm *c, struct comm **out, struct request **request)
{
	(void)c;
	(void)out;
	(void)request;
	return MPI_ERR_INTERN;
}
