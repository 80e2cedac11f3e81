/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files_section.h"
#include "raw_call.h"
#include "state.h"

enum { LISTED_BYTES = 32 << 10, INHERITED_END = 1024, PAGES = 64 << 10 };

/* Mapped for each image; zeros at first, and only what is used has memory. */
struct work {
	struct files_entry entry[FILES_MAX];
	struct files_lock lock[FILES_LOCKS_MAX];
	size_t n, locks, text_used;
	int number[FILES_MAX];
	size_t numbers;
	bool is_stream[FILES_STREAMS]; /* the number still has the stream of the process's start */
	uint32_t pid;
	char *why;
	size_t size;
	struct files_numbers own;
	_Alignas(8) uint8_t listed[LISTED_BYTES];
	char link[FILES_PATH_MAX + 8];	 /* "self" may be longer than a number */
	char info[FILES_LOCKS_TEXT_MAX]; /* of a descriptor, in /proc/self/fdinfo */
	uint8_t text[FILES_TEXT_MAX];
	uint8_t bytes[FILES_SECTION_MAX];
};

static struct files_inherited inherited;

static bool is_open(long number, struct stat *st)
{
	return raw_call(SYS_fstat, number, (long)st, 0) == 0;
}

static uint32_t flags_of(long number)
{
	long flags = raw_call(SYS_fcntl, number, F_GETFL, 0);

	return flags < 0 ? 0 : (uint32_t)flags;
}

void files_inherited_read(struct files_inherited *now)
{
	struct stat st;

	now->n = 0;
	for (uint32_t i = 0; i < INHERITED_END && now->n < FILES_INHERITED_MAX; i++) {
		if (!is_open(i, &st))
			continue;
		now->of[now->n].number = i;
		now->of[now->n].access = flags_of(i) & O_ACCMODE;
		now->of[now->n].device = st.st_dev;
		now->of[now->n++].inode = st.st_ino;
	}
}

/* One after the other: nothing of libc may be called where a load calls it. */
void files_inherited_are(const struct files_inherited *at_start)
{
	inherited.n = at_start->n;
	for (size_t i = 0; i < at_start->n; i++)
		inherited.of[i] = at_start->of[i];
}

static int say(char *why, size_t size, int rc, const char *what)
{
	size_t i = 0;

	for (; what[i] && i < size - 1; i++)
		why[i] = what[i];
	why[i] = '\0';
	return rc;
}

/* ---- which there are ---- */

static int take_names(struct work *w, long bytes, int listing)
{
	for (long at = 0; at < bytes;) {
		const struct dirent64 *d = (const struct dirent64 *)(w->listed + at);
		int number = 0;

		at += d->d_reclen;
		if (d->d_name[0] == '.')
			continue;
		for (const char *c = d->d_name; *c; c++)
			number = number * 10 + (*c - '0');
		if (number == listing)
			continue;
		if (w->numbers == FILES_MAX || number >= FILES_NUMBER_END)
			return say(w->why, w->size, -E2BIG,
				"it has more than 4096 descriptors, or one above 1048575");
		w->number[w->numbers++] = number;
	}
	return 0;
}

/* The kernel lists them in the order of their numbers. */
static int list(struct work *w)
{
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)"/proc/self/fd",
		O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	long n = fd;
	int rc = 0;

	while (rc == 0 && n >= 0 &&
		(n = raw_call(SYS_getdents64, fd, (long)w->listed, LISTED_BYTES)) > 0)
		rc = take_names(w, n, (int)fd);
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	return n < 0 ? say(w->why, w->size, (int)n, "/proc/self/fd cannot be read") : rc;
}

/* ---- which share an open file ---- */

/* One that has O_NONBLOCK when the other one gets it. That means nothing to files and folders; and
 * of pipes only those come here that are the process's own. Two of a device count as two. */
static bool is_same_by_flags(uint32_t a, uint32_t b)
{
	uint32_t flags = flags_of(a);
	bool same = flags == flags_of(b);
	struct stat st;

	if (!same || !is_open(a, &st) ||
		!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode)))
		return false;
	raw_call(SYS_fcntl, a, F_SETFL, (long)(flags ^ O_NONBLOCK));
	same = flags_of(a) == flags_of(b);
	raw_call(SYS_fcntl, a, F_SETFL, (long)flags);
	return same;
}

static bool is_same(const struct work *w, uint32_t a, uint32_t b)
{
	long order = raw_call6(SYS_kcmp, w->pid, w->pid, KCMP_FILE, a, b, 0);

	return order < 0 ? is_same_by_flags(a, b) : order == 0;
}

static uint32_t first_with_same(const struct work *w, const struct files_entry *e)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct files_entry *o = &w->entry[i];

		if (o->kind == e->kind && o->same == o->number && o->inode == e->inode &&
			o->device == e->device && o->flags == e->flags &&
			is_same(w, o->number, e->number))
			return o->number;
	}
	return e->number;
}

/* Of an inherited pipe it is all one whether it has the stream's open file. */
static void find_inherited(const struct work *w, struct files_facts *f)
{
	f->inherited = files_inherited_as(&inherited, f);
	if (f->inherited == FILES_NONE)
		return;
	f->moved = f->inherited < FILES_STREAMS && !w->is_stream[f->inherited];
	for (uint32_t i = 0; i < FILES_STREAMS && !f->stream && !S_ISFIFO(f->mode); i++)
		if (w->is_stream[i] && (i == f->number || is_same(w, i, f->number))) {
			f->stream = true;
			f->inherited = (int)i;
		}
}

static void find_streams(struct work *w)
{
	for (uint32_t i = 0; i < FILES_STREAMS; i++) {
		struct files_facts f = {.number = i, .flags = flags_of(i)};
		struct stat st;

		if (!is_open(i, &st))
			continue;
		f.device = st.st_dev;
		f.inode = st.st_ino;
		w->is_stream[i] = files_inherited_as(&inherited, &f) == (int)i;
	}
}

/* ---- what each of them is ---- */

/* Room for "/proc/self/fdinfo/" and a number. */
enum { PROC_PATH_BYTES = 32 };

static void proc_path(char path[PROC_PATH_BYTES], const char *folder, uint32_t number)
{
	size_t at = 0, digits = 1;

	for (; folder[at]; at++)
		path[at] = folder[at];
	for (uint32_t left = number; left >= 10; left /= 10)
		digits++;
	for (uint32_t i = 0, left = number; i < digits; i++, left /= 10)
		path[at + digits - 1 - i] = (char)('0' + left % 10);
	path[at + digits] = '\0';
}

static void read_link(struct work *w, struct files_facts *f)
{
	char path[PROC_PATH_BYTES];
	struct stat named;
	long n;

	proc_path(path, "/proc/self/fd/", f->number);
	n = raw_call6(SYS_readlinkat, AT_FDCWD, (long)path, (long)w->link, FILES_PATH_MAX, 0, 0);
	f->link = w->link;
	f->length = n < 0 ? 0 : (size_t)n;
	w->link[f->length] = '\0';
	/* of a path without an end the name is another file's, or none's */
	f->named = f->length > 0 && w->link[0] == '/' &&
		   raw_call6(SYS_newfstatat, AT_FDCWD, (long)w->link, (long)&named, 0, 0, 0) == 0 &&
		   named.st_dev == f->device && named.st_ino == f->inode;
}

/* Whoever has made a file may have it open in a way that its mode does not allow. */
static bool is_denied(const struct work *w, const struct files_facts *f)
{
	uint32_t access = f->flags & O_ACCMODE;
	long mode = access == O_RDONLY ? R_OK : access == O_WRONLY ? W_OK : R_OK | W_OK;
	long rc;

	if (!f->named || (f->flags & O_PATH))
		return false;
	rc = raw_call6(SYS_faccessat2, AT_FDCWD, (long)w->link, mode, AT_EACCESS, 0, 0);
	return rc == -EACCES || rc == -EROFS;
}

static int refuse(struct work *w, const struct files_facts *f, const char *why)
{
	files_refusal(f, why, w->why, w->size);
	return -EOPNOTSUPP;
}

static bool is_own(const struct work *w, int number)
{
	for (size_t i = 0; i < w->own.count; i++)
		if (w->own.number[i] == number)
			return true;
	return false;
}

_Static_assert(FILES_TEXT_MAX / FILES_PATH_MAX >= FILES_MAX, "there is room for every name");

/* Before any contents of pipes. */
static void keep_name(struct work *w, struct files_entry *e, size_t length)
{
	e->text = w->text + w->text_used;
	e->length = (uint32_t)length;
	memcpy(w->text + w->text_used, w->link, length);
	w->text_used += length;
}

static uint64_t read_birth(uint32_t number)
{
	struct statx file = {0};

	raw_call6(SYS_statx, number, (long)"", AT_EMPTY_PATH, STATX_BTIME, (long)&file, 0);
	return files_birth(&file);
}

static int read_locks(struct work *w, uint32_t number)
{
	char path[PROC_PATH_BYTES];
	long fd, n, length = 0, found;

	proc_path(path, "/proc/self/fdinfo/", number);
	n = fd = raw_call6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	while (n >= 0 && (n = raw_call(SYS_read, fd, (long)(w->info + length),
				  (long)sizeof w->info - length)) > 0)
		length += n;
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	if (n < 0)
		return say(w->why, w->size, (int)n,
			"/proc/self/fdinfo cannot be read, which has the locks on its files");
	found = files_locks_parse(
		w->info, (size_t)length, number, w->lock + w->locks, FILES_LOCKS_MAX - w->locks);
	if (found < 0)
		return say(w->why, w->size, -EPROTO,
			"it has a lock on a file that is not understood (/proc/self/fdinfo)");
	if ((size_t)found > FILES_LOCKS_MAX - w->locks || length == (long)sizeof w->info)
		return say(w->why, w->size, -E2BIG, "it has more than 4096 locks on files");
	w->locks += (size_t)found;
	return 0;
}

static int read_place(
	struct work *w, struct files_entry *e, const struct stat *st, struct files_facts *f)
{
	long offset = e->kind == FILES_DEVICE || (e->flags & O_PATH)
			      ? 0
			      : raw_call(SYS_lseek, e->number, 0, SEEK_CUR);
	int rc;

	e->offset = offset < 0 ? 0 : (uint64_t)offset;
	e->size = e->kind == FILES_REGULAR ? (uint64_t)st->st_size : 0;
	e->special = e->kind == FILES_DEVICE ? st->st_rdev : 0;
	e->birth = files_is_written(e) ? read_birth(e->number) : 0;
	rc = files_may_lock(e) ? read_locks(w, e->number) : 0;
	if (rc == 0)
		keep_name(w, e, files_path_of_self(w->link, f->length, w->pid));
	return rc;
}

static int take_entry(
	struct work *w, struct files_entry *e, const struct stat *st, struct files_facts *f)
{
	long capacity;

	e->flags = files_flags_for(e->kind, f->flags);
	e->device = f->device;
	e->inode = f->inode;
	e->same = first_with_same(w, e);
	if (e->same != e->number) {
		e->flags = 0;
		e->device = e->inode = 0;
		return 0;
	}
	if (e->kind != FILES_PIPE)
		return read_place(w, e, st, f);
	capacity = raw_call(SYS_fcntl, e->number, F_GETPIPE_SZ, 0);
	e->special = capacity < 0 ? 0 : (uint64_t)capacity;
	return 0;
}

static int read_one(struct work *w, int number)
{
	struct files_entry *e = &w->entry[w->n];
	struct files_facts f = {.number = (uint32_t)number, .own = is_own(w, number)};
	const char *why;
	struct stat st;
	int rc = 0;

	/* another thread has closed it */
	if (!is_open(number, &st))
		return 0;
	f.mode = st.st_mode;
	f.flags = flags_of(number);
	f.device = st.st_dev;
	f.inode = st.st_ino;
	f.special = st.st_rdev;
	find_inherited(w, &f);
	read_link(w, &f);
	f.denied = is_denied(w, &f);
	*e = (struct files_entry){.number = f.number, .same = f.number};
	e->kind = files_kind_for(&f, &why);
	if (e->kind == FILES_REFUSED)
		return refuse(w, &f, why);
	e->close_on_exec = (raw_call(SYS_fcntl, number, F_GETFD, 0) & FD_CLOEXEC) != 0;
	if (e->kind == FILES_INHERITED)
		e->same = (uint32_t)f.inherited;
	else if (e->kind != FILES_OWN)
		rc = take_entry(w, e, &st, &f);
	w->n++;
	return rc;
}

/* ---- what is in its pipes ---- */

/* By a second pipe, into which the kernel puts the same bytes once more: the first one keeps them.
 */
static int copy_contents(struct work *w, struct files_entry *e, size_t length)
{
	int aside[2];
	long n = raw_call(SYS_pipe2, (long)aside, O_CLOEXEC | O_NONBLOCK, 0);
	size_t at = 0;

	if (n < 0)
		return (int)n;
	raw_call(SYS_fcntl, aside[1], F_SETPIPE_SZ, (long)e->special);
	n = raw_call6(SYS_tee, e->number, aside[1], (long)length, 0, 0, 0);
	while (n > 0 && at < length &&
		(n = raw_call(SYS_read, aside[0], (long)(w->text + w->text_used + at),
			 (long)(length - at))) > 0)
		at += (size_t)n;
	raw_call(SYS_close, aside[0], 0, 0);
	raw_call(SYS_close, aside[1], 0, 0);
	e->text = w->text + w->text_used;
	e->length = (uint32_t)at;
	w->text_used += at;
	return at == length ? 0 : -EIO;
}

static int refuse_pipe(struct work *w, const struct files_entry *e, const char *why)
{
	struct files_facts f = {.number = e->number, .device = e->device, .inode = e->inode};

	read_link(w, &f);
	return refuse(w, &f, why);
}

static int read_contents(struct work *w, struct files_entry *e)
{
	int length = 0, rc;

	raw_call(SYS_ioctl, e->number, FIONREAD, (long)&length);
	if (length == 0)
		return 0;
	rc = length > FILES_CONTENTS_MAX || (size_t)length > sizeof w->text - w->text_used
		     ? -E2BIG
		     : copy_contents(w, e, (size_t)length);
	return rc ? refuse_pipe(w, e, "a pipe whose contents cannot be copied") : 0;
}

static int read_pipes(struct work *w)
{
	const struct files_entry *one = files_one_ended(w->entry, w->n);
	int rc = 0;

	if (one)
		return refuse_pipe(w, one, "a pipe to somebody else");
	for (size_t i = 0; i < w->n && rc == 0; i++) {
		struct files_entry *e = &w->entry[i];

		if (e->kind == FILES_PIPE && e->same == e->number &&
			files_reader_of(w->entry, w->n, e->inode) == e)
			rc = read_contents(w, e);
	}
	return rc;
}

/* A load opens each of them beside its number. */
static int check_limit(struct work *w)
{
	struct rlimit64 limit;

	if (raw_call6(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0) != 0 ||
		limit.rlim_max >= (uint64_t)files_limit(w->entry, w->n, w->own))
		return 0;
	return say(w->why, w->size, -EOPNOTSUPP,
		"its open files could not be opened again within the limit of open files (ulimit "
		"-n): that has to be more than twice their number, and than their numbers");
}

/* ---- all of it ---- */

int files_read(struct files_held *h, struct files_numbers own, char *why, size_t size)
{
	long bytes = ((long)sizeof(struct work) + PAGES - 1) / PAGES * PAGES;
	long at = raw_call6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
		/* shared, so that it is a mapping of its own, whatever lies beside it */
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct work *w = (struct work *)at;
	int rc;

	*h = (struct files_held){0};
	if (at < 0 && at > -4096)
		return say(why, size, (int)at,
			image_state_memory_is_limited()
				? "the limit of its address space (RLIMIT_AS, ulimit -v) leaves no "
				  "room for the list of its descriptors"
				: "there is no memory for the list of its descriptors");
	h->low = (uint64_t)at;
	h->high = (uint64_t)(at + bytes);
	w->why = why;
	w->size = size;
	w->own = own;
	w->pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0);
	find_streams(w);
	rc = list(w);
	for (size_t i = 0; i < w->numbers && rc == 0; i++)
		rc = read_one(w, w->number[i]);
	if (rc == 0)
		rc = read_pipes(w);
	if (rc == 0)
		rc = check_limit(w);
	if (rc)
		return rc;
	h->entry = w->entry;
	h->n = w->n;
	h->bytes = w->bytes;
	h->length = files_section_write(&(struct files_table){w->entry, w->n, w->lock, w->locks},
		w->bytes, sizeof w->bytes);
	return 0;
}

void files_release(struct files_held *h)
{
	if (h->low)
		raw_call(SYS_munmap, (long)h->low, (long)(h->high - h->low), 0);
	*h = (struct files_held){0};
}
