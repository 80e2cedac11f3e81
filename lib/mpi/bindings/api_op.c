/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators of the program, and a reduction inside one process (MPI 5.0 sections 6.9.5 and 6.9.7).
 */
#include <stdint.h>

#include "api.h"
#include "mpi/type/op.h"
#include "mpi/type/type.h"

static int create(
	MPI_User_function *user, MPI_User_function_c *user_c, bool commutative, MPI_Op *op)
{
	struct op *o = NULL;
	int rc;

	if (!op || (!user && !user_c))
		return fail_with(MPI_ERR_ARG, "the function or the result is a null pointer");
	rc = op_make(user, user_c, commutative, &o);
	if (rc == MPI_SUCCESS)
		*op = o->handle;
	return rc;
}

#pragma weak MPI_Op_create = PMPI_Op_create
int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	api_enter("MPI_Op_create");
	return api_leave(NULL, create(user_fn, NULL, commute != 0, op));
}

#pragma weak MPI_Op_create_c = PMPI_Op_create_c
int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	api_enter("MPI_Op_create_c");
	return api_leave(NULL, create(NULL, user_fn, commute != 0, op));
}

static int op_free_handle(MPI_Op *op)
{
	struct op *o = NULL;
	int rc;

	if (!op)
		return fail_null("op");
	rc = op_lookup(*op, &o);
	if (rc != MPI_SUCCESS)
		return rc;
	if (handle_is_predefined(o->handle))
		return fail_with(MPI_ERR_OP, "the operator is predefined and cannot be freed");
	op_free(o);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

#pragma weak MPI_Op_free = PMPI_Op_free
int PMPI_Op_free(MPI_Op *op)
{
	api_enter("MPI_Op_free");
	return api_leave(NULL, op_free_handle(op));
}

#pragma weak MPI_Op_commutative = PMPI_Op_commutative
int PMPI_Op_commutative(MPI_Op op, int *commute)
{
	struct op *o = NULL;
	int rc;

	api_enter("MPI_Op_commutative");
	if (commute)
		rc = op_lookup(op, &o);
	else
		rc = fail_null("commute");
	if (rc == MPI_SUCCESS)
		*commute = o->commutative;
	return api_leave(NULL, rc);
}

struct local {
	const void *in;
	void *inout;
	MPI_Count count;
	MPI_Datatype datatype;
	MPI_Op op;
};

/* Addresses of nothing are fine for nothing, and with absolute addresses in the type. */
static int check_vectors(const struct local *l, const struct type *t)
{
	if (l->count == 0 || t->size == 0 || !t->contiguous)
		return MPI_SUCCESS;
	if (!l->in || !l->inout)
		return fail_with(MPI_ERR_BUFFER, "%s is a null pointer and the count is %lld",
			l->in ? "inoutbuf" : "inbuf", (long long)l->count);
	if (l->in == l->inout)
		return fail_with(MPI_ERR_BUFFER, "inbuf and inoutbuf are the same memory");
	if ((size_t)l->count > PTRDIFF_MAX / t->size)
		return fail_with(MPI_ERR_COUNT,
			"%lld elements of %zu bytes are more than all memory", (long long)l->count,
			t->size);
	return MPI_SUCCESS;
}

static int reduce_local(const struct local *l)
{
	struct type *t = NULL;
	struct op *op = NULL;
	int rc;

	if (l->count < 0)
		return fail_with(MPI_ERR_COUNT, "the count is %lld; it must not be negative",
			(long long)l->count);
	if (l->in == MPI_IN_PLACE || l->inout == MPI_IN_PLACE)
		return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning here");
	rc = type_lookup_committed(l->datatype, &t);
	if (rc == MPI_SUCCESS)
		rc = op_lookup(l->op, &op);
	if (rc == MPI_SUCCESS)
		rc = op_check(op, t);
	if (rc == MPI_SUCCESS)
		rc = check_vectors(l, t);
	if (rc == MPI_SUCCESS)
		op_apply(op, l->in, l->inout, (size_t)l->count, t);
	return rc;
}

#pragma weak MPI_Reduce_local = PMPI_Reduce_local
int PMPI_Reduce_local(
	const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
	struct local l = {inbuf, inoutbuf, count, datatype, op};

	api_enter("MPI_Reduce_local");
	return api_leave(NULL, reduce_local(&l));
}

#pragma weak MPI_Reduce_local_c = PMPI_Reduce_local_c
int PMPI_Reduce_local_c(
	const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
	struct local l = {inbuf, inoutbuf, count, datatype, op};

	api_enter("MPI_Reduce_local_c");
	return api_leave(NULL, reduce_local(&l));
}
