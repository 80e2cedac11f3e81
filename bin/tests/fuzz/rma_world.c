/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where rma_words.c's window lives. What the library allocates is counted (--wrap), since what
 * makes no sense ends the process, and here leaves in the middle of things: then all of it is
 * freed; else nothing may be left.
 */
#include <stdarg.h>

#include "mpi/bindings/api.h"
#include "base/error.h"
#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/p2p/request.h"
#include "rma_words.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_reallocarray(void *p, size_t n, size_t each);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_reallocarray(void *p, size_t n, size_t each);
void __wrap_free(void *p);

static bool counting;
static void *blocks[WORDS_BLOCKS];
static const size_t MOST = 1 << 20; /* more cannot be had */
static struct engine_deferred *deferred;
static struct comm comm;
static const int ranks[WORDS_RANKS] = {0, 1, 2};

/* ---- memory ---- */

static void **find(const void *p)
{
	for (int i = 0; i < WORDS_BLOCKS; i++)
		if (blocks[i] == p)
			return &blocks[i];
	FUZZ_CHECK(false, "%s", p ? "freed, and never allocated" : "too many blocks");
	return NULL;
}

static void *note(void *p)
{
	if (p && counting)
		*find(NULL) = p;
	return p;
}

void *__wrap_malloc(size_t n)
{
	return counting && n > MOST ? NULL : note(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t each)
{
	return counting && n * each > MOST ? NULL : note(__real_calloc(n, each));
}

void *__wrap_reallocarray(void *p, size_t n, size_t each)
{
	void **block = p && counting ? find(p) : NULL, *moved = NULL;

	if (!counting || n * each <= MOST)
		moved = __real_reallocarray(p, n, each);
	if (block && moved)
		*block = NULL;
	return note(moved);
}

void __wrap_free(void *p)
{
	if (p && counting)
		*find(p) = NULL;
	__real_free(p);
}

/* ---- the process ---- */

void process_last_words(void)
{
}

_Noreturn void process_die(int errclass)
{
	FUZZ_CHECK(errclass == MPI_ERR_INTERN || errclass == MPI_ERR_NO_MEM, "class %d", errclass);
	longjmp(f.nonsense, 1);
}

void log_error(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fuzz_check_sentence(text, sizeof text);
}

void engine_defer(struct engine_deferred *c)
{
	deferred = c;
}

void engine_defer_cancel(struct engine_deferred *c)
{
	if (deferred == c)
		deferred = NULL;
}

struct engine_news engine_news;

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	FUZZ_CHECK(done(arg, &expect), "it waits");
}

struct tp *engine_tp(void)
{
	return NULL;
}

bool p2p_gone(void)
{
	return false;
}

/* Lines of checkpoints are none here. */
uint32_t p2p_word_stamp(void)
{
	return 1;
}

void p2p_word_sent(int peer, uint64_t context)
{
	FUZZ_CHECK(peer >= 0 && peer < WORDS_RANKS && context == f.w.context, "to rank %d", peer);
}

void p2p_word_arrived(int peer, uint64_t context, uint32_t stamp)
{
	(void)stamp;
	FUZZ_CHECK(peer >= 0 && peer < WORDS_RANKS && context, "from rank %d", peer);
}

struct comm *comm_world(void)
{
	return &comm;
}

/* There is no request: one that is completed finds no state to go to, and aborts. */
const uint8_t request_leads[REQUEST_STATES];

void request_completed_other(struct request *r)
{
	FUZZ_CHECK(false, "request %p, and there is none", (void *)r);
}

/* What it says must be an answer, of the length that it says. */
int tp_send(struct tp *tp, int peer, const struct tp_envelope *te, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	struct envelope e = envelope_unpack(te);
	const struct rma_head *say = payload;

	FUZZ_CHECK(!tp && flags == TP_UNCOUNTED && cookie && peer >= 0 && peer < WORDS_RANKS,
		"to rank %d", peer);
	FUZZ_CHECK(e.context == f.w.context && e.source == WORDS_SELF, "of another window");
	FUZZ_CHECK(len >= sizeof *say && say->kind >= RMA_DONE && say->kind < RMA_KIND_END,
		"it says %u", say->kind);
	FUZZ_CHECK(len - sizeof *say == (say->kind == RMA_DATA ? say->bytes : 0), "with %zu bytes",
		len - sizeof *say);
	f.said |= 1u << say->kind;
	f.data = say->bytes;
	return 1;
}

/* What the target reads for an origin is what it sends. */
void tp_count_sent(struct tp *tp, int peer, size_t bytes)
{
	FUZZ_CHECK(!tp && peer >= 0 && peer < WORDS_RANKS, "to rank %d", peer);
	FUZZ_CHECK(f.said & 1u << RMA_DATA && bytes == f.data, "%zu bytes are counted", bytes);
}

/* ---- the window ---- */

struct win *win_by_context(uint64_t context)
{
	return context == f.w.context ? &f.w : NULL;
}

void win_each(void (*visit)(struct win *w, void *arg), void *arg)
{
	visit(&f.w, arg);
}

const char *win_label(const struct win *w)
{
	return w->name;
}

void words_run_deferred(void)
{
	struct engine_deferred *now = deferred;

	deferred = NULL;
	if (now)
		now->run(now);
}

void words_begin(bool dynamic)
{
	comm = (struct comm){
		.rank = WORDS_SELF, .size = WORDS_RANKS, .peers = ranks, .npeers = WORDS_RANKS};
	memset(&f, 0, sizeof f);
	f.memory = __real_calloc(1, WORDS_BYTES);
	f.result = __real_calloc(1, WORDS_BYTES);
	FUZZ_CHECK(f.memory && f.result, "out of memory");
	f.w = (struct win){.context = RMA_CONTEXT | WORDS_CONTEXT,
		.comm = &comm,
		.flavor = dynamic ? MPI_WIN_FLAVOR_DYNAMIC : MPI_WIN_FLAVOR_CREATE,
		.base = dynamic ? NULL : f.memory,
		.size = dynamic ? 0 : WORDS_BYTES,
		.disp_unit = 1,
		.peers = f.peers,
		.name = "w"};
	list_init(&f.w.regions);
	list_init(&f.w.turns);
	for (int i = 0; i < WORDS_RANKS; i++)
		list_init(&f.peers[i].pending);
	counting = true;
	FUZZ_CHECK(rma_start() == MPI_SUCCESS, "out of memory");
	FUZZ_CHECK(!dynamic || win_memory_attach(&f.w, f.memory, WORDS_BYTES) == MPI_SUCCESS,
		"attach");
}

void words_end(void)
{
	struct link *item;

	for (int i = 0; i < WORDS_RANKS; i++)
		rma_pending_clear(&f.peers[i]);
	rma_fini();
	if (f.w.flavor == MPI_WIN_FLAVOR_DYNAMIC)
		win_memory_detach(&f.w, f.memory);
	while ((item = list_pop(&f.w.turns)))
		__wrap_free(container_of(item, struct win_turn, link));
	for (int i = 0; i < WORDS_BLOCKS; i++)
		FUZZ_CHECK(!blocks[i], "memory is left over");
}

void words_clear(void)
{
	rma_fini();
	counting = false;
	for (int i = 0; i < WORDS_BLOCKS; i++) {
		__real_free(blocks[i]);
		blocks[i] = NULL;
	}
	__real_free(f.memory);
	__real_free(f.result);
}
