/* SPDX-License-Identifier: BSD-3-Clause */
/* Going back to a recovery line that was found (ckpt_find.c): taking from it what it holds. */
#include "ckpt_restore.h"

#include "base/fault.h"
#include "base/log.h"
#include "ckpt_job.h"
#include "ckpt_part.h"
#include "ckpt_vars.h"
#include "mpi/coll/coll_resume.h"
#include "mpi/coll/team.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"

static const char *source(const struct ckpt_job *j)
{
	return j->alone ? "checkpoint" : "line";
}

static const struct ckpt_section *find_variable(const struct ckpt_job *j, uint32_t id)
{
	for (size_t i = 0; i < j->loaded.n; i++)
		if (j->loaded.sections[i].kind == CKPT_VARIABLE && j->loaded.sections[i].id == id)
			return &j->loaded.sections[i];
	return NULL;
}

int ckpt_restore_variable(struct ckpt_job *j, int id)
{
	const struct ckpt_protected *v = ckpt_protected_find(&j->registry, (uint32_t)id);
	struct ckpt_section *s;

	for (size_t i = 0; i < j->loaded.n; i++) {
		s = &j->loaded.sections[i];
		if (s->kind != CKPT_VARIABLE || s->id != (uint32_t)id)
			continue;
		if (s->len != v->bytes)
			return fail_with(MPI_ERR_SIZE,
				"variable %d has %llu bytes here and %llu in the %s restored", id,
				(unsigned long long)v->bytes, (unsigned long long)s->len,
				source(j));
		ckpt_vars_set(v, s->data);
		s->kind = 0; /* once */
		return MPI_SUCCESS;
	}
	return MPI_SUCCESS;
}

/* A variable that is protected now gets its value; that the line has none is an error: the program
 * would go on with what it happens to hold. */
static bool take_variable(struct ckpt_job *j, const struct ckpt_protected *v)
{
	if (!find_variable(j, v->id)) {
		if (j->launch->settings.accept_binary)
			return true;
		log_error("the %s restored has no variable %u", source(j), v->id);
		return false;
	}
	if (ckpt_restore_variable(j, (int)v->id) == MPI_SUCCESS)
		return true;
	log_error("%s", fail_detail());
	return false;
}

static bool take_variables(struct ckpt_job *j)
{
	const struct ckpt_protected *v = NULL;
	bool ok = true;

	while ((v = ckpt_protected_next(&j->registry, v)))
		ok = take_variable(j, v) && ok;
	return ok;
}

bool ckpt_restore_take_all(struct ckpt_job *j)
{
	bool variables = take_variables(j), ok;

	ckpt_buffer_free(&j->buffer);
	ok = ckpt_part_take(j);
	coll_resume_restored();
	if (!ok)
		log_error("no memory for what the %s holds", source(j));
	return variables && ok;
}

/* Not before all have what this rank has sent: it may still go out from memory that is written now.
 */
void ckpt_restore_take(struct ckpt_job *j)
{
	bool ok;

	team_all(true);
	ok = ckpt_restore_take_all(j);

	fault_point("restore-taken");
	if (team_all(ok))
		return;
	process_last_words();
	if (team_rank() == 0)
		log_error("the recovery line does not fit this program: the job cannot go on");
	team_all(true); /* it is said before the first rank ends */
	process_die(MPI_ERR_OTHER);
}
