/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtx.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct entry {
	int row, col;
	double value;
	long line;
};

struct reader {
	FILE *file;
	const char *path;
	char *text; /* the line in hand */
	size_t text_size;
	long line;
	char *error;
	size_t error_size;
};

struct header {
	bool array, symmetric;
	long rows, cols, entries;
};

struct entries {
	struct entry *at;
	size_t count, room;
};

static int fail(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct reader *r, const char *fmt, ...)
{
	char what[300];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (r->line > 0)
		snprintf(r->error, r->error_size, "%s: line %ld: %s", r->path, r->line, what);
	else
		snprintf(r->error, r->error_size, "%s: %s", r->path, what);
	return -1;
}

/* 1 with the next line in hand, 0 at the end of the file, -1 when it cannot be read. */
static int next_line(struct reader *r)
{
	errno = 0;
	if (getline(&r->text, &r->text_size, r->file) < 0) {
		if (ferror(r->file) || errno != 0)
			return fail(r, "cannot be read: %s", strerror(errno));
		return 0;
	}
	r->line++;
	return 1;
}

/* The next line that is neither blank nor a comment. */
static int next_content(struct reader *r)
{
	for (;;) {
		int got = next_line(r);
		if (got <= 0)
			return got;
		const char *p = r->text;
		while (isspace((unsigned char)*p))
			p++;
		if (*p != '\0' && *p != '%')
			return 1;
	}
}

static bool take_long(const char **p, long *out)
{
	char *end = NULL;
	errno = 0;
	*out = strtol(*p, &end, 10);
	bool good = end != *p && errno == 0 && (*end == '\0' || isspace((unsigned char)*end));
	*p = end;
	return good;
}

static bool take_double(const char **p, double *out)
{
	char *end = NULL;
	*out = strtod(*p, &end);
	bool good = end != *p && isfinite(*out) && (*end == '\0' || isspace((unsigned char)*end));
	*p = end;
	return good;
}

static bool at_end(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return *p == '\0';
}

static int read_banner(struct reader *r, struct header *h)
{
	char banner[32] = "", object[32] = "", format[32] = "", field[32] = "", symmetry[32] = "";
	int got = next_line(r);
	if (got < 0)
		return -1;
	if (got == 0)
		return fail(r, "the file is empty");
	sscanf(r->text, "%31s %31s %31s %31s %31s", banner, object, format, field, symmetry);
	if (strcmp(banner, "%%MatrixMarket") != 0 || strcasecmp(object, "matrix") != 0)
		return fail(r, "does not begin with \"%%%%MatrixMarket matrix\"");
	h->array = strcasecmp(format, "array") == 0;
	if (!h->array && strcasecmp(format, "coordinate") != 0)
		return fail(r, "format \"%s\" is neither coordinate nor array", format);
	if (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0)
		return fail(r, "field \"%s\" is neither real nor integer", field);
	h->symmetric = strcasecmp(symmetry, "symmetric") == 0;
	if (!h->symmetric && strcasecmp(symmetry, "general") != 0)
		return fail(r, "symmetry \"%s\" is neither general nor symmetric", symmetry);
	return 0;
}

static int read_sizes(struct reader *r, struct header *h)
{
	int got = next_content(r);
	if (got < 0)
		return -1;
	if (got == 0)
		return fail(r, "the file ends before the line of sizes");
	const char *p = r->text;
	bool good = take_long(&p, &h->rows) && take_long(&p, &h->cols);
	if (!h->array)
		good = good && take_long(&p, &h->entries);
	if (!good || !at_end(p))
		return fail(r, h->array ? "expected \"ROWS COLUMNS\""
					: "expected \"ROWS COLUMNS ENTRIES\"");
	if (h->rows < 1 || h->cols < 1 || h->rows > INT_MAX / 2 || h->cols > INT_MAX / 2)
		return fail(r, "%ld rows and %ld columns: each must be 1 to %d", h->rows, h->cols,
			INT_MAX / 2);
	if (!h->array &&
		(h->entries < 0 || h->entries > INT_MAX / 2 || h->entries / h->rows > h->cols))
		return fail(r, "%ld entries do not fit a matrix of %ld rows and %ld columns",
			h->entries, h->rows, h->cols);
	return 0;
}

/* Room grows with what is read, not with what the header promises. */
static int entries_add(struct reader *r, struct entries *e, struct entry one)
{
	if (e->count == e->room) {
		size_t room = e->room > 0 ? 2 * e->room : 1024;
		struct entry *at = realloc(e->at, room * sizeof(*at));
		if (at == NULL)
			return fail(r, "out of memory for %zu entries", room);
		e->at = at;
		e->room = room;
	}
	e->at[e->count++] = one;
	return 0;
}

static int read_entry(struct reader *r, const struct header *h, struct entries *out)
{
	long row = 0, col = 0;
	struct entry e = {0, 0, 0.0, r->line};
	const char *p = r->text;
	if (!take_long(&p, &row) || !take_long(&p, &col) || !take_double(&p, &e.value) ||
		!at_end(p))
		return fail(r, "expected \"ROW COLUMN VALUE\" with a finite value");
	if (row < 1 || row > h->rows || col < 1 || col > h->cols)
		return fail(r, "entry (%ld, %ld) is outside the matrix of %ld rows and %ld columns",
			row, col, h->rows, h->cols);
	if (h->symmetric && col > row)
		return fail(r, "entry (%ld, %ld) is above the diagonal of a symmetric matrix", row,
			col);
	e.row = (int)row - 1;
	e.col = (int)col - 1;
	if (entries_add(r, out, e) < 0)
		return -1;
	if (h->symmetric && e.row != e.col)
		return entries_add(r, out, (struct entry){e.col, e.row, e.value, e.line});
	return 0;
}

static int read_entries(struct reader *r, const struct header *h, struct entries *out)
{
	for (long i = 0; i < h->entries; i++) {
		int got = next_content(r);
		if (got < 0)
			return -1;
		if (got == 0)
			return fail(r, "the file ends after %ld of %ld entries", i, h->entries);
		if (read_entry(r, h, out) < 0)
			return -1;
	}
	int more = next_content(r);
	if (more > 0)
		return fail(r, "more than the %ld entries that were announced", h->entries);
	return more;
}

static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int check_duplicates(struct reader *r, const struct entries *e)
{
	for (size_t i = 1; i < e->count; i++) {
		const struct entry *a = &e->at[i - 1], *b = &e->at[i];
		if (a->row != b->row || a->col != b->col)
			continue;
		r->line = b->line;
		return fail(r, "entry (%d, %d) was already given in line %ld", b->row + 1,
			b->col + 1, a->line);
	}
	return 0;
}

static int compress(struct reader *r, const struct header *h, struct entries *e, struct mtx *out)
{
	struct mtx m = {(int)h->rows, (int)h->cols, NULL, NULL, NULL};
	if (e->count > 0)
		qsort(e->at, e->count, sizeof(*e->at), entry_order);
	if (check_duplicates(r, e) < 0)
		return -1;
	m.start = calloc((size_t)m.rows + 1, sizeof(*m.start));
	m.col = malloc((e->count + 1) * sizeof(*m.col));
	m.value = malloc((e->count + 1) * sizeof(*m.value));
	if (m.start == NULL || m.col == NULL || m.value == NULL) {
		mtx_free(&m);
		return fail(r, "out of memory for %zu entries", e->count);
	}
	for (size_t i = 0; i < e->count; i++) {
		m.start[e->at[i].row + 1]++;
		m.col[i] = e->at[i].col;
		m.value[i] = e->at[i].value;
	}
	for (int row = 0; row < m.rows; row++)
		m.start[row + 1] += m.start[row];
	*out = m;
	return 0;
}

static int reader_open(struct reader *r, const char *path, char *error, size_t error_size)
{
	*r = (struct reader){.path = path, .error = error, .error_size = error_size};
	r->file = fopen(path, "r");
	if (r->file == NULL)
		return fail(r, "cannot be opened: %s", strerror(errno));
	return 0;
}

static void reader_close(struct reader *r)
{
	free(r->text);
	fclose(r->file);
}

int mtx_read(const char *path, struct mtx *out, char *error, size_t error_size)
{
	struct reader r;
	struct header h = {0};
	struct entries e = {0};
	if (reader_open(&r, path, error, error_size) < 0)
		return -1;
	int rc = read_banner(&r, &h);
	if (rc == 0 && h.array)
		rc = fail(&r, "a sparse matrix is needed (coordinate, not array)");
	if (rc == 0)
		rc = read_sizes(&r, &h);
	if (rc == 0 && h.symmetric && h.rows != h.cols)
		rc = fail(&r, "a symmetric matrix of %ld rows and %ld columns", h.rows, h.cols);
	if (rc == 0)
		rc = read_entries(&r, &h, &e);
	if (rc == 0)
		rc = compress(&r, &h, &e, out);
	free(e.at);
	reader_close(&r);
	return rc;
}

static int read_numbers(struct reader *r, const struct header *h, double *v)
{
	for (long i = 0; i < h->rows; i++) {
		int got = next_content(r);
		if (got < 0)
			return -1;
		if (got == 0)
			return fail(r, "the file ends after %ld of %ld numbers", i, h->rows);
		const char *p = r->text;
		if (!take_double(&p, &v[i]) || !at_end(p))
			return fail(r, "expected one finite number");
	}
	int more = next_content(r);
	if (more > 0)
		return fail(r, "more than the %ld numbers that were announced", h->rows);
	return more;
}

int mtx_read_vector(const char *path, int rows, double **out, char *error, size_t error_size)
{
	struct reader r;
	struct header h = {0};
	double *v = NULL;
	if (reader_open(&r, path, error, error_size) < 0)
		return -1;
	int rc = read_banner(&r, &h);
	if (rc == 0 && (!h.array || h.symmetric))
		rc = fail(&r, "a vector is needed (array general)");
	if (rc == 0)
		rc = read_sizes(&r, &h);
	if (rc == 0 && (h.rows != rows || h.cols != 1))
		rc = fail(&r, "%ld rows and %ld columns, but %d rows and 1 column are needed",
			h.rows, h.cols, rows);
	if (rc == 0 && (v = malloc((size_t)rows * sizeof(*v))) == NULL)
		rc = fail(&r, "out of memory for %d numbers", rows);
	if (rc == 0)
		rc = read_numbers(&r, &h, v);
	reader_close(&r);
	if (rc == 0)
		*out = v;
	else
		free(v);
	return rc;
}

void mtx_free(struct mtx *m)
{
	free(m->start);
	free(m->col);
	free(m->value);
	*m = (struct mtx){0};
}
