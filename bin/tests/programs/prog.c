/* SPDX-License-Identifier: BSD-3-Clause */
#include "prog.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static void help(const struct prog *prog)
{
	printf("%s: %s\n\nusage: %s", prog->name, prog->text, prog->name);
	for (size_t i = 0; i < prog->count; i++) {
		const struct prog_option *o = &prog->options[i];
		printf(" [%s%s%s]", o->name, o->arg != NULL ? " " : "",
			o->arg != NULL ? o->arg : "");
	}
	printf("\n\n");
	for (size_t i = 0; i < prog->count; i++) {
		const struct prog_option *o = &prog->options[i];
		printf("  %-10s %-7s %s\n", o->name, o->arg != NULL ? o->arg : "", o->text);
	}
	printf("  %-10s %-7s %s\n", "-h", "", "this text");
}

static _Noreturn void leave(int status)
{
	fflush(stdout);
	MPI_Finalize();
	exit(status);
}

static _Noreturn void usage_error(const struct prog *prog, const char *what, const char *which)
{
	if (prog->rank == 0)
		fprintf(stderr, "%s: %s '%s'; try %s -h\n", prog->name, what, which, prog->name);
	leave(2);
}

static const struct prog_option *find(const struct prog *prog, const char *word)
{
	for (size_t i = 0; i < prog->count; i++)
		if (strcmp(prog->options[i].name, word) == 0)
			return &prog->options[i];
	return NULL;
}

/* The n-th positional argument of the table. */
static const struct prog_option *positional(const struct prog *prog, int n)
{
	for (size_t i = 0; i < prog->count; i++)
		if (prog->options[i].name[0] != '-' && n-- == 0)
			return &prog->options[i];
	return NULL;
}

static void take(const struct prog *prog, const struct prog_option *o, const char *word)
{
	char *end = NULL;
	errno = 0;
	if (o->kind == PROG_TEXT) {
		*(const char **)o->value = word;
		return;
	}
	if (o->kind == PROG_DOUBLE) {
		double d = strtod(word, &end);
		if (end == word || *end != '\0' || errno != 0 || !(d >= 0 && d < 1e300))
			usage_error(prog, "not a number of 0 or more:", word);
		*(double *)o->value = d;
		return;
	}
	long v = strtol(word, &end, 10);
	if (end == word || *end != '\0' || errno != 0)
		usage_error(prog, "not a whole number:", word);
	if (v < o->least)
		usage_error(prog, "too small:", word);
	*(long *)o->value = v;
}

static void parse(struct prog *prog, int argc, char **argv)
{
	int seen = 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
			if (prog->rank == 0)
				help(prog);
			leave(0);
		}
		const struct prog_option *o = NULL;
		if (argv[i][0] != '-') {
			o = positional(prog, seen++);
			if (o == NULL)
				usage_error(prog, "one argument too many:", argv[i]);
			take(prog, o, argv[i]);
			continue;
		}
		o = find(prog, argv[i]);
		if (o == NULL)
			usage_error(prog, "unknown option", argv[i]);
		if (o->kind == PROG_FLAG) {
			*(int *)o->value = 1;
			continue;
		}
		if (i + 1 == argc)
			usage_error(prog, "no value after", argv[i]);
		take(prog, o, argv[++i]);
	}
}

void prog_begin(struct prog *prog, int argc, char **argv)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &prog->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &prog->size);
	parse(prog, argc, argv);
}

void prog_wrong(const struct prog *prog, const char *fmt, ...)
{
	char text[800];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	fprintf(stderr, "%s: rank %d of %d: WRONG: %s\n", prog->name, prog->rank, prog->size, text);
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

void *prog_alloc(const struct prog *prog, size_t bytes)
{
	void *p = malloc(bytes > 0 ? bytes : 1);
	if (p == NULL)
		prog_wrong(prog, "out of memory for %zu bytes", bytes);
	return p;
}

const struct prog_case *prog_case_named(
	const struct prog *prog, const struct prog_case *cases, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(cases[i].name, name) == 0)
			return &cases[i];
	prog_wrong(prog, "there is no case called %s", name);
}

unsigned prog_patience(unsigned seconds)
{
	const char *slow = getenv("FTMPI_TEST_SLOW");
	int times = slow ? atoi(slow) : 1;

	return times > 1 && times <= 1000 ? seconds * (unsigned)times : seconds;
}
