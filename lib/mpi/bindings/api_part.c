/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication: MPI 5.0 chapter 4. */
#include "api.h"
#include "check.h"
#include "nondet.h"
#include "mpi/comm/info.h"
#include "mpi/p2p/p2p_part.h"
#include "request_set.h"

/* count is that of one partition; neither source nor tag may be a wildcard. */
static int check_parts(struct p2p_message *m, int partitions, MPI_Info info)
{
	struct info *hints;
	MPI_Count all;

	if (partitions < 0)
		return fail_with(MPI_ERR_ARG, "the number of partitions is %d", partitions);
	if (m->count > 0 && __builtin_mul_overflow(m->count, (MPI_Count)partitions, &all))
		return fail_with(MPI_ERR_COUNT,
			"%d partitions of %lld elements are more than can be counted", partitions,
			(long long)m->count);
	if (m->count > 0)
		m->count = all;
	if (info != MPI_INFO_NULL && info_lookup(info, &hints) != MPI_SUCCESS)
		return MPI_ERR_INFO;
	return check_send(m);
}

struct part_args {
	bool send;
	int partitions;
	MPI_Info info;
};

static int init(const char *name, struct p2p_message *m, const struct part_args *parts,
	MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_parts(m, parts->partitions, parts->info);
	if (rc == MPI_SUCCESS)
		rc = part_init(m, parts->send, parts->partitions, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Psend_init = PMPI_Psend_init
int PMPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest,
	int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);
	struct part_args parts = {true, partitions, info};

	return init("MPI_Psend_init", &m, &parts, request);
}

#pragma weak MPI_Psend_init_c = PMPI_Psend_init_c
int PMPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
	int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);
	struct part_args parts = {true, partitions, info};

	return init("MPI_Psend_init_c", &m, &parts, request);
}

#pragma weak MPI_Precv_init = PMPI_Precv_init
int PMPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);
	struct part_args parts = {false, partitions, info};

	return init("MPI_Precv_init", &m, &parts, request);
}

#pragma weak MPI_Precv_init_c = PMPI_Precv_init_c
int PMPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
	int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);
	struct part_args parts = {false, partitions, info};

	return init("MPI_Precv_init_c", &m, &parts, request);
}

/* ---- partitions ---- */

static int ready(const char *name, MPI_Request request, int low, int high)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter(name);
	rc = request_lookup(request, &r);
	if (rc == MPI_SUCCESS) {
		c = set_hold_comm(r);
		rc = part_ready(r, low, high);
	}
	return set_leave(c, rc);
}

#pragma weak MPI_Pready = PMPI_Pready
int PMPI_Pready(int partition, MPI_Request request)
{
	return ready("MPI_Pready", request, partition, partition);
}

#pragma weak MPI_Pready_range = PMPI_Pready_range
int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
	return ready("MPI_Pready_range", request, partition_low, partition_high);
}

#pragma weak MPI_Pready_list = PMPI_Pready_list
int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter("MPI_Pready_list");
	rc = request_lookup(request, &r);
	if (rc == MPI_SUCCESS)
		c = set_hold_comm(r);
	if (rc == MPI_SUCCESS && length < 0)
		rc = fail_with(MPI_ERR_ARG, "the number of partitions is %d", length);
	if (rc == MPI_SUCCESS && length > 0)
		rc = check_pointer(array_of_partitions, "the array of partitions");
	for (int i = 0; rc == MPI_SUCCESS && i < length; i++)
		rc = part_ready(r, array_of_partitions[i], array_of_partitions[i]);
	return set_leave(c, rc);
}

#pragma weak MPI_Parrived = PMPI_Parrived
int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter("MPI_Parrived");
	rc = request_lookup(request, &r);
	if (rc == MPI_SUCCESS)
		c = set_hold_comm(r);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = part_check(r, partition);
	if (rc == MPI_SUCCESS)
		*flag = !set_in_play(r) || nondet_idle(r);
	return set_leave(c, rc);
}
