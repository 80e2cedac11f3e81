/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, and receives of what a probe took: MPI 5.0 section 3.8. */
#include <string.h>

#include "api.h"
#include "check.h"
#include "nondet.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/status.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/p2p_probe.h"
#include "request_set.h"

static int check_probe(MPI_Comm comm, struct probing *p)
{
	int rc = comm_lookup(comm, &p->c);

	return rc ? rc : check_source(p->c, p->source, p->tag);
}

/* MPI_ERROR stays as it is (MPI 5.0 section 3.2.5). */
static void tell_found(const struct p2p_found *found, MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	memset(status->MPI_internal, 0, sizeof status->MPI_internal);
	status->MPI_SOURCE = found->source;
	status->MPI_TAG = found->tag;
	status_set_bytes(status, found->bytes);
}

static const struct p2p_found found_nobody = {MPI_PROC_NULL, MPI_ANY_TAG, 0};

#pragma weak MPI_Probe = PMPI_Probe
int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct probing p = {.source = source, .tag = tag, .found = found_nobody};
	int rc;

	api_enter("MPI_Probe");
	rc = check_probe(comm, &p);
	if (rc == MPI_SUCCESS) {
		nondet_probe(&p, true);
		tell_found(&p.found, status);
	}
	return api_leave(p.c, rc);
}

#pragma weak MPI_Iprobe = PMPI_Iprobe
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct probing p = {.source = source, .tag = tag, .found = found_nobody};
	int rc;

	api_enter("MPI_Iprobe");
	rc = check_probe(comm, &p);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_probe(&p, false);
		if (*flag)
			tell_found(&p.found, status);
	}
	return api_leave(p.c, rc);
}

/* ---- and out of the lists with it ---- */

static int take(struct probing *p, MPI_Message *message, MPI_Status *status)
{
	int rc = MPI_SUCCESS;

	if (p->source == MPI_PROC_NULL)
		*message = MPI_MESSAGE_NO_PROC;
	else
		rc = message_take(p->c, p->msg, p->found.source, message);
	if (rc == MPI_SUCCESS)
		tell_found(&p->found, status);
	return rc;
}

#pragma weak MPI_Mprobe = PMPI_Mprobe
int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	struct probing p = {.source = source, .tag = tag, .takes = true, .found = found_nobody};
	int rc;

	api_enter("MPI_Mprobe");
	rc = check_probe(comm, &p);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(message, "message");
	if (rc == MPI_SUCCESS) {
		nondet_probe(&p, true);
		rc = take(&p, message, status);
	}
	return api_leave(p.c, rc);
}

#pragma weak MPI_Improbe = PMPI_Improbe
int PMPI_Improbe(
	int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	struct probing p = {.source = source, .tag = tag, .takes = true, .found = found_nobody};
	int rc;

	api_enter("MPI_Improbe");
	rc = check_probe(comm, &p);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(message, "message");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_probe(&p, false);
		*message = MPI_MESSAGE_NULL;
		if (*flag)
			rc = take(&p, message, status);
	}
	return api_leave(p.c, rc);
}

/* ---- what was found is received ---- */

/* m->comm is told the communicator, for its error handler. */
static int receive(struct p2p_message *m, MPI_Message *message, struct request **out)
{
	struct message *found = NULL;
	int rc = check_pointer(message, "message");

	if (rc == MPI_SUCCESS)
		rc = message_lookup(*message, &found);
	if (found)
		m->comm = message_comm(found);
	if (rc == MPI_SUCCESS)
		rc = check_buffer(m);
	if (rc == MPI_SUCCESS)
		rc = message_receive(found, m, out);
	if (rc == MPI_SUCCESS)
		*message = MPI_MESSAGE_NULL;
	return rc;
}

/* The request may hold the communicator's last reference. */
static int mrecv(const char *name, struct p2p_message *m, MPI_Message *message, MPI_Status *status)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter(name);
	rc = receive(m, message, &r);
	if (rc)
		return api_leave(m->comm, rc);
	c = set_hold_comm(r);
	rc = request_wait(r, status);
	return set_leave(c, rc);
}

static int imrecv(
	const char *name, struct p2p_message *m, MPI_Message *message, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = receive(m, message, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Mrecv = PMPI_Mrecv
int PMPI_Mrecv(
	void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
	struct p2p_message m = {.buf = buf, .count = count, .datatype = datatype};

	return mrecv("MPI_Mrecv", &m, message, status);
}

#pragma weak MPI_Imrecv = PMPI_Imrecv
int PMPI_Imrecv(
	void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
	struct p2p_message m = {.buf = buf, .count = count, .datatype = datatype};

	return imrecv("MPI_Imrecv", &m, message, request);
}

#pragma weak MPI_Mrecv_c = PMPI_Mrecv_c
int PMPI_Mrecv_c(
	void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
	struct p2p_message m = {.buf = buf, .count = count, .datatype = datatype};

	return mrecv("MPI_Mrecv_c", &m, message, status);
}

#pragma weak MPI_Imrecv_c = PMPI_Imrecv_c
int PMPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
	MPI_Request *request)
{
	struct p2p_message m = {.buf = buf, .count = count, .datatype = datatype};

	return imrecv("MPI_Imrecv_c", &m, message, request);
}
