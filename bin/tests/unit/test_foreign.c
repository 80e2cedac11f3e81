/* SPDX-License-Identifier: BSD-3-Clause */
/* Which environments tell of a process that is one of several of another launcher. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "launch/foreign.h"
#include "unit.h"

static char why[512];

/* Of a process with these variables ("NAME=value", to NULL) and no others. */
static int check(char *const *words)
{
	clearenv();
	for (; *words; words++)
		ck_assert_int_eq(putenv(*words), 0);
	strcpy(why, "nothing");
	return foreign_check(why, sizeof why);
}

#define CHECK(...) check((char *[]){__VA_ARGS__, NULL})

START_TEST(one_of_several_is_refused)
{
	ck_assert_int_eq(CHECK("OMPI_COMM_WORLD_SIZE=4", "PMIX_RANK=0"), FT_EINVAL);
	ck_assert(strstr(why, "OMPI_COMM_WORLD_SIZE=4") && strstr(why, "ftmpirun") &&
		  strstr(why, "FTMPI_SINGLETON=1"));
	ck_assert_int_eq(CHECK("PMI_RANK=0", "PMI_SIZE=2"), FT_EINVAL);
	ck_assert_int_eq(CHECK("MV2_COMM_WORLD_SIZE=3"), FT_EINVAL);
	ck_assert_int_eq(CHECK("PMIX_RANK=1"), FT_EINVAL);
	ck_assert_int_eq(CHECK("SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=0"), FT_EINVAL);
	ck_assert_int_eq(CHECK("SLURM_STEP_ID=0", "SLURM_NTASKS=2", "SLURM_PROCID=0"), FT_EINVAL);
	ck_assert_int_eq(CHECK("SLURM_NTASKS=2", "SLURM_PROCID=1"), FT_EINVAL);
}
END_TEST

START_TEST(one_alone_is_not)
{
	ck_assert_int_eq(CHECK("HOME=/"), 0);
	ck_assert_int_eq(CHECK("OMPI_COMM_WORLD_SIZE=1", "PMIX_RANK=0"), 0);
	ck_assert_int_eq(CHECK("PMI_SIZE=1", "PMI_RANK=0"), 0);
	ck_assert_int_eq(CHECK("PMI_SIZE=many", "OMPI_COMM_WORLD_SIZE="), 0);
	ck_assert_str_eq(why, "nothing");
}
END_TEST

/* The shells of salloc and of a batch script, and a step of one process in a larger job. */
START_TEST(an_allocation_is_not_a_step)
{
	ck_assert_int_eq(CHECK("SLURM_JOB_ID=7", "SLURM_NTASKS=16", "SLURM_NPROCS=16"), 0);
	ck_assert_int_eq(CHECK("SLURM_JOB_ID=7", "SLURM_NTASKS=16", "SLURM_PROCID=0",
				 "SLURM_LOCALID=0", "SLURM_NODEID=0"),
		0);
	ck_assert_int_eq(CHECK("SLURM_NTASKS=16", "SLURM_STEP_ID=4294967290",
				 "SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0"),
		0);
}
END_TEST

START_TEST(the_user_may_mean_it)
{
	ck_assert_int_eq(CHECK("PMI_SIZE=2", "FTMPI_SINGLETON=1"), 0);
	ck_assert_int_eq(CHECK("PMI_SIZE=2", "FTMPI_SINGLETON=0"), FT_EINVAL);
}
END_TEST

UNIT_MAIN("foreign", tcase_add_test(tc, one_of_several_is_refused);
	  tcase_add_test(tc, one_alone_is_not); tcase_add_test(tc, an_allocation_is_not_a_step);
	  tcase_add_test(tc, the_user_may_mean_it);)
