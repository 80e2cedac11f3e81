/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma_call.h"

#include "api.h"
#include "mpi/p2p/request.h"
#include "mpi/rma/win_epoch.h"
#include "mpi/type/type_table.h"

static int check_target(const struct win *w, int target)
{
	if ((target >= 0 && target < win_size(w)) || target == MPI_PROC_NULL)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RANK, "rank %d is not in window %s of %d", target, win_label(w),
		win_size(w));
}

/* More than there is memory. */
static bool too_many(size_t count, const struct type *t)
{
	size_t bytes;

	return __builtin_mul_overflow(count, t->size, &bytes) || bytes > PTRDIFF_MAX;
}

/* One of the places in this process's memory. */
static int take_area(const struct rma_said_area *s, const char *what, struct rma_area *out)
{
	int rc;

	if (s->count < 0)
		return fail_with(
			MPI_ERR_COUNT, "%s_count is %lld, less than 0", what, (long long)s->count);
	rc = type_lookup_for(s->datatype, s->count, &out->type);
	if (rc)
		return rc;
	out->base = (void *)(uintptr_t)s->buf;
	out->count = (size_t)s->count;
	if (too_many(out->count, out->type))
		return fail_with(MPI_ERR_COUNT, "%s_count is %lld, more than there is memory", what,
			(long long)s->count);
	if (s->buf == MPI_IN_PLACE)
		return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE is for collective calls");
	if (s->buf == MPI_BOTTOM && s->count > 0 && out->type->size > 0 && out->type->contiguous)
		return fail_with(MPI_ERR_BUFFER, "%s_addr is a null pointer and %s_count is %lld",
			what, what, (long long)s->count);
	return MPI_SUCCESS;
}

static int take_there(const struct rma_said *s, struct rma_call *c)
{
	if (s->there.count < 0)
		return fail_with(MPI_ERR_COUNT, "target_count is %lld, less than 0",
			(long long)s->there.count);
	c->disp = s->disp;
	c->count = (size_t)s->there.count;
	if (type_lookup_for(s->there.datatype, s->there.count, &c->type) != MPI_SUCCESS)
		return MPI_ERR_TYPE;
	if (too_many(c->count, c->type))
		return fail_with(MPI_ERR_COUNT, "target_count is %lld, more than any window has",
			(long long)s->there.count);
	return MPI_SUCCESS;
}

static size_t bytes_of(const struct rma_area *a)
{
	return a->count * a->type->size;
}

static size_t bytes_there(const struct rma_call *c)
{
	return c->count * c->type->size;
}

static int too_long(size_t data, const char *what, size_t room)
{
	return fail_with(
		MPI_ERR_TRUNCATE, "%zu bytes do not fit into %s, which has %zu", data, what, room);
}

/* ---- operators ---- */

static int take_basic(const struct rma_call *c, MPI_Datatype *basic)
{
	*basic = c->type->basic;
	if (*basic == MPI_DATATYPE_NULL)
		return fail_with(MPI_ERR_TYPE,
			"the target's datatype is not made of one predefined datatype, as "
			"accumulating needs");
	if (c->origin.type && c->origin.type->basic != *basic)
		return fail_with(MPI_ERR_TYPE,
			"the origin's datatype is made of other predefined datatypes than the "
			"target's");
	return MPI_SUCCESS;
}

static int take_op(const struct rma_said *s, struct rma_call *c)
{
	MPI_Datatype basic;
	int rc = op_lookup(s->op, &c->op);

	if (rc)
		return rc;
	if (!handle_is_predefined(s->op))
		return fail_with(MPI_ERR_OP,
			"accumulating takes predefined operators only, not the program's");
	if (s->op == MPI_NO_OP && c->what == RMA_DO_ACCUMULATE)
		return fail_with(MPI_ERR_OP, "MPI_NO_OP is for calls that fetch");
	if (bytes_there(c) == 0)
		return MPI_SUCCESS;
	rc = take_basic(c, &basic);
	if (rc == MPI_SUCCESS)
		rc = type_lookup(basic, &c->basic);
	if (rc || s->op == MPI_NO_OP || s->op == MPI_REPLACE)
		return rc;
	return op_check(c->op, c->basic);
}

/* ---- each kind ---- */

static int take_put(const struct rma_said *s, struct rma_call *c)
{
	int rc = take_area(&s->origin, "origin", &c->origin);

	if (rc == MPI_SUCCESS && bytes_of(&c->origin) > bytes_there(c))
		rc = too_long(bytes_of(&c->origin), "the target's data", bytes_there(c));
	return rc;
}

static int take_get(const struct rma_said *s, struct rma_call *c)
{
	int rc = take_area(&s->result, "origin", &c->result);

	if (rc == MPI_SUCCESS && bytes_of(&c->result) < bytes_there(c))
		rc = too_long(bytes_there(c), "the origin's buffer", bytes_of(&c->result));
	return rc;
}

static int take_accumulate(const struct rma_said *s, struct rma_call *c)
{
	int rc = MPI_SUCCESS;

	if (s->op != MPI_NO_OP)
		rc = take_area(&s->origin, "origin", &c->origin);
	if (rc == MPI_SUCCESS && s->op != MPI_NO_OP && bytes_of(&c->origin) != bytes_there(c))
		rc = fail_with(MPI_ERR_COUNT, "%zu bytes are to be accumulated to %zu",
			bytes_of(&c->origin), bytes_there(c));
	return rc ? rc : take_op(s, c);
}

static int take_get_accumulate(const struct rma_said *s, struct rma_call *c)
{
	int rc = take_area(&s->result, "result", &c->result);

	if (rc == MPI_SUCCESS && bytes_of(&c->result) < bytes_there(c))
		rc = too_long(bytes_there(c), "the result's buffer", bytes_of(&c->result));
	return rc ? rc : take_accumulate(s, c);
}

/* MPI 5.0 section 12.3.4: integers, logicals, bytes. */
static bool may_be_swapped(MPI_Datatype datatype)
{
	switch (type_table_class_of(datatype)) {
	case CLASS_C_INTEGER:
	case CLASS_FORTRAN_INTEGER:
	case CLASS_LOGICAL:
	case CLASS_MULTI:
	case CLASS_BYTE:
		return true;
	case CLASS_NONE:
		return datatype == MPI_CHAR;
	default:
		return false;
	}
}

static int take_swap(const struct rma_said *s, struct rma_call *c)
{
	int rc = take_area(&s->origin, "origin", &c->origin);

	c->compare = s->compare;
	if (rc == MPI_SUCCESS)
		rc = take_area(&s->result, "result", &c->result);
	if (rc == MPI_SUCCESS && c->count > 0 && !may_be_swapped(s->there.datatype))
		rc = fail_with(MPI_ERR_TYPE,
			"MPI_Compare_and_swap takes predefined integers, logicals and bytes");
	if (rc == MPI_SUCCESS && !s->compare)
		rc = fail_with(MPI_ERR_BUFFER, "compare_addr is a null pointer");
	return rc;
}

static int take_data(const struct rma_said *s, struct rma_call *c)
{
	switch (c->what) {
	case RMA_DO_PUT:
		return take_put(s, c);
	case RMA_DO_GET:
		return take_get(s, c);
	case RMA_DO_ACCUMULATE:
		return take_accumulate(s, c);
	case RMA_DO_GET_ACCUMULATE:
		return take_get_accumulate(s, c);
	case RMA_DO_SWAP:
		return take_swap(s, c);
	}
	return MPI_ERR_INTERN;
}

static int check_epoch(const struct rma_said *s, struct rma_call *c)
{
	if (s->request && c->w->peers[c->target].hold == WIN_NO_LOCK)
		return fail_with(MPI_ERR_RMA_SYNC,
			"operations with a request need a lock, and rank %d of window %s is not "
			"locked",
			c->target, win_label(c->w));
	return win_epoch_may_access(c->w, c->target);
}

static int take(const struct rma_said *s, struct rma_call *c)
{
	int rc = check_target(c->w, s->target);

	if (rc == MPI_SUCCESS && s->with_request && !s->request)
		rc = fail_null("request");
	if (rc == MPI_SUCCESS && s->predefined && s->there.count > 0 &&
		!type_predefined(s->there.datatype))
		rc = fail_with(MPI_ERR_TYPE, "%s takes a predefined datatype", s->name);
	if (rc == MPI_SUCCESS)
		rc = take_there(s, c);
	if (rc == MPI_SUCCESS)
		rc = take_data(s, c);
	if (rc == MPI_SUCCESS && s->target != MPI_PROC_NULL)
		rc = check_epoch(s, c);
	return rc;
}

/* ---- requests ---- */

static int finish(struct request *r, MPI_Status *status)
{
	(void)status;
	if (r->error == MPI_SUCCESS)
		return MPI_SUCCESS;
	return fail_with(r->error, "the target refused it");
}

static const struct request_class rma_requests = {.finish = finish};

/* Without a result it is complete at the origin at once: the data was taken. */
static int begin_requested(struct rma_call *c, MPI_Request *request)
{
	struct request *r = request_new_other(&rma_requests, c->w->comm, NULL);
	int rc = MPI_SUCCESS;

	if (!r)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	c->request = c->result.type ? r : NULL;
	if (c->target != MPI_PROC_NULL)
		rc = rma_origin_begin(c);
	if (rc) {
		request_free(r);
		return rc;
	}
	if (!c->request || c->target == MPI_PROC_NULL)
		request_complete(r, MPI_SUCCESS);
	*request = (MPI_Request)(void *)r;
	return MPI_SUCCESS;
}

static int begin(const struct rma_said *s, struct rma_call *c)
{
	if (s->with_request)
		return begin_requested(c, s->request);
	return c->target == MPI_PROC_NULL ? MPI_SUCCESS : rma_origin_begin(c);
}

/* Nothing goes to MPI_PROC_NULL or comes from there, so none of the data needs a type: where one of
 * the places has MPI_DATATYPE_NULL, all have no elements. */
static struct rma_said without_data(struct rma_said s)
{
	struct rma_said_area *areas[] = {&s.origin, &s.result, &s.there};
	bool untyped = false;

	for (int i = 0; i < 3; i++)
		untyped |= areas[i]->datatype == MPI_DATATYPE_NULL;
	for (int i = 0; i < 3; i++)
		if (untyped && s.target == MPI_PROC_NULL && areas[i]->count > 0)
			areas[i]->count = 0;
	return s;
}

int rma_call(const struct rma_said *said)
{
	struct rma_said s = without_data(*said);
	struct rma_call c = {.what = s.what, .target = s.target};
	int rc;

	api_enter(s.name);
	rc = win_lookup(s.win, &c.w);
	if (rc)
		return api_leave_win(NULL, rc);
	win_hold(c.w);
	rc = take(&s, &c);
	if (rc == MPI_SUCCESS)
		rc = begin(&s, &c);
	win_release(c.w);
	return api_leave_win(c.w, rc);
}
