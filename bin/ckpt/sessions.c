/* SPDX-License-Identifier: BSD-3-Clause */
/* A session is a folder in which there is a name of a recovery line, or, if it has the name of a
 * session, of the folder of a rank that has checkpoints of its own. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/shown.h"
#include "tool.h"

struct names {
	bool may_have_ranks;
	struct ckpt_name *v;
	size_t n;
	uint32_t *ranks;
	size_t nranks;
};

/* The folder of a rank has the name of its file in a line, without the end. */
static bool is_rank(const char *name, uint32_t *rank)
{
	char file[64];
	struct ckpt_name n;

	if (strchr(name, '.') || snprintf(file, sizeof file, "%s.ckpt", name) >= (int)sizeof file)
		return false;
	n = ckpt_name_parse(file);
	*rank = n.rank;
	return n.kind == CKPT_NAME_FILE;
}

static int note_rank(struct names *found, uint32_t rank)
{
	uint32_t *grown = realloc(found->ranks, (found->nranks + 1) * sizeof *grown);

	if (!grown)
		return -ENOMEM;
	found->ranks = grown;
	found->ranks[found->nranks++] = rank;
	return 0;
}

static int note(void *ctx, const char *name)
{
	struct ckpt_name n = ckpt_name_parse(name);
	struct names *found = ctx;
	struct ckpt_name *grown;
	uint32_t rank;

	if (found->may_have_ranks && is_rank(name, &rank))
		return note_rank(found, rank);
	if (n.kind != CKPT_NAME_MANIFEST && n.kind != CKPT_NAME_MANIFEST_TMP &&
		n.kind != CKPT_NAME_FOLDER)
		return 0;
	grown = realloc(found->v, (found->n + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	found->v = grown;
	found->v[found->n++] = n;
	return 0;
}

static int by_line_then_epoch(const void *a, const void *b)
{
	const struct ckpt_name *x = a, *y = b;

	if (x->line != y->line)
		return (x->line > y->line) - (x->line < y->line);
	return (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool has_manifest(const struct session *s, uint32_t line)
{
	for (size_t i = 0; i < s->nlines; i++)
		if (s->lines[i] == line)
			return true;
	return false;
}

/* Of all names only the folders of lines without a manifest stay. */
static void keep_unfinished(struct session *s, struct names *found)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].kind == CKPT_NAME_FOLDER && !has_manifest(s, found->v[i].line))
			found->v[n++] = found->v[i];
	if (n)
		qsort(found->v, n, sizeof *found->v, by_line_then_epoch);
	s->unfinished = found->v;
	s->nunfinished = n;
}

static char *base_name(const char *path)
{
	const char *end = path + strlen(path), *from;

	while (end > path + 1 && end[-1] == '/')
		end--;
	for (from = end; from > path && from[-1] != '/';)
		from--;
	return strndup(from, (size_t)(end - from));
}

/* Whatever it is called on the command line, and also as a link to somewhere else. */
static bool has_name_of_session(const char *path)
{
	char *real = realpath(path, NULL), *name = base_name(path);
	bool has = (name && ckpt_name_is_session(name)) ||
		   (real && ckpt_name_is_session(strrchr(real, '/') + 1));

	free(real);
	free(name);
	return has;
}

/* Adds the session at path; nothing when it is none. 0 or an exit status. */
static int add(struct sessions *out, const char *path)
{
	char err[SENTENCE_BYTES] = "out of memory";
	struct session s = {0}, *grown;
	struct names found = {.may_have_ranks = has_name_of_session(path)};
	int rc = ckpt_fs_posix.list(&ckpt_fs_posix, path, note, &found);

	if (rc == -ENOENT || (rc == 0 && found.n == 0 && found.nranks == 0))
		return 0; /* its job may have ended meanwhile */
	if (rc)
		rc = ckpt_unreadable((struct ckpt_err){err, sizeof err}, path, rc);
	else
		rc = ckpt_line_numbers(&ckpt_fs_posix, path, &s.lines, &s.nlines, err, sizeof err);
	grown = rc ? NULL : realloc(out->v, (out->n + 1) * sizeof *grown);
	if (!grown) {
		complain("%s", err);
		free(found.v);
		free(found.ranks);
		free(s.lines);
		return EXIT_DAMAGED;
	}
	s.path = strdup(path);
	s.name = base_name(path);
	keep_unfinished(&s, &found);
	s.ranks = found.ranks;
	s.nranks = found.nranks;
	if (s.nranks)
		qsort(s.ranks, s.nranks, sizeof *s.ranks, by_number);
	out->v = grown;
	out->v[out->n++] = s;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct session *)a)->name, ((const struct session *)b)->name);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Each folder in the work directory that is a session. */
static int add_each(struct sessions *out, const struct options *o)
{
	DIR *dir = opendir(o->path);
	struct dirent *entry;
	int rc = 0, bad;

	if (!dir) {
		complain("cannot read %s: %s", shown(o->path).text, strerror(errno));
		return EXIT_USAGE;
	}
	while ((entry = readdir(dir))) {
		char path[CKPT_DIR_MAX];

		if (entry->d_name[0] == '.' ||
			(o->session && strcmp(o->session, entry->d_name) != 0) ||
			snprintf(path, sizeof path, "%s/%s", o->path, entry->d_name) >=
				(int)sizeof path)
			continue;
		/* one that cannot be read, perhaps of another user, does not hide the others */
		bad = is_folder(path) ? add(out, path) : 0;
		rc = rc ? rc : bad;
	}
	closedir(dir);
	return rc;
}

int sessions_find(struct sessions *out, const struct options *o)
{
	int rc = 0;

	*out = (struct sessions){0};
	if (!is_folder(o->path)) {
		complain("%s is no folder; give a work directory, or a session in it",
			shown(o->path).text);
		return EXIT_USAGE;
	}
	if (!o->session)
		rc = add(out, o->path);
	if (rc == 0 && out->n == 0)
		rc = add_each(out, o);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_name);
	if (rc == 0 && out->n == 0 && o->session) {
		complain("there is no session %s in %s; ftmpi-ckpt list tells which there are",
			shown(o->session).text, shown(o->path).text);
		rc = EXIT_DAMAGED;
	}
	return rc;
}

void sessions_free(struct sessions *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].path);
		free(s->v[i].name);
		free(s->v[i].lines);
		free(s->v[i].unfinished);
		free(s->v[i].ranks);
	}
	free(s->v);
}

const uint32_t *session_lines(const struct session *s, const struct options *o, size_t *n)
{
	*n = o->has_line ? has_manifest(s, o->line) : s->nlines;
	return o->has_line ? &o->line : s->lines;
}

size_t session_ranks(const struct session *s, const struct options *o)
{
	return o->has_line ? 0 : s->nranks;
}
