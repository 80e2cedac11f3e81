/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's communicators that are made on the way, with -made N: a generation of them at the end of
 * every N-th step but one, which is freed when the one after the next is made. Messages and
 * operations go through those that are there, across lines. Those that a line has are made again
 * after a restore, those that were freed are not; nor, where a rank goes on alone, those that it
 * is not in, as nobody else makes them then. All are made from communicators that have no
 * messages of their own, and without helpers, which might be taken for one that is made again.
 *
 * With -across what is copied by MPI_Comm_idup is waited for in the step behind the next line.
 */
#include "mixed.h"

#include <stdbool.h>
#include <stdlib.h>

enum { EACH = 4, GENERATIONS = 2, LATE = 3, TAG = 80, WORDS = 50 };

enum kind { COPY, COPY_LATER, HALVES, SOME, GRID, SIDES, MERGED, SIDES_LATER, KINDS };

/* What is there. Generation g is made at step g * N - 1. */
static struct {
	int64_t first, end;	       /* generations */
	int64_t pending;	       /* of those to come a copy is under way: this generation */
	int32_t in[GENERATIONS][EACH]; /* this rank is */
} state;

static struct made {
	MPI_Comm comm;
	MPI_Request later; /* it is there when this is done */
} made[GENERATIONS][EACH];

static int keyval = MPI_KEYVAL_INVALID;
static struct mixed_sends sends;

static enum kind kind_of(const struct mixed *m, int64_t g, int i)
{
	uint64_t random = mixed_random(m, MIXED_NEW_COMMS, (long)g, (uint64_t)i);

	/* one process has no other side */
	return (enum kind)(random % (m->prog->size > 1 ? KINDS : SIDES));
}

static struct made *at(int64_t g, int i)
{
	return &made[g % GENERATIONS][i];
}

/* ---- attributes: how often the communicator they came from was copied ---- */

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)key;
	(void)extra;
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static void check_attribute(const struct mixed *m, MPI_Comm c, intptr_t want)
{
	void *value = NULL;
	int found;

	MPI_Comm_get_attr(c, keyval, &value, &found);
	if ((found ? (intptr_t)value : 0) != want)
		prog_wrong(m->prog, "a communicator that was made has attribute %ld, not %ld",
			(long)(found ? (intptr_t)value : 0), (long)want);
}

/* ---- making them ---- */

static MPI_Comm halves(const struct mixed *m)
{
	int rank = m->prog->rank;
	MPI_Comm c;

	MPI_Comm_split(m->comm[MIXED_MAKER], rank % 2, -rank, &c);
	return c;
}

/* Of the first two thirds; the others have none. */
static MPI_Comm some(const struct mixed *m)
{
	int range[1][3] = {{0, (m->prog->size - 1) * 2 / 3, 1}};
	MPI_Group all, part;
	MPI_Comm c;

	MPI_Comm_group(m->comm[MIXED_MAKER], &all);
	MPI_Group_range_incl(all, 1, range, &part);
	MPI_Comm_create(m->comm[MIXED_MAKER], part, &c);
	MPI_Group_free(&all);
	MPI_Group_free(&part);
	return c;
}

static MPI_Comm grid(const struct mixed *m)
{
	int dims[2] = {0, 0}, periods[2] = {1, 1};
	MPI_Comm c;

	MPI_Dims_create(m->prog->size, 2, dims);
	MPI_Cart_create(m->comm[MIXED_MAKER], 2, dims, periods, 0, &c);
	return c;
}

static MPI_Comm sides(const struct mixed *m)
{
	MPI_Comm c;

	MPI_Intercomm_create(
		m->comm[MIXED_MAKER_HALF], 0, m->comm[MIXED_MAKER], !(m->prog->rank % 2), TAG, &c);
	return c;
}

static MPI_Comm merged(const struct mixed *m)
{
	MPI_Comm c;

	MPI_Intercomm_merge(m->comm[MIXED_MAKER_SIDES], m->prog->rank % 2 == 0, &c);
	return c;
}

static int copy_now(MPI_Comm from, MPI_Comm *to, MPI_Request *r)
{
	*r = MPI_REQUEST_NULL;
	return MPI_Comm_dup(from, to);
}

/* Now: a copy that is not to be under way, since another one of the line may be, and would be taken
 * for it. */
static void make(const struct mixed *m, int64_t g, int i, bool now)
{
	struct made *x = at(g, i);
	int (*copy)(MPI_Comm, MPI_Comm *, MPI_Request *) = now ? copy_now : MPI_Comm_idup;

	x->later = MPI_REQUEST_NULL;
	switch (kind_of(m, g, i)) {
	case COPY:
		MPI_Comm_dup(m->comm[MIXED_MAKER], &x->comm);
		break;
	case COPY_LATER:
		copy(m->comm[MIXED_MAKER], &x->comm, &x->later);
		break;
	case HALVES:
		x->comm = halves(m);
		break;
	case SOME:
		x->comm = some(m);
		break;
	case GRID:
		x->comm = grid(m);
		break;
	case SIDES:
		x->comm = sides(m);
		break;
	case SIDES_LATER:
		copy(m->comm[MIXED_MAKER_SIDES], &x->comm, &x->later);
		break;
	default:
		x->comm = merged(m);
	}
	state.in[g % GENERATIONS][i] = x->comm != MPI_COMM_NULL;
}

/* Whatever of it was under way is done. */
static void made_all(const struct mixed *m, int64_t g)
{
	for (int i = 0; i < EACH; i++) {
		struct made *x = at(g, i);
		enum kind kind = kind_of(m, g, i);

		MPI_Wait(&x->later, MPI_STATUS_IGNORE);
		if (x->comm != MPI_COMM_NULL)
			check_attribute(m, x->comm, kind == COPY || kind == COPY_LATER ? 8 : 0);
	}
}

static void make_generation(const struct mixed *m, int64_t g)
{
	for (int i = 0; i < EACH; i++)
		make(m, g, i, false);
	state.pending = g;
}

static void free_generation(int64_t g)
{
	for (int i = 0; i < EACH; i++)
		if (at(g, i)->comm != MPI_COMM_NULL)
			MPI_Comm_free(&at(g, i)->comm);
}

/* ---- using them ---- */

static uint64_t key_of(const struct mixed *m, long step, int64_t g, int i, int from)
{
	uint64_t which = ((uint64_t)g * EACH + (uint64_t)i) * 100 + (uint64_t)from;

	return mixed_random(m, MIXED_NEW_COMMS, -step - 1, which);
}

static bool is_sides(const struct mixed *m, int64_t g, int i)
{
	return kind_of(m, g, i) == SIDES || kind_of(m, g, i) == SIDES_LATER;
}

/* The communicator as its members see it: who they are in the world, who is at the next place, and
 * who at the one before. Between two sides: the one opposite, who may have none. */
struct view {
	bool there;
	int rank, size; /* in it */
	int to, from;	/* as messages name them; -1: nobody */
	int from_in_job;
};

static int in_job(MPI_Group group, int rank)
{
	MPI_Group world;
	int out;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_translate_ranks(group, 1, &rank, world, &out);
	MPI_Group_free(&world);
	return out;
}

static struct view view_of(const struct mixed *m, int64_t g, int i)
{
	MPI_Comm c = at(g, i)->comm;
	struct view v = {.there = c != MPI_COMM_NULL};
	MPI_Group peers;
	int others;

	if (!v.there)
		return v;
	MPI_Comm_rank(c, &v.rank);
	MPI_Comm_size(c, &v.size);
	if (is_sides(m, g, i)) {
		MPI_Comm_remote_size(c, &others);
		v.to = v.from = v.rank < others ? v.rank : -1;
		MPI_Comm_remote_group(c, &peers);
	} else {
		v.to = (v.rank + 1) % v.size;
		v.from = (v.rank + v.size - 1) % v.size;
		MPI_Comm_group(c, &peers);
	}
	v.from_in_job = v.from < 0 ? -1 : in_job(peers, v.from);
	MPI_Group_free(&peers);
	return v;
}

static void send(struct mixed *m, long step, int64_t g, int i)
{
	struct view v = view_of(m, g, i);
	uint64_t *data;

	if (!v.there || v.to < 0)
		return;
	data = prog_alloc(m->prog, WORDS * sizeof(*data));
	mixed_fill(key_of(m, step, g, i, m->prog->rank), data, WORDS * (long)sizeof(*data));
	MPI_Isend(data, WORDS, MPI_UINT64_T, v.to, TAG, at(g, i)->comm,
		mixed_send_add(m, &sends, data));
}

/* What was sent some steps ago. */
static void receive(struct mixed *m, long step, int64_t g, int i)
{
	struct view v = view_of(m, g, i);
	uint64_t data[WORDS];
	MPI_Status status;

	if (!v.there || v.from < 0)
		return;
	MPI_Recv(data, WORDS, MPI_UINT64_T, v.from, TAG, at(g, i)->comm, &status);
	if (mixed_worth(0, 0, data, (long)sizeof(data)) !=
		mixed_worth_of(m, 0, 0, key_of(m, step, g, i, v.from_in_job), (long)sizeof(data)))
		prog_wrong(m->prog, "generation %ld, communicator %d, step %ld: wrong words",
			(long)g, i, step);
	mixed_enter(m, MIXED_NEW_COMMS, 0, TAG, data, (long)sizeof(data));
}

/* A sum of what each says of itself, over the own or the other side. */
static void add_up(struct mixed *m, long step, int64_t g, int i)
{
	struct view v = view_of(m, g, i);
	int64_t mine = 1 + step + g, sum = 0;
	int n = v.size;

	if (!v.there)
		return;
	MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, at(g, i)->comm);
	if (is_sides(m, g, i))
		MPI_Comm_remote_size(at(g, i)->comm, &n);
	if (sum != n * mine)
		prog_wrong(m->prog,
			"generation %ld, communicator %d, step %ld: a sum of %ld, not %ld", (long)g,
			i, step, (long)sum, (long)(n * mine));
}

/* ---- the part ---- */

/* Steps at which what is sent through generation g is sent, and received LATE steps later. */
static bool is_used(const struct mixed *m, int64_t g, long step)
{
	long begin = (long)g * m->made + 1, end = (long)(g + GENERATIONS) * m->made - 1 - LATE - 1;

	return g >= 1 && step >= begin && step < end && step <= m->steps;
}

static void use(struct mixed *m, long step)
{
	for (int64_t g = state.first; g < state.end; g++)
		for (int i = 0; i < EACH; i++) {
			if (is_used(m, g, step)) {
				send(m, step, g, i);
				add_up(m, step, g, i);
			}
			if (is_used(m, g, step - LATE))
				receive(m, step - LATE, g, i);
		}
}

static void end_pending(const struct mixed *m)
{
	if (state.pending)
		made_all(m, state.pending);
	state.pending = 0;
}

static void next_generation(struct mixed *m)
{
	if (state.end - state.first == GENERATIONS)
		free_generation(state.first++);
	make_generation(m, state.end++);
}

static void step_made(struct mixed *m, long step)
{
	if (m->made == 0)
		return;
	if (step % m->made == 1)
		end_pending(m);
	use(m, step);
	if (step <= m->steps && step % m->made == m->made - 1) {
		next_generation(m);
		if (!m->across)
			end_pending(m);
	}
	mixed_sends_test(&sends);
}

static void begin(struct mixed *m)
{
	state.first = state.end = 1;
	MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	MPI_Comm_set_attr(m->comm[MIXED_MAKER], keyval, (char *)NULL + 7);
	mixed_protect(m, MIXED_NEW_COMMS, &state, sizeof(state));
}

/* In their order; what was under way is begun again. */
static void restored(struct mixed *m)
{
	for (int64_t g = state.first; g < state.end; g++) {
		for (int i = 0; i < EACH; i++) {
			*at(g, i) = (struct made){MPI_COMM_NULL, MPI_REQUEST_NULL};
			if (!m->alone || state.in[g % GENERATIONS][i])
				make(m, g, i, g != state.pending);
		}
		if (g != state.pending)
			made_all(m, g);
	}
}

/* Which of the processes are beside this one cannot be asked when the communicator is gone: all
 * that is checked has been checked, so each rank says what it has received. */
static uint64_t expect(const struct mixed *m, long step)
{
	return step == 1 ? m->state.sum[MIXED_NEW_COMMS] : 0;
}

static void end(struct mixed *m)
{
	end_pending(m);
	mixed_sends_end(&sends);
	while (state.first < state.end)
		free_generation(state.first++);
	MPI_Comm_delete_attr(m->comm[MIXED_MAKER], keyval);
	MPI_Comm_free_keyval(&keyval);
}

const struct mixed_part mixed_comms = {
	.name = "comms",
	.begin = begin,
	.restored = restored,
	.step = step_made,
	.expect = expect,
	.end = end,
};
