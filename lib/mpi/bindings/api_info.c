/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects (MPI 5.0 chapter 10), legal at any time and in any thread; hints of communicators.
 */
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/hints.h"
#include "mpi/comm/info.h"
#include "mpi/engine/engine.h"

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

/* Hand over what was just made; NULL: there was no memory. */
static int give(struct info *made, MPI_Info *info)
{
	int rc = made ? info_export(made, info)
		      : fail_with(MPI_ERR_NO_MEM, "no memory for an info object");

	if (rc != MPI_SUCCESS)
		info_free(made);
	return rc;
}

#pragma weak MPI_Info_create = PMPI_Info_create
int PMPI_Info_create(MPI_Info *info)
{
	enter("MPI_Info_create");
	int rc = check_pointer(info, "info");
	if (rc == MPI_SUCCESS)
		rc = give(info_new(), info);
	return leave(rc);
}

#pragma weak MPI_Info_create_env = PMPI_Info_create_env
int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
	enter("MPI_Info_create_env");
	int rc = check_pointer(info, "info");
	if (rc == MPI_SUCCESS && argc < 0)
		rc = fail_with(MPI_ERR_ARG, "argc is %d, less than 0", argc);
	if (rc == MPI_SUCCESS)
		rc = give(info_env(argc, argv), info);
	return leave(rc);
}

#pragma weak MPI_Info_dup = PMPI_Info_dup
int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
	struct info *i = NULL;

	enter("MPI_Info_dup");
	int rc = info_lookup(info, &i);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newinfo, "newinfo");
	if (rc == MPI_SUCCESS)
		rc = give(info_copy(i), newinfo);
	return leave(rc);
}

/* MPI_INFO_ENV may be read and copied only. */
static int lookup_own(MPI_Info info, struct info **out)
{
	if (info == MPI_INFO_ENV)
		return fail_with(MPI_ERR_INFO,
			"MPI_INFO_ENV cannot be changed or freed: MPI_Info_dup makes a copy");
	return info_lookup(info, out);
}

#pragma weak MPI_Info_free = PMPI_Info_free
int PMPI_Info_free(MPI_Info *info)
{
	struct info *i = NULL;

	enter("MPI_Info_free");
	int rc = check_pointer(info, "info");
	if (rc == MPI_SUCCESS)
		rc = lookup_own(*info, &i);
	if (rc == MPI_SUCCESS) {
		info_unexport(i);
		*info = MPI_INFO_NULL;
	}
	return leave(rc);
}

#pragma weak MPI_Info_set = PMPI_Info_set
int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
	struct info *i = NULL;

	enter("MPI_Info_set");
	int rc = lookup_own(info, &i);
	if (rc == MPI_SUCCESS)
		rc = info_check_key(key);
	if (rc == MPI_SUCCESS)
		rc = info_check_value(key, value);
	if (rc == MPI_SUCCESS)
		rc = info_put(i, key, value);
	return leave(rc);
}

#pragma weak MPI_Info_delete = PMPI_Info_delete
int PMPI_Info_delete(MPI_Info info, const char *key)
{
	struct info *i = NULL;

	enter("MPI_Info_delete");
	int rc = lookup_own(info, &i);
	if (rc == MPI_SUCCESS)
		rc = info_check_key(key);
	if (rc == MPI_SUCCESS && !info_remove(i, key))
		rc = fail_with(MPI_ERR_INFO_NOKEY, "the info object has no key %s", key);
	return leave(rc);
}

/* What the calls that read a value have in common: *value is NULL when the key is not there. */
static int read_value(MPI_Info info, const char *key, const char **value, const int *flag)
{
	struct info *i = NULL;
	int rc = info_lookup(info, &i);

	if (rc == MPI_SUCCESS)
		rc = info_check_key(key);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		*value = info_find(i, key);
	return rc;
}

/* With a NUL in at most size bytes. */
static void copy_cut(char *to, const char *from, size_t size)
{
	size_t len = strlen(from);

	if (len >= size)
		len = size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

#pragma weak MPI_Info_get_string = PMPI_Info_get_string
int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
	const char *found = NULL;

	enter("MPI_Info_get_string");
	int rc = read_value(info, key, &found, flag);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(buflen, "buflen");
	if (rc == MPI_SUCCESS && *buflen < 0)
		rc = fail_with(MPI_ERR_ARG, "buflen is %d, less than 0", *buflen);
	if (rc == MPI_SUCCESS && *buflen > 0)
		rc = check_pointer(value, "value");
	if (rc == MPI_SUCCESS) {
		*flag = found != NULL;
		if (found && *buflen > 0)
			copy_cut(value, found, (size_t)*buflen);
		if (found)
			*buflen = (int)strlen(found) + 1;
	}
	return leave(rc);
}

/* The deprecated twin: valuelen does not count the NUL, for which there is room. */
#pragma weak MPI_Info_get = PMPI_Info_get
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
	const char *found = NULL;

	enter("MPI_Info_get");
	int rc = read_value(info, key, &found, flag);
	if (rc == MPI_SUCCESS && valuelen < 0)
		rc = fail_with(MPI_ERR_ARG, "valuelen is %d, less than 0", valuelen);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(value, "value");
	if (rc == MPI_SUCCESS) {
		*flag = found != NULL;
		if (found)
			copy_cut(value, found, (size_t)valuelen + 1);
	}
	return leave(rc);
}

#pragma weak MPI_Info_get_valuelen = PMPI_Info_get_valuelen
int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
	const char *found = NULL;

	enter("MPI_Info_get_valuelen");
	int rc = read_value(info, key, &found, flag);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(valuelen, "valuelen");
	if (rc == MPI_SUCCESS) {
		*flag = found != NULL;
		if (found)
			*valuelen = (int)strlen(found);
	}
	return leave(rc);
}

#pragma weak MPI_Info_get_nkeys = PMPI_Info_get_nkeys
int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
	struct info *i = NULL;

	enter("MPI_Info_get_nkeys");
	int rc = info_lookup(info, &i);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(nkeys, "nkeys");
	if (rc == MPI_SUCCESS)
		*nkeys = (int)i->count;
	return leave(rc);
}

#pragma weak MPI_Info_get_nthkey = PMPI_Info_get_nthkey
int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
	struct info *i = NULL;

	enter("MPI_Info_get_nthkey");
	int rc = info_lookup(info, &i);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(key, "key");
	if (rc == MPI_SUCCESS && (n < 0 || (size_t)n >= i->count))
		rc = fail_with(MPI_ERR_ARG, "key %d was asked for of an info object with %zu", n,
			i->count);
	if (rc == MPI_SUCCESS)
		copy_cut(key, i->pairs[n].key, MPI_MAX_INFO_KEY);
	return leave(rc);
}

/* ---- hints of communicators (section 7.4.4) ---- */

#pragma weak MPI_Comm_set_info = PMPI_Comm_set_info
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_set_info");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = hints_set(&c->hints, hints_of_comm, info);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_get_info = PMPI_Comm_get_info
int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_get_info");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(info_used, "info_used");
	if (rc == MPI_SUCCESS)
		rc = hints_get(c->hints, hints_of_comm, info_used);
	return api_leave(c, rc);
}
