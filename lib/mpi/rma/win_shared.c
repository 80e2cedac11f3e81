/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the ranks of one host share: one file without a name (memfd_create), which rank 0
 * makes and the others open through its entry in /proc. It disappears with the last process
 * that has it open or mapped, however these end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_limit.h"
#include "mpi/coll/coll.h"
#include "mpi/handle/fail.h"
#include "win.h"

/* Where rank 0's file is. */
struct offer {
	int32_t pid, fd; /* fd -1: there is none */
	int32_t error;	 /* errno then */
	char name[64];
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

static bool set_length(int fd, size_t bytes)
{
	struct file_limit limit;
	bool ok;

	file_limit_enter(&limit);
	ok = ftruncate(fd, (off_t)bytes) == 0;
	file_limit_leave(&limit);
	return ok;
}

static struct offer make_offer(struct win *w, size_t bytes)
{
	struct offer o = {.pid = getpid(), .fd = -1};

	snprintf(o.name, sizeof o.name, "ftmpi-window-%llx", (unsigned long long)w->context);
	w->shared_fd = memfd_create(o.name, MFD_CLOEXEC);
	if (w->shared_fd >= 0 && set_length(w->shared_fd, bytes))
		o.fd = w->shared_fd;
	else
		o.error = errno;
	return o;
}

/* Where two hosts have the same name, this may be a file of another process. */
static bool is_offered(int fd, const struct offer *o, size_t bytes)
{
	char path[64], link[128], name[128];
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	snprintf(name, sizeof name, "/memfd:%.63s", o->name);
	n = readlink(path, link, sizeof link - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	return strncmp(link, name, strlen(name)) == 0 && fstat(fd, &st) == 0 &&
	       (size_t)st.st_size == bytes;
}

static int take_offer(const struct offer *o, size_t bytes, int *fd)
{
	char path[64];

	if (o->fd < 0)
		return failed("rank 0 has no memory to share", o->error);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", o->pid, o->fd);
	*fd = open(path, O_RDWR | O_CLOEXEC);
	if (*fd < 0)
		return failed("the memory of rank 0 cannot be opened", errno);
	if (is_offered(*fd, o, bytes))
		return MPI_SUCCESS;
	close(*fd);
	return fail_with(MPI_ERR_RMA_SHARED,
		"the process of rank 0 cannot be seen here: the ranks are not on one host");
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

static int share(struct win *w, const struct offer *o, size_t bytes)
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
