/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_part.h"

#include <stdlib.h>

#include "ckpt/section_communicators.h"
#include "ckpt/section_logged.h"
#include "ckpt/section_messages.h"
#include "ckpt/section_operations.h"
#include "ckpt/section_schedules.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_vars.h"
#include "ckpt_why.h"
#include "mpi/coll/coll_resume.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/comm_again.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/sched/sched.h"

/* ---- sections: gathering ---- */

static bool add_buffer(struct ckpt_part *p)
{
	const struct ckpt_buffer *b = &p->job->buffer;
	struct ckpt_section s = {.kind = CKPT_BUFFER, .data = b->data, .len = b->size};

	return !b->data || ckpt_capture_add(p->capture, &s) == 0;
}

static bool add_variables(struct ckpt_part *p)
{
	const struct ckpt_protected *v = NULL;

	while ((v = ckpt_protected_next(&p->job->registry, v)))
		if (!ckpt_vars_capture(v, p->capture))
			return false;
	return true;
}

static bool make_messages(const struct ckpt_part *p, uint8_t **out, size_t *len)
{
	return p->in ? inflight_bytes(p->in, out, len) : p2p_capture(out, len);
}

static bool make_orphans(const struct ckpt_part *p, uint8_t **out, size_t *len)
{
	return coord_save(&p->job->coord, p->line, out, len);
}

static bool make_numbers(uint8_t **out, size_t *len)
{
	return comm_numbered_capture(comm_again_each_waiting, out, len);
}

static bool make_schedules(uint8_t **out, size_t *len)
{
	struct writer w;

	*len = SECTION_SCHEDULES_BYTES;
	*out = malloc(*len);
	if (!*out)
		return false;
	w = writer_over(*out, *len);
	section_schedules_write(&w, SCHED_VERSION);
	return true;
}

/* ---- sections: checking ---- */

static bool valid_schedules(const uint8_t *bytes, size_t len, int size)
{
	(void)size;
	return section_schedules_valid(bytes, len);
}

static bool valid_operations(const uint8_t *bytes, size_t len, int size)
{
	(void)size;
	return section_operations_valid(bytes, len);
}

/* ---- sections: taking ---- */

static bool take_buffer(struct ckpt_job *j, const uint8_t *bytes, size_t len)
{
	return ckpt_buffer_fill(&j->buffer, bytes, len) == 0;
}

static bool take_messages(struct ckpt_job *j, const uint8_t *bytes, size_t len)
{
	return p2p_inject(&j->coord, bytes, len);
}

static bool take_orphans(struct ckpt_job *j, const uint8_t *bytes, size_t len)
{
	return coord_load(&j->coord, bytes, len);
}

/* ---- sections: the table ---- */

struct rule {
	uint32_t kind;
	enum ckpt_stage stage;
	/* One of them. make, make_of: puts it together in malloc'ed memory; NULL, with true: there
	 * is no such section now. add: it lies in the program's memory. false: no memory. */
	bool (*make)(uint8_t **out, size_t *len);
	bool (*make_of)(const struct ckpt_part *p, uint8_t **out, size_t *len);
	bool (*add)(struct ckpt_part *p);
	enum ckpt_why lacking; /* there was no memory for it, and the program did not wait */
	bool beside;	       /* an image has it, too: it is not in the process's memory */
	/* Does it make sense in a job of `size` ranks? NULL: it always does. */
	bool (*valid)(const uint8_t *bytes, size_t len, int size);
	/* One of them; neither: there is nothing to take, or ckpt_restore.c takes it. false: no
	 * memory. */
	bool (*take)(const uint8_t *bytes, size_t len);
	bool (*take_to)(struct ckpt_job *j, const uint8_t *bytes, size_t len);
	bool last; /* taken after all others */
};

/* In the order in which a file has those that were gathered at once. */
static const struct rule rules[] = {
	{.kind = CKPT_BUFFER,
		.stage = CKPT_STAGE_STATE,
		.add = add_buffer,
		.lacking = CKPT_WHY_STATE,
		.take_to = take_buffer},
	/* taken one by one, as the program names them */
	{.kind = CKPT_VARIABLE,
		.stage = CKPT_STAGE_STATE,
		.add = add_variables,
		.lacking = CKPT_WHY_STATE},
	{.kind = CKPT_MESSAGES,
		.stage = CKPT_STAGE_MESSAGES,
		.make_of = make_messages,
		.lacking = CKPT_WHY_MESSAGES,
		.beside = true,
		.valid = section_messages_valid,
		.take_to = take_messages},
	/* numbered from what was sent before the line, messages in transit included */
	{.kind = CKPT_ORPHANS,
		.stage = CKPT_STAGE_ORPHANS,
		.make_of = make_orphans,
		.lacking = CKPT_WHY_ORPHANS,
		.beside = true,
		.valid = coord_valid,
		.take_to = take_orphans,
		.last = true},
	{.kind = CKPT_COUNTERS,
		.stage = CKPT_STAGE_STATE,
		.make = make_numbers,
		.lacking = CKPT_WHY_STATE,
		.take = comm_numbered_take},
	{.kind = CKPT_COMMUNICATORS,
		.stage = CKPT_STAGE_STATE,
		.make = comm_again_capture,
		.lacking = CKPT_WHY_STATE,
		.valid = section_communicators_valid,
		.take = comm_again_take},
	/* compared with this library's when the file is read */
	{.kind = CKPT_SCHEDULES,
		.stage = CKPT_STAGE_STATE,
		.make = make_schedules,
		.lacking = CKPT_WHY_STATE,
		.valid = valid_schedules},
	{.kind = CKPT_OPERATIONS,
		.stage = CKPT_STAGE_STATE,
		.make = coll_resume_capture,
		.lacking = CKPT_WHY_STATE,
		.valid = valid_operations,
		.take = coll_resume_take},
	/* what it makes whole here counts as arrived in the log, which is behind it */
	{.kind = CKPT_LOGGED,
		.stage = CKPT_STAGE_LOGGED,
		.make = p2p_log_capture,
		.lacking = CKPT_WHY_MESSAGES,
		.valid = section_logged_valid,
		.take = p2p_log_inject,
		.last = true},
	/* checked and taken by ckpt_alone_data.c */
	{.kind = CKPT_MSGLOG,
		.stage = CKPT_STAGE_LOGGED,
		.make = p2p_log_save,
		.lacking = CKPT_WHY_MESSAGES},
};

enum { RULES = sizeof rules / sizeof *rules };

/* ---- saving ---- */

/* What another thread sends or receives meanwhile would be in no line, or in half of one. */
const char *ckpt_part_begin(struct ckpt_part *p, char *text, size_t size)
{
	p->image = ckpt_image_is_used();
	if (!p->image && !engine_alone())
		return ckpt_why_text(CKPT_WHY_THREADS);
	if (!p->image && !ckpt_vars_there(&p->job->registry, text, size))
		return text;
	p->copied |= p->in != NULL;
	p->capture = p->copied ? ckpt_capture_new() : ckpt_capture_in_place();
	return p->capture ? NULL : ckpt_why_text(p->copied ? CKPT_WHY_STATE : CKPT_WHY_NO_MEMORY);
}

static bool gather(const struct rule *rule, struct ckpt_part *p)
{
	uint8_t *bytes = NULL;
	size_t len = 0;
	bool made;

	if (rule->add)
		return rule->add(p);
	made = rule->make ? rule->make(&bytes, &len) : rule->make_of(p, &bytes, &len);
	if (made && (!bytes || ckpt_capture_own(p->capture, rule->kind, bytes, len) == 0))
		return true;
	free(bytes);
	return false;
}

const char *ckpt_part_gather(struct ckpt_part *p, unsigned stages, char *text, size_t size)
{
	if (p->image && (stages & CKPT_STAGE_STATE)) {
		const char *why = ckpt_image_take(p->job, text, size);

		p->taken = !why;
		return why;
	}
	for (size_t i = 0; i < RULES; i++)
		if ((rules[i].stage & stages) && (!p->image || rules[i].beside) &&
			!gather(&rules[i], p))
			return ckpt_why_text(p->copied ? rules[i].lacking : CKPT_WHY_NO_MEMORY);
	return NULL;
}

bool ckpt_part_write(
	const struct ckpt_part *p, struct coord_part *written, char *err, size_t errsize)
{
	const struct ckpt_job *j = p->job;

	if (p->image)
		return ckpt_image_write(p->capture, written, err, errsize);
	*written = (struct coord_part){.ok = 1};
	return ckpt_write_capture(&ckpt_fs_posix, j->dir, &j->id, p->line, p->capture,
		       &written->seal, &written->bytes, err, errsize) == 0;
}

void ckpt_part_end(struct ckpt_part *p)
{
	if (p->taken)
		ckpt_image_abandon();
	p->taken = false;
	ckpt_capture_done(p->capture);
	p->capture = NULL;
}

/* ---- reading ---- */

/* NULL: of a kind that this library does not know. */
static const struct rule *rule_of(const struct ckpt_section *s)
{
	for (size_t i = 0; i < RULES; i++)
		if (rules[i].kind == s->kind)
			return &rules[i];
	return NULL;
}

bool ckpt_part_valid(const struct ckpt_loaded *l, int size)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ckpt_section *s = &l->sections[i];
		const struct rule *rule = rule_of(s);

		if (rule && rule->valid && !rule->valid(s->data, (size_t)s->len, size))
			return false;
	}
	return true;
}

static bool take(struct ckpt_job *j, const struct ckpt_section *s, const struct rule *rule)
{
	size_t len = (size_t)s->len;

	if (rule->take)
		return rule->take(s->data, len);
	return !rule->take_to || rule->take_to(j, s->data, len);
}

bool ckpt_part_take(struct ckpt_job *j)
{
	for (int last = 0; last <= 1; last++)
		for (size_t i = 0; i < j->loaded.n; i++) {
			const struct ckpt_section *s = &j->loaded.sections[i];
			const struct rule *rule = rule_of(s);

			if (rule && rule->last == last && !take(j, s, rule))
				return false;
		}
	return true;
}
