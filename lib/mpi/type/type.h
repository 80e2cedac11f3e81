/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes: description, lookup, packing. Pure: no socket, lock or clock. The engine lock guards
 * reference counts; a description never changes after it is made.
 */
#ifndef FTMPI_MPI_TYPE_H
#define FTMPI_MPI_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/object.h"

struct contents;
struct layout;

struct type {
	/* what a message asks for */
	struct object head;
	MPI_Datatype handle; /* what the user calls it */
	size_t size;	     /* bytes of data in one element, holes left out */
	bool contiguous;     /* data of `count` elements is count*size bytes at the buffer itself:
				true_lb == 0 and size == extent, in order */
	bool one_run;	     /* data of one element is size bytes at true_lb, in order */
	bool committed;	     /* predefined types are born committed */
	/* the rest */
	size_t elements;     /* basic elements in one; a pair, as for MPI_MINLOC, counts as two */
	size_t external;     /* bytes of one in "external32" */
	MPI_Aint lb, extent; /* MPI 5.0 section 5.1.6 */
	MPI_Aint true_lb, true_extent;
	size_t align;	       /* the strictest alignment of its basic types, 1 without any */
	bool lb_set, ub_set;   /* a bound was given by MPI_Type_create_resized, here or below */
	MPI_Datatype basic;    /* the predefined type all parts are made of (MPI_BYTE, MPI_DOUBLE,
				  ...), or    MPI_DATATYPE_NULL when they differ or there are none */
	struct layout *layout; /* where the data lies (layout.h) */
	struct contents *contents; /* how the program made it; NULL for the predefined */
	bool unnamed;		 /* predefined, but without a name (type_f90.h): not to be freed */
	struct attr_list *attrs; /* NULL without attributes */
	char *name;		 /* that the program gave it; NULL: the one it is born with */
	struct type *next;	 /* among those that are being destroyed */
};

/* Where the data of `count` elements at buf lies in one piece, in order; NULL when it does not. */
static inline void *type_piece(const struct type *t, void *buf, size_t count)
{
	if (t->contiguous)
		return buf;
	if (t->one_run && (count == 1 || (MPI_Aint)t->size == t->extent))
		return (void *)((uintptr_t)buf + (uintptr_t)t->true_lb);
	return NULL;
}

static inline struct attr_holder type_attrs(struct type *t)
{
	return (struct attr_holder){ATTR_TYPE, t->handle, &t->attrs};
}

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_TYPE with fail_with said. Fortran and C++ types that
 * this build does not have are refused too. */
int type_lookup(MPI_Datatype handle, struct type **out);

/* type_lookup, and refuse a type that was not committed. */
int type_lookup_committed(MPI_Datatype handle, struct type **out);

/* One of the optional Fortran types that have a handle always, and here no size. */
bool type_table_is_missing(MPI_Datatype handle);

/* The type that means plain bytes: always there, contiguous, size 1. */
struct type *type_bytes(void);

/* The type of count elements. Where there are none it may be MPI_DATATYPE_NULL, as other
 * implementations have it: then it is that of plain bytes. */
static inline int type_lookup_for(MPI_Datatype handle, MPI_Count count, struct type **out)
{
	if (handle != MPI_DATATYPE_NULL || count != 0)
		return type_lookup_committed(handle, out);
	*out = type_bytes();
	return MPI_SUCCESS;
}

/* References, for operations that outlive the call. No-ops on predefined types. */
static inline void type_hold(struct type *t)
{
	if (!handle_is_predefined(t->handle))
		t->head.refs++;
}

/* Nobody has a reference any more. */
void type_release_last(struct type *t);

static inline void type_release(struct type *t)
{
	if (!handle_is_predefined(t->handle) && --t->head.refs == 0)
		type_release_last(t);
}

/* Gather `count` elements at buf into count * t->size bytes at packed, in type-map order. */
void type_pack(const struct type *t, const void *buf, size_t count, void *packed);

/* The first `bytes` (at most count * t->size) of that. */
void type_pack_prefix(
	const struct type *t, const void *buf, size_t count, void *packed, size_t bytes);

/* Scatter the first `bytes` (at most count * t->size) packed bytes into `count` elements at buf. */
void type_unpack(const struct type *t, void *buf, size_t count, const void *packed, size_t bytes);

/* Copy between two typed buffers of the same signature; at most what both hold. Overlap is the
 * caller's error. Returns the bytes of data copied. Returns (size_t)-1 when out of memory. */
size_t type_copy(const struct type *from, const void *src, size_t nsrc, const struct type *to,
	void *dst, size_t ndst);

/*
 * Making types (MPI 5.0 section 5.1.2). Counts are not negative; the new type is not committed, is
 * the caller's by one reference, and is known to type_lookup until type_free. Errors, with
 * fail_with said: MPI_ERR_ARG when the type would be larger than the address space, MPI_ERR_NO_MEM.
 */
int type_make_contiguous(struct type *old, size_t count, struct type **out);

/* count blocks, stride bytes from one to the next */
int type_make_hvector(
	struct type *old, size_t count, size_t blocklen, MPI_Aint stride, struct type **out);

struct type_block {
	struct type *type;
	size_t count; /* elements of type, its extent from one to the next */
	MPI_Aint at;  /* bytes */
};

int type_make_struct(const struct type_block *blocks, size_t n, struct type **out);

/* The same without the gap at the end that aligns a struct. */
int type_make_indexed(const struct type_block *blocks, size_t n, struct type **out);
int type_make_resized(struct type *old, MPI_Aint lb, MPI_Aint extent, struct type **out);

/* committed when the old one is */
int type_make_dup(struct type *old, struct type **out);

/* Another handle for the same: committed when it is, and made as it was. */
int type_make_alias(struct type *t, struct type **out);

/* One dimension of an array that is given out in parts. */
struct type_dim {
	MPI_Aint size;	  /* of the whole array, in elements */
	MPI_Aint count;	  /* MPI_Type_create_subarray: elements that are taken, */
	MPI_Aint start;	  /* and the first of them */
	int distribution; /* MPI_Type_create_darray: MPI_DISTRIBUTE_... */
	MPI_Aint block;	  /* elements of a block; of a cyclic one that is not said, 1 */
	int procs, coord; /* processes in this dimension, and which one this is */
};

/* Dimension 0 varies fastest. Everything was checked: parts lie in the whole, blocks are at least
 * 1 and, for MPI_DISTRIBUTE_BLOCK, together hold the dimension. */
int type_array_subarray(struct type *old, const struct type_dim *dims, int n, struct type **out);
int type_array_darray(struct type *old, const struct type_dim *dims, int n, struct type **out);

/* The handle is gone; the object follows with its last reference. Not for predefined types. */
void type_free(struct type *t);

/* The name the program gave it, or was born with ("MPI_INT"; "" for derived types). */
const char *type_name(const struct type *t);

/* Cut to MPI_MAX_OBJECT_NAME - 1 bytes. MPI_ERR_NO_MEM with fail_with said. */
int type_set_name(struct type *t, const char *name);

/* What MPI_Finalize does: what the program forgot to free goes, names and attributes too, and no
 * callback is called. */
void type_fini(void);

#endif
