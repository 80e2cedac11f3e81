/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_launch.h"

#include "coll_resume.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/request.h"

static int on_start(struct request *r)
{
	return coll_resume(r->owner);
}

static int on_finish(struct request *r, MPI_Status *status)
{
	struct coll_open *o = r->owner;

	(void)status;
	if (!o->error)
		return MPI_SUCCESS;
	return fail_with(o->error, "%s: %s", o->name, o->why ? o->why : "no memory to say why");
}

static int on_expects(const struct request *r)
{
	const struct coll_open *o = r->owner;

	return o->waited < o->n ? request_expects(o->messages[o->waited]) : -1;
}

static void on_free(struct request *r)
{
	coll_resume_forget(r->owner);
	coll_open_free(r->owner);
}

static const struct request_class class = {
	.start = on_start,
	.finish = on_finish,
	.free = on_free,
	.expects = on_expects,
	.binding = true,
};

int coll_launch(struct coll_open *o, int planned, bool persistent, struct request **out)
{
	int rc = coll_open_ready(o, planned);
	struct request *r = rc ? NULL : request_new_other(&class, o->run.c, o);

	engine_assert_held();
	if (rc == MPI_SUCCESS && !r)
		rc = fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	if (rc) {
		coll_open_free(o);
		return rc;
	}
	r->persistent = persistent;
	if (persistent)
		request_become(r, REQUEST_INACTIVE);
	coll_open_add(o, r);
	rc = coll_resume_find(o);
	if (rc == MPI_SUCCESS && !persistent)
		rc = coll_resume(o);
	if (rc)
		request_free(r);
	else
		*out = r;
	return rc;
}

void coll_launch_fini(void)
{
	struct link *item;

	while ((item = list_first(coll_open_all())))
		request_free(container_of(item, struct coll_open, link)->request);
	coll_resume_fini();
}
