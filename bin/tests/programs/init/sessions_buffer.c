/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions: the buffer that MPI_Bsend uses for the communicators of a session (MPI 5.0
 * section 3.6). */
#include "sessions.h"

#include <string.h>

/* A long message stays in the buffer until it is received. */
enum { LARGE = 1 << 20, ROOM = LARGE + MPI_BSEND_OVERHEAD, TAG = 9 };

static char data[LARGE], got[LARGE];

static void fetch(MPI_Comm c, int bytes)
{
	IS(MPI_Recv(got, bytes, MPI_BYTE, 0, TAG, c, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* To itself: nothing is fetched before it is received. */
static int keep(MPI_Comm c, int bytes)
{
	return MPI_Bsend(data, bytes, MPI_BYTE, 0, TAG, c);
}

static void is_back(MPI_Session s, void *buffer, int size)
{
	void *address = &address;
	MPI_Count large = -1;

	IS(MPI_Session_detach_buffer_c(s, &address, &large), MPI_SUCCESS);
	IS(address == buffer && large == size, 1);
}

/* A session's buffer is for its own communicators, and goes before the process's. */
static void whose(MPI_Session s, MPI_Comm c, MPI_Comm other)
{
	static char own[ROOM], of_comm[ROOM];
	void *address = NULL;
	int size = -1;

	FAILS(keep(c, 1), MPI_ERR_BUFFER);
	IS(MPI_Session_attach_buffer(s, own, ROOM), MPI_SUCCESS);
	FAILS(MPI_Session_attach_buffer(s, own, ROOM), MPI_ERR_BUFFER);
	FAILS(keep(other, 1), MPI_ERR_BUFFER);
	IS(keep(c, LARGE), MPI_SUCCESS);
	FAILS(keep(c, LARGE), MPI_ERR_BUFFER);
	IS(MPI_Comm_attach_buffer(c, of_comm, ROOM), MPI_SUCCESS);
	IS(keep(c, LARGE), MPI_SUCCESS);
	fetch(c, LARGE);
	fetch(c, LARGE);
	IS(MPI_Comm_detach_buffer(c, &address, &size), MPI_SUCCESS);
	IS(address == of_comm && size == ROOM, 1);
	is_back(s, own, ROOM);
	is_back(s, NULL, 0);
}

static void flushed(MPI_Session s, MPI_Comm c)
{
	static char own[ROOM];
	MPI_Request request = MPI_REQUEST_NULL;
	void *address = NULL;
	int done = -1, size = -1;

	IS(MPI_Session_attach_buffer_c(s, own, ROOM), MPI_SUCCESS);
	IS(MPI_Session_flush_buffer(s), MPI_SUCCESS);
	IS(keep(c, LARGE), MPI_SUCCESS);
	IS(MPI_Session_iflush_buffer(s, &request), MPI_SUCCESS);
	IS(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
	IS(done, 0);
	fetch(c, LARGE);
	IS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
	IS(MPI_Session_detach_buffer(s, &address, &size), MPI_SUCCESS);
	IS(address == own && size == ROOM, 1);
}

/* What lies in it at the end of its session is on its way all the same: too long to be sent before
 * its receive is there, which is only when the sender has said that its session is over. */
static void at_the_end(void)
{
	static char large[1 << 20];
	MPI_Session s = begin_session(), later = begin_session();
	MPI_Comm c = pset_comm(s, "mpi://WORLD", "sender"), last;

	last = pset_comm(later, "mpi://WORLD", "last");
	if (prog.rank == 0 && prog.size > 1) {
		memset(large, 7, sizeof large);
		IS(MPI_Session_attach_buffer(s, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
		IS(MPI_Bsend(large, sizeof large, MPI_BYTE, 1, TAG, c), MPI_SUCCESS);
		memset(large, 8, sizeof large);
		IS(MPI_Comm_free(&c), MPI_SUCCESS);
		IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	}
	IS(MPI_Barrier(last), MPI_SUCCESS);
	if (prog.rank == 1)
		IS(MPI_Recv(large, sizeof large, MPI_BYTE, 0, TAG, c, MPI_STATUS_IGNORE),
			MPI_SUCCESS);
	for (size_t i = 0; prog.rank == 1 && i < sizeof large; i++)
		if (large[i] != 7)
			prog_wrong(&prog, "byte %zu is %d, not what was sent", i, large[i]);
	talks(last);
	IS(MPI_Comm_free(&last), MPI_SUCCESS);
	IS(MPI_Session_finalize(&later), MPI_SUCCESS);
	if (s == MPI_SESSION_NULL)
		return;
	IS(MPI_Comm_free(&c), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
}

void buffers(void)
{
	MPI_Session s, other;
	MPI_Comm c, of_other;

	find_place();
	s = begin_session();
	other = begin_session();
	c = pset_comm(s, "mpi://SELF", "c");
	of_other = pset_comm(other, "mpi://SELF", "of other");
	whose(s, c, of_other);
	flushed(s, c);
	IS(MPI_Comm_free(&c), MPI_SUCCESS);
	IS(MPI_Comm_free(&of_other), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	IS(MPI_Session_finalize(&other), MPI_SUCCESS);
	at_the_end();
	right("buffers");
}
