/* SPDX-License-Identifier: BSD-3-Clause */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

struct info *info_new(void)
{
	struct info *i = calloc(1, sizeof(*i));

	if (i)
		i->head = (struct object){.kind = OBJECT_INFO, .refs = 1};
	return i;
}

static void free_pair(struct info_pair *p)
{
	free(p->key);
	free(p->value);
}

void info_free(struct info *i)
{
	if (!i)
		return;
	for (size_t n = 0; n < i->count; n++)
		free_pair(&i->pairs[n]);
	free(i->pairs);
	i->head.kind = OBJECT_FREED;
	free(i);
}

static struct info_pair *find(const struct info *i, const char *key)
{
	for (size_t n = 0; n < i->count; n++) {
		if (strcmp(i->pairs[n].key, key) == 0)
			return &i->pairs[n];
	}
	return NULL;
}

const char *info_find(const struct info *i, const char *key)
{
	const struct info_pair *p = find(i, key);

	return p ? p->value : NULL;
}

static bool grow(struct info *i)
{
	size_t room = i->room ? 2 * i->room : 8;
	struct info_pair *pairs = realloc(i->pairs, room * sizeof(*pairs));

	if (!pairs)
		return false;
	i->pairs = pairs;
	i->room = room;
	return true;
}

static bool append(struct info *i, const char *key, const char *value)
{
	struct info_pair p;

	if (i->count == i->room && !grow(i))
		return false;
	p = (struct info_pair){strdup(key), strdup(value)};
	if (!p.key || !p.value) {
		free_pair(&p);
		return false;
	}
	i->pairs[i->count++] = p;
	return true;
}

static bool replace(struct info_pair *p, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return false;
	free(p->value);
	p->value = copy;
	return true;
}

int info_put(struct info *i, const char *key, const char *value)
{
	struct info_pair *p = find(i, key);

	if (p ? replace(p, value) : append(i, key, value))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_NO_MEM, "no memory for info key %s", key);
}

bool info_remove(struct info *i, const char *key)
{
	struct info_pair *p = find(i, key);

	if (!p)
		return false;
	free_pair(p);
	i->count--;
	memmove(p, p + 1, (size_t)(i->pairs + i->count - p) * sizeof(*p));
	return true;
}

struct info *info_copy(const struct info *from)
{
	struct info *i = info_new();

	for (size_t n = 0; i && n < from->count; n++) {
		if (!append(i, from->pairs[n].key, from->pairs[n].value)) {
			info_free(i);
			return NULL;
		}
	}
	return i;
}

/* ---- handles ---- */

int info_export(struct info *i, MPI_Info *handle)
{
	int rc = handle_table_add(&i->head);

	if (rc == MPI_SUCCESS)
		*handle = (MPI_Info)(void *)i;
	return rc;
}

void info_unexport(struct info *i)
{
	handle_table_remove(&i->head);
	info_free(i);
}

/* ---- words of the program ---- */

int info_check_key(const char *key)
{
	if (!key)
		return fail_with(MPI_ERR_INFO_KEY, "the info key is a null pointer");
	if (!key[0])
		return fail_with(MPI_ERR_INFO_KEY, "the info key is empty");
	if (strnlen(key, MPI_MAX_INFO_KEY) == MPI_MAX_INFO_KEY)
		return fail_with(MPI_ERR_INFO_KEY,
			"the info key %.20s... has more than %d characters", key,
			MPI_MAX_INFO_KEY - 1);
	return MPI_SUCCESS;
}

int info_check_value(const char *key, const char *value)
{
	if (!value)
		return fail_with(
			MPI_ERR_INFO_VALUE, "the value for info key %s is a null pointer", key);
	if (strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
		return fail_with(MPI_ERR_INFO_VALUE,
			"the value for info key %s has more than %d characters", key,
			MPI_MAX_INFO_VAL - 1);
	return MPI_SUCCESS;
}
