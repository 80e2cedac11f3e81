/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_resume.h"

#include <stdlib.h>
#include <string.h>

#include "ckpt/section_operations.h"
#include "coll_open.h"
#include "coll_steps.h"
#include "coll_written.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/request.h"

/* Of a line that was restored. */
struct coll_saved {
	struct link link;
	struct section_operation e;
	uint8_t bytes[]; /* section_operations_bytes */
};

/* Not begun again yet, in the order of their beginnings. */
static struct link waiting = {&waiting, &waiting};

/* ---- contents ---- */

/* The step behind this number of rounds; s->n + 1 when there are not as many. */
static size_t steps_of(const struct sched *s, uint32_t rounds)
{
	size_t at = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		if (at == s->n)
			return s->n + 1;
		at = coll_steps_round_end(s, at);
	}
	return at;
}

/* The spans that this number of rounds has written. */
static bool written_spans(
	const struct coll_run *run, uint32_t rounds, struct sched_span **spans, size_t *n)
{
	unsigned blocks = 0;

	for (int i = 0; i < SCHED_BUFS; i++)
		if (run->buf[i].typed)
			blocks |= 1u << i;
	return coll_written(&run->s, steps_of(&run->s, rounds), blocks, spans, n);
}

static size_t span_bytes(const struct coll_run *run, const struct sched_span *a)
{
	return a->n * coll_run_span_type(run, *a)->size;
}

static size_t total_bytes(const struct coll_run *run, const struct sched_span *v, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += span_bytes(run, &v[i]);
	return bytes;
}

static void pack_spans(
	const struct coll_run *run, const struct sched_span *v, size_t n, struct writer *w)
{
	for (size_t i = 0; i < n; i++) {
		type_pack(
			coll_run_span_type(run, v[i]), coll_run_span_at(run, v[i]), v[i].n, w->at);
		w->at += span_bytes(run, &v[i]);
	}
}

static void unpack_spans(
	const struct coll_run *run, const struct sched_span *v, size_t n, const uint8_t *from)
{
	for (size_t i = 0; i < n; i++) {
		size_t bytes = span_bytes(run, &v[i]);

		type_unpack(coll_run_span_type(run, v[i]), coll_run_span_at(run, v[i]), v[i].n,
			from, bytes);
		from += bytes;
	}
}

/* ---- capture ---- */

struct captured {
	const struct coll_open *o;
	struct section_operation e;
	uint64_t *numbers;
	struct sched_span *spans;
	size_t n;
};

/* false: no memory. */
static bool describe_numbers(const struct coll_open *o, struct captured *c)
{
	c->e.numbers = coll_open_unsent(o, NULL);
	if (!c->e.numbers)
		return true;
	c->e.flags |= SECTION_OPERATION_NUMBERED;
	c->numbers = malloc(c->e.numbers * sizeof *c->numbers);
	if (c->numbers)
		coll_open_unsent(o, c->numbers);
	return c->numbers != NULL;
}

/* An operation that was active in the line, and was not started again yet, is saved as it was. A
 * start of before the restore is in no line. */
static bool describe(const struct coll_open *o, struct captured *c)
{
	const struct request *r = o->request;

	*c = (struct captured){.o = o,
		.e = {.context = o->run.c->context,
			.tag = (uint32_t)o->run.tag,
			.local_tag = (uint32_t)o->run.local_tag,
			.flags = r->persistent ? SECTION_OPERATION_PERSISTENT : 0,
			.plan = coll_written_sum(&o->run.s)}};
	if (o->saved)
		c->e = o->saved->e;
	if (o->saved || o->past || !request_active(r))
		return true;
	c->e.flags |= SECTION_OPERATION_ACTIVE;
	c->e.rounds = o->round;
	c->e.error = (uint32_t)o->error;
	if (!written_spans(&o->run, o->round, &c->spans, &c->n))
		return false;
	c->e.length = total_bytes(&o->run, c->spans, c->n);
	return describe_numbers(o, c);
}

static void write_saved(struct writer *w, const struct coll_saved *s)
{
	section_operations_write(w, &s->e);
	writer_bytes(w, s->bytes, (size_t)section_operations_bytes(&s->e));
}

static void write_captured(struct writer *w, const struct captured *c)
{
	section_operations_write(w, &c->e);
	for (uint32_t i = 0; i < c->e.numbers; i++)
		writer_u64(w, c->numbers[i]);
	pack_spans(&c->o->run, c->spans, c->n, w);
}

/* The operations that are open now come before those that still wait to be begun again. */
static void write_all(struct writer *w, const struct captured *v, size_t n, uint32_t count)
{
	writer_u32(w, count);
	for (size_t i = 0; i < n; i++)
		if (v[i].o->saved)
			write_saved(w, v[i].o->saved);
		else
			write_captured(w, &v[i]);
	list_for_each (item, &waiting)
		write_saved(w, container_of(item, struct coll_saved, link));
}

static size_t count_list(const struct link *list)
{
	size_t n = 0;

	list_for_each (item, list)
		n++;
	return n;
}

static size_t room_for(const struct section_operation *e)
{
	return SECTION_OPERATIONS_ENTRY + (size_t)section_operations_bytes(e);
}

static bool describe_all(struct captured *v, size_t *n, size_t *bytes)
{
	list_for_each (item, coll_open_all()) {
		const struct coll_open *o = container_of(item, struct coll_open, link);

		if ((o->past && !o->request->persistent) || (o->settled && p2p_log_is_used()))
			continue;
		if (!describe(o, &v[*n]))
			return false;
		*bytes += room_for(&v[(*n)++].e);
	}
	list_for_each (item, &waiting)
		*bytes += room_for(&container_of(item, struct coll_saved, link)->e);
	return true;
}

bool coll_resume_capture(uint8_t **out, size_t *len)
{
	size_t most = count_list(coll_open_all()), others = count_list(&waiting), n = 0;
	size_t bytes = SECTION_OPERATIONS_HEAD;
	struct captured *v;
	bool ok;

	engine_assert_held();
	*out = NULL;
	*len = 0;
	if (most + others == 0)
		return true;
	v = calloc(most + 1, sizeof *v);
	ok = v && describe_all(v, &n, &bytes);
	if (ok && n + others)
		*out = malloc(bytes);
	if (*out) {
		struct writer w = writer_over(*out, bytes);

		write_all(&w, v, n, (uint32_t)(n + others));
		*len = (size_t)(w.at - *out);
	}
	for (size_t i = 0; v && i < most; i++) {
		free(v[i].spans);
		free(v[i].numbers);
	}
	free(v);
	return ok && (*out || n + others == 0);
}

/* ---- restore ---- */

bool coll_resume_take(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_operation e;
	const uint8_t *contents;

	engine_assert_held();
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		struct coll_saved *s = NULL;

		if (section_operations_read(&c, &e, &contents))
			s = malloc(sizeof *s + (size_t)section_operations_bytes(&e));
		if (!s)
			return false;
		s->e = e;
		memcpy(s->bytes, contents, (size_t)section_operations_bytes(&e));
		list_append(&waiting, &s->link);
	}
	return true;
}

static struct coll_saved *find(const struct coll_open *o)
{
	list_for_each (item, &waiting) {
		struct coll_saved *s = container_of(item, struct coll_saved, link);
		bool persistent = s->e.flags & SECTION_OPERATION_PERSISTENT;

		if (s->e.context == o->run.c->context && persistent == o->request->persistent)
			return s;
	}
	return NULL;
}

static bool is_the_same(const struct coll_open *o, const struct coll_saved *s)
{
	return coll_written_sum(&o->run.s) == s->e.plan &&
	       steps_of(&o->run.s, s->e.rounds) <= o->run.s.n;
}

static void saved_free(struct coll_saved *s)
{
	list_remove(&s->link);
	free(s);
}

/* It takes the place of the operation of the line. */
static bool take_place(struct coll_open *o, struct coll_saved *s)
{
	if (!is_the_same(o, s))
		return false;
	o->run.tag = (int)s->e.tag;
	o->run.local_tag = (int)s->e.local_tag;
	list_remove(&s->link);
	if (s->e.flags & SECTION_OPERATION_ACTIVE)
		o->saved = s;
	else
		saved_free(s);
	return true;
}

static int strange(const struct coll_open *o)
{
	return fail_with(MPI_ERR_ARG,
		"the recovery line has another %soperation of communicator %s in this place: begin "
		"those that were not finished again, in the same order, with the same arguments",
		o->request->persistent ? "persistent " : "", comm_label(o->run.c));
}

int coll_resume_find(struct coll_open *o)
{
	struct coll_saved *s = find(o);

	if (!s) {
		coll_open_number(o);
		return MPI_SUCCESS;
	}
	return take_place(o, s) ? MPI_SUCCESS : strange(o);
}

static int unplanned(const struct coll_open *o)
{
	return fail_with(MPI_ERR_ARG,
		"the recovery line was made on other hosts, where a persistent operation of "
		"communicator %s was done in another way, and a datatype or operator of it was "
		"freed: "
		"free them after the restore",
		comm_label(o->run.c));
}

/* Ranks may lie in another way than before, or than they seemed to: then all may have chosen other
 * algorithms. */
static bool lies_as_planned(const struct coll_open *o)
{
	return o->crowded == o->run.c->crowded && o->near == o->run.c->near;
}

void coll_resume_restored(void)
{
	engine_assert_held();
	list_for_each (item, coll_open_all()) {
		struct coll_open *o = container_of(item, struct coll_open, link);
		struct coll_saved *s = o->request->persistent ? find(o) : NULL;

		if (s && !is_the_same(o, s) && !lies_as_planned(o))
			o->unplanned = coll_open_plan_again(o) != MPI_SUCCESS;
		if (s && !o->unplanned)
			o->strange = !take_place(o, s);
	}
}

static int give_back(struct coll_open *o)
{
	struct coll_saved *s = o->saved;
	struct sched_span *spans;
	size_t n;
	bool fits;

	if (!written_spans(&o->run, s->e.rounds, &spans, &n))
		return fail_with(MPI_ERR_NO_MEM, "no memory to resume an operation");
	fits = total_bytes(&o->run, spans, n) == s->e.length;
	if (fits)
		unpack_spans(&o->run, spans, n, s->bytes + 8 * (size_t)s->e.numbers);
	free(spans);
	return fits ? MPI_SUCCESS : strange(o);
}

/* One that has ended by an error has sent all that it had to send. */
static int give_numbers_back(struct coll_open *o)
{
	const struct coll_saved *s = o->saved;
	size_t n = s->e.numbers;
	struct cursor c = cursor_over(s->bytes, 8 * n);
	uint64_t *numbers;
	int rc;

	if (s->e.error && s->e.error != MPI_ERR_TRUNCATE)
		return MPI_SUCCESS;
	numbers = malloc((n + 1) * sizeof *numbers);
	if (!numbers)
		return fail_with(MPI_ERR_NO_MEM, "no memory to resume an operation");
	for (size_t i = 0; i < n; i++)
		numbers[i] = cursor_u64(&c);
	rc = coll_open_number_again(o, steps_of(&o->run.s, s->e.rounds), numbers, s->e.numbers);
	free(numbers);
	return rc == MPI_ERR_ARG ? strange(o) : rc;
}

int coll_resume(struct coll_open *o)
{
	struct coll_saved *s = o->saved;
	int rc;

	if (o->strange || o->unplanned)
		return o->unplanned ? unplanned(o) : strange(o);
	o->past = false;
	if (!s) {
		coll_open_begin(o);
		return MPI_SUCCESS;
	}
	rc = give_back(o);
	if (rc == MPI_SUCCESS)
		rc = give_numbers_back(o);
	if (rc)
		return rc;
	o->saved = NULL;
	coll_open_resume(o, s->e.rounds, (int)s->e.error);
	saved_free(s);
	return MPI_SUCCESS;
}

void coll_resume_forget(struct coll_open *o)
{
	if (o->saved)
		saved_free(o->saved);
	o->saved = NULL;
}

void coll_resume_fini(void)
{
	struct link *item;

	while ((item = list_first(&waiting)))
		saved_free(container_of(item, struct coll_saved, link));
}
