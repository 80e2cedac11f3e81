/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are shorter than their receives: of whole basic elements, and not. */
#include "p2p.h"

/* What rank sends itself in `bytes` bytes, and a receive of `count` of t. */
struct uneven {
	const char *what;
	MPI_Datatype sent;
	int bytes;
	MPI_Datatype t;
	int count, class;
};

static char data[64], place[64];

static void one(const struct uneven *u)
{
	MPI_Request r, sent;
	MPI_Status s = {.MPI_ERROR = MPI_SUCCESS};
	int rc;

	for (int posted = 0; posted < 2; posted++) {
		if (posted)
			MPI_Irecv(place, u->count, u->t, p2p.rank, 3, MPI_COMM_WORLD, &r);
		MPI_Isend(data, u->bytes, u->sent, p2p.rank, 3, MPI_COMM_WORLD, &sent);
		if (posted)
			rc = MPI_Wait(&r, &s);
		else
			rc = MPI_Recv(place, u->count, u->t, p2p.rank, 3, MPI_COMM_WORLD, &s);
		MPI_Wait(&sent, MPI_STATUS_IGNORE);
		p2p_error(u->what, u->class, rc);
		p2p_status(u->what, &s, p2p.rank, 3, u->bytes);
	}
}

static void basic(void)
{
	const struct uneven all[] = {
		{"an int and a half", MPI_BYTE, 6, MPI_INT, 4, MPI_ERR_TYPE},
		{"three quarters of an int", MPI_CHAR, 3, MPI_INT, 1, MPI_ERR_TYPE},
		{"one int of four", MPI_PACKED, 4, MPI_INT, 4, MPI_SUCCESS},
		{"no int of four", MPI_BYTE, 0, MPI_INT, 4, MPI_SUCCESS},
		{"bytes", MPI_CHAR, 3, MPI_BYTE, 8, MPI_SUCCESS},
		{"packed", MPI_PACKED, 5, MPI_PACKED, 8, MPI_SUCCESS},
		{"characters", MPI_PACKED, 7, MPI_CHAR, 8, MPI_SUCCESS},
		{"the double of a pair", MPI_PACKED, 8, MPI_DOUBLE_INT, 1, MPI_SUCCESS},
		{"a pair and a double", MPI_PACKED, 20, MPI_DOUBLE_INT, 2, MPI_SUCCESS},
		{"a pair and half an int", MPI_PACKED, 10, MPI_DOUBLE_INT, 2, MPI_ERR_TYPE},
		{"the short of a pair", MPI_PACKED, 2, MPI_SHORT_INT, 3, MPI_SUCCESS},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		one(&all[i]);
}

/* A character and an int, five bytes with three between them; and every other int. */
static void made(void)
{
	int lengths[] = {1, 1};
	MPI_Aint at[] = {0, 4};
	MPI_Datatype types[] = {MPI_CHAR, MPI_INT}, mixed, comb;

	MPI_Type_create_struct(2, lengths, at, types, &mixed);
	MPI_Type_vector(3, 1, 2, MPI_INT, &comb);
	MPI_Type_commit(&mixed);
	MPI_Type_commit(&comb);
	const struct uneven all[] = {
		{"a character", MPI_PACKED, 1, mixed, 3, MPI_SUCCESS},
		{"a character and half an int", MPI_PACKED, 3, mixed, 3, MPI_ERR_TYPE},
		{"one, and a character", MPI_PACKED, 6, mixed, 3, MPI_SUCCESS},
		{"two of three", MPI_PACKED, 10, mixed, 3, MPI_SUCCESS},
		{"two teeth", MPI_PACKED, 8, comb, 1, MPI_SUCCESS},
		{"a tooth and a half", MPI_PACKED, 6, comb, 1, MPI_ERR_TYPE},
		{"a comb and a tooth", MPI_PACKED, 16, comb, 3, MPI_SUCCESS},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		one(&all[i]);
	MPI_Type_free(&mixed);
	MPI_Type_free(&comb);
}

const struct p2p_case p2p_short[] = {
	{"uneven-basic", basic, 1},
	{"uneven-made", made, 1},
	{NULL, NULL, 0},
};
