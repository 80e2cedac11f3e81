/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends: MPI 5.0 sections 3.4 and 3.6. */
#include <stdlib.h>
#include <string.h>

#include "p2p.h"

/* Room for n long messages, as the standard has it reckoned. */
static int room(int n)
{
	return n * (P2P_LONG + MPI_BSEND_OVERHEAD);
}

static void *attach(int bytes)
{
	void *buffer = prog_alloc(&p2p, (size_t)bytes);

	p2p_error("attach", MPI_SUCCESS, MPI_Buffer_attach(buffer, bytes));
	return buffer;
}

static void detach(void *buffer, int bytes)
{
	void *address = NULL;
	int size = -1;

	MPI_Buffer_detach(&address, &size);
	p2p_want(address == buffer && size == bytes, "detached %p of %d, not %p of %d", address,
		size, buffer, bytes);
	free(buffer);
}

static int bsend(int tag, int n, MPI_Comm comm)
{
	unsigned char *p = p2p_bytes(tag, (size_t)n);
	int rc = MPI_Bsend(p, n, MPI_BYTE, 1, tag, comm);

	memset(p, 0xee, (size_t)n); /* it is ours again */
	free(p);
	return rc;
}

/* Nobody receives before all are sent; then in another order. */
static void order(void)
{
	void *buffer;

	if (p2p.rank == 0) {
		buffer = attach(room(3));
		for (int tag = 1; tag <= 3; tag++)
			p2p_error("Bsend", MPI_SUCCESS, bsend(tag, P2P_LONG, MPI_COMM_WORLD));
		p2p_tell(1);
		detach(buffer, room(3));
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		for (int tag = 3; tag >= 1; tag--)
			p2p_recv("order", 0, tag, tag, P2P_LONG, MPI_COMM_WORLD);
	}
}

/* What was fetched, in whatever order, makes room. */
static void refill(void)
{
	void *buffer;

	if (p2p.rank == 0) {
		buffer = attach(room(2));
		for (int tag = 1; tag <= 2; tag++)
			p2p_error("Bsend", MPI_SUCCESS, bsend(tag, P2P_LONG, MPI_COMM_WORLD));
		p2p_error("no room", MPI_ERR_BUFFER, bsend(3, P2P_LONG, MPI_COMM_WORLD));
		p2p_tell(1);
		p2p_wait(1);
		p2p_error("room again", MPI_SUCCESS, bsend(3, P2P_LONG, MPI_COMM_WORLD));
		p2p_error("no room", MPI_ERR_BUFFER, bsend(4, P2P_LONG, MPI_COMM_WORLD));
		p2p_tell(1);
		detach(buffer, room(2));
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		p2p_recv("refill", 0, 2, 2, P2P_LONG, MPI_COMM_WORLD);
		p2p_tell(0);
		p2p_wait(0);
		p2p_recv("refill", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
		p2p_recv("refill", 0, 3, 3, P2P_LONG, MPI_COMM_WORLD);
	}
}

static void errors(void)
{
	MPI_Request r;
	void *buffer, *address = &buffer;
	int size = -1, x = 0;
	char much[1001] = {0};

	p2p_error("no buffer", MPI_ERR_BUFFER, MPI_Bsend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
	p2p_error(
		"no buffer", MPI_ERR_BUFFER, MPI_Ibsend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r));
	p2p_error("to nobody", MPI_SUCCESS,
		MPI_Bsend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
	p2p_error("nothing attached", MPI_SUCCESS, MPI_Buffer_detach(&address, &size));
	p2p_want(size == 0 && address == NULL, "detached %d bytes at %p", size, address);
	p2p_error("size", MPI_ERR_ARG, MPI_Buffer_attach(&x, -1));
	p2p_error("null", MPI_ERR_BUFFER, MPI_Buffer_attach(NULL, 10));
	p2p_error("null", MPI_ERR_ARG, MPI_Buffer_detach(NULL, &size));
	buffer = attach(1000);
	p2p_error("twice", MPI_ERR_BUFFER, MPI_Buffer_attach(&x, 4));
	p2p_error("too long", MPI_ERR_BUFFER,
		MPI_Bsend(much, 1001, MPI_CHAR, p2p.rank, 1, MPI_COMM_WORLD));
	p2p_error("count", MPI_ERR_COUNT, MPI_Bsend(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
	p2p_error(
		"rank", MPI_ERR_RANK, MPI_Ibsend(&x, 1, MPI_INT, p2p.size, 0, MPI_COMM_WORLD, &r));
	p2p_error("tag", MPI_ERR_TAG, MPI_Bsend_init(&x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, &r));
	detach(buffer, 1000);
}

/* A flush waits for what was there before it, and for no more. */
static void flush(void)
{
	MPI_Request r;
	void *buffer;
	int flag = -1;

	if (p2p.rank == 0) {
		buffer = attach(room(3));
		MPI_Buffer_iflush(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		p2p_want(r == MPI_REQUEST_NULL, "the flush of an empty buffer stays");
		bsend(1, P2P_LONG, MPI_COMM_WORLD);
		MPI_Buffer_iflush(&r);
		bsend(2, P2P_LONG, MPI_COMM_WORLD);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		p2p_want(!flag, "flushed what nobody received");
		p2p_tell(1);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		p2p_tell(1);
		p2p_error("flush", MPI_SUCCESS, MPI_Buffer_flush());
		for (int tag = 3; tag <= 5; tag++)
			p2p_error("room after a flush", MPI_SUCCESS,
				bsend(tag, P2P_LONG, MPI_COMM_WORLD));
		detach(buffer, room(3));
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		p2p_recv("flush", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
		p2p_wait(0);
		for (int tag = 2; tag <= 5; tag++)
			p2p_recv("flush", 0, tag, tag, P2P_LONG, MPI_COMM_WORLD);
	}
}

static MPI_Comm quiet_dup(void)
{
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	return comm;
}

/* A communicator's own buffer takes nothing from that of the process. */
static void of_communicator(void)
{
	MPI_Comm comm = quiet_dup();
	char *mine = prog_alloc(&p2p, (size_t)room(1)), *address = NULL;
	void *buffer;
	int size = 0;

	if (p2p.rank == 0) {
		MPI_Comm_attach_buffer(comm, mine, room(1));
		p2p_error("its own", MPI_SUCCESS, bsend(1, P2P_LONG, comm));
		p2p_error("its own is full", MPI_ERR_BUFFER, bsend(2, P2P_LONG, comm));
		p2p_error("no other", MPI_ERR_BUFFER, bsend(2, P2P_LONG, MPI_COMM_WORLD));
		buffer = attach(room(1));
		p2p_error("the process's", MPI_SUCCESS, bsend(2, P2P_LONG, MPI_COMM_WORLD));
		p2p_error("its own is full", MPI_ERR_BUFFER, bsend(3, P2P_LONG, comm));
		p2p_tell(1);
		MPI_Comm_flush_buffer(comm);
		MPI_Comm_detach_buffer(comm, &address, &size);
		p2p_want(address == mine && size == room(1), "detached %d", size);
		MPI_Buffer_flush();
		p2p_error("the process's again", MPI_SUCCESS, bsend(3, P2P_LONG, comm));
		p2p_tell(1);
		detach(buffer, room(1));
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		p2p_recv("of the communicator", 0, 1, 1, P2P_LONG, comm);
		p2p_recv("of the process", 0, 2, 2, P2P_LONG, MPI_COMM_WORLD);
		p2p_wait(0);
		p2p_recv("of the process", 0, 3, 3, P2P_LONG, comm);
	}
	free(mine);
	MPI_Comm_free(&comm);
}

/* The communicator is freed with a message in its buffer. */
static void freed_communicator(void)
{
	MPI_Comm comm = quiet_dup();
	char *mine = prog_alloc(&p2p, (size_t)room(1));
	MPI_Request flushed = MPI_REQUEST_NULL;

	if (p2p.rank == 0) {
		MPI_Comm_attach_buffer(comm, mine, room(1));
		bsend(1, P2P_LONG, comm);
		MPI_Comm_iflush_buffer(comm, &flushed);
		MPI_Comm_free(&comm);
		p2p_tell(1);
		MPI_Wait(&flushed, MPI_STATUS_IGNORE);
	} else {
		if (p2p.rank == 1) {
			p2p_wait(0);
			p2p_recv("freed", 0, 1, 1, P2P_LONG, comm);
		}
		MPI_Comm_free(&comm);
	}
	free(mine);
}

static void automatic(void)
{
	void *address = NULL;
	MPI_Count size = -1;

	if (p2p.rank == 0) {
		p2p_error("automatic", MPI_SUCCESS, MPI_Buffer_attach_c(MPI_BUFFER_AUTOMATIC, 0));
		for (int tag = 1; tag <= 5; tag++)
			p2p_error("automatic", MPI_SUCCESS, bsend(tag, P2P_LONG, MPI_COMM_WORLD));
		p2p_tell(1);
		MPI_Buffer_detach_c(&address, &size);
		p2p_want(address == MPI_BUFFER_AUTOMATIC && size == 0, "detached %p, %lld", address,
			(long long)size);
	} else if (p2p.rank == 1) {
		p2p_wait(0);
		for (int tag = 1; tag <= 5; tag++)
			p2p_recv("automatic", 0, tag, tag, P2P_LONG, MPI_COMM_WORLD);
	}
}

/* Done when they are started. */
static void at_once(void)
{
	unsigned char *p = p2p_bytes(1, P2P_LONG);
	MPI_Request r[2];
	void *buffer;
	int flag = 0;

	if (p2p.rank == 0) {
		buffer = attach(room(2));
		MPI_Ibsend(p, P2P_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Bsend_init(p, P2P_LONG, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Start(&r[1]);
		MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
		p2p_want(flag && r[0] == MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL,
			"not done at once");
		p2p_error("Start without room", MPI_ERR_BUFFER, MPI_Start(&r[1]));
		p2p_tell(1);
		MPI_Buffer_flush();
		p2p_error("Start", MPI_SUCCESS, MPI_Start(&r[1]));
		memset(p, 0, P2P_LONG);
		p2p_error("Wait", MPI_SUCCESS, MPI_Wait(&r[1], MPI_STATUS_IGNORE));
		MPI_Request_free(&r[1]);
		p2p_tell(1);
		detach(buffer, room(2));
	} else if (p2p.rank == 1) {
		for (int i = 0; i < 2; i++) {
			p2p_wait(0);
			p2p_recv("at once", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
			if (i == 0)
				p2p_recv("at once", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
		}
	}
	free(p);
}

/* To oneself, and with holes. */
static void to_oneself(void)
{
	int out[20], in[20];
	MPI_Datatype comb;
	void *buffer = attach(room(1));

	MPI_Type_vector(10, 1, 2, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	for (int i = 0; i < 20; i++) {
		out[i] = i;
		in[i] = -1;
	}
	MPI_Bsend(out, 1, comb, p2p.rank, 1, MPI_COMM_WORLD);
	memset(out, 0, sizeof out);
	MPI_Recv(in, 1, comb, p2p.rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 20; i++)
		p2p_want(in[i] == (i % 2 ? -1 : i), "comb: %d is %d", i, in[i]);
	MPI_Type_free(&comb);
	detach(buffer, room(1));
}

/* What lies in the buffer of one who is through is received all the same. Last of all: the buffer
 * is left attached. */
static void left_behind(void)
{
	static void *kept;

	if (p2p.rank == 0) {
		kept = attach(room(1));
		bsend(1, P2P_LONG, MPI_COMM_WORLD);
		MPI_Finalize();
		free(kept);
		exit(0);
	}
	if (p2p.rank == 1)
		p2p_recv("left behind", 0, 1, 1, P2P_LONG, MPI_COMM_WORLD);
	MPI_Finalize();
	exit(0);
}

const struct p2p_case p2p_buffered[] = {
	{"buffered-order", order, 2},
	{"buffered-refill", refill, 2},
	{"buffered-errors", errors, 1},
	{"buffered-flush", flush, 2},
	{"buffered-communicator", of_communicator, 2},
	{"buffered-freed", freed_communicator, 2},
	{"buffered-automatic", automatic, 2},
	{"buffered-at-once", at_once, 2},
	{"buffered-self", to_oneself, 1},
	{NULL, NULL, 0},
};

const struct p2p_case p2p_last[] = {
	{"buffered-left", left_behind, 2},
	{NULL, NULL, 0},
};
