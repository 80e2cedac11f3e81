/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library tells of its binary interface (MPI 5.0 chapter 21) and of the machine: legal at
 * any time. The Fortran types are those of gfortran without options that change them, known from
 * the start, so nobody can set them.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi/comm/info.h"
#include "mpi/engine/engine.h"
#include "mpi/type/type_table.h"

static void enter(const char *name)
{
	api_enter_anytime(name);
	engine_lock();
}

static int leave(int rc)
{
	engine_unlock();
	return api_leave_anytime(rc);
}

#pragma weak MPI_Abi_get_version = PMPI_Abi_get_version
int PMPI_Abi_get_version(int *abi_major, int *abi_minor)
{
	api_enter_anytime("MPI_Abi_get_version");
	int rc = check_pointer(abi_major, "abi_major");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(abi_minor, "abi_minor");
	if (rc != MPI_SUCCESS)
		return api_leave_anytime(rc);
	*abi_major = MPI_ABI_VERSION;
	*abi_minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}

struct fact {
	const char *key;
	MPI_Datatype type;
};

/* sizes */
static const struct fact widths[] = {
	{"mpi_aint_size", MPI_AINT},
	{"mpi_count_size", MPI_COUNT},
	{"mpi_offset_size", MPI_OFFSET},
};

static const struct fact sizes[] = {
	{"mpi_logical_size", MPI_LOGICAL},
	{"mpi_integer_size", MPI_INTEGER},
	{"mpi_real_size", MPI_REAL},
	{"mpi_double_precision_size", MPI_DOUBLE_PRECISION},
};

/* true or false */
static const struct fact optional[] = {
	{"mpi_logical1_supported", MPI_LOGICAL1},
	{"mpi_logical2_supported", MPI_LOGICAL2},
	{"mpi_logical4_supported", MPI_LOGICAL4},
	{"mpi_logical8_supported", MPI_LOGICAL8},
	{"mpi_logical16_supported", MPI_LOGICAL16},
	{"mpi_integer1_supported", MPI_INTEGER1},
	{"mpi_integer2_supported", MPI_INTEGER2},
	{"mpi_integer4_supported", MPI_INTEGER4},
	{"mpi_integer8_supported", MPI_INTEGER8},
	{"mpi_integer16_supported", MPI_INTEGER16},
	{"mpi_real2_supported", MPI_REAL2},
	{"mpi_real4_supported", MPI_REAL4},
	{"mpi_real8_supported", MPI_REAL8},
	{"mpi_real16_supported", MPI_REAL16},
	{"mpi_complex4_supported", MPI_COMPLEX4},
	{"mpi_complex8_supported", MPI_COMPLEX8},
	{"mpi_complex16_supported", MPI_COMPLEX16},
	{"mpi_complex32_supported", MPI_COMPLEX32},
	{"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool put_sizes(struct info *i, const struct fact *facts, size_t count)
{
	char size[24];

	for (size_t n = 0; n < count; n++) {
		const struct type *t = type_predefined(facts[n].type);

		snprintf(size, sizeof size, "%zu", t ? t->size : 0);
		if (info_put(i, facts[n].key, size) != MPI_SUCCESS)
			return false;
	}
	return true;
}

static bool put_optional(struct info *i)
{
	for (size_t n = 0; n < COUNT(optional); n++) {
		const char *there = type_predefined(optional[n].type) ? "true" : "false";

		if (info_put(i, optional[n].key, there) != MPI_SUCCESS)
			return false;
	}
	return true;
}

static bool put_widths(struct info *i)
{
	return put_sizes(i, widths, COUNT(widths));
}

static bool put_fortran(struct info *i)
{
	return put_sizes(i, sizes, COUNT(sizes)) && put_optional(i);
}

/* Where this process is bound: keys are schemes of our own, as hwloc is not asked. */
static bool put_machine(struct info *i)
{
	cpu_set_t cpus;
	bool one = sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1;

	return info_put(i, "ftmpi://Host", "true") == MPI_SUCCESS &&
	       info_put(i, "ftmpi://Processor", one ? "true" : "false") == MPI_SUCCESS;
}

static int give(bool (*fill)(struct info *i), MPI_Info *info)
{
	struct info *i;
	int rc = check_pointer(info, "info");

	if (rc != MPI_SUCCESS)
		return rc;
	i = info_new();
	if (!i || !fill(i))
		rc = fail_with(MPI_ERR_NO_MEM, "no memory for an info object");
	if (rc == MPI_SUCCESS)
		rc = info_export(i, info);
	if (rc != MPI_SUCCESS)
		info_free(i);
	return rc;
}

#pragma weak MPI_Abi_get_info = PMPI_Abi_get_info
int PMPI_Abi_get_info(MPI_Info *info)
{
	enter("MPI_Abi_get_info");
	return leave(give(put_widths, info));
}

#pragma weak MPI_Abi_get_fortran_info = PMPI_Abi_get_fortran_info
int PMPI_Abi_get_fortran_info(MPI_Info *info)
{
	enter("MPI_Abi_get_fortran_info");
	return leave(give(put_fortran, info));
}

#pragma weak MPI_Get_hw_resource_info = PMPI_Get_hw_resource_info
int PMPI_Get_hw_resource_info(MPI_Info *hw_info)
{
	enter("MPI_Get_hw_resource_info");
	return leave(give(put_machine, hw_info));
}

#pragma weak MPI_Abi_set_fortran_info = PMPI_Abi_set_fortran_info
int PMPI_Abi_set_fortran_info(MPI_Info info)
{
	struct info *i;

	enter("MPI_Abi_set_fortran_info");
	int rc = info_lookup(info, &i);
	if (rc == MPI_SUCCESS)
		rc = fail_with(MPI_ERR_ABI, "the sizes of Fortran's types are known already: "
					    "MPI_Abi_get_fortran_info tells them");
	return leave(rc);
}

/* ---- LOGICAL: .TRUE. is 1, .FALSE. is 0 in every width ---- */

static int check_booleans(int logical_size, const void *logical_true, const void *logical_false)
{
	static const int known[] = {1, 2, 4, 8, 16};
	bool good = false;
	int rc = check_pointer(logical_true, "logical_true");

	for (size_t n = 0; n < COUNT(known); n++)
		good |= known[n] == logical_size;
	if (rc == MPI_SUCCESS)
		rc = check_pointer(logical_false, "logical_false");
	if (rc == MPI_SUCCESS && !good)
		rc = fail_with(MPI_ERR_ARG, "no LOGICAL has %d bytes", logical_size);
	return rc;
}

/* The machine's number in so many bytes. */
static void write_logical(void *out, size_t size, uint8_t value)
{
	const union {
		uint16_t word;
		uint8_t first;
	} order = {1};

	memset(out, 0, size);
	((uint8_t *)out)[order.first ? 0 : size - 1] = value;
}

#pragma weak MPI_Abi_get_fortran_booleans = PMPI_Abi_get_fortran_booleans
int PMPI_Abi_get_fortran_booleans(
	int logical_size, void *logical_true, void *logical_false, int *is_set)
{
	enter("MPI_Abi_get_fortran_booleans");
	int rc = check_booleans(logical_size, logical_true, logical_false);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(is_set, "is_set");
	if (rc == MPI_SUCCESS) {
		write_logical(logical_true, (size_t)logical_size, 1);
		write_logical(logical_false, (size_t)logical_size, 0);
		*is_set = 1;
	}
	return leave(rc);
}

#pragma weak MPI_Abi_set_fortran_booleans = PMPI_Abi_set_fortran_booleans
int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
	enter("MPI_Abi_set_fortran_booleans");
	int rc = check_booleans(logical_size, logical_true, logical_false);
	if (rc == MPI_SUCCESS)
		rc = fail_with(MPI_ERR_ABI, "the values of LOGICAL are known already: "
					    "MPI_Abi_get_fortran_booleans tells them");
	return leave(rc);
}
