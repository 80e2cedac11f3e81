/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * -verify-replay: does a rank that runs again send what it sent before? Behind each message that
 * leaves goes a word with its checksum (VOUCH), and the receiver keeps that. What the receiver has
 * already is not sent again; its sender vouches for it all the same, when it is made again or when
 * the two connect, and the words are compared. Words of a connection that breaks may be lost; then
 * the next one is the first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "p2p_log_inside.h"

/* What a peer has vouched for, by number; 0: nothing is known. */
struct vouched {
	uint64_t *sums;
	size_t room;
};

static struct vouched *vouched; /* by peer; NULL: nothing is verified */

int p2p_log_verify_start(int size)
{
	vouched = calloc((size_t)size, sizeof *vouched);
	return vouched ? 0 : FT_ENOMEM;
}

void p2p_log_verify_fini(void)
{
	for (int i = 0; vouched && i < p2p_msglog->size; i++)
		free(vouched[i].sums);
	free(vouched);
	vouched = NULL;
}

/* ---- the sender ---- */

static uint64_t sum_of(const struct logged_message *l)
{
	const struct logged_envelope *e = &l->envelope;
	const uint64_t head[] = {e->context, (uint32_t)e->tag, e->flags, l->len};
	uint64_t sum = XXH64(l->bytes, l->len, XXH64(head, sizeof head, 0));

	return sum ? sum : 1;
}

static void vouch(int peer, uint64_t number, const struct logged_message *l)
{
	struct log_control m = {.peer = peer};
	struct writer w = writer_over(m.bytes, sizeof m.bytes);
	const char *call = l->call ? l->call : "";
	size_t len = strnlen(call, LOG_CALL_MOST);

	writer_u32(&w, LOG_VOUCH);
	writer_u64(&w, number);
	writer_u64(&w, sum_of(l));
	writer_bytes(&w, call, len);
	m.len = LOG_VOUCH_BYTES + len;
	p2p_log_say_as(peer, &m);
}

void p2p_log_vouch(int peer, uint64_t number, const struct logged_message *l)
{
	if (vouched)
		vouch(peer, number, l);
}

void p2p_log_vouch_again(int peer, uint64_t has)
{
	const struct logged_message *l = p2p_msglog->pairs[peer].log.first;

	for (; vouched && l && l->number <= has; l = l->next)
		p2p_log_vouch(peer, l->number, l);
}

/* ---- the receiver ---- */

static uint64_t *place_of(int peer, uint64_t number)
{
	struct vouched *v = &vouched[peer];
	size_t room = v->room ? v->room : 64;
	uint64_t *sums;

	while (room <= number)
		room *= 2;
	if (room > v->room) {
		sums = realloc(v->sums, room * sizeof *sums);
		if (!sums)
			p2p_log_no_memory(peer);
		memset(sums + v->room, 0, (room - v->room) * sizeof *sums);
		*v = (struct vouched){sums, room};
	}
	return &v->sums[number];
}

static _Noreturn void differs(int peer, uint64_t number, const char *call)
{
	process_last_words();
	log_error(
		"message logging: rank %d, which runs again, sends something else than before: "
		"message %" PRIu64 " to rank %d, in %s. The program depends on what message "
		"logging does not see (the time, random numbers, threads, files that change, "
		"memory that was not set), and needs `-coord blocking`; or, behind FTMPI_Restore, "
		"it has not begun again what was open, or has sent it again (doc/msglog.md)",
		peer, number, p2p_msglog->self, *call ? call : "a call that is not known");
	process_die(MPI_ERR_OTHER);
}

/* Letters, digits and underscores, as functions have. */
static bool take_call(struct cursor *c, size_t len, char *call)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	if (len > LOG_CALL_MOST)
		return false;
	cursor_bytes(c, call, len);
	call[len] = '\0';
	return strspn(call, letters) == len;
}

/* It is behind its message. */
bool p2p_log_take_vouch(struct cursor *c, size_t len, int peer)
{
	uint64_t number = cursor_u64(c), sum = cursor_u64(c), *known;
	char call[LOG_CALL_MOST + 1];

	if (!vouched || len < LOG_VOUCH_BYTES || !take_call(c, len - LOG_VOUCH_BYTES, call) ||
		!cursor_done(c))
		return false;
	if (number == 0 || number > p2p_msglog->pairs[peer].arrived.begun || sum == 0)
		return false;
	known = place_of(peer, number);
	if (*known && *known != sum)
		differs(peer, number, call);
	*known = sum;
	return true;
}
