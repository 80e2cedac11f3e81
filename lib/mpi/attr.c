/* SPDX-License-Identifier: BSD-3-Clause */
#include "attr.h"

#include <limits.h>
#include <stdlib.h>

#include "api.h"
#include "base/list.h"
#include "comm.h"
#include "errtext.h"

/* above the predefined keys of communicators and windows */
#define KEYVAL_FIRST 1024

struct keyval {
	struct link link;
	int number;
	int refs; /* the program's, and one for each attribute and each callback under way */
	bool freed;
	struct attr_functions f;
};

struct attr {
	struct link link;
	struct keyval *key;
	void *value;
};

struct attr_list {
	struct link attrs; /* in the order of setting */
};

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

static void keyval_release(struct keyval *k)
{
	if (--k->refs > 0)
		return;
	list_remove(&k->link);
	free(k);
}

int attr_keyval_create(const struct attr_functions *f, int *keyval)
{
	struct link *head = keys();
	struct keyval *k;

	/* numbers are not used again, so that an old one is known as such */
	if (table.next == INT_MAX)
		return api_fail(MPI_ERR_NO_MEM, "all attribute keys were given out");
	k = malloc(sizeof(*k));
	if (!k)
		return api_fail(MPI_ERR_NO_MEM, "no memory for an attribute key");
	*k = (struct keyval){.number = table.next++, .refs = 1, .f = *f};
	list_append(head, &k->link);
	*keyval = k->number;
	return MPI_SUCCESS;
}

/* The program reads what it was given a pointer to without a lock: it is written only when it is no
 * longer true. */
static int *refresh(int *value, int now)
{
	if (*value != now)
		*value = now;
	return value;
}

/* The attributes every communicator has (MPI 5.0 section 9.1.2), as pointers to int. */
static int *predefined(int keyval)
{
	static int tag_ub = INT_MAX, io = MPI_ANY_SOURCE, host = MPI_PROC_NULL;
	static int wtime_is_global, appnum, universe_size, last_used_code;

	switch (keyval) {
	case MPI_TAG_UB:
		return &tag_ub;
	case MPI_IO: /* every rank has the C language's input and output */
		return &io;
	case MPI_HOST:
		return &host;
	case MPI_WTIME_IS_GLOBAL:
		return &wtime_is_global;
	case MPI_APPNUM:
		return &appnum;
	case MPI_UNIVERSE_SIZE:
		return refresh(&universe_size, comm_world() ? comm_world()->size : 1);
	case MPI_LASTUSEDCODE:
		return refresh(&last_used_code, errtext_last_code());
	default:
		return NULL;
	}
}

static int keyval_lookup(int keyval, struct keyval **out)
{
	if (keyval == MPI_KEYVAL_INVALID)
		return api_fail(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID was given");
	if (keyval > 0 && keyval < KEYVAL_FIRST)
		return api_fail(MPI_ERR_KEYVAL,
			"attribute key %d is predefined and cannot be changed or freed", keyval);
	list_for_each (l, keys()) {
		struct keyval *k = container_of(l, struct keyval, link);

		if (k->number == keyval && !k->freed) {
			*out = k;
			return MPI_SUCCESS;
		}
	}
	return api_fail(MPI_ERR_KEYVAL, "%d is not an attribute key, or the key was freed", keyval);
}

int attr_keyval_free(int keyval)
{
	struct keyval *k = NULL;
	int rc = keyval_lookup(keyval, &k);

	if (rc != MPI_SUCCESS)
		return rc;
	k->freed = true;
	keyval_release(k);
	return MPI_SUCCESS;
}

static struct attr *attr_find(const struct comm *c, const struct keyval *k)
{
	if (!c->attrs)
		return NULL;
	list_for_each (l, &c->attrs->attrs) {
		struct attr *a = container_of(l, struct attr, link);

		if (a->key == k)
			return a;
	}
	return NULL;
}

static void attr_unlink(struct attr *a)
{
	list_remove(&a->link);
	keyval_release(a->key);
	free(a);
}

static int attr_append(struct comm *c, struct keyval *k, void *value)
{
	struct attr *a = malloc(sizeof(*a));

	if (a && !c->attrs) {
		c->attrs = malloc(sizeof(*c->attrs));
		if (c->attrs)
			list_init(&c->attrs->attrs);
	}
	if (!a || !c->attrs) {
		free(a);
		return api_fail(MPI_ERR_NO_MEM, "no memory for an attribute");
	}
	a->key = k;
	a->value = value;
	k->refs++;
	list_append(&c->attrs->attrs, &a->link);
	return MPI_SUCCESS;
}

/* What a callback returned, made an error that can be raised. */
static int callback_failed(const char *what, const struct keyval *k, int code)
{
	int errclass = errtext_is_code(code) ? code : MPI_ERR_OTHER;

	return api_fail(
		errclass, "the %s function of attribute key %d returned %d", what, k->number, code);
}

/*
 * Call the delete function of k's attribute on c, then take the attribute away. The function may
 * change the attributes of c itself, so the attribute is looked for afresh.
 */
static int attr_remove(struct comm *c, struct keyval *k)
{
	struct attr *a = attr_find(c, k);
	int rc = MPI_SUCCESS;

	if (!a)
		return MPI_SUCCESS;
	k->refs++;
	if (k->f.del != MPI_COMM_NULL_DELETE_FN) {
		void *value = a->value;

		api_pause();
		rc = k->f.del(c->handle, k->number, value, k->f.extra_state);
		api_resume();
		a = attr_find(c, k);
	}
	if (rc != MPI_SUCCESS)
		rc = callback_failed("delete", k, rc);
	else if (a)
		attr_unlink(a);
	keyval_release(k);
	return rc;
}

int attr_set(struct comm *c, int keyval, void *value)
{
	struct keyval *k = NULL;
	struct attr *a;
	int rc = keyval_lookup(keyval, &k);

	if (rc != MPI_SUCCESS)
		return rc;
	k->refs++;
	rc = attr_remove(c, k);
	if (rc == MPI_SUCCESS) {
		/* the delete function, or another thread, may have set it */
		a = attr_find(c, k);
		if (a)
			a->value = value;
		else
			rc = attr_append(c, k, value);
	}
	keyval_release(k);
	return rc;
}

int attr_get(const struct comm *c, int keyval, void **value, bool *found)
{
	int *fixed = predefined(keyval);
	struct keyval *k = NULL;
	struct attr *a;
	int rc;

	if (fixed) {
		*value = fixed;
		*found = true;
		return MPI_SUCCESS;
	}
	rc = keyval_lookup(keyval, &k);
	if (rc != MPI_SUCCESS)
		return rc;
	a = attr_find(c, k);
	*found = a != NULL;
	if (a)
		*value = a->value;
	return MPI_SUCCESS;
}

int attr_delete(struct comm *c, int keyval)
{
	struct keyval *k = NULL;
	int rc = keyval_lookup(keyval, &k);

	return rc == MPI_SUCCESS ? attr_remove(c, k) : rc;
}

/* Whether a's key wants it on the copy of `from`, and with which value. Lets the lock go. */
static int ask_copy(struct comm *from, const struct attr *a, void **value, bool *wanted)
{
	struct keyval *k = a->key;
	int flag = 0, rc;

	*value = a->value;
	*wanted = k->f.copy == MPI_COMM_DUP_FN;
	if (k->f.copy == MPI_COMM_NULL_COPY_FN || k->f.copy == MPI_COMM_DUP_FN)
		return MPI_SUCCESS;
	api_pause();
	rc = k->f.copy(from->handle, k->number, k->f.extra_state, *value, value, &flag);
	api_resume();
	*wanted = flag != 0;
	return rc == MPI_SUCCESS ? MPI_SUCCESS : callback_failed("copy", k, rc);
}

static int attr_copy(struct comm *from, const struct attr *a, struct comm *to)
{
	struct keyval *k = a->key;
	void *value = NULL;
	bool wanted = false;
	int rc;

	k->refs++;
	rc = ask_copy(from, a, &value, &wanted);
	if (rc == MPI_SUCCESS && wanted)
		rc = attr_append(to, k, value);
	keyval_release(k);
	return rc;
}

/* The keys of c's attributes, each with a reference; *n of them. NULL when out of memory. */
static struct keyval **snapshot(const struct comm *c, size_t *n)
{
	struct keyval **all;
	size_t count = 0;

	list_for_each (l, &c->attrs->attrs)
		count++;
	all = malloc((count + 1) * sizeof(struct keyval *));
	*n = 0;
	if (!all)
		return NULL;
	list_for_each (l, &c->attrs->attrs) {
		all[*n] = container_of(l, struct attr, link)->key;
		all[(*n)++]->refs++;
	}
	return all;
}

int attr_copy_all(struct comm *from, struct comm *to)
{
	struct keyval **keep;
	size_t n;
	int rc = MPI_SUCCESS;

	if (!from->attrs)
		return MPI_SUCCESS;
	/* a copy function may change the list that is walked */
	keep = snapshot(from, &n);
	if (!keep)
		return api_fail(MPI_ERR_NO_MEM, "no memory to copy the attributes");
	for (size_t i = 0; i < n; i++) {
		struct attr *a = attr_find(from, keep[i]);

		if (a && rc == MPI_SUCCESS)
			rc = attr_copy(from, a, to);
		keyval_release(keep[i]);
	}
	free(keep);
	return rc;
}

int attr_delete_all(struct comm *c)
{
	int rc = MPI_SUCCESS;

	while (rc == MPI_SUCCESS && c->attrs && !list_empty(&c->attrs->attrs)) {
		struct attr *last = container_of(c->attrs->attrs.prev, struct attr, link);

		rc = attr_remove(c, last->key);
	}
	return rc;
}

void attr_forget_all(struct comm *c)
{
	struct link *l;

	while (c->attrs && (l = list_first(&c->attrs->attrs)))
		attr_unlink(container_of(l, struct attr, link));
	free(c->attrs);
	c->attrs = NULL;
}

void attr_fini(void)
{
	struct link *l;

	while ((l = list_pop(keys())))
		free(container_of(l, struct keyval, link));
	table.next = KEYVAL_FIRST;
}
