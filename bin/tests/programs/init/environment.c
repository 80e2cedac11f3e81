/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * environment: memory of the library, error classes and codes, what the library tells of its binary
 * interface, threads and the machine.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "expect.h"
#include "prog.h"

enum { BIG = 1 << 20 };

static struct prog prog = {.name = "environment", .text = "memory, errors, inquiries"};

/* ---- MPI_Alloc_mem ---- */

static void memory(void)
{
	unsigned char *p = NULL, *q = NULL, own[256];

	IS(MPI_Alloc_mem(BIG, MPI_INFO_NULL, &p), MPI_SUCCESS);
	IS(MPI_Alloc_mem(0, MPI_INFO_NULL, &q), MPI_SUCCESS);
	IS((uintptr_t)p % 64, 0);
	memset(p, 5, BIG);
	IS(MPI_Free_mem(q), MPI_SUCCESS);
	FAILS(MPI_Free_mem(q), MPI_ERR_BASE);
	FAILS(MPI_Free_mem(p + 64), MPI_ERR_BASE);
	FAILS(MPI_Free_mem(own + 128), MPI_ERR_BASE);
	FAILS(MPI_Free_mem(NULL), MPI_ERR_BASE);
	FAILS(MPI_Free_mem((void *)3), MPI_ERR_BASE);
	IS(p[0] + p[BIG - 1], 10);
	IS(MPI_Free_mem(p), MPI_SUCCESS);
	FAILS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &p), MPI_ERR_ARG);
	FAILS(MPI_Alloc_mem(PTRDIFF_MAX, MPI_INFO_NULL, &p), MPI_ERR_NO_MEM);
	FAILS(MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &p), MPI_ERR_NO_MEM);
	FAILS(MPI_Alloc_mem(1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
}

static void alignment(void)
{
	static const char *const bad[] = {"0", "-64", "100", "x", "64x", "9999999999999999999"};
	MPI_Info info;
	void *p = NULL;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_minimum_memory_alignment", "8192");
	MPI_Info_set(info, "unheard_of", "1");
	IS(MPI_Alloc_mem(10, info, &p), MPI_SUCCESS);
	IS((uintptr_t)p % 8192, 0);
	IS(MPI_Free_mem(p), MPI_SUCCESS);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		MPI_Info_set(info, "mpi_minimum_memory_alignment", bad[i]);
		FAILS(MPI_Alloc_mem(10, info, &p), MPI_ERR_INFO_VALUE);
	}
	MPI_Info_free(&info);
	FAILS(MPI_Alloc_mem(10, (MPI_Info)MPI_COMM_SELF, &p), MPI_ERR_INFO);
}

/* ---- errors ---- */

static int last_used(void)
{
	int *value = NULL, flag = 0;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
	IS(flag, 1);
	return *value;
}

/* The classes of the standard are their own classes and have sentences that differ. */
static void classes(void)
{
	char text[MPI_MAX_ERROR_STRING], other[MPI_MAX_ERROR_STRING] = "";
	int len = 0, class = -1;

	for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; code++) {
		IS(MPI_Error_class(code, &class), MPI_SUCCESS);
		IS(class, code);
		IS(MPI_Error_string(code, text, &len), MPI_SUCCESS);
		IS(len, strlen(text));
		IS(len > 10, 1);
		IS(strcmp(text, other) != 0, 1);
		memcpy(other, text, sizeof text);
	}
	for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; code++)
		IS(MPI_Error_string(code, text, &len), MPI_SUCCESS);
	FAILS(MPI_Error_string(MPI_ERR_ABI + 1, text, &len), MPI_ERR_ARG);
	FAILS(MPI_Error_class(-1, &class), MPI_ERR_ARG);
	FAILS(MPI_Error_class(MPI_ERR_LASTCODE + 1, &class), MPI_ERR_ARG);
}

static int raised;

static void note(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	raised = *code;
}

/* A program's class with two codes, one with a sentence, raised and taken back. */
static void own_codes(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, code, silent, got, len, before = last_used();
	MPI_Errhandler handler;
	MPI_Comm dup;

	IS(MPI_Add_error_class(&class), MPI_SUCCESS);
	IS(class > MPI_ERR_LASTCODE, 1);
	IS(last_used(), before + 1);
	IS(MPI_Add_error_code(class, &code), MPI_SUCCESS);
	IS(MPI_Add_error_code(MPI_ERR_TRUNCATE, &silent), MPI_SUCCESS);
	IS(last_used(), before + 3);
	IS(MPI_Add_error_string(class, "the class"), MPI_SUCCESS);
	IS(MPI_Add_error_string(code, "the code"), MPI_SUCCESS);
	IS(MPI_Error_class(code, &got), MPI_SUCCESS);
	IS(got, class);
	IS(MPI_Error_class(silent, &got), MPI_SUCCESS);
	IS(got, MPI_ERR_TRUNCATE);
	IS(MPI_Error_string(code, text, &len), MPI_SUCCESS);
	IS(strcmp(text, "the code"), 0);
	IS(MPI_Error_string(silent, text, &len), MPI_SUCCESS);
	IS(len, 0);
	IS(text[0], 0);
	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	MPI_Comm_create_errhandler(note, &handler);
	MPI_Comm_set_errhandler(dup, handler);
	IS(MPI_Comm_call_errhandler(dup, code), MPI_SUCCESS);
	IS(raised, code);
	MPI_Errhandler_free(&handler);
	MPI_Comm_free(&dup);
	FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG);
	FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);
	IS(MPI_Remove_error_string(code), MPI_SUCCESS);
	FAILS(MPI_Remove_error_string(code), MPI_ERR_ARG);
	IS(MPI_Remove_error_code(code), MPI_SUCCESS);
	FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);
	FAILS(MPI_Error_string(code, text, &len), MPI_ERR_ARG);
	IS(MPI_Remove_error_string(class), MPI_SUCCESS);
	IS(MPI_Remove_error_class(class), MPI_SUCCESS);
	IS(MPI_Remove_error_code(silent), MPI_SUCCESS);
	FAILS(MPI_Remove_error_class(MPI_ERR_ARG), MPI_ERR_ARG);
	FAILS(MPI_Add_error_string(MPI_ERR_ARG, "mine"), MPI_ERR_ARG);
	FAILS(MPI_Add_error_code(code, &got), MPI_ERR_ARG);
	IS(last_used() >= before, 1);
}

/* ---- inquiries ---- */

static const char *value_of(MPI_Info info, const char *key)
{
	static char value[64];
	int len = sizeof value, flag = 0;

	IS(MPI_Info_get_string(info, key, &len, value, &flag), MPI_SUCCESS);
	if (!flag)
		prog_wrong(&prog, "there is no key %s", key);
	return value;
}

static void of_type(MPI_Info info, const char *key, MPI_Datatype type)
{
	int size = 0;

	MPI_Type_size(type, &size);
	if (strstr(key, "_size"))
		IS(atoi(value_of(info, key)), size);
	else
		IS(strcmp(value_of(info, key), "true") == 0, size != MPI_UNDEFINED);
}

/* Legal at any time, so also called before MPI_Init. */
static void binary_interface(void)
{
	int major = -1, minor = -1, is_set = 0;
	int8_t yes1 = 7, no1 = 7;
	int64_t yes8 = 7, no8 = 7;
	MPI_Info info;

	IS(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
	IS(major * 100 + minor, 100);
	IS(MPI_Abi_get_info(&info), MPI_SUCCESS);
	IS(atoi(value_of(info, "mpi_aint_size")), sizeof(MPI_Aint));
	IS(atoi(value_of(info, "mpi_count_size")), sizeof(MPI_Count));
	IS(atoi(value_of(info, "mpi_offset_size")), sizeof(MPI_Offset));
	IS(MPI_Info_free(&info), MPI_SUCCESS);
	IS(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
	IS(strcmp(value_of(info, "ftmpi://Host"), "true"), 0);
	IS(MPI_Info_free(&info), MPI_SUCCESS);
	IS(MPI_Abi_get_fortran_booleans(1, &yes1, &no1, &is_set), MPI_SUCCESS);
	IS(is_set * 100 + yes1 * 10 + no1, 110);
	IS(MPI_Abi_get_fortran_booleans(8, &yes8, &no8, &is_set), MPI_SUCCESS);
	IS(yes8 * 10 + no8, 10);
}

static void fortran(void)
{
	int word = 1, is_set;
	MPI_Info info;

	IS(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
	of_type(info, "mpi_logical_size", MPI_LOGICAL);
	of_type(info, "mpi_integer_size", MPI_INTEGER);
	of_type(info, "mpi_real_size", MPI_REAL);
	of_type(info, "mpi_double_precision_size", MPI_DOUBLE_PRECISION);
	of_type(info, "mpi_logical2_supported", MPI_LOGICAL2);
	of_type(info, "mpi_integer8_supported", MPI_INTEGER8);
	of_type(info, "mpi_real2_supported", MPI_REAL2);
	of_type(info, "mpi_real16_supported", MPI_REAL16);
	of_type(info, "mpi_complex32_supported", MPI_COMPLEX32);
	of_type(info, "mpi_double_complex_supported", MPI_DOUBLE_COMPLEX);
	FAILS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
	IS(MPI_Info_free(&info), MPI_SUCCESS);
	FAILS(MPI_Abi_set_fortran_info(info), MPI_ERR_INFO);
	FAILS(MPI_Abi_set_fortran_booleans(4, &word, &word), MPI_ERR_ABI);
	FAILS(MPI_Abi_set_fortran_booleans(3, &word, &word), MPI_ERR_ARG);
	FAILS(MPI_Abi_get_fortran_booleans(4, &word, NULL, &is_set), MPI_ERR_ARG);
	FAILS(MPI_Abi_get_info(NULL), MPI_ERR_ARG);
}

/* ---- names of MPI-1 ---- */

static void old_types(void)
{
	struct {
		double d;
		int i;
	} x = {0, 0};
	int lengths[] = {1, 1};
	MPI_Aint places[2], extent = -1, lb = -1, ub = -1;
	MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, made;

	IS(MPI_Address(&x.d, &places[0]), MPI_SUCCESS);
	IS(MPI_Address(&x.i, &places[1]), MPI_SUCCESS);
	places[1] -= places[0];
	IS(places[1], sizeof(double));
	places[0] = 0;
	IS(MPI_Type_struct(2, lengths, places, types, &made), MPI_SUCCESS);
	IS(MPI_Type_extent(made, &extent), MPI_SUCCESS);
	IS(MPI_Type_lb(made, &lb), MPI_SUCCESS);
	IS(MPI_Type_ub(made, &ub), MPI_SUCCESS);
	IS(lb, 0);
	IS(extent, sizeof x);
	IS(ub, sizeof x);
	IS(MPI_Type_free(&made), MPI_SUCCESS);
	IS(MPI_Type_hvector(2, 1, 100, MPI_INT, &made), MPI_SUCCESS);
	IS(MPI_Type_ub(made, &ub), MPI_SUCCESS);
	IS(ub, 104);
	IS(MPI_Type_free(&made), MPI_SUCCESS);
	FAILS(MPI_Type_ub(MPI_INT, NULL), MPI_ERR_ARG);
	FAILS(MPI_Type_extent(MPI_DATATYPE_NULL, &extent), MPI_ERR_TYPE);
}

static void old_errhandlers(void)
{
	MPI_Errhandler handler, got;
	MPI_Comm dup;

	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	IS(MPI_Errhandler_create(note, &handler), MPI_SUCCESS);
	IS(MPI_Errhandler_set(dup, handler), MPI_SUCCESS);
	IS(MPI_Errhandler_get(dup, &got), MPI_SUCCESS);
	IS(got == handler, 1);
	raised = MPI_SUCCESS;
	FAILS(MPI_Send(NULL, -1, MPI_INT, 0, 0, dup), MPI_ERR_COUNT);
	IS(raised, MPI_ERR_COUNT);
	MPI_Errhandler_free(&handler);
	MPI_Errhandler_free(&got);
	MPI_Comm_free(&dup);
}

/* ---- error handlers may be freed at any time (MPI 5.0 section 11.4.1) ---- */

static MPI_Errhandler kept;

static void keep_errhandler(void)
{
	IS(MPI_Comm_create_errhandler(note, &kept), MPI_SUCCESS);
	IS(MPI_Comm_set_errhandler(MPI_COMM_SELF, kept), MPI_SUCCESS);
}

static void free_errhandler(MPI_Errhandler handler)
{
	IS(MPI_Errhandler_free(&handler), MPI_SUCCESS);
	IS(handler == MPI_ERRHANDLER_NULL, 1);
}

/* ---- the error handler of files, of which there are none but MPI_FILE_NULL ---- */

static MPI_File raised_on;

static void note_file(MPI_File *file, int *code, ...)
{
	raised_on = *file;
	raised = *code;
}

static void file_errhandlers(void)
{
	MPI_Errhandler handler, got, of_comm;

	IS(MPI_File_get_errhandler(MPI_FILE_NULL, &got), MPI_SUCCESS);
	IS(got == MPI_ERRORS_RETURN, 1); /* section 14.7 */
	IS(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO), MPI_SUCCESS);
	IS(MPI_File_create_errhandler(note_file, &handler), MPI_SUCCESS);
	IS(MPI_File_set_errhandler(MPI_FILE_NULL, handler), MPI_SUCCESS);
	IS(MPI_File_get_errhandler(MPI_FILE_NULL, &got), MPI_SUCCESS);
	IS(got == handler, 1);
	FAILS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler), MPI_ERR_ARG);
	MPI_Errhandler_free(&handler);
	MPI_Errhandler_free(&got);		    /* the file still has it */
	MPI_Comm_create_errhandler(note, &of_comm); /* not in its place */
	IS(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE), MPI_SUCCESS);
	IS(raised, MPI_ERR_NO_SUCH_FILE);
	IS(raised_on == MPI_FILE_NULL, 1);
	IS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);
	FAILS(MPI_File_set_errhandler(MPI_FILE_NULL, of_comm), MPI_ERR_ARG);
	MPI_Errhandler_free(&of_comm);
	FAILS(MPI_File_set_errhandler((MPI_File)MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_ERR_FILE);
	FAILS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
	FAILS(MPI_File_call_errhandler(MPI_FILE_NULL, -3), MPI_ERR_ARG);
}

static void threads(void)
{
	int level = -1, main_thread = 0;

	IS(MPI_Query_thread(&level), MPI_SUCCESS);
	IS(level, MPI_THREAD_SERIALIZED);
	IS(MPI_Is_thread_main(&main_thread), MPI_SUCCESS);
	IS(main_thread, 1);
	FAILS(MPI_Query_thread(NULL), MPI_ERR_ARG);
	FAILS(MPI_Is_thread_main(NULL), MPI_ERR_ARG);
	IS(MPI_Pcontrol(0), MPI_SUCCESS);
	IS(MPI_Pcontrol(2, "anything", 3.5), MPI_SUCCESS);
}

static void versions(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int major = 0, minor = -1, len = 0;

	IS(MPI_Get_version(&major, &minor), MPI_SUCCESS);
	IS(major * 100 + minor, 500);
	IS(MPI_Get_library_version(text, &len), MPI_SUCCESS);
	IS(len, strlen(text));
	IS(strncmp(text, "FTMPI ", 6), 0);
}

int main(int argc, char **argv)
{
	int provided = -1;

	versions();
	binary_interface();
	free_errhandler(MPI_ERRORS_RETURN);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &prog.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &prog.size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	IS(provided, MPI_THREAD_SERIALIZED);
	memory();
	alignment();
	classes();
	own_codes();
	binary_interface();
	fortran();
	old_types();
	old_errhandlers();
	file_errhandlers();
	threads();
	keep_errhandler();
	MPI_Finalize();
	free_errhandler(kept);
	versions();
	binary_interface();
	if (prog.rank == 0)
		printf("environment: right, %d ranks\n", prog.size);
	return 0;
}
