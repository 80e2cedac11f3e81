/* SPDX-License-Identifier: BSD-3-Clause */
/* What tools can see: tables. A new row goes to the end, so that indices stay. */
#include "launch/launch.h"
#include "mpi/engine/engine.h"
#include "mpi/init/runtime.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/p2p/request.h"
#include "mpi/recovery/ckpt_job.h"
#include "tool.h"

enum { CATEGORY_ALL, CATEGORY_TRANSPORT, CATEGORY_MATCHING, CATEGORY_JOB };

const struct tool_category tool_categories[] = {
	{"ftmpi", "everything that FTMPI shows", -1},
	{"ftmpi_transport", "sockets, frames, connections", CATEGORY_ALL},
	{"ftmpi_matching", "messages and receives that wait for each other", CATEGORY_ALL},
	{"ftmpi_job", "the process and its job", CATEGORY_ALL},
};
const int tool_category_count = sizeof tool_categories / sizeof *tool_categories;

int tool_knob_category(enum knob k)
{
	return k == KNOB_SPIN_US ? CATEGORY_JOB : CATEGORY_TRANSPORT;
}

/* The others are read once, when MPI starts. */
bool tool_knob_writable(enum knob k)
{
	return k == KNOB_SPIN_US;
}

/* ---- how performance variables are read; all are 0 while MPI does not run ---- */

static bool running(void)
{
	enum runtime_state s = runtime_state();

	return s == RUNTIME_RUNNING || s == RUNTIME_IDLE;
}

static struct tp_counts counts(void)
{
	struct tp_counts c = {0};

	if (running())
		tp_read_counts(engine_tp(), &c);
	return c;
}

static uint64_t frames_sent(void)
{
	return counts().frames_out;
}

static uint64_t frames_received(void)
{
	return counts().frames_in;
}

static uint64_t socket_writes(void)
{
	return counts().sends;
}

static uint64_t socket_reads(void)
{
	return counts().recvs;
}

static uint64_t sleeps(void)
{
	return counts().sleeps;
}

static uint64_t connections(void)
{
	return (uint64_t)counts().connected;
}

static uint64_t unexpected_bytes(void)
{
	return counts().unexpected_bytes;
}

/* The program's; the other plane is the library's. */
static uint64_t unexpected_messages(void)
{
	uint64_t n = 0;

	if (!running())
		return 0;
	list_for_each (at, &p2p_matching()->arrivals.list) {
		uint64_t context = container_of(at, struct match_msg, all.link)->context;

		n += !(context & 1) && !comm_is_coord_control(context);
	}
	return n;
}

static uint64_t posted_receives(void)
{
	return running() ? p2p_matching()->nposted : 0;
}

static void count_request(struct request *r, void *arg)
{
	(void)r;
	++*(uint64_t *)arg;
}

static uint64_t requests(void)
{
	uint64_t n = 0;

	if (running())
		requests_each(count_request, &n);
	return n;
}

static uint64_t calls(void)
{
	return running() ? engine_calls() : 0;
}

static uint64_t restarts(void)
{
	return running() ? ckpt_job()->launch->settings.restarts : 0;
}

static const char *const state_items[] = {"before MPI_Init", "running", "after MPI_Finalize"};
static const struct tool_enum states = {
	"ftmpi_states", sizeof state_items / sizeof *state_items, state_items};

static uint64_t state(void)
{
	enum runtime_state s = runtime_state();

	return s == RUNTIME_BEFORE ? 0 : s == RUNTIME_AFTER ? 2 : 1;
}

#define NUMBER(name, class, read, category, text)                                                  \
	{                                                                                          \
		name, text, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_PVAR_CLASS_##class,                 \
			MPI_UNSIGNED_LONG_LONG, NULL, read, CATEGORY_##category                    \
	}

const struct tool_pvar tool_pvars[] = {
	{"ftmpi_state", "where this process is in its life", MPI_T_VERBOSITY_USER_BASIC,
		MPI_T_PVAR_CLASS_STATE, MPI_INT, &states, state, CATEGORY_JOB},
	NUMBER("ftmpi_restarts", COUNTER, restarts, JOB, "how often the job was begun again"),
	NUMBER("ftmpi_calls", COUNTER, calls, JOB, "MPI calls begun, modulo 2^32"),
	NUMBER("ftmpi_requests", LEVEL, requests, MATCHING,
		"requests in use, those of persistent communication too"),
	NUMBER("ftmpi_posted_receives", LEVEL, posted_receives, MATCHING,
		"receives that wait for a message"),
	NUMBER("ftmpi_unexpected_messages", LEVEL, unexpected_messages, MATCHING,
		"messages of the program, or announcements of long ones, that no receive wanted "
		"yet"),
	NUMBER("ftmpi_unexpected_bytes", LEVEL, unexpected_bytes, MATCHING,
		"bytes of messages from other ranks, in the library's memory, that no receive "
		"wanted yet"),
	NUMBER("ftmpi_connections", LEVEL, connections, TRANSPORT,
		"other ranks that are connected"),
	NUMBER("ftmpi_frames_sent", COUNTER, frames_sent, TRANSPORT,
		"frames given to other ranks: messages, announcements, answers"),
	NUMBER("ftmpi_frames_received", COUNTER, frames_received, TRANSPORT,
		"frames that came from other ranks"),
	NUMBER("ftmpi_socket_writes", COUNTER, socket_writes, TRANSPORT,
		"system calls that wrote to other ranks"),
	NUMBER("ftmpi_socket_reads", COUNTER, socket_reads, TRANSPORT,
		"system calls that read from other ranks"),
	NUMBER("ftmpi_sleeps", COUNTER, sleeps, TRANSPORT,
		"times that a waiting thread slept in the kernel"),
};
const int tool_pvar_count = sizeof tool_pvars / sizeof *tool_pvars;
