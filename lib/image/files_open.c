/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shown.h"
#include "files_lock_take.h"
#include "files_read.h"
#include "files_section.h"
#include "raw_call.h"
#include "read_all.h"

/* A load's, in malloc'ed memory. */
struct work {
	uint8_t *section;
	struct files_table t;
	struct files_opened *opened; /* for each entry */
	int *here;
	size_t heres;
	int free_from;
	char *why;
	size_t size;
};

static int say(struct work *w, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int say(struct work *w, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->why, w->size, format, args);
	va_end(args);
	return rc;
}

/* ---- what the image has ---- */

static int read_section(struct work *w, const struct image_file *f)
{
	uint64_t length = f->length[IMAGE_FILES];
	int rc;

	if (length > FILES_SECTION_MAX)
		return say(w, -EPROTO, "its list of descriptors is longer than any can be");
	w->section = malloc(length + 1);
	w->t.entry = calloc(FILES_MAX, sizeof *w->t.entry);
	w->opened = calloc(FILES_MAX, sizeof *w->opened);
	w->t.lock = calloc(FILES_LOCKS_MAX, sizeof *w->t.lock);
	if (!w->section || !w->t.entry || !w->opened || !w->t.lock)
		return say(w, -ENOMEM, "there is no memory for its list of descriptors");
	rc = image_read_all(f->fd, w->section, length, f->at[IMAGE_FILES]);
	if (rc)
		return say(w, rc, "its list of descriptors cannot be read: %s", strerror(-rc));
	if (!files_section_read(w->section, length, &w->t))
		return say(w, -EPROTO, "its list of descriptors makes no sense");
	for (size_t i = 0; i < w->t.n; i++)
		w->opened[i].fd = FILES_NONE;
	return 0;
}

/* ---- what there is ---- */

static int list_here(struct work *w)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;
	size_t room = 0;

	while (dir && (d = readdir(dir))) {
		int number = atoi(d->d_name), *more;

		if (d->d_name[0] == '.' || number == dirfd(dir))
			continue;
		if (w->heres == room) {
			room = room ? 2 * room : 64;
			more = realloc(w->here, room * sizeof *more);
			if (!more) {
				closedir(dir);
				return say(w, -ENOMEM, "there is no memory for its descriptors");
			}
			w->here = more;
		}
		w->here[w->heres++] = number;
	}
	if (!dir)
		return say(w, -errno, "/proc/self/fd cannot be read: %s", strerror(errno));
	closedir(dir);
	return 0;
}

/* The image's, what is here, its own file, what is opened now: a number each. */
static bool raise_limit(uint64_t needed)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= needed)
		return true;
	limit.rlim_cur = needed;
	return limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* The library's are high where the limit is low. */
static bool is_room_between(struct work *w, struct files_numbers here)
{
	if (!raise_limit((uint64_t)files_limit(w->t.entry, w->t.n, here)))
		return false;
	w->free_from = files_gap(w->t.entry, w->t.n, here);
	return true;
}

/* From free_from on numbers are in nobody's way, and there are enough of them. */
static int make_room(struct work *w)
{
	struct files_numbers here;
	struct rlimit limit;
	uint64_t needed;
	int rc = list_here(w);

	if (rc)
		return rc;
	here = (struct files_numbers){w->here, w->heres};
	w->free_from = files_free_from(w->t.entry, w->t.n, here);
	needed = (uint64_t)w->free_from + (uint64_t)FILES_ROOM(w->t.n);
	if (raise_limit(needed) || is_room_between(w, here))
		return 0;
	getrlimit(RLIMIT_NOFILE, &limit);
	return say(w, -EMFILE,
		"its descriptors need a limit of %" PRIu64 " (ulimit -n), and here it is %" PRIu64,
		needed, (uint64_t)limit.rlim_max);
}

/* ---- one after the other is opened ---- */

/* Returns its duplicate where it is in nobody's way, or -errno. It is closed. */
static int aside(const struct work *w, int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, w->free_from);
	int rc = moved < 0 ? -errno : moved;

	close(fd);
	return rc;
}

/* Has the process such a lock on this file? It loses that with any descriptor of the file. */
static bool is_locked(const struct work *w, const struct files_entry *e)
{
	for (size_t i = 0; i < w->t.locks; i++) {
		const struct files_entry *of = files_find(w->t.entry, w->t.n, w->t.lock[i].number);

		if (w->t.lock[i].kind == FILES_POSIX && of->device == e->device &&
			of->inode == e->inode)
			return true;
	}
	return false;
}

/* As aside; but what must not be closed any more is at its own number at once, if nothing is there.
 */
static int in_place(const struct work *w, const struct files_entry *e, int fd)
{
	int number = (int)e->number, moved;

	if (!is_locked(w, e))
		return aside(w, fd);
	if (fd == number)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, number);
	if (moved != number) {
		if (moved >= 0)
			close(moved);
		return aside(w, fd);
	}
	close(fd);
	return moved;
}

/* What there is under an entry's path. */
static struct files_here look_at(const struct files_entry *e, char path[FILES_PATH_MAX + 1])
{
	struct stat st = {0};
	struct statx more = {0};
	int error;

	memcpy(path, e->text, e->length);
	path[e->length] = '\0';
	error = stat(path, &st) == 0 ? 0 : errno;
	statx(AT_FDCWD, path, 0, STATX_BTIME, &more);
	return (struct files_here){.error = error,
		.mode = st.st_mode,
		.size = (uint64_t)st.st_size,
		.special = st.st_rdev,
		.inode = st.st_ino,
		.birth = files_birth(&more)};
}

static int open_path(struct work *w, size_t i)
{
	const struct files_entry *e = &w->t.entry[i];
	char path[FILES_PATH_MAX + 1];
	struct files_here here = look_at(e, path);
	int fd;

	if (!files_fits(e, &here, w->why, w->size))
		return here.error ? -here.error : -EINVAL;
	fd = open(path, (int)e->flags | O_CLOEXEC | O_NOCTTY);
	fd = fd < 0 ? -errno : in_place(w, e, fd);
	if (fd < 0) {
		here.error = -fd;
		files_fits(e, &here, w->why, w->size);
		return fd;
	}
	w->opened[i].fd = fd;
	if (e->offset > 0 && lseek(fd, (off_t)e->offset, SEEK_SET) < 0)
		return say(w, -errno, "%.200s cannot be brought to byte %" PRIu64 ": %s", path,
			e->offset, strerror(errno));
	return 0;
}

/* Another descriptor of this end, or of the other one, with these flags. */
static int open_end(const struct work *w, int end, uint32_t flags)
{
	char path[sizeof "/proc/self/fd/" + 12];
	int fd;

	snprintf(path, sizeof path, "/proc/self/fd/%d", end);
	fd = open(path, (int)flags | O_CLOEXEC);
	return fd < 0 ? -errno : aside(w, fd);
}

static bool fill(const struct files_entry *with, int end)
{
	return fcntl(end, F_SETPIPE_SZ, (int)with->special) >= (int)with->special &&
	       (with->length == 0 || write(end, with->text, with->length) == (ssize_t)with->length);
}

/* All descriptors of the pipe that descriptor i is the first one of. */
static int open_pipe(struct work *w, size_t i)
{
	const struct files_entry *first = &w->t.entry[i];
	int end[2], rc = 0;

	if (pipe2(end, O_CLOEXEC | O_NONBLOCK) != 0)
		return say(w, -errno, "a pipe cannot be had: %s", strerror(errno));
	if (!fill(files_reader_of(w->t.entry, w->t.n, first->inode), end[1]))
		rc = say(w, -EPERM,
			"the pipe of its descriptor %" PRIu32 " cannot be made as large as it was",
			first->number);
	for (size_t k = i; k < w->t.n && rc == 0; k++) {
		const struct files_entry *e = &w->t.entry[k];

		if (e->kind != FILES_PIPE || e->same != e->number || e->inode != first->inode)
			continue;
		w->opened[k].fd = open_end(w, end[0], e->flags);
		if (w->opened[k].fd < 0) {
			rc = say(w, w->opened[k].fd, "a pipe cannot be opened: %s",
				strerror(-w->opened[k].fd));
			w->opened[k].fd = FILES_NONE;
		}
	}
	close(end[0]);
	close(end[1]);
	return rc;
}

static bool is_here(const struct work *w, uint32_t number)
{
	for (size_t i = 0; i < w->heres; i++)
		if (w->here[i] == (int)number)
			return true;
	return false;
}

/* A duplicate of what this process has there, before anything else comes to that number. */
static int open_inherited(struct work *w, size_t i, const struct image_file *f)
{
	const struct files_entry *e = &w->t.entry[i];
	int fd;

	if (e->number == e->same)
		return 0;
	/* a number that was free may be the image's own file by now, or one of its files */
	fd = e->same == (uint32_t)f->fd || !is_here(w, e->same)
		     ? -1
		     : fcntl((int)e->same, F_DUPFD_CLOEXEC, w->free_from);
	if (fd >= 0) {
		w->opened[i].fd = fd;
		return 0;
	}
	return say(w, -EBADF,
		"its descriptor %" PRIu32 " is what it was started with as %" PRIu32
		", and here nothing is there",
		e->number, e->same);
}

static bool is_of_path(const struct files_entry *e)
{
	return e->kind != FILES_INHERITED && e->kind != FILES_OWN && e->kind != FILES_PIPE &&
	       e->same == e->number;
}

static int open_one(struct work *w, size_t i, const struct image_file *f)
{
	const struct files_entry *e = &w->t.entry[i];

	if (e->kind == FILES_INHERITED)
		return open_inherited(w, i, f);
	if (is_of_path(e))
		return open_path(w, i);
	if (e->kind != FILES_PIPE || e->same != e->number || w->opened[i].fd != FILES_NONE)
		return 0;
	return open_pipe(w, i);
}

static int open_all(struct work *w, const struct image_file *f)
{
	struct files_numbers own = {f->own, f->owned};
	int both = files_in_both(w->t.entry, w->t.n, own), rc = 0;

	if (both != FILES_NONE)
		return say(w, -EBUSY,
			"descriptor %d is the library's here and the program's in the image", both);
	for (size_t i = 0; i < w->t.n && rc == 0; i++)
		rc = open_one(w, i, f);
	return rc ? rc : files_locks_take(&w->t, w->opened, w->why, w->size);
}

static void close_one(struct work *w, size_t i)
{
	if (w->opened[i].fd != FILES_NONE)
		close(w->opened[i].fd);
	w->opened[i].fd = FILES_NONE;
}

static void close_all(struct work *w)
{
	for (size_t i = 0; i < w->t.n; i++)
		close_one(w, i);
}

static void free_all(struct work *w)
{
	free(w->section);
	free(w->t.entry);
	free(w->t.lock);
	free(w->opened);
	free(w->here);
}

int files_open(struct files_plan *p, const struct image_file *f, char *why, size_t size)
{
	struct work w = {.why = why, .size = size};
	int rc;

	*p = (struct files_plan){0};
	files_inherited_read(&p->inherited);
	rc = read_section(&w, f);
	if (rc == 0)
		rc = make_room(&w);
	if (rc == 0)
		rc = open_all(&w, f);
	if (rc == 0) {
		p->step = calloc(2 * w.t.n + w.heres + w.t.locks, sizeof *p->step);
		if (!p->step)
			rc = say(&w, -ENOMEM, "there is no memory for its descriptors");
	}
	if (rc == 0)
		p->steps = files_steps(&w.t, w.opened, (struct files_numbers){w.here, w.heres},
			(struct files_numbers){f->own, f->owned}, p->step);
	else
		close_all(&w);
	free_all(&w);
	return rc;
}

/* What is to be placed is what files_open has opened, some of it more than once. */
void files_close(struct files_plan *p)
{
	for (size_t i = 0; i < p->steps; i++)
		if (p->step[i].what == FILES_PLACE || p->step[i].what == FILES_STAY)
			close(p->step[i].fd);
	free(p->step);
	*p = (struct files_plan){0};
}

/* ---- before anything is changed ---- */

static bool has_lock(const struct work *w, const struct files_entry *e)
{
	for (size_t i = 0; i < w->t.locks; i++)
		if (w->t.lock[i].number == e->number)
			return true;
	return false;
}

/* At any numbers, and as few at a time as can be: those that are locked. */
static int try_all(struct work *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->t.n && rc == 0; i++) {
		rc = is_of_path(&w->t.entry[i]) ? open_path(w, i) : 0;
		if (!has_lock(w, &w->t.entry[i]))
			close_one(w, i);
	}
	if (rc == 0)
		rc = files_locks_try(&w->t, w->opened, w->why, w->size);
	close_all(w);
	return rc;
}

int image_try_files(const struct image_file *f, char *why, size_t size)
{
	struct work w = {.why = why, .size = size};
	int rc = read_section(&w, f);

	if (rc == 0)
		rc = make_room(&w);
	if (rc == 0)
		rc = try_all(&w);
	free_all(&w);
	return rc;
}

/* ---- files are cut ---- */

static bool has_path(const struct files_entry *e)
{
	return e->length > 0 && e->kind != FILES_PIPE;
}

static int check_path(struct work *w, const struct files_entry *e)
{
	char path[FILES_PATH_MAX + 1];
	struct files_here here;

	if (!has_path(e))
		return 0;
	here = look_at(e, path);
	if (files_fits(e, &here, w->why, w->size))
		return 0;
	return here.error ? -here.error : -EINVAL;
}

static int cut(struct work *w, const struct files_entry *e)
{
	char path[FILES_PATH_MAX + 1];
	struct files_here here;
	int rc;

	if (!has_path(e))
		return 0;
	here = look_at(e, path);
	if (!files_is_cut(e, &here) || truncate(path, (off_t)e->size) == 0)
		return 0;
	rc = -errno;
	return say(w, rc,
		"%s, descriptor %" PRIu32 " of the image, cannot be brought to the %" PRIu64
		" bytes that it had: %s",
		shown(path).text, e->number, e->size, strerror(-rc));
}

int files_check(const struct image_file *f, char *why, size_t size)
{
	struct work w = {.why = why, .size = size};
	int rc = read_section(&w, f);

	for (size_t i = 0; i < w.t.n && rc == 0; i++)
		rc = check_path(&w, &w.t.entry[i]);
	free_all(&w);
	return rc;
}

int image_cut(const struct image_file *f, char *why, size_t size)
{
	struct work w = {.why = why, .size = size};
	int rc = read_section(&w, f);

	for (size_t i = 0; i < w.t.n && rc == 0; i++)
		rc = check_path(&w, &w.t.entry[i]);
	for (size_t i = 0; i < w.t.n && rc == 0; i++)
		rc = cut(&w, &w.t.entry[i]);
	free_all(&w);
	return rc;
}

int image_free_from(const struct image_file *f, char *why, size_t size)
{
	struct work w = {.why = why, .size = size};
	int rc = read_section(&w, f);

	if (rc == 0)
		rc = make_room(&w);
	free_all(&w);
	return rc ? rc : w.free_from;
}

/* ---- the exchange: nothing but system calls from here on ---- */

const char *files_exchange(const struct files_plan *p)
{
	for (size_t i = 0; i < p->steps; i++) {
		const struct files_step *s = &p->step[i];

		switch (s->what) {
		case FILES_PLACE:
			if (raw_call(SYS_dup3, s->fd, s->to, s->close_on_exec ? O_CLOEXEC : 0) < 0)
				return "a descriptor of the process image cannot be had";
			break;
		case FILES_STAY:
			raw_call(SYS_fcntl, s->fd, F_SETFD, s->close_on_exec ? FD_CLOEXEC : 0);
			break;
		case FILES_CLOSE:
			raw_call(SYS_close, s->fd, 0, 0);
			break;
		case FILES_LOCK:
			if (files_lock_take_raw(&s->lock, s->fd) < 0)
				return "a lock on a file of the process image cannot be had any "
				       "more";
			break;
		}
	}
	files_inherited_are(&p->inherited);
	return NULL;
}
