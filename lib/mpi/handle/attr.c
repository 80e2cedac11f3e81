/* SPDX-License-Identifier: BSD-3-Clause */
#include "attr.h"

#include <stdint.h>
#include <stdlib.h>

#include "attr_key.h"
#include "base/list.h"
#include "errtext.h"
#include "fail.h"
#include "mpi/engine/engine.h"

struct attr {
	struct link link;
	struct keyval *key;
	void *value;
};

struct attr_list {
	struct link attrs; /* in the order of setting */
};

static struct attr *attr_find(struct attr_holder o, const struct keyval *k)
{
	if (!*o.list)
		return NULL;
	list_for_each (l, &(*o.list)->attrs) {
		struct attr *a = container_of(l, struct attr, link);

		if (a->key == k)
			return a;
	}
	return NULL;
}

static void attr_unlink(struct attr *a)
{
	list_remove(&a->link);
	attr_key_release(a->key);
	free(a);
}

static int attr_append(struct attr_holder o, struct keyval *k, void *value)
{
	struct attr *a = malloc(sizeof(*a));

	if (a && !*o.list) {
		*o.list = malloc(sizeof(**o.list));
		if (*o.list)
			list_init(&(*o.list)->attrs);
	}
	if (!a || !*o.list) {
		free(a);
		return fail_with(MPI_ERR_NO_MEM, "no memory for an attribute");
	}
	a->key = k;
	a->value = value;
	k->refs++;
	list_append(&(*o.list)->attrs, &a->link);
	return MPI_SUCCESS;
}

/* What a callback returned, made an error that can be raised. */
static int callback_failed(const char *what, const struct keyval *k, int code)
{
	int errclass = errtext_is_code(code) ? code : MPI_ERR_OTHER;

	return fail_with(
		errclass, "the %s function of attribute key %d returned %d", what, k->number, code);
}

/* The key's own functions, each through a pointer of its own type. */
static int call_delete(const struct keyval *k, void *handle, void *value)
{
	void *extra = k->f.extra_state;

	switch (k->f.kind) {
	case ATTR_COMM:
		return k->f.del.comm(handle, k->number, value, extra);
	case ATTR_TYPE:
		return k->f.del.type(handle, k->number, value, extra);
	case ATTR_WIN:
		return k->f.del.win(handle, k->number, value, extra);
	}
	return MPI_ERR_INTERN;
}

static int call_copy(const struct keyval *k, void *handle, void *value, void **out, int *flag)
{
	void *extra = k->f.extra_state;

	switch (k->f.kind) {
	case ATTR_COMM:
		return k->f.copy.comm(handle, k->number, extra, value, out, flag);
	case ATTR_TYPE:
		return k->f.copy.type(handle, k->number, extra, value, out, flag);
	case ATTR_WIN:
		return k->f.copy.win(handle, k->number, extra, value, out, flag);
	}
	return MPI_ERR_INTERN;
}

/* The predefined functions have the same values for every kind (MPI 5.0 section 21.3). */
static bool copies_nothing(const struct keyval *k)
{
	return k->f.copy.comm == MPI_COMM_NULL_COPY_FN;
}

static bool copies_value(const struct keyval *k)
{
	return k->f.copy.comm == MPI_COMM_DUP_FN;
}

static bool deletes_silently(const struct keyval *k)
{
	return k->f.del.comm == MPI_COMM_NULL_DELETE_FN;
}

/*
 * Call the delete function of k's attribute on o, then take the attribute away. The function may
 * change the attributes of o itself, so the attribute is looked for afresh.
 */
static int attr_remove(struct attr_holder o, struct keyval *k)
{
	struct attr *a = attr_find(o, k);
	int rc = MPI_SUCCESS;

	if (!a)
		return MPI_SUCCESS;
	k->refs++;
	if (!deletes_silently(k)) {
		void *value = a->value;

		engine_unlock();
		rc = call_delete(k, o.handle, value);
		engine_lock_again();
		a = attr_find(o, k);
	}
	if (rc != MPI_SUCCESS)
		rc = callback_failed("delete", k, rc);
	else if (a)
		attr_unlink(a);
	attr_key_release(k);
	return rc;
}

int attr_set(struct attr_holder o, int keyval, void *value)
{
	struct keyval *k = NULL;
	struct attr *a;
	int rc = attr_key_lookup(o.kind, keyval, &k);

	if (rc == MPI_SUCCESS && k->freed)
		rc = fail_with(MPI_ERR_KEYVAL, "attribute key %d was freed", keyval);
	if (rc != MPI_SUCCESS)
		return rc;
	k->refs++;
	rc = attr_remove(o, k);
	if (rc == MPI_SUCCESS) {
		/* the delete function, or another thread, may have set it */
		a = attr_find(o, k);
		if (a)
			a->value = value;
		else
			rc = attr_append(o, k, value);
	}
	attr_key_release(k);
	return rc;
}

int attr_get(struct attr_holder o, int keyval, void **value, bool *found)
{
	struct keyval *k = NULL;
	struct attr *a;
	int rc = attr_key_lookup(o.kind, keyval, &k);

	if (rc != MPI_SUCCESS)
		return rc;
	a = attr_find(o, k);
	*found = a != NULL;
	if (a)
		*value = a->value;
	return MPI_SUCCESS;
}

int attr_delete(struct attr_holder o, int keyval)
{
	struct keyval *k = NULL;
	int rc = attr_key_lookup(o.kind, keyval, &k);

	return rc == MPI_SUCCESS ? attr_remove(o, k) : rc;
}

/* Whether a's key wants it on the copy of `from`, and with which value. Lets the lock go. */
static int ask_copy(struct attr_holder from, const struct attr *a, void **value, bool *wanted)
{
	struct keyval *k = a->key;
	int flag = 0, rc;

	*value = a->value;
	*wanted = copies_value(k);
	if (copies_nothing(k) || copies_value(k))
		return MPI_SUCCESS;
	engine_unlock();
	rc = call_copy(k, from.handle, *value, value, &flag);
	engine_lock_again();
	*wanted = flag != 0;
	return rc == MPI_SUCCESS ? MPI_SUCCESS : callback_failed("copy", k, rc);
}

static int attr_copy(struct attr_holder from, const struct attr *a, struct attr_holder to)
{
	struct keyval *k = a->key;
	void *value = NULL;
	bool wanted = false;
	int rc;

	k->refs++;
	rc = ask_copy(from, a, &value, &wanted);
	if (rc == MPI_SUCCESS && wanted)
		rc = attr_append(to, k, value);
	attr_key_release(k);
	return rc;
}

/* The keys of the list, each with a reference; *n of them. NULL when out of memory. */
static struct keyval **snapshot(const struct attr_list *list, size_t *n)
{
	struct keyval **all;
	size_t count = 0;

	list_for_each (l, &list->attrs)
		count++;
	all = malloc((count + 1) * sizeof(struct keyval *));
	*n = 0;
	if (!all)
		return NULL;
	list_for_each (l, &list->attrs) {
		all[*n] = container_of(l, struct attr, link)->key;
		all[(*n)++]->refs++;
	}
	return all;
}

int attr_copy_all(struct attr_holder from, struct attr_holder to)
{
	struct keyval **keep;
	size_t n;
	int rc = MPI_SUCCESS;

	if (!*from.list)
		return MPI_SUCCESS;
	/* a copy function may change the list that is walked */
	keep = snapshot(*from.list, &n);
	if (!keep)
		return fail_with(MPI_ERR_NO_MEM, "no memory to copy the attributes");
	for (size_t i = 0; i < n; i++) {
		struct attr *a = attr_find(from, keep[i]);

		if (a && rc == MPI_SUCCESS)
			rc = attr_copy(from, a, to);
		attr_key_release(keep[i]);
	}
	free(keep);
	return rc;
}

int attr_delete_all(struct attr_holder o)
{
	int rc = MPI_SUCCESS;

	while (rc == MPI_SUCCESS && *o.list && !list_empty(&(*o.list)->attrs)) {
		struct attr *last = container_of((*o.list)->attrs.prev, struct attr, link);

		rc = attr_remove(o, last->key);
	}
	return rc;
}

void attr_forget_all(struct attr_list **list)
{
	struct link *l;

	while (*list && (l = list_first(&(*list)->attrs)))
		attr_unlink(container_of(l, struct attr, link));
	free(*list);
	*list = NULL;
}
