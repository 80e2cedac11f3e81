/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders of simfs, and the names they have: now, and after a crash. */
#ifndef FTMPI_TESTS_SIMFS_NAMES_H
#define FTMPI_TESTS_SIMFS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { NAME_BYTES = 48, NAMES = 64, CHANGES = 256, OPEN = 64 };

struct bytes {
	uint8_t *v;
	uint64_t n;
};

struct binding {
	char name[NAME_BYTES];
	struct node *to; /* NULL in a change: the name goes */
};

struct names {
	struct binding v[NAMES];
	unsigned n;
};

/* What happens to names at once. */
struct change {
	struct binding set[2];
	unsigned n;
};

struct folder {
	struct names now, safe;
	struct change pending[CHANGES];
	unsigned npending;
};

struct node {
	struct folder *folder; /* NULL: it is a file */
	struct bytes now, safe;
	bool dirty;
	struct node *next; /* of all, to be freed at the end */
};

struct simfs {
	struct node *root, *all;
	struct node *open[OPEN];
};

struct node *node_new(struct simfs *s, bool is_folder);

/* NULL: the name goes, or is not there. */
void names_set(struct names *t, const char *name, struct node *to);
struct node *names_get(const struct names *t, const char *name);

/* One thing more that happens at once; what was to happen, has. */
void change_add(struct change *c, const char *name, struct node *to);
void change_apply(const struct change *c, struct names *t);

/* It has for everybody, until a crash. */
void folder_change(struct folder *folder, const struct change *c);

/* The folder of a path; *name: its last part. NULL: it is not there. */
struct folder *simfs_folder(struct simfs *s, const char *path, const char **name);

/* What has this path; NULL: nothing. */
struct node *simfs_find(struct simfs *s, const char *path);

#endif
