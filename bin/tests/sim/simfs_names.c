/* SPDX-License-Identifier: BSD-3-Clause */
#include "simfs_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct node *node_new(struct simfs *s, bool is_folder)
{
	struct node *n = calloc(1, sizeof *n);

	assert(n);
	if (is_folder) {
		n->folder = calloc(1, sizeof *n->folder);
		assert(n->folder);
	}
	n->next = s->all;
	s->all = n;
	return n;
}

void names_set(struct names *t, const char *name, struct node *to)
{
	unsigned i = 0;

	while (i < t->n && strcmp(t->v[i].name, name) != 0)
		i++;
	if (!to) {
		if (i < t->n)
			t->v[i] = t->v[--t->n];
		return;
	}
	assert(i < NAMES && strlen(name) < NAME_BYTES);
	if (i == t->n)
		strcpy(t->v[t->n++].name, name);
	t->v[i].to = to;
}

struct node *names_get(const struct names *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (strcmp(t->v[i].name, name) == 0)
			return t->v[i].to;
	return NULL;
}

void change_add(struct change *c, const char *name, struct node *to)
{
	assert(strlen(name) < NAME_BYTES);
	strcpy(c->set[c->n].name, name);
	c->set[c->n++].to = to;
}

void change_apply(const struct change *c, struct names *t)
{
	for (unsigned i = 0; i < c->n; i++)
		names_set(t, c->set[i].name, c->set[i].to);
}

void folder_change(struct folder *folder, const struct change *c)
{
	assert(folder->npending < CHANGES);
	change_apply(c, &folder->now);
	folder->pending[folder->npending++] = *c;
}

struct folder *simfs_folder(struct simfs *s, const char *path, const char **name)
{
	struct node *at = s->root;
	const char *slash;

	assert(*path == '/');
	for (path++; at && at->folder && (slash = strchr(path, '/')); path = slash + 1) {
		char part[NAME_BYTES];

		assert(slash - path < NAME_BYTES);
		memcpy(part, path, (size_t)(slash - path));
		part[slash - path] = '\0';
		at = names_get(&at->folder->now, part);
	}
	*name = path;
	return at ? at->folder : NULL;
}

struct node *simfs_find(struct simfs *s, const char *path)
{
	const char *name;
	struct folder *folder = simfs_folder(s, path, &name);

	return folder ? names_get(&folder->now, name) : NULL;
}
