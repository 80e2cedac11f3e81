/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication (MPI 5.0 section 12.3). */
#include "rma_call.h"

#pragma weak MPI_Put = PMPI_Put
int PMPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Put",
		.what = RMA_DO_PUT,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Put_c = PMPI_Put_c
int PMPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Put_c",
		.what = RMA_DO_PUT,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Get = PMPI_Get
int PMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Get",
		.what = RMA_DO_GET,
		.result = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Get_c = PMPI_Get_c
int PMPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Get_c",
		.what = RMA_DO_GET,
		.result = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Accumulate = PMPI_Accumulate
int PMPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Accumulate",
		.what = RMA_DO_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Accumulate_c = PMPI_Accumulate_c
int PMPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Accumulate_c",
		.what = RMA_DO_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Get_accumulate = PMPI_Get_accumulate
int PMPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
	MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Get_accumulate",
		.what = RMA_DO_GET_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.result = {result_addr, result_count, result_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Get_accumulate_c = PMPI_Get_accumulate_c
int PMPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
	MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Get_accumulate_c",
		.what = RMA_DO_GET_ACCUMULATE,
		.origin = {origin_addr, origin_count, origin_datatype},
		.result = {result_addr, result_count, result_datatype},
		.there = {NULL, target_count, target_datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win};

	return rma_call(&s);
}

#pragma weak MPI_Fetch_and_op = PMPI_Fetch_and_op
int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
	int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Fetch_and_op",
		.what = RMA_DO_GET_ACCUMULATE,
		.origin = {origin_addr, 1, datatype},
		.result = {result_addr, 1, datatype},
		.there = {NULL, 1, datatype},
		.target = target_rank,
		.disp = target_disp,
		.op = op,
		.win = win,
		.predefined = true};

	return rma_call(&s);
}

#pragma weak MPI_Compare_and_swap = PMPI_Compare_and_swap
int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
	MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct rma_said s = {.name = "MPI_Compare_and_swap",
		.what = RMA_DO_SWAP,
		.origin = {origin_addr, 1, datatype},
		.result = {result_addr, 1, datatype},
		.there = {NULL, 1, datatype},
		.compare = compare_addr,
		.target = target_rank,
		.disp = target_disp,
		.win = win,
		.predefined = true};

	return rma_call(&s);
}
