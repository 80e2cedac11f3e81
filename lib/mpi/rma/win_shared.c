/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of one host share: one file of memory, which rank 0 makes and the others
 * open. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "mpi/coll/coll.h"
#include "mpi/handle/fail.h"
#include "win.h"

/* Where rank 0's file is. */
struct offer {
	int32_t pid, fd; /* fd -1: there is none */
	int32_t error;	 /* errno then */
	char name[MEMORY_FILE_NAME];
};

static int failed(const char *what, int error)
{
	return fail_with(MPI_ERR_RMA_SHARED, "%s: %s", what, strerror(error));
}

/* ---- where each rank's part begins ---- */

static size_t step(const struct win *w, int rank, bool noncontiguous)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)w->peers[rank].size;

	return noncontiguous ? (size + page - 1) / page * page : size;
}

static bool total(const struct win *w, bool noncontiguous, size_t *bytes)
{
	*bytes = 0;
	for (int i = 0; i < win_size(w); i++)
		if (__builtin_add_overflow(*bytes, step(w, i, noncontiguous), bytes) ||
			*bytes > PTRDIFF_MAX)
			return false;
	if (*bytes == 0)
		*bytes = 1;
	return true;
}

/* A part of no bytes has no address: a program that asks for the memory of such a rank must not
 * find another rank's. */
static void lay_out(struct win *w, bool noncontiguous)
{
	char *at = w->mapped;

	for (int i = 0; i < win_size(w); i++) {
		w->peers[i].near = w->peers[i].size ? at : NULL;
		at += step(w, i, noncontiguous);
	}
	w->base = w->peers[win_rank(w)].near;
}

/* ---- the file ---- */

static struct offer make_offer(struct win *w, size_t bytes)
{
	struct offer o = {.pid = getpid(), .fd = -1};

	snprintf(o.name, sizeof o.name, "ftmpi-window-%llx", (unsigned long long)w->context);
	o.fd = w->shared_fd = memory_file_make(o.name, bytes);
	if (o.fd < 0)
		o.error = errno;
	return o;
}

static int take_offer(struct offer *o, size_t bytes, int *fd)
{
	if (o->fd < 0)
		return failed("rank 0 has no memory to share", o->error);
	o->name[sizeof o->name - 1] = '\0';
	*fd = memory_file_open(o->pid, o->fd, o->name, bytes);
	if (*fd >= 0)
		return MPI_SUCCESS;
	if (errno == ENXIO || errno == ENOENT || errno == ESRCH)
		return fail_with(MPI_ERR_RMA_SHARED,
			"the process of rank 0 cannot be seen here (another PID namespace, as of "
			"another container?)");
	if (errno == EACCES || errno == EPERM)
		return failed("the memory of rank 0 may not be opened (another user namespace, or "
			      "not dumpable?)",
			errno);
	return failed("the memory of rank 0 cannot be opened", errno);
}

static int map(struct win *w, int fd, size_t bytes)
{
	w->mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w->mapped == MAP_FAILED) {
		w->mapped = NULL;
		return failed("shared memory cannot be mapped", errno);
	}
	w->mapped_bytes = bytes;
	return MPI_SUCCESS;
}

static int share(struct win *w, struct offer *o, size_t bytes)
{
	int fd = w->shared_fd, rc;

	if (win_rank(w) == 0)
		return o->fd < 0 ? failed("no memory to share", o->error) : map(w, fd, bytes);
	rc = take_offer(o, bytes, &fd);
	if (rc)
		return rc;
	rc = map(w, fd, bytes);
	close(fd);
	return rc;
}

int win_shared_make(struct win *w, struct comm *c, bool noncontiguous)
{
	struct offer o = {.fd = -1, .error = ENOMEM};
	size_t bytes;
	bool fits = total(w, noncontiguous, &bytes);
	int rc;

	if (c->rank == 0 && fits)
		o = make_offer(w, bytes);
	rc = coll_now_bcast(c, &o, sizeof o, 0);
	if (rc == MPI_SUCCESS)
		rc = share(w, &o, bytes);
	if (rc == MPI_SUCCESS)
		lay_out(w, noncontiguous);
	return rc;
}

void win_shared_make_nothing(struct comm *c)
{
	struct offer o = {.fd = -1, .error = ENOMEM};

	(void)coll_now_bcast(c, &o, sizeof o, 0);
}

void win_shared_by_all(struct win *w)
{
	if (w->shared_fd >= 0)
		close(w->shared_fd);
	w->shared_fd = -1;
}
