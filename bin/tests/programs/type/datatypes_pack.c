/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "datatypes.h"

/* A length, then so many items, packed piece by piece, is one message. */
static void packed_message(void)
{
	enum { ITEMS = 5, ROOM = 1000 };
	MPI_Datatype type = item_type();
	char out[ROOM], in[ROOM];
	struct item items[ITEMS], got[ITEMS];
	int n = ITEMS, bound = 0, header = 0, at = 0, bytes = 0;
	MPI_Status status;

	MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &header);
	MPI_Pack_size(ITEMS, type, MPI_COMM_WORLD, &bound);
	for (int i = 0; i < ITEMS; i++)
		items[i] = item_of(prog.rank, i);
	MPI_Pack(&n, 1, MPI_INT, out, ROOM, &at, MPI_COMM_WORLD);
	MPI_Pack(items, 2, type, out, ROOM, &at, MPI_COMM_WORLD);
	MPI_Pack(items + 2, ITEMS - 2, type, out, ROOM, &at, MPI_COMM_WORLD);
	if (at > header + bound)
		prog_wrong(&prog, "packed %d bytes; MPI_Pack_size said %d", at, header + bound);
	MPI_Sendrecv(out, at, MPI_PACKED, next(), TAG, in, ROOM, MPI_PACKED, previous(), TAG,
		MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_PACKED, &bytes);
	expect("bytes of the packed message", at, bytes);
	at = n = 0;
	MPI_Unpack(in, bytes, &at, &n, 1, MPI_INT, MPI_COMM_WORLD);
	expect("its number of items", ITEMS, n);
	MPI_Unpack(in, bytes, &at, got, ITEMS, type, MPI_COMM_WORLD);
	expect("position at the end", bytes, at);
	for (int i = 0; i < ITEMS; i++)
		check_item("packed", &got[i], previous(), i);
	MPI_Type_free(&type);
}

/* What is sent as MPI_PACKED is received as what it is, and the other way round. */
static void packed_and_typed(void)
{
	MPI_Datatype type = item_type();
	struct item mine = item_of(prog.rank, 3), got;
	char bytes[100];
	int at = 0;

	MPI_Pack(&mine, 1, type, bytes, (int)sizeof(bytes), &at, MPI_COMM_WORLD);
	MPI_Sendrecv(bytes, at, MPI_PACKED, next(), TAG, &got, 1, type, previous(), TAG,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check_item("packed, received as a struct", &got, previous(), 3);
	memset(&got, 0, sizeof(got));
	MPI_Sendrecv(&mine, 1, type, next(), TAG, bytes, (int)sizeof(bytes), MPI_PACKED, previous(),
		TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	at = 0;
	MPI_Unpack(bytes, (int)sizeof(bytes), &at, &got, 1, type, MPI_COMM_WORLD);
	check_item("a struct, received packed", &got, previous(), 3);
	MPI_Type_free(&type);
}

static void external(void)
{
	MPI_Datatype type = item_type();
	struct item mine = item_of(prog.rank, 4), got = {0};
	static const unsigned char one[] = {0x3f, 0xf0};
	unsigned char out[100], in[100];
	double d = 1.0;
	MPI_Aint size = 0, at = 0;

	MPI_Pack_external_size("external32", 1, type, &size);
	expect("bytes of an item in external32", 21, size);
	MPI_Pack_external("external32", &d, 1, MPI_DOUBLE, out, 100, &at);
	MPI_Pack_external("external32", &mine, 1, type, out, 100, &at);
	expect("position in external32", 29, at);
	if (memcmp(out, one, sizeof(one)) != 0)
		prog_wrong(&prog, "1.0 in external32 begins with %02x %02x", out[0], out[1]);
	MPI_Sendrecv(out, (int)at, MPI_BYTE, next(), TAG, in, 100, MPI_BYTE, previous(), TAG,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	at = 8;
	MPI_Unpack_external("external32", in, 29, &at, &got, 1, type);
	check_item("external32", &got, previous(), 4);
	MPI_Type_free(&type);
}

/* Three of four doubles of a pair: no whole number of elements, but of basic ones. */
static void parts_of_elements(void)
{
	double out[3] = {1, 2, 3}, in[8] = {0};
	MPI_Datatype pair;
	MPI_Status status;
	MPI_Count large = 0;
	int n = 0;

	MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
	MPI_Type_create_resized(pair, 0, 4 * sizeof(double), &pair);
	MPI_Type_commit(&pair);
	MPI_Sendrecv(out, 3, MPI_DOUBLE, next(), TAG, in, 2, pair, previous(), TAG, MPI_COMM_WORLD,
		&status);
	MPI_Get_count(&status, pair, &n);
	expect("pairs in three doubles", MPI_UNDEFINED, n);
	MPI_Get_elements(&status, pair, &n);
	expect("elements in three doubles", 3, n);
	MPI_Get_elements_x(&status, pair, &large);
	expect("elements in three doubles", 3, large);
	if (in[0] != 1 || in[1] != 0 || in[2] != 2 || in[4] != 3 || in[6] != 0)
		prog_wrong(&prog, "three doubles lie as %g %g %g %g %g", in[0], in[1], in[2], in[4],
			in[6]);
	MPI_Status_set_elements(&status, pair, 4);
	MPI_Get_count(&status, pair, &n);
	expect("pairs in a status of four elements", 2, n);
}

static void wrong_packing(void)
{
	char b[10];
	int x = 5, at = 0, n = 0;
	MPI_Aint far = 0;
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Datatype raw;

	MPI_Type_contiguous(2, MPI_INT, &raw);
	MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN);
	expect("Pack, too long", MPI_ERR_TRUNCATE, MPI_Pack(&x, 3, MPI_INT, b, 10, &at, w));
	expect("its position", 0, at);
	at = 8;
	expect("Pack, behind", MPI_ERR_TRUNCATE, MPI_Pack(&x, 1, MPI_INT, b, 10, &at, w));
	expect("Unpack, behind", MPI_ERR_TRUNCATE, MPI_Unpack(b, 10, &at, &x, 1, MPI_INT, w));
	expect("its position", 8, at);
	at = -1;
	expect("Pack, position", MPI_ERR_ARG, MPI_Pack(&x, 1, MPI_INT, b, 10, &at, w));
	at = 11;
	expect("Unpack, position", MPI_ERR_ARG, MPI_Unpack(b, 10, &at, &x, 0, MPI_INT, w));
	at = 0;
	expect("Pack, count", MPI_ERR_COUNT, MPI_Pack(&x, -1, MPI_INT, b, 10, &at, w));
	expect("Pack, uncommitted", MPI_ERR_TYPE, MPI_Pack(&x, 1, raw, b, 10, &at, w));
	expect("Pack, no type", MPI_ERR_TYPE, MPI_Pack(&x, 1, MPI_DATATYPE_NULL, b, 10, &at, w));
	expect("Pack, no buffer", MPI_ERR_BUFFER, MPI_Pack(NULL, 1, MPI_INT, b, 10, &at, w));
	expect("Pack, nowhere", MPI_ERR_BUFFER, MPI_Pack(&x, 1, MPI_INT, NULL, 10, &at, w));
	expect("Pack, no position", MPI_ERR_ARG, MPI_Pack(&x, 1, MPI_INT, b, 10, NULL, w));
	expect("Pack, no communicator", MPI_ERR_COMM,
		MPI_Pack(&x, 1, MPI_INT, b, 10, &at, MPI_COMM_NULL));
	expect("Pack_size, count", MPI_ERR_COUNT, MPI_Pack_size(-1, MPI_INT, w, &n));
	expect("Pack_size, no result", MPI_ERR_ARG, MPI_Pack_size(1, MPI_INT, w, NULL));
	expect("Pack_external, native", MPI_ERR_UNSUPPORTED_DATAREP,
		MPI_Pack_external("native", &x, 1, MPI_INT, b, 10, &far));
	expect("Unpack_external, behind", MPI_ERR_TRUNCATE,
		MPI_Unpack_external("external32", b, 3, &far, &x, 1, MPI_INT));
	expect("Pack, nothing", MPI_SUCCESS, MPI_Pack(NULL, 0, MPI_INT, NULL, 0, &at, w));
	MPI_Comm_set_errhandler(w, MPI_ERRORS_ARE_FATAL);
	MPI_Type_free(&raw);
}

/* The same calls with counts that no int limits. */
static void large_counts(void)
{
	MPI_Datatype type = item_type();
	struct item items[2] = {item_of(prog.rank, 1), item_of(prog.rank, 2)}, got[2] = {0};
	MPI_Count at = 0, size = 0, elements = 0;
	MPI_Status status = {0};
	char bytes[100];

	MPI_Pack_size_c(2, type, MPI_COMM_WORLD, &size);
	expect("bytes of two items", 42, size);
	MPI_Pack_c(items, 2, type, bytes, 100, &at, MPI_COMM_WORLD);
	expect("position after two items", 42, at);
	at = 0;
	MPI_Unpack_c(bytes, 42, &at, got, 2, type, MPI_COMM_WORLD);
	expect("position after unpacking", 42, at);
	check_item("MPI_Unpack_c", &got[1], prog.rank, 2);
	memset(got, 0, sizeof(got));
	MPI_Pack_external_size_c("external32", 2, type, &size);
	expect("bytes of two items in external32", 42, size);
	at = 3;
	MPI_Pack_external_c("external32", items, 2, type, bytes, 100, &at);
	at = 3;
	MPI_Unpack_external_c("external32", bytes, 45, &at, got, 2, type);
	expect("position after external32", 45, at);
	check_item("MPI_Unpack_external_c", &got[0], prog.rank, 1);
	MPI_Status_set_elements_c(&status, type, 4000000000000);
	MPI_Get_elements_c(&status, type, &elements);
	expect("elements in a status", 4000000000000, elements);
	MPI_Get_count_c(&status, type, &elements);
	expect("items in a status", 1000000000000, elements);
	MPI_Status_set_elements_x(&status, type, 3);
	MPI_Get_count_c(&status, type, &elements);
	expect("items in three elements", MPI_UNDEFINED, elements);
	MPI_Type_free(&type);
}

void packing(void)
{
	large_counts();
	packed_message();
	packed_and_typed();
	external();
	parts_of_elements();
	wrong_packing();
}
