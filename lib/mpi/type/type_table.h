/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the predefined types are: their class, which says which operators they allow (MPI 5.0
 * section 6.9.2), and the C values that the operators' loops work on.
 */
#ifndef FTMPI_MPI_TYPE_TABLE_H
#define FTMPI_MPI_TYPE_TABLE_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "mpi.h"
#include "type.h"

enum type_class {
	CLASS_NONE, /* no predefined operator: characters, MPI_PACKED */
	CLASS_C_INTEGER,
	CLASS_FORTRAN_INTEGER,
	CLASS_FLOATING,
	CLASS_LOGICAL,
	CLASS_COMPLEX,
	CLASS_BYTE,
	CLASS_MULTI, /* MPI_AINT, MPI_COUNT, MPI_OFFSET */
	CLASS_PAIR,
};

enum type_value {
	VALUE_NONE,
	VALUE_I8,
	VALUE_U8,
	VALUE_I16,
	VALUE_U16,
	VALUE_I32,
	VALUE_U32,
	VALUE_I64,
	VALUE_U64,
	VALUE_I128,
	VALUE_FLOAT,
	VALUE_DOUBLE,
	VALUE_LONG_DOUBLE,
	VALUE_FLOAT_COMPLEX,
	VALUE_DOUBLE_COMPLEX,
	VALUE_LONG_DOUBLE_COMPLEX,
	VALUE_FLOAT_INT,
	VALUE_DOUBLE_INT,
	VALUE_LONG_INT,
	VALUE_2INT,
	VALUE_SHORT_INT,
	VALUE_LONG_DOUBLE_INT,
	VALUE_2FLOAT,
	VALUE_2DOUBLE,
	VALUE_COUNT,
};

__extension__ typedef __int128 type_int128;

/* All predefined types lie between these two handles. */
#define TYPE_FIRST 0x200
#define TYPE_LAST 0x2ff

/* The value of an integer type, by its size and sign. */
#define TYPE_INTEGER_VALUE(ctype)                                                                  \
	((ctype)-1 < (ctype)1 ? (sizeof(ctype) == 1	     ? VALUE_I8                            \
					: sizeof(ctype) == 2 ? VALUE_I16                           \
					: sizeof(ctype) == 4 ? VALUE_I32                           \
					: sizeof(ctype) == 8 ? VALUE_I64                           \
							     : VALUE_I128)                         \
			      : (sizeof(ctype) == 1	     ? VALUE_U8                            \
					: sizeof(ctype) == 2 ? VALUE_U16                           \
					: sizeof(ctype) == 4 ? VALUE_U32                           \
							     : VALUE_U64))

/* X(handle, C type, class, value); MPI_LONG_LONG and MPI_C_FLOAT_COMPLEX are other spellings. The
 * Fortran types have the sizes of gfortran's default kinds. */
#define TYPE_TABLE_INTEGERS(X)                                                                     \
	X(MPI_AINT, MPI_Aint, CLASS_MULTI)                                                         \
	X(MPI_COUNT, MPI_Count, CLASS_MULTI)                                                       \
	X(MPI_OFFSET, MPI_Offset, CLASS_MULTI)                                                     \
	X(MPI_PACKED, unsigned char, CLASS_NONE)                                                   \
	X(MPI_SHORT, short, CLASS_C_INTEGER)                                                       \
	X(MPI_INT, int, CLASS_C_INTEGER)                                                           \
	X(MPI_LONG, long, CLASS_C_INTEGER)                                                         \
	X(MPI_LONG_LONG_INT, long long, CLASS_C_INTEGER)                                           \
	X(MPI_UNSIGNED_SHORT, unsigned short, CLASS_C_INTEGER)                                     \
	X(MPI_UNSIGNED, unsigned, CLASS_C_INTEGER)                                                 \
	X(MPI_UNSIGNED_LONG, unsigned long, CLASS_C_INTEGER)                                       \
	X(MPI_UNSIGNED_LONG_LONG, unsigned long long, CLASS_C_INTEGER)                             \
	X(MPI_WCHAR, wchar_t, CLASS_NONE)                                                          \
	X(MPI_CHAR, char, CLASS_C_INTEGER)                                                         \
	X(MPI_SIGNED_CHAR, signed char, CLASS_C_INTEGER)                                           \
	X(MPI_UNSIGNED_CHAR, unsigned char, CLASS_C_INTEGER)                                       \
	X(MPI_BYTE, unsigned char, CLASS_BYTE)                                                     \
	X(MPI_INT8_T, int8_t, CLASS_C_INTEGER)                                                     \
	X(MPI_UINT8_T, uint8_t, CLASS_C_INTEGER)                                                   \
	X(MPI_INT16_T, int16_t, CLASS_C_INTEGER)                                                   \
	X(MPI_UINT16_T, uint16_t, CLASS_C_INTEGER)                                                 \
	X(MPI_INT32_T, int32_t, CLASS_C_INTEGER)                                                   \
	X(MPI_UINT32_T, uint32_t, CLASS_C_INTEGER)                                                 \
	X(MPI_INT64_T, int64_t, CLASS_C_INTEGER)                                                   \
	X(MPI_UINT64_T, uint64_t, CLASS_C_INTEGER)                                                 \
	X(MPI_LOGICAL, int32_t, CLASS_LOGICAL)                                                     \
	X(MPI_INTEGER, int32_t, CLASS_FORTRAN_INTEGER)                                             \
	X(MPI_CHARACTER, char, CLASS_NONE)                                                         \
	X(MPI_LOGICAL1, int8_t, CLASS_LOGICAL)                                                     \
	X(MPI_LOGICAL2, int16_t, CLASS_LOGICAL)                                                    \
	X(MPI_LOGICAL4, int32_t, CLASS_LOGICAL)                                                    \
	X(MPI_LOGICAL8, int64_t, CLASS_LOGICAL)                                                    \
	X(MPI_LOGICAL16, type_int128, CLASS_LOGICAL)                                               \
	X(MPI_INTEGER1, int8_t, CLASS_FORTRAN_INTEGER)                                             \
	X(MPI_INTEGER2, int16_t, CLASS_FORTRAN_INTEGER)                                            \
	X(MPI_INTEGER4, int32_t, CLASS_FORTRAN_INTEGER)                                            \
	X(MPI_INTEGER8, int64_t, CLASS_FORTRAN_INTEGER)                                            \
	X(MPI_INTEGER16, type_int128, CLASS_FORTRAN_INTEGER)

#define TYPE_TABLE_OTHERS(X)                                                                       \
	X(MPI_C_BOOL, bool, CLASS_LOGICAL, VALUE_U8)                                               \
	X(MPI_CXX_BOOL, bool, CLASS_LOGICAL, VALUE_U8)                                             \
	X(MPI_FLOAT, float, CLASS_FLOATING, VALUE_FLOAT)                                           \
	X(MPI_DOUBLE, double, CLASS_FLOATING, VALUE_DOUBLE)                                        \
	X(MPI_LONG_DOUBLE, long double, CLASS_FLOATING, VALUE_LONG_DOUBLE)                         \
	X(MPI_REAL, float, CLASS_FLOATING, VALUE_FLOAT)                                            \
	X(MPI_DOUBLE_PRECISION, double, CLASS_FLOATING, VALUE_DOUBLE)                              \
	X(MPI_REAL4, float, CLASS_FLOATING, VALUE_FLOAT)                                           \
	X(MPI_REAL8, double, CLASS_FLOATING, VALUE_DOUBLE)                                         \
	X(MPI_C_COMPLEX, float complex, CLASS_COMPLEX, VALUE_FLOAT_COMPLEX)                        \
	X(MPI_C_DOUBLE_COMPLEX, double complex, CLASS_COMPLEX, VALUE_DOUBLE_COMPLEX)               \
	X(MPI_C_LONG_DOUBLE_COMPLEX, long double complex, CLASS_COMPLEX,                           \
		VALUE_LONG_DOUBLE_COMPLEX)                                                         \
	X(MPI_CXX_FLOAT_COMPLEX, float complex, CLASS_COMPLEX, VALUE_FLOAT_COMPLEX)                \
	X(MPI_CXX_DOUBLE_COMPLEX, double complex, CLASS_COMPLEX, VALUE_DOUBLE_COMPLEX)             \
	X(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex, CLASS_COMPLEX,                         \
		VALUE_LONG_DOUBLE_COMPLEX)                                                         \
	X(MPI_COMPLEX, float complex, CLASS_COMPLEX, VALUE_FLOAT_COMPLEX)                          \
	X(MPI_DOUBLE_COMPLEX, double complex, CLASS_COMPLEX, VALUE_DOUBLE_COMPLEX)                 \
	X(MPI_COMPLEX8, float complex, CLASS_COMPLEX, VALUE_FLOAT_COMPLEX)                         \
	X(MPI_COMPLEX16, double complex, CLASS_COMPLEX, VALUE_DOUBLE_COMPLEX)

/* Value and index side by side, as in a C struct. */
struct type_float_int {
	float value;
	int index;
};
struct type_double_int {
	double value;
	int index;
};
struct type_long_int {
	long value;
	int index;
};
struct type_2int {
	int value;
	int index;
};
struct type_short_int {
	short value;
	int index;
};
struct type_long_double_int {
	long double value;
	int index;
};
struct type_2float {
	float value;
	float index;
};
struct type_2double {
	double value;
	double index;
};

#define TYPE_TABLE_PAIRS(X)                                                                        \
	X(MPI_FLOAT_INT, struct type_float_int, VALUE_FLOAT_INT)                                   \
	X(MPI_DOUBLE_INT, struct type_double_int, VALUE_DOUBLE_INT)                                \
	X(MPI_LONG_INT, struct type_long_int, VALUE_LONG_INT)                                      \
	X(MPI_2INT, struct type_2int, VALUE_2INT)                                                  \
	X(MPI_SHORT_INT, struct type_short_int, VALUE_SHORT_INT)                                   \
	X(MPI_LONG_DOUBLE_INT, struct type_long_double_int, VALUE_LONG_DOUBLE_INT)                 \
	X(MPI_2REAL, struct type_2float, VALUE_2FLOAT)                                             \
	X(MPI_2DOUBLE_PRECISION, struct type_2double, VALUE_2DOUBLE)                               \
	X(MPI_2INTEGER, struct type_2int, VALUE_2INT)

/* By handle; of those that this build does not have the size is 0. */
extern struct type type_table[TYPE_LAST - TYPE_FIRST + 1];

/* The predefined type of this handle; NULL when it is none, or one that this build does not have.
 */
static inline struct type *type_predefined(MPI_Datatype handle)
{
	uintptr_t slot = (uintptr_t)handle - TYPE_FIRST;

	return slot <= TYPE_LAST - TYPE_FIRST && type_table[slot].size > 0 ? &type_table[slot]
									   : NULL;
}

/* Bytes of the value of a pair; the whole size for the others. 0 when it is not predefined. */
size_t type_table_pair_first(MPI_Datatype handle);

/* "MPI_INT": also of the null handle and of those that this build does not have; else NULL. */
const char *type_table_name(MPI_Datatype handle);

/* Both _NONE for a type that is not predefined. */
enum type_class type_table_class_of(MPI_Datatype handle);
enum type_value type_table_value_of(MPI_Datatype handle);

#endif
