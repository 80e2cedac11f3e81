/* SPDX-License-Identifier: BSD-3-Clause */
#include "attr_key.h"
#include "fail.h"

#include <limits.h>
#include <stdlib.h>

/* above the predefined keys of communicators and windows */
#define KEYVAL_FIRST 1024

static struct {
	struct link keys; /* next is NULL before the first use */
	int next;
} table;

static struct link *keys(void)
{
	if (!table.keys.next) {
		list_init(&table.keys);
		table.next = KEYVAL_FIRST;
	}
	return &table.keys;
}

void attr_key_release(struct keyval *k)
{
	if (--k->refs > 0)
		return;
	list_remove(&k->link);
	free(k);
}

int attr_key_create(const struct attr_functions *f, int *keyval)
{
	struct link *head = keys();
	struct keyval *k;

	/* numbers are not used again, so that an old one is known as such */
	if (table.next == INT_MAX)
		return fail_with(MPI_ERR_NO_MEM, "all attribute keys were given out");
	k = malloc(sizeof(*k));
	if (!k)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an attribute key");
	*k = (struct keyval){.number = table.next++, .refs = 1, .f = *f};
	list_append(head, &k->link);
	*keyval = k->number;
	return MPI_SUCCESS;
}

static const char *kind_name(enum attr_kind kind)
{
	static const char *const names[] = {
		[ATTR_COMM] = "communicators",
		[ATTR_TYPE] = "datatypes",
		[ATTR_WIN] = "windows",
	};

	return names[kind];
}

static struct keyval *find(int keyval)
{
	list_for_each (l, keys()) {
		struct keyval *k = container_of(l, struct keyval, link);

		if (k->number == keyval)
			return k;
	}
	return NULL;
}

int attr_key_lookup(enum attr_kind kind, int keyval, struct keyval **out)
{
	struct keyval *k;

	if (keyval == MPI_KEYVAL_INVALID)
		return fail_with(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID was given");
	if (keyval > 0 && keyval < KEYVAL_FIRST)
		return fail_with(MPI_ERR_KEYVAL,
			"attribute key %d is predefined and cannot be changed or freed", keyval);
	k = find(keyval);
	if (!k)
		return fail_with(
			MPI_ERR_KEYVAL, "%d is not an attribute key, or the key was freed", keyval);
	if (k->f.kind != kind)
		return fail_with(MPI_ERR_KEYVAL, "attribute key %d is for %s, not for %s", keyval,
			kind_name(k->f.kind), kind_name(kind));
	*out = k;
	return MPI_SUCCESS;
}

int attr_key_free(enum attr_kind kind, int keyval)
{
	struct keyval *k = NULL;
	int rc = attr_key_lookup(kind, keyval, &k);

	if (rc != MPI_SUCCESS || k->freed)
		return rc;
	k->freed = true;
	attr_key_release(k);
	return MPI_SUCCESS;
}

void attr_key_fini(void)
{
	struct link *l;

	while ((l = list_pop(keys())))
		free(container_of(l, struct keyval, link));
	table.next = KEYVAL_FIRST;
}
