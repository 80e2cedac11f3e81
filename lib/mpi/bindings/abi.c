/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles as integers, for languages whose handles are integers (MPI 5.0 section 19.3 and the ABI's
 * chapter). A predefined handle is its own number. Any other address gets the next number from 4096
 * on when it is first asked for, and keeps it: when the memory is used for another object, address
 * and number go on together. So the table grows with the number of different addresses only.
 *
 * Legal at any time and by any thread, so a lock of its own guards the table; no other is taken
 * inside it.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi.h"

#define FIRST_NUMBER 4096

static struct {
	pthread_mutex_t lock;
	void **addresses; /* number - FIRST_NUMBER -> address */
	size_t count;
	uint32_t *slots; /* open addressing; index + 1, 0 when empty; twice as many as addresses */
	size_t mask;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The slot that holds address, or the empty one where it belongs. */
static uint32_t *slot_of(const void *address)
{
	size_t i = (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 32);

	for (i &= table.mask; table.slots[i]; i = (i + 1) & table.mask) {
		if (table.addresses[table.slots[i] - 1] == address)
			break;
	}
	return &table.slots[i];
}

static int grow(void)
{
	size_t room = table.mask ? table.mask + 1 : 64;
	void **addresses = reallocarray(table.addresses, room, sizeof(*addresses));
	uint32_t *slots;

	if (!addresses)
		return -1;
	table.addresses = addresses;
	slots = calloc(2 * room, sizeof(*slots));
	if (!slots)
		return -1;
	free(table.slots);
	table.slots = slots;
	table.mask = 2 * room - 1;
	for (size_t i = 0; i < table.count; i++)
		*slot_of(addresses[i]) = (uint32_t)i + 1;
	return 0;
}

static int number_of(void *address)
{
	uint32_t *slot;

	if (2 * table.count >= table.mask && grow() != 0)
		return 0;
	slot = slot_of(address);
	if (*slot == 0) {
		if (table.count >= (size_t)(INT_MAX - FIRST_NUMBER))
			return 0;
		table.addresses[table.count++] = address;
		*slot = (uint32_t)table.count;
	}
	return FIRST_NUMBER - 1 + (int)*slot;
}

/* 0, which is no handle, when there is no memory for one more. */
static int handle_to_int(void *handle)
{
	int number;

	if ((uintptr_t)handle < FIRST_NUMBER)
		return (int)(uintptr_t)handle;
	pthread_mutex_lock(&table.lock);
	number = number_of(handle);
	pthread_mutex_unlock(&table.lock);
	return number;
}

/* A number that was never given out becomes a null pointer, which every call refuses. */
static void *handle_from_int(int number)
{
	size_t i = (size_t)number - FIRST_NUMBER;
	void *address = NULL;

	if (number < FIRST_NUMBER)
		return (void *)(uintptr_t)(number < 0 ? 0 : number);
	pthread_mutex_lock(&table.lock);
	if (i < table.count)
		address = table.addresses[i];
	pthread_mutex_unlock(&table.lock);
	return address;
}

#pragma weak MPI_Comm_toint = PMPI_Comm_toint
int PMPI_Comm_toint(MPI_Comm comm)
{
	return handle_to_int(comm);
}

#pragma weak MPI_Comm_fromint = PMPI_Comm_fromint
MPI_Comm PMPI_Comm_fromint(int comm)
{
	return handle_from_int(comm);
}

#pragma weak MPI_Errhandler_toint = PMPI_Errhandler_toint
int PMPI_Errhandler_toint(MPI_Errhandler errhandler)
{
	return handle_to_int(errhandler);
}

#pragma weak MPI_Errhandler_fromint = PMPI_Errhandler_fromint
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler)
{
	return handle_from_int(errhandler);
}

#pragma weak MPI_File_toint = PMPI_File_toint
int PMPI_File_toint(MPI_File file)
{
	return handle_to_int(file);
}

#pragma weak MPI_File_fromint = PMPI_File_fromint
MPI_File PMPI_File_fromint(int file)
{
	return handle_from_int(file);
}

#pragma weak MPI_Group_toint = PMPI_Group_toint
int PMPI_Group_toint(MPI_Group group)
{
	return handle_to_int(group);
}

#pragma weak MPI_Group_fromint = PMPI_Group_fromint
MPI_Group PMPI_Group_fromint(int group)
{
	return handle_from_int(group);
}

#pragma weak MPI_Info_toint = PMPI_Info_toint
int PMPI_Info_toint(MPI_Info info)
{
	return handle_to_int(info);
}

#pragma weak MPI_Info_fromint = PMPI_Info_fromint
MPI_Info PMPI_Info_fromint(int info)
{
	return handle_from_int(info);
}

#pragma weak MPI_Message_toint = PMPI_Message_toint
int PMPI_Message_toint(MPI_Message message)
{
	return handle_to_int(message);
}

#pragma weak MPI_Message_fromint = PMPI_Message_fromint
MPI_Message PMPI_Message_fromint(int message)
{
	return handle_from_int(message);
}

#pragma weak MPI_Op_toint = PMPI_Op_toint
int PMPI_Op_toint(MPI_Op op)
{
	return handle_to_int(op);
}

#pragma weak MPI_Op_fromint = PMPI_Op_fromint
MPI_Op PMPI_Op_fromint(int op)
{
	return handle_from_int(op);
}

#pragma weak MPI_Request_toint = PMPI_Request_toint
int PMPI_Request_toint(MPI_Request request)
{
	return handle_to_int(request);
}

#pragma weak MPI_Request_fromint = PMPI_Request_fromint
MPI_Request PMPI_Request_fromint(int request)
{
	return handle_from_int(request);
}

#pragma weak MPI_Session_toint = PMPI_Session_toint
int PMPI_Session_toint(MPI_Session session)
{
	return handle_to_int(session);
}

#pragma weak MPI_Session_fromint = PMPI_Session_fromint
MPI_Session PMPI_Session_fromint(int session)
{
	return handle_from_int(session);
}

#pragma weak MPI_Type_toint = PMPI_Type_toint
int PMPI_Type_toint(MPI_Datatype datatype)
{
	return handle_to_int(datatype);
}

#pragma weak MPI_Type_fromint = PMPI_Type_fromint
MPI_Datatype PMPI_Type_fromint(int datatype)
{
	return handle_from_int(datatype);
}

#pragma weak MPI_Win_toint = PMPI_Win_toint
int PMPI_Win_toint(MPI_Win win)
{
	return handle_to_int(win);
}

#pragma weak MPI_Win_fromint = PMPI_Win_fromint
MPI_Win PMPI_Win_fromint(int win)
{
	return handle_from_int(win);
}
