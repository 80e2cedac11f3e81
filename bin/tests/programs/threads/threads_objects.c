/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators, groups, datatypes and error codes, made, used and freed by all threads at once;
 * and what any thread may ask at any time. */
#include "threads.h"

#include <stdio.h>
#include <string.h>

/* Everybody's rank in the new communicator is told to all, on it. */
static void use(struct worker *w, MPI_Comm comm, int size)
{
	int rank, n, all[64], result;

	if (comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &n);
	threads_expect(
		w, n == size && n <= 64, "the new communicator has %d ranks, not %d", n, size);
	MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
	for (int r = 0; r < n; r++)
		threads_expect(w, all[r] == r, "rank %d says %d", r, all[r]);
	MPI_Comm_compare(comm, w->comm, &result);
	threads_expect(w, result != MPI_IDENT, "it is the old one");
}

static void communicators(struct worker *w)
{
	int halves = 1 + threads_draw(w, 2), period = 1, shift = threads_draw(w, 5);
	int mine = (w->size + halves - 1 - w->rank % halves) / halves;
	MPI_Comm copy, half, cart;
	MPI_Request request;
	int x = w->id, y = -1, source, dest;

	MPI_Comm_dup(w->comm, &copy);
	MPI_Comm_split(w->comm, w->rank % halves, -w->rank, &half);
	MPI_Cart_create(w->comm, 1, &w->size, &period, 0, &cart);
	use(w, half, mine);
	use(w, copy, w->size);
	MPI_Cart_shift(cart, 0, shift, &source, &dest);
	MPI_Irecv(&y, 1, MPI_INT, source, 0, copy, &request);
	MPI_Send(&x, 1, MPI_INT, dest, 0, copy);
	MPI_Comm_free(&copy); /* before its message is received */
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	threads_expect(w, y == w->id, "thread %d answers on this thread's communicator", y);
	use(w, cart, w->size);
	MPI_Comm_free(&cart);
	MPI_Comm_free(&half);
}

static void groups(struct worker *w)
{
	int first = threads_draw(w, w->size), last = w->size - 1, tag = threads_draw(w, 9), result,
	    there;
	int range[1][3] = {{first, last, 1}};
	MPI_Group all, some, rest, both;
	MPI_Comm comm = MPI_COMM_NULL;

	MPI_Comm_group(w->comm, &all);
	MPI_Group_range_incl(all, 1, range, &some);
	MPI_Group_difference(all, some, &rest);
	MPI_Group_union(rest, some, &both);
	MPI_Group_compare(all, both, &result);
	threads_expect(w, result == MPI_IDENT, "the parts do not make the whole: %d", result);
	MPI_Group_translate_ranks(some, 1, &(int){0}, all, &there);
	threads_expect(w, there == first, "rank 0 of the part is %d, not %d", there, first);
	if (w->rank >= first)
		MPI_Comm_create_group(w->comm, some, tag, &comm);
	use(w, comm, w->size - first);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	MPI_Group_free(&both);
	MPI_Group_free(&rest);
	MPI_Group_free(&some);
	MPI_Group_free(&all);
}

/* Every second of `pairs` pairs, as a vector there and as a struct here. */
static void datatypes(struct worker *w)
{
	int pairs = 1 + threads_draw(w, 2000), lengths[2] = {1, 1}, size;
	MPI_Aint at[2] = {0, sizeof(int)}, lb, extent;
	MPI_Datatype ints[2] = {MPI_INT, MPI_INT}, pair, wide, vector, copy;
	MPI_Request request;

	MPI_Type_create_struct(2, lengths, at, ints, &pair);
	MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &wide);
	MPI_Type_vector(pairs, 2, 4, MPI_INT, &vector);
	MPI_Type_dup(vector, &copy);
	MPI_Type_commit(&wide);
	MPI_Type_commit(&copy);
	MPI_Type_free(&pair);
	MPI_Type_free(&vector);
	MPI_Type_size(copy, &size);
	MPI_Type_get_extent(wide, &lb, &extent);
	threads_expect(w, size == pairs * 2 * (int)sizeof(int) && extent == 4 * sizeof(int),
		"size %d, extent %ld", size, (long)extent);
	threads_fill(w, 4 * pairs);
	memset(w->in, -1, sizeof w->in[0] * 4 * (size_t)pairs);
	MPI_Irecv(w->in, pairs, wide, w->left, 4, w->comm, &request);
	MPI_Type_free(&wide); /* the receive keeps it */
	MPI_Send(w->out, 1, copy, w->right, 4, w->comm);
	MPI_Type_free(&copy);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4 * pairs; i++)
		threads_expect(w, w->in[i] == (i % 4 < 2 ? threads_word(w, w->left, i) : -1),
			"element %d is %d", i, w->in[i]);
}

static void error_codes(struct worker *w)
{
	char text[MPI_MAX_ERROR_STRING], want[40];
	int errclass, code, got, length, flag, *last;

	MPI_Add_error_class(&errclass);
	MPI_Add_error_code(errclass, &code);
	snprintf(want, sizeof want, "thread %d in round %ld", w->id, (long)w->round);
	MPI_Add_error_string(code, want);
	MPI_Error_class(code, &got);
	MPI_Error_string(code, text, &length);
	threads_expect(
		w, got == errclass && strcmp(text, want) == 0, "class %d, text \"%s\"", got, text);
	MPI_Comm_get_attr(w->comm, MPI_LASTUSEDCODE, &last, &flag);
	threads_expect(w, flag, "MPI_LASTUSEDCODE is not there");
	MPI_Remove_error_string(code);
	MPI_Remove_error_code(code);
	MPI_Remove_error_class(errclass);
}

static void inquiries(struct worker *w)
{
	char name[MPI_MAX_OBJECT_NAME], host[MPI_MAX_PROCESSOR_NAME], want[40];
	int length, level, here, there, flag, *value;
	double before = MPI_Wtime();

	snprintf(want, sizeof want, "of thread %d, round %ld", w->id, (long)w->round);
	MPI_Comm_set_name(w->comm, want);
	MPI_Comm_get_name(w->comm, name, &length);
	threads_expect(w, strcmp(name, want) == 0, "the name is \"%s\"", name);
	MPI_Get_processor_name(host, &length);
	threads_expect(w, length == (int)strlen(host) && length > 0, "the host is \"%s\"", host);
	MPI_Query_thread(&level);
	MPI_Is_thread_main(&flag);
	MPI_Initialized(&here);
	MPI_Finalized(&there);
	threads_expect(w, here && !there && flag == (level != MPI_THREAD_MULTIPLE),
		"level %d, main %d, initialized %d, finalized %d", level, flag, here, there);
	MPI_Comm_get_attr(w->comm, MPI_UNIVERSE_SIZE, &value, &flag);
	threads_expect(w, flag && *value == w->size, "the universe has %d ranks", *value);
	MPI_Comm_get_attr(w->comm, MPI_TAG_UB, &value, &flag);
	threads_expect(w, flag && *value >= 32767, "the largest tag is %d", *value);
	threads_expect(w, MPI_Wtime() >= before && MPI_Wtick() > 0, "time goes backwards");
}

const struct activity threads_objects[] = {
	{"communicators", communicators},
	{"groups", groups},
	{"datatypes", datatypes},
	{"error codes", error_codes},
	{"inquiries", inquiries},
	{NULL, NULL},
};
