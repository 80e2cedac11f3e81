/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_table.h"

#include "layout.h"

#define SLOTS (TYPE_LAST - TYPE_FIRST + 1)
#define SLOT_OF(handle) ((uintptr_t)(handle)-TYPE_FIRST)

/* n runs of bytes. What is static has a reference that nobody gives back. */
#define STATIC_LAYOUT(bytes, nruns, ...)                                                           \
	&(struct layout)                                                                           \
	{                                                                                          \
		.refs = 1, .depth = 1, .size = (bytes), .runs = (nruns), .n = (nruns),             \
		.parts = (struct part[])                                                           \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* "external32" has its own idea of these (MPI 5.0 section 14.5.2); others have the size they have
 * here. */
#define EXTERNAL_SIZE(handle_, native)                                                             \
	((handle_) == MPI_LONG || (handle_) == MPI_UNSIGNED_LONG ? 4                               \
		: (handle_) == MPI_WCHAR			 ? 2                               \
								 : (native))

#define PREDEFINED(handle_, ctype)                                                                 \
	.head = {.kind = OBJECT_TYPE, .refs = 1}, .extent = sizeof(ctype),                         \
	.align = _Alignof(ctype), .committed = true, .basic = (handle_), .handle = (handle_)

#define BASIC_TYPE(handle_, ctype)                                                                 \
	[SLOT_OF(handle_)] = {PREDEFINED(handle_, ctype), .size = sizeof(ctype), .elements = 1,    \
		.external = EXTERNAL_SIZE(handle_, sizeof(ctype)), .true_extent = sizeof(ctype),   \
		.contiguous = true,                                                                \
		.layout = STATIC_LAYOUT(sizeof(ctype), 1, {0, 1, 0, sizeof(ctype), NULL})},

#define INTEGER_TYPE(handle_, ctype, class_) BASIC_TYPE(handle_, ctype)
#define OTHER_TYPE(handle_, ctype, class_, value_) BASIC_TYPE(handle_, ctype)

#define VALUE_SIZE(ctype) sizeof(((ctype *)0)->value)
#define INDEX_SIZE(ctype) sizeof(((ctype *)0)->index)
#define INDEX_AT(ctype) offsetof(ctype, index)
#define PAIR_SIZE(ctype) (VALUE_SIZE(ctype) + INDEX_SIZE(ctype))
/* value and index are one run unless there is a hole between them */
#define PAIR_RUNS(ctype) (INDEX_AT(ctype) == VALUE_SIZE(ctype) ? 1 : 2)
#define PAIR_FIRST_RUN(ctype) (PAIR_RUNS(ctype) == 1 ? PAIR_SIZE(ctype) : VALUE_SIZE(ctype))

#define PAIR_EXTERNAL(handle_, ctype)                                                              \
	(((handle_) == MPI_LONG_INT ? 4 : VALUE_SIZE(ctype)) + INDEX_SIZE(ctype))

#define PAIR_TYPE(handle_, ctype, value_)                                                          \
	[SLOT_OF(handle_)] = {PREDEFINED(handle_, ctype), .size = PAIR_SIZE(ctype), .elements = 2, \
		.external = PAIR_EXTERNAL(handle_, ctype),                                         \
		.true_extent = INDEX_AT(ctype) + INDEX_SIZE(ctype),                                \
		.contiguous = PAIR_SIZE(ctype) == sizeof(ctype),                                   \
		.layout = STATIC_LAYOUT(PAIR_SIZE(ctype), PAIR_RUNS(ctype),                        \
			{0, 1, 0, PAIR_FIRST_RUN(ctype), NULL},                                    \
			{INDEX_AT(ctype), 1, 0, INDEX_SIZE(ctype), NULL})},

struct type type_table[SLOTS] = {TYPE_TABLE_INTEGERS(INTEGER_TYPE) TYPE_TABLE_OTHERS(OTHER_TYPE)
		TYPE_TABLE_PAIRS(PAIR_TYPE)};

struct traits {
	unsigned char class, value;
};

#define INTEGER_TRAITS(handle_, ctype, class_)                                                     \
	[SLOT_OF(handle_)] = {(class_), TYPE_INTEGER_VALUE(ctype)},
#define OTHER_TRAITS(handle_, ctype, class_, value_) [SLOT_OF(handle_)] = {(class_), (value_)},
#define PAIR_TRAITS(handle_, ctype, value_) [SLOT_OF(handle_)] = {CLASS_PAIR, (value_)},

static const struct traits traits[SLOTS] = {TYPE_TABLE_INTEGERS(INTEGER_TRAITS)
		TYPE_TABLE_OTHERS(OTHER_TRAITS) TYPE_TABLE_PAIRS(PAIR_TRAITS)};

/* gfortran on this machine has no REAL of 2 bytes, and C no portable one of 16. */
#define TABLE_MISSING(X)                                                                           \
	X(MPI_REAL2)                                                                               \
	X(MPI_COMPLEX4)                                                                            \
	X(MPI_REAL16)                                                                              \
	X(MPI_COMPLEX32)

#define MISSING(handle_) (handle_),

static const MPI_Datatype missing[] = {TABLE_MISSING(MISSING)};

#define NAME(handle_, ...) [SLOT_OF(handle_)] = #handle_,

static const char *const names[SLOTS] = {[0] = "MPI_DATATYPE_NULL",
	TYPE_TABLE_INTEGERS(NAME) TYPE_TABLE_OTHERS(NAME) TYPE_TABLE_PAIRS(NAME)
		TABLE_MISSING(NAME)};

const char *type_table_name(MPI_Datatype handle)
{
	return SLOT_OF(handle) < SLOTS ? names[SLOT_OF(handle)] : NULL;
}

#define PAIR_FIRST(handle_, ctype, value_) [SLOT_OF(handle_)] = VALUE_SIZE(ctype),

size_t type_table_pair_first(MPI_Datatype handle)
{
	static const unsigned char first[SLOTS] = {TYPE_TABLE_PAIRS(PAIR_FIRST)};
	const struct type *t = type_predefined(handle);

	if (!t)
		return 0;
	return first[SLOT_OF(handle)] ? first[SLOT_OF(handle)] : t->size;
}

enum type_class type_table_class_of(MPI_Datatype handle)
{
	return SLOT_OF(handle) < SLOTS ? traits[SLOT_OF(handle)].class : CLASS_NONE;
}

enum type_value type_table_value_of(MPI_Datatype handle)
{
	return SLOT_OF(handle) < SLOTS ? traits[SLOT_OF(handle)].value : VALUE_NONE;
}

bool type_table_is_missing(MPI_Datatype handle)
{
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		if (handle == missing[i])
			return true;
	}
	return false;
}
