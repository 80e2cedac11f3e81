/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: MPI 5.0 sections 3.7.3 to 3.7.5. */
#include "api.h"
#include "check.h"
#include "nondet.h"
#include "mpi/engine/engine.h"
#include "request_set.h"

static int finish_at(struct request_set *s, int i, MPI_Status *status)
{
	if (!s->r[i]) {
		status_empty(status);
		return MPI_SUCCESS;
	}
	return request_finish(&s->handles[i], s->r[i], status);
}

/* MPI 5.0 section 3.7.5: one error makes MPI_ERR_IN_STATUS, and each status says its own. */
static int finish_all(struct request_set *s, MPI_Status *statuses)
{
	int first = MPI_SUCCESS;

	for (int i = 0; i < s->count; i++) {
		int one = finish_at(s, i, set_status_at(statuses, i));

		if (statuses != MPI_STATUSES_IGNORE)
			statuses[i].MPI_ERROR = one;
		if (first == MPI_SUCCESS && one != MPI_SUCCESS)
			first = statuses == MPI_STATUSES_IGNORE ? one : MPI_ERR_IN_STATUS;
	}
	return first;
}

/* ---- one ---- */

#pragma weak MPI_Wait = PMPI_Wait
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Wait");
	rc = set_open(&s, 1, request);
	if (rc == MPI_SUCCESS) {
		nondet_wait(&s);
		rc = finish_at(&s, 0, status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Test = PMPI_Test
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Test");
	rc = set_open(&s, 1, request);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_all(&s);
		if (*flag)
			rc = finish_at(&s, 0, status);
	}
	return set_close(&s, rc);
}

/* ---- all ---- */

#pragma weak MPI_Waitall = PMPI_Waitall
int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc;

	api_enter("MPI_Waitall");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS) {
		nondet_wait(&s);
		rc = finish_all(&s, array_of_statuses);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Testall = PMPI_Testall
int PMPI_Testall(
	int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc;

	api_enter("MPI_Testall");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_all(&s);
		if (*flag)
			rc = finish_all(&s, array_of_statuses);
	}
	return set_close(&s, rc);
}

/* ---- any ---- */

static int finish_any(struct request_set *s, int *index, MPI_Status *status)
{
	*index = s->next < 0 ? MPI_UNDEFINED : s->next;
	if (s->next >= 0)
		return finish_at(s, s->next, status);
	status_empty(status);
	return MPI_SUCCESS;
}

#pragma weak MPI_Waitany = PMPI_Waitany
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Waitany");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(index, "index");
	if (rc == MPI_SUCCESS) {
		nondet_any(&s, true);
		rc = finish_any(&s, index, status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Testany = PMPI_Testany
int PMPI_Testany(
	int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Testany");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(index, "index");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_any(&s, false);
		if (*flag)
			rc = finish_any(&s, index, status);
		else
			*index = MPI_UNDEFINED;
	}
	return set_close(&s, rc);
}

/* ---- some ---- */

/* n: as nondet_some. */
static int finish_some(
	struct request_set *s, int n, const int indices[], int *outcount, MPI_Status *statuses)
{
	int rc = MPI_SUCCESS;

	*outcount = n < 0 ? MPI_UNDEFINED : n;
	for (int k = 0; k < n; k++) {
		int one = finish_at(s, indices[k], set_status_at(statuses, k));

		if (statuses != MPI_STATUSES_IGNORE)
			statuses[k].MPI_ERROR = one;
		if (one && !rc)
			rc = statuses == MPI_STATUSES_IGNORE ? one : MPI_ERR_IN_STATUS;
	}
	return rc;
}

/* The body of both calls. */
static int some(
	struct request_set *s, bool wait, int *outcount, int indices[], MPI_Status *statuses)
{
	int n = nondet_some(s, wait, indices);

	return finish_some(s, n, indices, outcount, statuses);
}

static int open_some(struct request_set *s, int count, MPI_Request *handles, const int *outcount,
	const int *indices)
{
	int rc = set_open(s, count, handles);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(outcount, "outcount");
	return rc || count == 0 ? rc : check_pointer(indices, "the array of indices");
}

#pragma weak MPI_Waitsome = PMPI_Waitsome
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc;

	api_enter("MPI_Waitsome");
	rc = open_some(&s, incount, array_of_requests, outcount, array_of_indices);
	if (rc == MPI_SUCCESS)
		rc = some(&s, true, outcount, array_of_indices, array_of_statuses);
	return set_close(&s, rc);
}

#pragma weak MPI_Testsome = PMPI_Testsome
int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc;

	api_enter("MPI_Testsome");
	rc = open_some(&s, incount, array_of_requests, outcount, array_of_indices);
	if (rc == MPI_SUCCESS)
		rc = some(&s, false, outcount, array_of_indices, array_of_statuses);
	return set_close(&s, rc);
}
