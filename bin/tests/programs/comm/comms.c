/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comms: ways to make and end communicators beside the usual ones: copies that nobody waits for,
 * communicators from groups alone, disconnecting, hints of copies.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "prog.h"

static struct prog prog = {"comms", "other ways to make and end communicators", NULL, 0, 0, 0};

static void must(int ok, const char *what)
{
	if (!ok)
		prog_wrong(&prog, "%s", what);
}

static void is_class(int rc, int class, const char *what)
{
	int got = MPI_SUCCESS;

	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &got);
	if (got != class)
		prog_wrong(&prog, "%s: error class %d, not %d", what, got, class);
}

/* It works, and its messages are its own: what the others send in theirs does not come here. */
static void works(MPI_Comm c, const char *what)
{
	int rank, size, inter, mine, sum = -1, want;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	MPI_Comm_test_inter(c, &inter);
	mine = rank + 1;
	want = size * (size + 1) / 2;
	if (inter) {
		MPI_Comm_remote_size(c, &size);
		want = size * (size + 1) / 2;
	}
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
	if (sum != want)
		prog_wrong(&prog, "%s: the sum is %d, not %d", what, sum, want);
}

/* An intercommunicator of the even and the odd ranks; MPI_COMM_NULL when there are no odd ones. */
static MPI_Comm between(void)
{
	MPI_Comm side, c = MPI_COMM_NULL;

	MPI_Comm_split(MPI_COMM_WORLD, prog.rank % 2, prog.rank, &side);
	if (prog.size > 1)
		MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, !(prog.rank % 2), 4, &c);
	MPI_Comm_free(&side);
	return c;
}

/* ---- copies that nobody waits for ---- */

enum { COPIES = 6 };

static int copy_number(MPI_Comm c, int key, void *extra, void *value, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	*(void **)out = value;
	*flag = 1;
	return MPI_SUCCESS;
}

/* Several at once, beside other operations of the same communicator, ended in another order on each
 * rank. The attribute of the moment counts. */
static void copies_of(MPI_Comm c, const char *what)
{
	MPI_Comm copies[COPIES];
	MPI_Request r[COPIES + 1];
	int numbers[COPIES], key, flag, *value, result;

	MPI_Comm_create_keyval(copy_number, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	for (int i = 0; i < COPIES; i++) {
		MPI_Comm_set_attr(c, key, &numbers[i]);
		MPI_Comm_idup(c, &copies[i], &r[i]);
	}
	MPI_Comm_delete_attr(c, key);
	MPI_Ibarrier(c, &r[COPIES]);
	works(c, what);
	for (int k = 0; k <= COPIES; k++) {
		int i = (k * 3 + prog.rank) % (COPIES + 1);

		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
		must(r[i] == MPI_REQUEST_NULL, "a request that is waited for is gone");
	}
	for (int i = 0; i < COPIES; i++) {
		works(copies[i], what);
		value = NULL;
		MPI_Comm_get_attr(copies[i], key, &value, &flag);
		must(flag && value == &numbers[i], "a copy has the attribute of its moment");
		MPI_Comm_compare(c, copies[i], &result);
		must(result == MPI_CONGRUENT, "a copy is congruent");
		MPI_Comm_free(&copies[i]);
	}
	MPI_Comm_free_keyval(&key);
}

static int refuse_copy(MPI_Comm c, int key, void *extra, void *value, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	(void)value;
	(void)out;
	(void)flag;
	return prog.rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* The attribute that rank 0 refuses to copy costs it its copy, and nobody else anything. */
static void refused_copy(void)
{
	MPI_Comm base, copy;
	MPI_Request r;
	int key;

	MPI_Comm_dup(MPI_COMM_WORLD, &base);
	MPI_Comm_set_errhandler(base, MPI_ERRORS_RETURN);
	MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(base, key, &key);
	is_class(MPI_Comm_idup(base, &copy, &r), prog.rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS,
		"a copy that is refused");
	if (prog.rank > 0) {
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Comm_free(&copy);
	} else {
		must(copy == MPI_COMM_NULL, "no copy where it was refused");
	}
	works(base, "after a refused copy");
	MPI_Comm_free_keyval(&key);
	MPI_Comm_free(&base);
}

static void wrong_copies(void)
{
	MPI_Comm c;
	MPI_Request r;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	is_class(MPI_Comm_idup(MPI_COMM_NULL, &c, &r), MPI_ERR_COMM, "a copy of nothing");
	is_class(MPI_Comm_idup(MPI_COMM_WORLD, NULL, &r), MPI_ERR_ARG, "no place for it");
	is_class(MPI_Comm_idup(MPI_COMM_WORLD, &c, NULL), MPI_ERR_ARG, "no request");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* ---- hints ---- */

static int has_hint(MPI_Comm c)
{
	char value[16] = "";
	MPI_Info used;
	int flag, length = sizeof value;

	MPI_Comm_get_info(c, &used);
	MPI_Info_get_string(used, "mpi_assert_exact_length", &length, value, &flag);
	MPI_Info_free(&used);
	return flag && strcmp(value, "true") == 0;
}

/* They are those that were said for the copy, and no others (MPI 5.0 section 7.4.2). */
static void hints(void)
{
	MPI_Comm a, b, c;
	MPI_Request r;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_assert_exact_length", "true");
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a);
	must(has_hint(a), "a copy with hints has them");
	MPI_Comm_dup(a, &b);
	must(!has_hint(b), "a copy does not take hints over");
	MPI_Comm_idup_with_info(b, info, &c, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	must(has_hint(c), "a later copy with hints has them");
	MPI_Info_set(info, "mpi_assert_exact_length", "perhaps");
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	MPI_Comm_free(&b);
	is_class(MPI_Comm_dup_with_info(c, info, &b), MPI_ERR_INFO_VALUE, "a hint that is none");
	must(b == MPI_COMM_NULL, "no copy with a hint that is none");
	MPI_Info_free(&info);
	MPI_Comm_free(&c);
	MPI_Comm_free(&a);
}

/* ---- from groups ---- */

static MPI_Group group_of_every(int step, int first)
{
	int range[1][3] = {{first, prog.size - 1, step}};
	MPI_Group world, g;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 1, range, &g);
	MPI_Group_free(&world);
	return g;
}

static int heard;

static void hear(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
	heard++;
}

/* Overlapping groups, the same processes under two tags; the error handler is the new one's. */
static void from_groups(void)
{
	MPI_Group all = group_of_every(1, 0), every_third = group_of_every(3, 0);
	MPI_Errhandler h, got;
	MPI_Comm a, b, c;
	int member;

	MPI_Comm_create_errhandler(hear, &h);
	MPI_Group_rank(every_third, &member);
	MPI_Comm_create_from_group(all, "one", MPI_INFO_NULL, h, &a);
	MPI_Comm_create_from_group(all, "two", MPI_INFO_NULL, MPI_ERRORS_RETURN, &b);
	works(a, "from a group");
	works(b, "from the same group");
	if (member != MPI_UNDEFINED) {
		MPI_Comm_create_from_group(
			every_third, "one", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
		works(c, "from a part");
		MPI_Comm_free(&c);
	}
	MPI_Comm_get_errhandler(a, &got);
	must(got == h, "the error handler that was given");
	MPI_Errhandler_free(&got);
	MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, h, &c);
	must(c == MPI_COMM_NULL, "nobody has no communicator");
	heard = 0;
	is_class(
		MPI_Comm_create_from_group(all, NULL, MPI_INFO_NULL, h, &c), MPI_ERR_ARG, "no tag");
	is_class(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, h, &c),
		MPI_ERR_GROUP, "no group");
	if (member == MPI_UNDEFINED)
		is_class(MPI_Comm_create_from_group(every_third, "x", MPI_INFO_NULL, h, &c),
			MPI_ERR_GROUP, "a group of others");
	must(heard == 2 + (member == MPI_UNDEFINED), "the given error handler hears of it");
	MPI_Errhandler_free(&h);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
	MPI_Group_free(&all);
	MPI_Group_free(&every_third);
}

static void between_groups(void)
{
	MPI_Group even = group_of_every(2, 0), odd = group_of_every(2, 1);
	MPI_Group us = prog.rank % 2 ? odd : even, them = prog.rank % 2 ? even : odd, got;
	int leader, remote, result;
	MPI_Comm c;

	MPI_Group_size(us, &leader);
	MPI_Group_size(them, &remote);
	leader--; /* the last ones lead */
	remote--;
	MPI_Intercomm_create_from_groups(
		us, leader, them, remote, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
	works(c, "between groups");
	MPI_Comm_remote_group(c, &got);
	MPI_Group_compare(got, them, &result);
	must(result == MPI_IDENT, "the remote group is the one that was given");
	MPI_Group_free(&got);
	MPI_Comm_free(&c);
	is_class(MPI_Intercomm_create_from_groups(
			 us, leader + 1, them, remote, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
		MPI_ERR_RANK, "a leader beyond the group");
	is_class(MPI_Intercomm_create_from_groups(
			 them, 0, us, 0, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
		MPI_ERR_GROUP, "the other side's group");
	MPI_Group_free(&even);
	MPI_Group_free(&odd);
}

/* ---- the end ---- */

/* What is pending is complete when it is disconnected. */
static void disconnects(void)
{
	enum { LONG = 300000 };
	static char out[LONG], in[LONG];
	int next = (prog.rank + 1) % prog.size, before = (prog.rank + prog.size - 1) % prog.size;
	MPI_Request r[2];
	MPI_Comm c, parent;
	int flag;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	memset(out, prog.rank + 1, LONG);
	MPI_Irecv(in, LONG, MPI_CHAR, before, 0, c, &r[0]);
	MPI_Isend(out, LONG, MPI_CHAR, next, 0, c, &r[1]);
	MPI_Comm_disconnect(&c);
	must(c == MPI_COMM_NULL, "a disconnected handle is null");
	must(in[LONG - 1] == before + 1, "what was pending has come");
	for (int i = 0; i < 2; i++) {
		MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
		must(flag, "a request of a disconnected communicator is done");
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	c = MPI_COMM_WORLD;
	is_class(MPI_Comm_disconnect(&c), MPI_ERR_COMM, "the world");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_get_parent(&parent);
	must(parent == MPI_COMM_NULL, "nobody spawned this");
}

int main(int argc, char **argv)
{
	MPI_Comm inter;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	inter = between();
	copies_of(MPI_COMM_WORLD, "a copy");
	copies_of(MPI_COMM_SELF, "a copy of one");
	if (inter != MPI_COMM_NULL) {
		copies_of(inter, "a copy of two groups");
		between_groups();
		MPI_Comm_disconnect(&inter);
	}
	refused_copy();
	wrong_copies();
	hints();
	from_groups();
	disconnects();
	if (prog.rank == 0)
		printf("comms: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
