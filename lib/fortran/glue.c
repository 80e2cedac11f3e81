/* SPDX-License-Identifier: BSD-3-Clause */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

#include "sentinels.h"

/* aligned as gfortran aligns a COMMON block, of which they are one */
_Alignas(32) int ftmpi_f_bottom_;
_Alignas(32) int ftmpi_f_in_place_;
_Alignas(32) int ftmpi_f_automatic_;
_Alignas(32) int ftmpi_f_unweighted_;
_Alignas(32) int ftmpi_f_weights_empty_;
_Alignas(32) int ftmpi_f_errcodes_;
_Alignas(32) int ftmpi_f_status_[8];
_Alignas(32) int ftmpi_f_statuses_[8];
_Alignas(32) char ftmpi_f_argv_;
_Alignas(32) char ftmpi_f_argvs_;

/* C programs that get a status from Fortran ask whether it is one. */
__attribute__((constructor)) static void tell_c(void)
{
	MPI_F_STATUS_IGNORE = ftmpi_f_status_;
	MPI_F_STATUSES_IGNORE = ftmpi_f_statuses_;
	MPI_F08_STATUS_IGNORE = (MPI_F08_status *)(void *)ftmpi_f_status_;
	MPI_F08_STATUSES_IGNORE = (MPI_F08_status *)(void *)ftmpi_f_statuses_;
}

/* ---- room ---- */

void *ftn_take(struct ftn_room *room, long long n, size_t size)
{
	size_t bytes = n > 0 ? (size_t)n * size : 0;
	size_t whole = (bytes + 15) & ~(size_t)15;
	void *at;

	if (whole <= sizeof room->bytes - room->used) {
		at = room->bytes + room->used;
		room->used += whole;
		return at;
	}
	at = room->nmore < 8 ? malloc(bytes) : NULL;
	if (at)
		room->more[room->nmore++] = at;
	else
		room->failed = true;
	return at;
}

void ftn_room_done(struct ftn_room *room)
{
	while (room->nmore > 0)
		free(room->more[--room->nmore]);
}

/* ---- strings ---- */

char *ftn_string_in(struct ftn_room *room, const char *text, size_t len, enum ftn_strip strip)
{
	char *out;

	while (len > 0 && text[len - 1] == ' ')
		len--;
	while (strip == FTN_BOTH_ENDS && len > 0 && *text == ' ') {
		text++;
		len--;
	}
	out = ftn_take(room, (long long)len + 1, 1);
	if (out) {
		memcpy(out, text, len);
		out[len] = '\0';
	}
	return out;
}

char *ftn_text(struct ftn_room *room, size_t bytes)
{
	char *out = ftn_take(room, (long long)bytes, 1);

	if (out)
		*out = '\0';
	return out;
}

void ftn_string_out(char *text, size_t len, const char *from)
{
	size_t n = strlen(from);

	if (n > len)
		n = len;
	memcpy(text, from, n);
	memset(text + n, ' ', len - n);
}

/* ---- numbers ---- */

int *ftn_logicals_in(struct ftn_room *room, const int *logicals, int n)
{
	int *out = ftn_take(room, n, sizeof *out);

	for (int i = 0; out && i < n; i++)
		out[i] = ftn_true(logicals[i]);
	return out;
}

void ftn_logicals_out(int *logicals, const int *from, int n)
{
	for (int i = 0; i < n; i++)
		logicals[i] = from[i] != 0;
}

void ftn_index_out(int *index, int c_index)
{
	if (c_index != -1)
		*index = c_index == MPI_UNDEFINED ? c_index : c_index + 1;
}

void ftn_indices_out(int *indices, int *count, int c_count)
{
	if (c_count == -1)
		return;
	*count = c_count;
	for (int i = 0; i < c_count; i++)
		indices[i]++;
}

/* ---- variables that stand for values ---- */

void *ftn_buffer(const void *buffer)
{
	if (buffer == &ftmpi_f_in_place_)
		return MPI_IN_PLACE;
	if (buffer == &ftmpi_f_bottom_)
		return MPI_BOTTOM;
	if (buffer == &ftmpi_f_automatic_)
		return MPI_BUFFER_AUTOMATIC;
	return (void *)(size_t)buffer;
}

bool ftn_in_place(const void *buffer)
{
	return buffer == &ftmpi_f_in_place_;
}

MPI_Status *ftn_status(const int *status)
{
	return status == ftmpi_f_status_ ? MPI_STATUS_IGNORE : (MPI_Status *)(size_t)status;
}

MPI_Status *ftn_status_array(const int *statuses)
{
	return statuses == ftmpi_f_statuses_ ? MPI_STATUSES_IGNORE : (MPI_Status *)(size_t)statuses;
}

int *ftn_weights(const int *weights)
{
	if (weights == &ftmpi_f_unweighted_)
		return MPI_UNWEIGHTED;
	if (weights == &ftmpi_f_weights_empty_)
		return MPI_WEIGHTS_EMPTY;
	return (int *)(size_t)weights;
}

/* ---- how long an array is ---- */

int ftn_peers(int comm, bool send, const void *sendbuf)
{
	MPI_Comm c = PMPI_Comm_fromint(comm);
	int inter = 0, n = 0;

	if (send && ftn_in_place(sendbuf))
		return 0;
	if (PMPI_Comm_test_inter(c, &inter) == MPI_SUCCESS)
		(void)(inter ? PMPI_Comm_remote_size(c, &n) : PMPI_Comm_size(c, &n));
	return n;
}

int ftn_dimensions(int comm)
{
	int n = 0;

	(void)PMPI_Cartdim_get(PMPI_Comm_fromint(comm), &n);
	return n;
}

int ftn_neighbours(int comm, bool send, const void *sendbuf)
{
	MPI_Comm c = PMPI_Comm_fromint(comm);
	int how = MPI_UNDEFINED, in = 0, out = 0, weighted;

	(void)sendbuf;
	if (PMPI_Topo_test(c, &how) != MPI_SUCCESS)
		return 0;
	if (how == MPI_CART) {
		in = out = 2 * ftn_dimensions(comm);
	} else if (how == MPI_GRAPH) {
		int rank = 0;

		(void)PMPI_Comm_rank(c, &rank);
		(void)PMPI_Graph_neighbors_count(c, rank, &in);
		out = in;
	} else if (how == MPI_DIST_GRAPH) {
		(void)PMPI_Dist_graph_neighbors_count(c, &in, &out, &weighted);
	}
	return send ? out : in;
}

/* ---- errors ---- */

int ftn_fail(const char *name, int errclass, const char *sentence)
{
	return FTMPI_Fortran_error(name, NULL, errclass, sentence);
}

int ftn_no_memory(const char *name)
{
	return ftn_fail(name, MPI_ERR_NO_MEM, "no memory to convert the arguments");
}
