/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed: everything that a line can cut through, in one program. At each step its parts use MPI in
 * their ways one after the other (one in each file mixed_*.c); what they send is a function of
 * seed, step and rank, so the program is send-deterministic. Each rank takes its checkpoints
 * between two parts of some step, at moments of its own: with -skew K up to K steps after others,
 * before or after the same collective operation (which a protocol that makes ranks wait for each
 * other does not allow).
 *
 * The answer depends on every message having been received once. Each rank compares what each part
 * received with what the plan says must come, and looks for messages that are left over.
 */
#include "mixed.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "mail_plan.h"
#include "mixed_neighbors.h"
#include "steps.h"

static const struct mixed_part *const parts[MIXED_PARTS] = {
	[MIXED_BLOCKING] = &mixed_blocking,
	[MIXED_COLL] = &mixed_coll,
	[MIXED_REQUESTS] = &mixed_requests,
	[MIXED_WILDCARDS] = &mixed_wildcards,
	[MIXED_PERSISTENT_P2P] = &mixed_persistent,
	[MIXED_ICOLL] = &mixed_icoll,
	[MIXED_INTERCOMM] = &mixed_intercomm,
	[MIXED_INTERCOLL] = &mixed_intercoll,
	[MIXED_NEIGHBORS] = &mixed_neighbors,
	[MIXED_MPROBE] = &mixed_mprobe,
	[MIXED_SEND_MODES] = &mixed_send_modes,
	[MIXED_PARTITIONED] = &mixed_partitioned,
	[MIXED_GREQUEST] = &mixed_grequest,
	[MIXED_NEW_COMMS] = &mixed_comms,
};

/* Protected variables beside those of the parts. */
enum { ID_STATE = MIXED_PARTS + 1, ID_HOLES };

struct run {
	struct mixed m;
	struct prog prog;
	struct steps steps;
	long skew, work;
	int restored;
	const char *only;
	bool takes[MIXED_PARTS];
	uint64_t holes[6]; /* two items; what is between is not saved */
};

static void must(const struct run *r, int rc, const char *call)
{
	if (rc != MPI_SUCCESS)
		prog_wrong(&r->prog, "%s returned %d", call, rc);
}

void mixed_protect(const struct mixed *m, int id, void *addr, size_t bytes)
{
	if (FTMPI_CKPT_Protect(id, addr, (MPI_Count)bytes, MPI_BYTE) != MPI_SUCCESS)
		prog_wrong(m->prog, "FTMPI_CKPT_Protect of variable %d failed", id);
}

static int part_named(const char *name, size_t length)
{
	for (int p = 0; p < MIXED_PARTS; p++)
		if (strlen(parts[p]->name) == length && memcmp(parts[p]->name, name, length) == 0)
			return p;
	return -1;
}

/* "all", or names with commas between them. */
static void choose_parts(struct run *r)
{
	if (strcmp(r->only, "all") == 0) {
		memset(r->takes, true, sizeof(r->takes));
		return;
	}
	for (const char *name = r->only;; name++) {
		size_t length = strcspn(name, ",");
		int p = part_named(name, length);
		if (p < 0)
			prog_wrong(&r->prog, "-only %s: there is no such part", name);
		r->takes[p] = true;
		name += length;
		if (*name == '\0')
			return;
	}
}

/* ---- communicators and types: before the restore ---- */

/* Of the even and the odd ranks; one rank alone has no other side. */
static void make_between(const struct mixed *m, MPI_Comm *c)
{
	int rank = m->prog->rank;
	MPI_Comm side;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
	if (m->prog->size > 1)
		MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, !(rank % 2), 1, c);
	else
		MPI_Comm_dup(side, c);
	MPI_Comm_free(&side);
}

static void make_communicators(struct mixed *m)
{
	m->comm[MIXED_WORLD] = MPI_COMM_WORLD;
	for (int c = MIXED_DUP; c < MIXED_COMMS; c++)
		if (c == MIXED_HALF || c == MIXED_MAKER_HALF)
			MPI_Comm_split(MPI_COMM_WORLD, m->prog->rank % 2, 0, &m->comm[c]);
		else if (c == MIXED_TRIPLE)
			MPI_Comm_split(MPI_COMM_WORLD, m->prog->rank / 3, 0, &m->comm[c]);
		else if (c == MIXED_INTERCOMM_COMM || c == MIXED_INTERCOLL_COMM ||
			 c == MIXED_MAKER_SIDES)
			make_between(m, &m->comm[c]);
		else if (c >= MIXED_GRID && c <= MIXED_WEB)
			m->comm[c] = mixed_neighbors_make(m, c);
		else
			MPI_Comm_dup(MPI_COMM_WORLD, &m->comm[c]);
}

static void make_item(struct mixed *m)
{
	const int lengths[] = {1, 1};
	const MPI_Aint places[] = {0, 8};
	const MPI_Datatype types[] = {MPI_INT32_T, MPI_INT64_T};
	MPI_Datatype tight;
	MPI_Type_create_struct(2, lengths, places, types, &tight);
	MPI_Type_create_resized(tight, 0, MIXED_ITEM_EXTENT, &m->item);
	MPI_Type_commit(&m->item);
	MPI_Type_free(&tight);
}

/* ---- checkpoints ---- */

/* The moment of this rank's i-th, from 1; -1: only when one is due by time. */
static int64_t moment_of(const struct run *r, int64_t i)
{
	uint64_t who = r->skew > 0 ? (uint64_t)r->prog.rank : 0;
	uint64_t random = mail_random(~r->m.seed, (uint64_t)i, who);
	if (r->steps.every == 0)
		return -1;
	int64_t late = mixed_decide(&random, r->skew + 1);
	return (i * r->steps.every + late) * MIXED_PARTS + mixed_decide(&random, MIXED_PARTS);
}

/* The data buffer: what the state must be. Its length differs from line to line. */
static void pack(const struct run *r)
{
	int64_t copies = 1 + r->m.state.lines % 5;
	size_t bytes = sizeof(r->m.state);
	must(r, FTMPI_CKPT_ReAllocBuffer((MPI_Count)(bytes * (size_t)copies)), "ReAllocBuffer");
	must(r, FTMPI_CKPT_ResetBufPtr(), "ResetBufPtr");
	for (; copies > 0; copies--)
		must(r, FTMPI_CKPT_AddToBuffer(&r->m.state, (MPI_Count)bytes), "AddToBuffer");
}

static void unpack(const struct run *r)
{
	struct mixed_state saved;
	for (int64_t copies = 1 + r->m.state.lines % 5; copies > 0; copies--) {
		must(r, FTMPI_CKPT_GetFromBuffer(&saved, sizeof(saved)), "GetFromBuffer");
		if (memcmp(&saved, &r->m.state, sizeof(saved)) != 0)
			prog_wrong(&r->prog, "the data buffer is not that of moment %" PRId64,
				r->m.state.moment);
	}
	if (FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_END) != FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_CUR))
		prog_wrong(&r->prog, "the data buffer is longer than it was");
}

static void checkpoint(struct run *r)
{
	long step = (long)(r->m.state.moment / MIXED_PARTS);
	r->m.state.lines++;
	pack(r);
	int verdict = FTMPI_Perform_Checkpoint();
	/* What the ranks tell each other there is a collective operation: they must stand at the
	 * same moment. After a restore they may not, as the line may be one that was made with
	 * -skew. */
	if (r->skew == 0 && !r->restored)
		steps_line(&r->steps, step, verdict);
	else
		steps_line_here(&r->steps, step, verdict);
}

static void checkpoints(struct run *r)
{
	int due = 0;
	if (r->steps.every == 0 && r->m.state.moment % MIXED_PARTS == 0)
		must(r, FTMPI_Checkpoint_due(&due), "FTMPI_Checkpoint_due");
	if (due)
		checkpoint(r);
	while (r->steps.every > 0 && moment_of(r, r->m.state.lines + 1) <= r->m.state.moment)
		checkpoint(r);
}

/* ---- from the first moment to the last ---- */

static int64_t go_on(int64_t random)
{
	return (int64_t)mail_random((uint64_t)random, 1, 2);
}

static void begin_or_restore(struct run *r)
{
	struct mixed *m = &r->m;
	m->state.moment = MIXED_PARTS; /* step 1 */
	mixed_protect(m, ID_STATE, &m->state, sizeof(m->state));
	must(r, FTMPI_CKPT_Protect(ID_HOLES, r->holes, 2, m->item), "FTMPI_CKPT_Protect");
	for (int p = 0; p < MIXED_PARTS; p++)
		if (parts[p]->begin != NULL)
			parts[p]->begin(m);
	if (FTMPI_Restore() != FTMPI_RESTORED)
		return;
	r->restored = 1;
	unpack(r);
	for (int p = 0; p < MIXED_PARTS; p++)
		if (parts[p]->restored != NULL)
			parts[p]->restored(m);
	steps_restored(&r->steps, (long)(m->state.moment / MIXED_PARTS));
}

static void compute(const struct run *r)
{
	volatile uint64_t turns = (uint64_t)r->work * 1000;
	while (turns > 0)
		turns--;
}

static void moment(struct run *r)
{
	struct mixed *m = &r->m;
	long step = (long)(m->state.moment / MIXED_PARTS);
	int part = (int)(m->state.moment % MIXED_PARTS);
	if (r->takes[part])
		parts[part]->step(m, step);
	m->state.random = go_on(m->state.random);
	r->holes[3] = (uint64_t)m->state.random; /* the first word of the second item */
	if (part == MIXED_PARTS - 1) {
		compute(r);
		steps_done(&r->steps, step);
	}
	m->state.moment++;
}

static void run(struct run *r)
{
	int64_t end = (r->m.steps + MIXED_LAG + 1) * (int64_t)MIXED_PARTS;
	while (r->m.state.moment < end) {
		checkpoints(r);
		moment(r);
	}
}

/* ---- is it right? ---- */

static void verify_sums(const struct run *r)
{
	for (int p = 0; p < MIXED_PARTS; p++) {
		uint64_t want = 0;
		for (long step = 1; step <= r->m.steps && r->takes[p]; step++)
			want += parts[p]->expect(&r->m, step);
		if (want != r->m.state.sum[p])
			prog_wrong(&r->prog, "%s: not every message has come once", parts[p]->name);
	}
}

static void verify_state(const struct run *r)
{
	int64_t random = 0, moments = (r->m.steps + MIXED_LAG) * (int64_t)MIXED_PARTS;
	for (int64_t i = 0; i < moments; i++)
		random = go_on(random);
	int32_t mine = (int32_t)random;
	if (random != r->m.state.random || memcmp(&mine, &r->holes[3], sizeof(mine)) != 0)
		prog_wrong(&r->prog, "the random numbers went another way");
}

static void verify_empty(const struct run *r)
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (int c = 0; c < MIXED_COMMS; c++) {
		MPI_Status status;
		int more = 0;
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->m.comm[c], &more, &status);
		if (more)
			prog_wrong(&r->prog, "communicator %d: a message too many from %d, tag %d",
				c, status.MPI_SOURCE, status.MPI_TAG);
	}
}

static void end(struct run *r)
{
	for (int p = 0; p < MIXED_PARTS; p++)
		if (parts[p]->end != NULL)
			parts[p]->end(&r->m);
	verify_sums(r);
	verify_state(r);
	verify_empty(r);
	for (int c = MIXED_DUP; c < MIXED_COMMS; c++)
		MPI_Comm_free(&r->m.comm[c]);
	MPI_Type_free(&r->m.item);
	FTMPI_CKPT_DeAllocBuffer();
}

static void answer(const struct run *r, double begin)
{
	int64_t all = 0;
	int size = r->prog.size;
	size_t bytes = sizeof(r->m.state.sum);
	uint64_t *sums = prog_alloc(&r->prog, bytes * (size_t)size);
	MPI_Reduce(&r->m.state.received, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Gather(r->m.state.sum, MIXED_PARTS, MPI_UINT64_T, sums, MIXED_PARTS, MPI_UINT64_T, 0,
		MPI_COMM_WORLD);
	if (r->prog.rank == 0)
		printf("mixed: right, checksum %08" PRIx32 ", %" PRId64 " messages, %ld steps, "
		       "seed %" PRIu64 ", %d ranks, %.3f s\n",
			(uint32_t)mail_hash(0, (uint8_t *)sums, (long)bytes * size), all,
			r->m.steps, r->m.seed, size, MPI_Wtime() - begin);
	free(sums);
}

/* A communicator may be made on one side of a line here, on the other elsewhere. */
static bool made_across(const struct run *r)
{
	return r->m.made % r->steps.every != 0 || r->skew > r->steps.every - 2 ||
	       (r->m.across && r->skew > 0);
}

static void read_options(struct run *r, int argc, char **argv)
{
	long seed = 1;
	const struct prog_option options[] = {
		{"-seed", "S", PROG_LONG, &seed, 0, "seed of the plan (default 1)"},
		{"-steps", "N", PROG_LONG, &r->m.steps, 1, "steps (default 200)"},
		{"-max", "BYTES", PROG_LONG, &r->m.most, 0, "longest message (default 1048576)"},
		{"-skew", "K", PROG_LONG, &r->skew, 0,
			"ranks take checkpoints up to K steps after others (default 0)"},
		{"-work", "N", PROG_LONG, &r->work, 0, "compute N thousand turns a step"},
		{"-stopped", NULL, PROG_FLAG, &r->m.stopped, 0,
			"lines are made under the protocol blocking"},
		{"-alone", NULL, PROG_FLAG, &r->m.alone, 0,
			"each rank goes on from its own checkpoint (the protocol msglog)"},
		{"-made", "N", PROG_LONG, &r->m.made, 0,
			"make communicators before every N-th step, N being a multiple of -ckpt"},
		{"-across", NULL, PROG_FLAG, &r->m.across, 0,
			"with -made: some are under way when a line is made"},
		{"-only", "PART", PROG_TEXT, &r->only, 0,
			"only these parts, with commas between them (default all)"},
		STEPS_OPTIONS(r->steps),
	};
	r->prog = (struct prog){"mixed", "every use of MPI across lines that nobody waits for",
		options, sizeof(options) / sizeof(options[0]), 0, 1};
	prog_begin(&r->prog, argc, argv);
	r->m.seed = (uint64_t)seed;
	choose_parts(r);
	if (r->skew > 0 && r->steps.sure)
		prog_wrong(
			&r->prog, "-sure and -skew: a rank would wait for those that wait for it");
	if (r->m.made > 0 &&
		(r->m.made < 8 || (r->steps.every > 0 && !r->m.alone && made_across(r))))
		prog_wrong(&r->prog, "-made %ld: some are on both sides of a line", r->m.made);
	if (r->m.most > INT_MAX / 2)
		prog_wrong(&r->prog, "-max %ld: at most %d", r->m.most, INT_MAX / 2);
}

int main(int argc, char **argv)
{
	struct run r = {
		.m = {.steps = 200, .most = 1 << 20}, .steps = STEPS_DEFAULT, .only = "all"};
	MPI_Init(&argc, &argv);
	r.m.prog = &r.prog;
	read_options(&r, argc, argv);
	steps_begin(&r.steps, &r.prog);
	double begin = MPI_Wtime();
	make_communicators(&r.m);
	make_item(&r.m);
	begin_or_restore(&r);
	run(&r);
	end(&r);
	answer(&r, begin);
	MPI_Finalize();
	return 0;
}
