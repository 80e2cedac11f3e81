/* SPDX-License-Identifier: BSD-3-Clause */
/* ftmpi-ckpt: recovery lines, and checkpoints of ranks, for people and scripts. What its parts
 * share. */
#ifndef FTMPI_BIN_CKPT_TOOL_H
#define FTMPI_BIN_CKPT_TOOL_H

#include <stdio.h>
#include <sys/types.h>

#include "ckpt/name.h"
#include "ckpt/reader.h"

enum { EXIT_WELL = 0, EXIT_DAMAGED = 1, EXIT_USAGE = 2, SENTENCE_BYTES = 1024 };

struct options {
	const char *command, *path, *session;
	bool json, table, has_line, has_keep, help, version;
	uint32_t line, keep;
};

/* 0, or EXIT_USAGE with a sentence on stderr. */
int options_read(struct options *o, int argc, char **argv);
void options_help(FILE *out);

/* A sentence on stderr, after the tool's name. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- where lines are ---- */

struct session {
	char *path, *name;
	uint32_t *lines; /* committed, newest first */
	size_t nlines;
	struct ckpt_name *unfinished; /* folders of lines without a manifest */
	size_t nunfinished;
	uint32_t *ranks; /* that have a folder for checkpoints of their own (ckpt/rank_folder.h),
			    from small to large */
	size_t nranks;
};

struct sessions {
	struct session *v;
	size_t n;
};

/* Those of o->path, by name: itself when it is a session, else the sessions in it. 0, EXIT_DAMAGED
 * or EXIT_USAGE with a sentence on stderr; a session that cannot be read is told of, and the others
 * are there all the same. */
int sessions_find(struct sessions *out, const struct options *o);
void sessions_free(struct sessions *s);

/* The lines of a session that o asks for: one, or all. *n may be 0. */
const uint32_t *session_lines(const struct session *s, const struct options *o, size_t *n);

/* ---- what the launcher told of a session's job ---- */

/* The process of ftmpirun, in a way that no other process ever has; pid 0: not known, or somebody
 * else has written that. */
struct launcher {
	pid_t pid;
	uint64_t start; /* in ticks after the boot */
	char boot[65];	/* the id of that boot */
};

struct record {
	struct launcher launcher;
	bool there, has_end;
	unsigned status;
	int64_t began, ended;
	const char *why, *from; /* in text; from: "SESSION LINE", or NULL */
	char command[4096];	/* as much of it as there is room for */
	char *text;
};

/* Always to be freed. */
void record_read(struct record *r, const char *session_path);
void record_free(struct record *r);
void record_print(const struct record *r);
void record_json(const struct record *r);

/* ---- one line ---- */

/* By the head of its first file, when that can be read. */
enum line_kind { LINE_UNKNOWN, LINE_DATA, LINE_IMAGES };

struct listed_line {
	uint32_t number;
	struct ckpt_manifest m; /* when has_manifest */
	bool has_manifest;
	enum line_kind kind;	      /* when has_manifest */
	uint64_t bytes;		      /* of its files */
	char problem[SENTENCE_BYTES]; /* empty: the manifest reads, and all files have their lengths
				       */
};

enum line_kind line_kind(const char *session_path, const struct ckpt_manifest *m);
/* A word for scripts; empty: not known. */
const char *line_kind_word(enum line_kind kind);

void line_read(struct listed_line *l, const char *session_path, uint32_t number);
void line_free(struct listed_line *l);

/* ---- the file of one rank ---- */

struct rank_file {
	const struct ckpt_manifest *m;	    /* of its line; NULL: the rank made it alone */
	uint32_t rank, number, incarnation; /* the last two: of what the rank made alone */
	struct ckpt_path path;
};

struct rank_file file_of_line(
	const char *session_path, const struct ckpt_manifest *m, uint32_t rank);
/* Opened, is it the one that it should be? 0 or FT_EDAMAGED. */
int file_belongs(const struct ckpt_reader *r, const struct rank_file *f, struct ckpt_err err);

/* Everything of it is read; each problem is told, if tell is given. */
bool file_verify(
	const struct rank_file *f, void (*tell)(void *ctx, const char *problem), void *ctx);
bool file_verify_opened(struct ckpt_reader *r, const struct rank_file *f,
	void (*tell)(void *ctx, const char *problem), void *ctx);
/* opened: NULL if it is to be opened. */
bool file_show(const struct options *o, const struct rank_file *f, struct ckpt_reader *opened);

/* ---- checkpoints that ranks make alone, of sessions that have them ---- */

/* What o asks for of a session: -line asks for lines alone. */
size_t session_ranks(const struct session *s, const struct options *o);
/* The bytes of their files. */
uint64_t ranks_list(const struct options *o, const struct session *s);
/* How many ranks have a checkpoint, as far as is known, is added to *made. false: something is
 * damaged, or cannot be read. */
bool ranks_verify(const struct options *o, const struct session *s, unsigned *made);
bool ranks_show(const struct options *o, const struct session *s, unsigned *made);

/* Section i, which is of that kind; false: it cannot be read, or makes no sense, which is said. */
bool show_messages(const struct options *o, struct ckpt_reader *r, uint32_t i);
bool show_orphans(const struct options *o, struct ckpt_reader *r, uint32_t i);
bool show_operations(const struct options *o, struct ckpt_reader *r, uint32_t i);
/* Of a process image made on a machine of this kind; else nothing is said. */
bool show_mappings(const struct options *o, struct ckpt_reader *r, uint32_t i);
bool show_pages(const struct options *o, struct ckpt_reader *r, uint32_t i);

/* ---- commands: an exit status ---- */

void list_table(const struct options *o, const struct sessions *s);
int command_list(const struct options *o, const struct sessions *s);
int command_verify(const struct options *o, const struct sessions *s);
int command_show(const struct options *o, const struct sessions *s);
int command_prune(const struct options *o, const struct sessions *s);
int command_now(const struct options *o, const struct sessions *s);

/* ---- text ---- */

struct text {
	char v[64];
};

/* "1.2 GiB"; "2026-11-21 20:36:10" */
struct text text_bytes(uint64_t bytes);
struct text text_time(int64_t seconds);
struct text text_hex(const uint8_t *bytes, size_t n);

#endif
