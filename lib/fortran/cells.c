/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "attributes.h"

struct cell {
	MPI_Aint value; /* first: C sees the address of it, whether it wants an MPI_Aint or an
			   MPI_Fint */
	struct cell *next;
};

enum { BUCKETS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cell *buckets[BUCKETS];

/* Where the pointer to this cell is, or the NULL at the end of its list. */
static struct cell **place(const void *address)
{
	struct cell **at = &buckets[(uintptr_t)address / sizeof(struct cell) % BUCKETS];

	while (*at && *at != address)
		at = &(*at)->next;
	return at;
}

void *ftn_cell_new(MPI_Aint value)
{
	struct cell *c = malloc(sizeof *c);

	if (!c)
		return NULL;
	*c = (struct cell){.value = value};
	pthread_mutex_lock(&lock);
	*place(c) = c;
	pthread_mutex_unlock(&lock);
	return c;
}

MPI_Aint ftn_cell_value(void *value)
{
	struct cell *c;

	pthread_mutex_lock(&lock);
	c = *place(value);
	pthread_mutex_unlock(&lock);
	return c ? c->value : (MPI_Aint)value;
}

void ftn_cell_free(void *value)
{
	struct cell **at, *c;

	pthread_mutex_lock(&lock);
	at = place(value);
	c = *at;
	if (c)
		*at = c->next;
	pthread_mutex_unlock(&lock);
	free(c);
}
