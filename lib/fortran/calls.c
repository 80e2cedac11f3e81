/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls whose Fortran form differs from C's by more than the types of their arguments. */
#include "by_hand.h"

/* The words of the command: MPI_Init of C is given them, that of Fortran has to find them.
 * libgfortran has the same array. */
static int argc;
static char **argv;

__attribute__((constructor)) static void keep(int n, char **words)
{
	argc = n;
	argv = words;
}

/* libgfortran's; not there in a C program that this library was linked to */
void _gfortran_set_args(int n, char *words[]) __attribute__((weak));

static int *known_argc(void)
{
	return argv ? &argc : NULL;
}

static char ***known_argv(void)
{
	return argv ? &argv : NULL;
}

/* MPI_Init has taken words out. */
static void tell_fortran(int before)
{
	if (argc != before && _gfortran_set_args)
		_gfortran_set_args(argc, argv);
}

void ftn_init(int *ierror)
{
	int before = argc, rc = PMPI_Init(known_argc(), known_argv());

	tell_fortran(before);
	ftn_error_out(ierror, rc);
}

void ftn_init_thread(const int *required, int *provided, int *ierror)
{
	int before = argc, rc = PMPI_Init_thread(known_argc(), known_argv(), *required, provided);

	tell_fortran(before);
	ftn_error_out(ierror, rc);
}

void ftn_info_create_env(int *info, int *ierror)
{
	MPI_Info made;
	int rc = PMPI_Info_create_env(argc, argv, &made);

	if (rc == MPI_SUCCESS)
		*info = PMPI_Info_toint(made);
	ftn_error_out(ierror, rc);
}

void ftn_pcontrol(const int *level)
{
	(void)PMPI_Pcontrol(*level);
}

/* C counts the NUL, Fortran has none. */
void ftn_info_get_string(const int *info, const char *key, int *buflen, char *value, int *flag,
	int *ierror, size_t key_len, size_t value_len)
{
	struct ftn_room room = {.used = 0};
	int wanted = *buflen, found = 0, rc;
	int c_buflen = wanted > 0 ? wanted + 1 : wanted;
	char *c_key = ftn_string_in(&room, key, key_len, FTN_BOTH_ENDS);
	char *c_value = ftn_text(&room, (size_t)(wanted > 0 ? wanted : 0) + 1);

	rc = room.failed ? ftn_no_memory("MPI_Info_get_string")
			 : PMPI_Info_get_string(
				   PMPI_Info_fromint(*info), c_key, &c_buflen, c_value, &found);
	if (rc == MPI_SUCCESS) {
		*flag = found != 0;
		if (found) {
			*buflen = c_buflen - 1;
			if (wanted > 0)
				ftn_string_out(value, value_len, c_value);
		}
	}
	ftn_room_done(&room);
	ftn_error_out(ierror, rc);
}

void ftn_session_get_nth_pset(const int *session, const int *info, const int *n, int *pset_len,
	char *pset_name, int *ierror, size_t pset_name_len)
{
	struct ftn_room room = {.used = 0};
	int wanted = *pset_len, rc;
	int c_len = wanted > 0 ? wanted + 1 : wanted;
	char *c_name = ftn_text(&room, (size_t)(wanted > 0 ? wanted : 0) + 1);

	rc = room.failed ? ftn_no_memory("MPI_Session_get_nth_pset")
			 : PMPI_Session_get_nth_pset(PMPI_Session_fromint(*session),
				   PMPI_Info_fromint(*info), *n, &c_len, c_name);
	if (rc == MPI_SUCCESS) {
		*pset_len = c_len - 1;
		if (wanted > 0)
			ftn_string_out(pset_name, pset_name_len, c_name);
	}
	ftn_room_done(&room);
	ftn_error_out(ierror, rc);
}

/* Tells the compiler, and nobody else, that a buffer may have changed. */
void pmpi_f_sync_reg_(void *buf);
void pmpi_f_sync_reg_f08ts_(void *descriptor);

#pragma weak mpi_f_sync_reg_ = pmpi_f_sync_reg_
void pmpi_f_sync_reg_(void *buf)
{
	(void)buf;
}

#pragma weak mpi_f_sync_reg_f08ts_ = pmpi_f_sync_reg_f08ts_
void pmpi_f_sync_reg_f08ts_(void *descriptor)
{
	(void)descriptor;
}
