/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: MPI 5.0 section 3.8. */
#include "api.h"
#include "check.h"
#include "engine.h"
#include "p2p_state.h"
#include "request.h"
#include "status.h"

struct probing {
	struct comm *c;
	int source, tag;
	struct p2p_found found;
};

static bool has_come(void *arg, int *expect)
{
	struct probing *p = arg;

	if (p->source >= 0)
		*expect = comm_world_rank(p->c, p->source);
	return p2p_probe(p->c, p->source, p->tag, &p->found);
}

static void tell_found(const struct p2p_found *found, MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	status_empty(status);
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
	rc = comm_lookup(comm, &p.c);
	if (rc == MPI_SUCCESS)
		rc = check_source(p.c, source, tag);
	if (rc == MPI_SUCCESS) {
		if (source != MPI_PROC_NULL)
			engine_wait(has_come, &p);
		tell_found(&p.found, status);
	}
	return api_leave(p.c, rc);
}

#pragma weak MPI_Iprobe = PMPI_Iprobe
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct comm *c = NULL;
	struct p2p_found found = found_nobody;
	int rc;

	api_enter("MPI_Iprobe");
	rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_source(c, source, tag);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = source == MPI_PROC_NULL || p2p_probe(c, source, tag, &found);
		if (!*flag) {
			engine_look();
			*flag = p2p_probe(c, source, tag, &found);
		}
		if (*flag)
			tell_found(&found, status);
	}
	return api_leave(c, rc);
}
