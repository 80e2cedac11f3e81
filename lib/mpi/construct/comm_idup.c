/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of a communicator that waits for nobody (MPI 5.0 section 7.4.2). The object is there at
 * once, with the attributes of this moment; its contexts follow with the proposals of rank 0, which
 * an operation of the old communicator brings. The program's request is another than that
 * operation's: it is done when the contexts are set.
 */
#include <stdlib.h>

#include "comm_make.h"
#include "mpi/coll/coll_inter.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/comm/comm_again.h"
#include "mpi/p2p/request.h"

struct copying {
	struct engine_deferred deferred;
	struct request *request, *bringing; /* the program's; the operation's */
	struct coll_open *operation;	    /* of bringing */
	struct comm *copy;		    /* held */
	struct comm_proposal both[2];
	bool unsettled; /* there were no counters left */
};

static int on_finish(struct request *r, MPI_Status *status)
{
	struct copying *d = r->owner;
	int rc = d->bringing ? request_finish(NULL, d->bringing, MPI_STATUS_IGNORE) : MPI_SUCCESS;

	(void)status;
	d->bringing = NULL;
	/* it says what is wrong */
	return rc == MPI_SUCCESS && d->unsettled ? comm_make_dup_settle(d->copy, d->both) : rc;
}

static int on_expects(const struct request *r)
{
	const struct copying *d = r->owner;

	return d->bringing ? request_expects(d->bringing) : -1;
}

static void on_free(struct request *r)
{
	struct copying *d = r->owner;

	if (d->bringing)
		(void)request_finish(NULL, d->bringing, MPI_STATUS_IGNORE);
	engine_defer_cancel(&d->deferred);
	comm_release(d->copy);
	free(d);
}

static const struct request_class class = {
	.finish = on_finish,
	.free = on_free,
	.expects = on_expects,
	.binding = true,
};

static void on_brought(struct engine_deferred *deferred)
{
	struct copying *d = container_of(deferred, struct copying, deferred);

	if (d->bringing->error == MPI_SUCCESS) {
		d->unsettled = comm_make_dup_settle(d->copy, d->both) != MPI_SUCCESS;
		d->operation->settled = !d->unsettled;
	}
	request_complete(d->request, MPI_SUCCESS);
}

static int bring(struct comm *c, struct copying *d)
{
	struct coll_open *o = coll_open_new(c);

	if (!o)
		return comm_make_no_memory(c);
	d->operation = o;
	o->plan = coll_own_agree;
	o->call.send = (struct coll_said){.buf = d->both, .count = sizeof(d->both[0])};
	return coll_launch(o, coll_own_agree(&o->run, c, &o->call), false, &d->bringing);
}

/* d is the request's, or gone. */
static int begin(struct comm *c, struct copying *d)
{
	const struct comm_sides bare = {c->group, c->remote, COMM_NO_CONTEXT, COMM_NO_CONTEXT};
	bool resumes = comm_again_resumes(c), again;
	int rc;

	again = !resumes && comm_make_dup_again(c, &d->copy, &rc);
	if (resumes)
		rc = comm_new_sides(&bare, c, &d->copy);
	else if (!again)
		rc = comm_make_dup_open(c, d->both, &d->copy);
	if (rc != MPI_SUCCESS) {
		free(d);
		return rc;
	}
	comm_hold(d->copy);
	d->deferred.run = on_brought;
	d->request = request_new_other(&class, c, d);
	rc = d->request ? MPI_SUCCESS : comm_make_no_memory(c);
	if (rc == MPI_SUCCESS && again)
		request_complete(d->request, MPI_SUCCESS);
	else if (rc == MPI_SUCCESS)
		rc = bring(c, d);
	if (rc == MPI_SUCCESS)
		return rc;
	comm_make_undo(d->copy);
	if (d->request) {
		request_free(d->request);
	} else {
		comm_release(d->copy);
		free(d);
	}
	return rc;
}

/* The operation goes on: others count on it. */
static void give_up(struct copying *d)
{
	comm_make_undo(d->copy);
	if (request_done(d->request))
		request_free(d->request);
	else
		d->request->freed = true;
}

int comm_idup(struct comm *c, struct comm **out, struct request **request)
{
	struct copying *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return comm_make_no_memory(c);
	rc = begin(c, d);
	if (rc != MPI_SUCCESS)
		return rc;
	if (d->bringing)
		d->bringing->then = &d->deferred;
	if (d->bringing && request_done(d->bringing))
		on_brought(&d->deferred);
	rc = comm_make_inherit(c, d->copy);
	if (rc != MPI_SUCCESS) {
		give_up(d);
		return rc;
	}
	*out = d->copy;
	*request = d->request;
	return MPI_SUCCESS;
}
