/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/shown.h"

static bool begins(const struct files_facts *f, const char *with)
{
	size_t i = 0;

	while (i < f->length && with[i] && f->link[i] == with[i])
		i++;
	return !with[i];
}

/* ---- what is it? ---- */

static enum files_kind refused(const char *what, const char **why)
{
	*why = what;
	return FILES_REFUSED;
}

/* "/proc/PID/task/TID/..." */
static bool is_of_task(const struct files_facts *f)
{
	static const char task[] = "/task/";
	size_t length = sizeof task - 1, same;

	for (size_t at = 0; at + length <= f->length; at++) {
		for (same = 0; same < length && f->link[at + same] == task[same]; same++)
			;
		if (same == length)
			return true;
	}
	return false;
}

static enum files_kind kind_of_regular(const struct files_facts *f, const char **why)
{
	if (begins(f, "/memfd:"))
		return refused("memory without a name (memfd)", why);
	if (!f->named)
		return refused("a file that no name leads to any more", why);
	if (begins(f, "/proc/") && ((f->flags & O_ACCMODE) != O_RDONLY || is_of_task(f)))
		return refused("a file of /proc that another process has not", why);
	if ((f->flags & O_ACCMODE) == O_ACCMODE)
		return refused("a file opened for control only", why);
	if (f->denied)
		return refused("a file that this user may not open again as it is open", why);
	return FILES_REGULAR;
}

static enum files_kind kind_of_device(const struct files_facts *f, const char **why)
{
	enum { MEMORY = 1, NO_NULL = 3, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
	uint32_t number = minor(f->special);
	uint32_t class = major(f->special);

	if (f->named && class == MEMORY &&
		(number == NO_NULL || number == ZERO || number == FULL || number == RANDOM ||
			number == URANDOM))
		return FILES_DEVICE;
	if (begins(f, "/dev/tty") || begins(f, "/dev/pt") || begins(f, "/dev/console"))
		return refused("a terminal", why);
	return refused("a device", why);
}

static enum files_kind kind_of_pipe(const struct files_facts *f, const char **why)
{
	if (!begins(f, "pipe:"))
		return refused("a named pipe", why);
	return f->flags & O_DIRECT ? refused("a pipe of packets", why) : FILES_PIPE;
}

static enum files_kind kind_of_object(const struct files_facts *f, const char **why)
{
	static const struct {
		const char *link, *what;
	} objects[] = {
		{"anon_inode:[eventpoll]", "a set of descriptors to wait for (epoll)"},
		{"anon_inode:[eventfd]", "a counter of events (eventfd)"},
		{"anon_inode:[timerfd]", "a timer (timerfd)"},
		{"anon_inode:[signalfd]", "signals to be read (signalfd)"},
		{"anon_inode:inotify", "files that are watched (inotify)"},
		{"anon_inode:[io_uring]", "a queue of input and output (io_uring)"},
		{"anon_inode:[pidfd]", "another process (pidfd)"},
	};

	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		if (begins(f, objects[i].link))
			return refused(objects[i].what, why);
	return refused("something of the kernel", why);
}

static enum files_kind kind_by_mode(const struct files_facts *f, const char **why)
{
	switch (f->mode & S_IFMT) {
	case S_IFREG:
		return kind_of_regular(f, why);
	case S_IFDIR:
		return f->named ? FILES_FOLDER
				: refused("a folder that no name leads to any more", why);
	case S_IFCHR:
		return kind_of_device(f, why);
	case S_IFIFO:
		return kind_of_pipe(f, why);
	case S_IFLNK:
		return refused("a symbolic link itself (O_PATH)", why);
	case S_IFSOCK:
		return refused("a socket", why);
	case S_IFBLK:
		return refused("a device", why);
	default:
		return kind_of_object(f, why);
	}
}

/* The other end of an inherited pipe is somebody else's. A file that the standard output goes to
 * may have been put aside while something else takes its place. Of a file that is read a new
 * process would have another position. */
enum files_kind files_kind_for(const struct files_facts *f, const char **why)
{
	enum files_kind kind = kind_by_mode(f, why);
	bool is_stream = f->stream || (kind == FILES_REGULAR && f->moved);

	if (f->own)
		return FILES_OWN;
	if (f->inherited == FILES_NONE)
		return kind;
	if (kind == FILES_REFUSED || kind == FILES_PIPE)
		return FILES_INHERITED;
	if (kind == FILES_REGULAR && (f->flags & O_ACCMODE) == O_RDONLY)
		return kind;
	return is_stream && f->inherited < FILES_STREAMS ? FILES_INHERITED : kind;
}

uint32_t files_flags_for(enum files_kind kind, uint32_t flags)
{
	uint32_t kept = O_ACCMODE | O_NONBLOCK;

	if (kind != FILES_PIPE)
		kept |= O_APPEND | O_SYNC | O_DIRECT | O_NOATIME | O_NOFOLLOW | O_PATH;
	if (kind == FILES_FOLDER)
		kept |= O_DIRECTORY;
	return flags & kept;
}

int files_inherited_as(const struct files_inherited *from, const struct files_facts *f)
{
	int found = FILES_NONE;

	for (size_t i = from->n; i-- > 0;)
		if (from->of[i].device == f->device && from->of[i].inode == f->inode &&
			from->of[i].access == (f->flags & O_ACCMODE) &&
			(found == FILES_NONE || found != (int)f->number))
			found = (int)from->of[i].number;
	return found;
}

/* ---- the table ---- */

bool files_is_written(const struct files_entry *e)
{
	return e->kind == FILES_REGULAR && (e->flags & O_ACCMODE) != O_RDONLY;
}

static bool has_path(const struct files_entry *e, const char *path, size_t length)
{
	size_t i = 0;

	while (i < length && i < e->length && e->text[i] == (uint8_t)path[i])
		i++;
	return i == length && i == e->length;
}

bool files_writes_to(const struct files_entry *e, size_t n, const char *path, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (files_is_written(&e[i]) && e[i].same == e[i].number &&
			has_path(&e[i], path, length))
			return true;
	return false;
}

const struct files_entry *files_find(const struct files_entry *e, size_t n, uint32_t number)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && e[low].number == number ? &e[low] : NULL;
}

static bool is_end(const struct files_entry *e, uint64_t inode, uint32_t other_access)
{
	return e->kind == FILES_PIPE && e->same == e->number && e->inode == inode &&
	       (e->flags & O_ACCMODE) != other_access;
}

static const struct files_entry *end_of(
	const struct files_entry *e, size_t n, uint64_t inode, uint32_t other_access)
{
	for (size_t i = 0; i < n; i++)
		if (is_end(&e[i], inode, other_access))
			return &e[i];
	return NULL;
}

const struct files_entry *files_reader_of(const struct files_entry *e, size_t n, uint64_t inode)
{
	return end_of(e, n, inode, O_WRONLY);
}

const struct files_entry *files_one_ended(const struct files_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].kind == FILES_PIPE && e[i].same == e[i].number &&
			(!end_of(e, n, e[i].inode, O_WRONLY) ||
				!end_of(e, n, e[i].inode, O_RDONLY)))
			return &e[i];
	return NULL;
}

size_t files_path_of_self(char *path, size_t length, uint32_t pid)
{
	static const char before[] = "/proc/", self[] = "self";
	size_t from = sizeof before - 1, at = from, moved;
	uint64_t number = 0;

	if (length <= from || memcmp(path, before, from) != 0)
		return length;
	while (at < length && path[at] >= '0' && path[at] <= '9' && number < UINT32_MAX)
		number = number * 10 + (uint64_t)(path[at++] - '0');
	moved = from + sizeof self - 1;
	/* a number of fewer digits than "self" has may not have the room */
	if (at == from || number != pid || (at < length && path[at] != '/') ||
		length - at + moved > FILES_PATH_MAX)
		return length;
	memmove(path + moved, path + at, length - at);
	memcpy(path + from, self, sizeof self - 1);
	return length - at + moved;
}

/* ---- sentences ---- */

struct text {
	char *at, *end; /* end: of the NUL */
};

static void put(struct text *t, const char *from, size_t length)
{
	for (size_t i = 0; i < length && t->at < t->end; i++)
		*t->at++ = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? ' ' : from[i];
	*t->at = '\0';
}

static void put_text(struct text *t, const char *from)
{
	put(t, from, strlen(from));
}

static void put_number(struct text *t, uint32_t number)
{
	char digits[10];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	put(t, digits + at, sizeof digits - at);
}

void files_refusal(const struct files_facts *f, const char *why, char *out, size_t size)
{
	static const char after[] = "), which cannot be brought back";
	struct text t = {out, out + size - sizeof after};

	put_text(&t, "descriptor ");
	put_number(&t, f->number);
	put_text(&t, " is ");
	put_text(&t, why);
	put_text(&t, " (");
	put(&t, f->link, f->length);
	t.end = out + size - 1;
	put_text(&t, after);
}

/* ---- at a load ---- */

static const char *word_for(uint32_t kind)
{
	return kind == FILES_REGULAR ? "file" : kind == FILES_FOLDER ? "folder" : "device";
}

static bool is_of_kind(const struct files_entry *e, const struct files_here *h)
{
	switch (e->kind) {
	case FILES_REGULAR:
		return S_ISREG(h->mode);
	case FILES_FOLDER:
		return S_ISDIR(h->mode);
	default:
		return S_ISCHR(h->mode) && h->special == e->special;
	}
}

uint64_t files_birth(const struct statx *of)
{
	const uint64_t second = 1000000000;

	if (!(of->stx_mask & STATX_BTIME) || of->stx_btime.tv_sec < 0)
		return 0;
	return (uint64_t)of->stx_btime.tv_sec * second + of->stx_btime.tv_nsec;
}

static bool is_same_file(const struct files_entry *e, const struct files_here *h)
{
	return h->inode == e->inode && (!h->birth || !e->birth || h->birth == e->birth);
}

bool files_fits(const struct files_entry *e, const struct files_here *h, char *why, size_t size)
{
	char path[FILES_PATH_MAX + 1];
	uint64_t needed = e->offset < e->size ? e->offset : e->size;

	memcpy(path, e->text, e->length);
	path[e->length] = '\0';
	if (h->error) {
		snprintf(why, size, "%s, descriptor %" PRIu32 " of the image, cannot be opened: %s",
			shown(path).text, e->number, strerror(h->error));
		return false;
	}
	if (!is_of_kind(e, h)) {
		snprintf(why, size, "%s, descriptor %" PRIu32 " of the image, is not the %s it was",
			shown(path).text, e->number, word_for(e->kind));
		return false;
	}
	if (files_is_written(e) && !is_same_file(e, h)) {
		snprintf(why, size,
			"%s, descriptor %" PRIu32 " of the image, is not the file that the program "
			"wrote to: that was renamed, or replaced",
			shown(path).text, e->number);
		return false;
	}
	if (e->kind == FILES_REGULAR && !(e->flags & O_PATH) && h->size < needed) {
		snprintf(why, size,
			"%s, descriptor %" PRIu32 " of the image, has %" PRIu64
			" bytes here, and the program was at byte %" PRIu64 "%s",
			shown(path).text, e->number, h->size, e->offset,
			files_is_written(e)
				? " (where several ranks write a file: -coord blocking, or "
				  "-image-files keep)"
				: "");
		return false;
	}
	return true;
}

bool files_is_cut(const struct files_entry *e, const struct files_here *h)
{
	return files_is_written(e) && !(e->flags & O_PATH) && h->size > e->size;
}
