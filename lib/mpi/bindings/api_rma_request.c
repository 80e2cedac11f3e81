/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication with a request (MPI 5.0 section 12.3.5). */
#include "rma_call.h"

#pragma weak MPI_Rput = PMPI_Rput
int PMPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rput",
		.what = RMA_DO_PUT,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Rput_c = PMPI_Rput_c
int PMPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rput_c",
		.what = RMA_DO_PUT,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Rget = PMPI_Rget
int PMPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
	MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rget",
		.what = RMA_DO_GET,
		.result = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Rget_c = PMPI_Rget_c
int PMPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rget_c",
		.what = RMA_DO_GET,
		.result = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Raccumulate = PMPI_Raccumulate
int PMPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Raccumulate",
		.what = RMA_DO_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Raccumulate_c = PMPI_Raccumulate_c
int PMPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Raccumulate_c",
		.what = RMA_DO_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Rget_accumulate = PMPI_Rget_accumulate
int PMPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
	MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rget_accumulate",
		.what = RMA_DO_GET_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.result = {result_addr, result_count, result_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}

#pragma weak MPI_Rget_accumulate_c = PMPI_Rget_accumulate_c
int PMPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
	MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct rma_said s = {.name = "MPI_Rget_accumulate_c",
		.what = RMA_DO_GET_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.result = {result_addr, result_count, result_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win,
		.with_request = true,
		.request = request};

	return rma_call(&s);
}
