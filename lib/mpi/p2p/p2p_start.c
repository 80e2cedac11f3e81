/* SPDX-License-Identifier: BSD-3-Clause */
/* An operation begins, or is taken back: what its request says is to be done, and its class first.
 */
#include "mpi/engine/engine.h"
#include "p2p_inside.h"

int p2p_start_message(struct request *r)
{
	engine_assert_held();
	if (r->kind == REQUEST_SEND)
		return p2p_send_start(r);
	p2p_recv_start(r);
	return MPI_SUCCESS;
}

int p2p_start(struct request *r)
{
	int rc = MPI_SUCCESS;

	engine_assert_held();
	p2p_begin(r);
	if (__builtin_expect(r->class != NULL, false))
		rc = r->class->start(r);
	else if (r->kind == REQUEST_RECV)
		p2p_recv_start(r);
	else
		rc = p2p_send_start(r);
	if (rc)
		request_become(r, REQUEST_INACTIVE);
	return rc;
}

int p2p_cancel(struct request *r)
{
	engine_assert_held();
	if (r->class && r->class->cancel)
		return r->class->cancel(r);
	if (r->kind == REQUEST_SEND && !request_done(r) && r->m.rank >= 0)
		p2p_send_withdraw(r);
	if (r->kind == REQUEST_RECV && r->state == REQUEST_POSTED) {
		p2p_recv_withdraw(r);
		r->cancelled = true;
	}
	return MPI_SUCCESS;
}
