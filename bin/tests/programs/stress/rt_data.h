/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data of the randomised test. A message's signature is a pattern of basic types repeated some
 * number of times (its units). A layout places one or more units in memory and is both an MPI
 * datatype and our own list of places. An image is a buffer beside what it must look like at the
 * end, holes and surroundings included.
 */
#ifndef FTMPI_PROGRAMS_RT_DATA_H
#define FTMPI_PROGRAMS_RT_DATA_H

#include "rt.h"

enum { RT_PATTERN_MAX = 5, RT_UNITS_MAX = 12, RT_ITEMS_MAX = RT_PATTERN_MAX * RT_UNITS_MAX };

enum rt_class {
	RT_SIGNED,
	RT_UNSIGNED,
	RT_ADDRESS, /* MPI_AINT and its like: signed, no logical operators */
	RT_REAL,
	RT_COMPLEX,
	RT_BOOL,
	RT_BYTE,
	RT_OPAQUE, /* characters: never reduced */
	RT_PAIR,   /* for MINLOC and MAXLOC */
};

struct rt_basic {
	const char *name;
	MPI_Datatype type;
	enum rt_class class;
	size_t size, align; /* of the C type */
	size_t data;	    /* MPI_Type_size of it */
	/* the bytes that count, padding left out: solid[0] from 0 on, solid[1] from second on */
	size_t solid[2], second;
};

extern const struct rt_basic rt_basics[];
extern const int rt_basic_count;
extern const int rt_basic_uint64; /* index of MPI_UINT64_T */

struct rt_pattern {
	int n;
	int basic[RT_PATTERN_MAX];
};

size_t rt_pattern_bytes(const struct rt_pattern *p);
struct rt_pattern rt_pattern_draw(struct rng *rng);

struct rt_item {
	ptrdiff_t at;
	int basic;
};

struct rt_layout {
	MPI_Datatype type;
	bool derived;
	int n; /* items in one element */
	int units;
	struct rt_item item[RT_ITEMS_MAX];
	ptrdiff_t lb, ub;	    /* as MPI counts them */
	ptrdiff_t true_lb, true_ub; /* of the items alone */
	size_t align;
	char name[120];
};

/* A layout of `units` units; large ones get few holes. Free it with rt_layout_free. */
void rt_layout_draw(struct rt_case *c, struct rng *rng, const struct rt_pattern *p, int units,
	bool large, struct rt_layout *out);
void rt_layout_basic(int basic, struct rt_layout *out);
void rt_layout_free(struct rt_layout *l);

/* How many units fit one element of a layout for messages of these many units: a divisor. */
int rt_units_draw(struct rng *rng, size_t message_units);

/* Units of a message: 0, or up to max_bytes / parts bytes, small ones as likely as large ones. */
size_t rt_amount_draw(
	const struct rt_case *c, struct rng *rng, const struct rt_pattern *p, int parts);

enum rt_sides { RT_HAVE = 1, RT_WANT = 2, RT_BOTH = 3 };

struct rt_image {
	struct rt_case *c;
	const struct rt_layout *layout;
	size_t elements;
	unsigned char *have, *want; /* have is what MPI works on */
	size_t bytes;
	unsigned char *buf; /* where element 0 begins in have */
};

/* Write item number k of some data at `at`. */
typedef void rt_writer(const void *arg, size_t k, int basic, void *at);

void rt_image_make(
	struct rt_image *m, struct rt_case *c, const struct rt_layout *l, size_t elements);

/* Fill both sides with something new. */
void rt_image_clear(struct rt_image *m);

/* Write items 0 .. units of data `stream` from element `first` on. */
void rt_image_put(
	struct rt_image *m, enum rt_sides sides, size_t first, size_t units, uint64_t stream);

/* The same with items of the caller's making. */
void rt_image_write(struct rt_image *m, enum rt_sides sides, size_t first, size_t units,
	rt_writer *writer, const void *arg);

/* have and want must be the same, or the case is wrong. */
void rt_image_check(struct rt_image *m, const char *what);
void rt_image_free(struct rt_image *m);

/* A layout drawn from the rank's own numbers, and an image of it. */
struct rt_side {
	struct rt_layout layout;
	struct rt_image image;
};

/* `units` is a whole number of elements of the layout; the image holds at least `room` units. */
void rt_side_make(struct rt_side *s, struct rt_case *c, const struct rt_pattern *p, size_t units,
	size_t room);
/* Elements that these many units fill. */
int rt_side_count(const struct rt_side *s, size_t units);
/* Check the image and free both. */
void rt_side_close(struct rt_side *s, const char *what);

#endif
