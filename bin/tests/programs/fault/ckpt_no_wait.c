/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ckpt_no_wait: a rank returns from its checkpoint before another one has come to its own,
 * which waits for a message that the first sends only then. So no rank may wait for another in
 * FTMPI_Perform_Checkpoint, and the message is an orphan: received before the line, sent after
 * it.
 *
 * Rank 0 sends rank 1 two messages before its checkpoint, for which rank 1 posts a receive only
 * when FTMPI_CKPT_Wait says that the line was committed; with -gate rank 1 does not even call
 * MPI until a test that knows it lets it. All ranks must then find the messages, and the orphan
 * once.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

#include "mail_plan.h"
#include "prog.h"
#include "steps.h"

enum { TAG_FIRST = 1, TAG_SECOND, TAG_WORD };

static struct steps steps = STEPS_DEFAULT;
static long bytes = 1 << 20, fast;
static const char *gate = "";
static const struct prog_option options[] = {
	{"-bytes", "N", PROG_LONG, &bytes, 0, "length of each message (default 1048576)"},
	{"-fast", "R", PROG_LONG, &fast, 0, "who is ahead: rank 0 (default) or 1"},
	{"-gate", "FIFO", PROG_TEXT, &gate, 0, "rank 1 reads it before it goes on"},
	STEPS_OPTIONS(steps),
};
static struct prog prog = {.name = "ckpt_no_wait",
	.text = "a rank that does not wait for another at a checkpoint (-ckpt 1)",
	.options = options,
	.count = sizeof options / sizeof *options};

static uint8_t *contents(int tag)
{
	struct mail_plan plan = {.seed = (uint64_t)tag};
	struct mail_message m = {.bytes = bytes};
	uint8_t *data = prog_alloc(&prog, (size_t)bytes);

	mail_fill(&plan, &m, data);
	return data;
}

static void receive(int source, int tag)
{
	uint8_t *want = contents(tag), *got = prog_alloc(&prog, (size_t)bytes);

	memset(got, 0, (size_t)bytes);
	MPI_Recv(got, (int)bytes, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (memcmp(got, want, (size_t)bytes) != 0)
		prog_wrong(&prog, "the message with tag %d is not what was sent", tag);
	free(got);
	free(want);
}

/* Open until the end. */
static struct {
	MPI_Request request;
	uint8_t *data;
} sends[4];
static int sent;

static void begin_send(int dest, int tag)
{
	sends[sent].data = contents(tag);
	MPI_Isend(sends[sent].data, (int)bytes, MPI_BYTE, dest, tag, MPI_COMM_WORLD,
		&sends[sent].request);
	sent++;
}

static void say(const char *what)
{
	printf("rank %d %s\n", prog.rank, what);
	fflush(stdout);
}

/* Outside MPI. */
static void read_gate(void)
{
	char c;
	int fd = open(gate, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &c, 1) != 1)
		prog_wrong(&prog, "cannot read %s", gate);
	close(fd);
}

static void before(int slow)
{
	if (prog.rank == 0)
		begin_send(1, TAG_FIRST);
	if (prog.rank == slow && steps.every)
		receive((int)fast, TAG_WORD);
	if (prog.rank == 0)
		begin_send(1, TAG_SECOND);
}

static void checkpoint(void)
{
	int verdict = FTMPI_Perform_Checkpoint();

	if (verdict != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_Perform_Checkpoint gave %d", verdict);
	say("took its checkpoint");
}

static void committed(void)
{
	int verdict = FTMPI_CKPT_Wait();

	if (verdict != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_CKPT_Wait gave %d", verdict);
	say("knows that the line is committed");
	steps_done(&steps, 1);
}

/* What comes after the line; the word is sent again after a restore. */
static void after(bool restored)
{
	if (prog.rank == fast && steps.every)
		begin_send(1 - (int)fast, TAG_WORD);
	if (restored)
		return;
	if (prog.rank == 1 && *gate)
		read_gate();
	if (steps.every)
		committed();
}

static void end(void)
{
	int more = 0;

	for (int i = 0; i < sent; i++) {
		MPI_Wait(&sends[i].request, MPI_STATUS_IGNORE);
		free(sends[i].data);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &more, MPI_STATUS_IGNORE);
	if (more)
		prog_wrong(&prog, "a message is left over");
	if (prog.rank == 0)
		printf("ckpt_no_wait: right, %ld bytes, %d ranks\n", bytes, prog.size);
}

int main(int argc, char **argv)
{
	bool restored;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	steps_begin(&steps, &prog);
	if (prog.size < 2 || fast > 1)
		prog_wrong(&prog, "there must be two ranks, and -fast is 0 or 1");
	restored = FTMPI_Restore() == FTMPI_RESTORED;
	if (restored)
		say("was restored");
	else
		before(1 - (int)fast);
	if (!restored && steps.every)
		checkpoint();
	after(restored);
	if (prog.rank == 1) {
		receive(0, TAG_SECOND);
		receive(0, TAG_FIRST);
	}
	end();
	MPI_Finalize();
	return 0;
}
