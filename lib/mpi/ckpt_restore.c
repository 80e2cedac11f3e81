/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Going back to a recovery line. Rank 0 lists the lines, the newest first; every rank verifies its
 * own file of the one proposed; the first that is whole everywhere is taken. So what is restored
 * was read and checked by the one who needs it, and no rank reads the files of all.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt_job.h"
#include "ckpt_vars.h"
#include "coll_resume.h"
#include "coll_saved.h"
#include "comm.h"
#include "comm_again.h"
#include "comm_saved.h"
#include "control.h"
#include "p2p_saved.h"
#include "saved_layout.h"
#include "team.h"

/* What rank 0 proposes. */
struct proposal {
	char session[LAUNCH_HOST_MAX];
	uint32_t line;	/* 0: there is none left */
	uint32_t tried; /* lines proposed before */
	uint32_t next;	/* number of the next line to be made */
};

/* Rank 0's lists: of this session, then of the one that the user wants to go on from. */
struct lists {
	uint32_t *line[2];
	size_t n[2];
	const char *session[2];
};

static void session_dir(const struct ckpt_job *j, const char *session, char *out, size_t size)
{
	snprintf(out, size, "%s/%.255s", j->launch->workdir[0] ? j->launch->workdir : ".", session);
}

static void read_list(struct ckpt_job *j, const char *session, uint32_t **line, size_t *n)
{
	char dir[sizeof j->dir], err[1024];

	session_dir(j, session, dir, sizeof dir);
	if (ckpt_lines(&ckpt_fs_posix, dir, line, n, err, sizeof err) == 0)
		return;
	api_last_words();
	log_error("%s: %s", api_name(), err);
	api_die(MPI_ERR_OTHER);
}

static void read_lists(struct ckpt_job *j, struct lists *l)
{
	const struct settings *s = &j->launch->settings;
	uint32_t *only;

	l->session[0] = strrchr(j->dir, '/') + 1;
	read_list(j, l->session[0], &l->line[0], &l->n[0]);
	if (!s->restore[0])
		return;
	l->session[1] = s->restore;
	if (!s->restore_line) {
		read_list(j, s->restore, &l->line[1], &l->n[1]);
		return;
	}
	only = malloc(sizeof *only);
	if (!only)
		api_die(MPI_ERR_NO_MEM);
	*only = s->restore_line;
	l->line[1] = only;
	l->n[1] = 1;
}

static uint32_t next_number(const struct lists *l)
{
	uint32_t most = 0;

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			if (l->line[i][k] > most)
				most = l->line[i][k];
	return most + 1;
}

static void propose(const struct lists *l, uint32_t index, struct proposal *p)
{
	size_t i = index, which = 0;

	*p = (struct proposal){.tried = index, .next = next_number(l)};
	if (i >= l->n[0]) {
		i -= l->n[0];
		which = 1;
	}
	if (i >= l->n[which])
		return;
	p->line = l->line[which][i];
	snprintf(p->session, sizeof p->session, "%s", l->session[which]);
}

static bool section_valid(const struct ckpt_section *s, int size)
{
	switch (s->kind) {
	case CKPT_MESSAGES:
		return saved_valid(s->data, (size_t)s->len, size);
	case CKPT_ORPHANS:
		return coord_valid(s->data, (size_t)s->len, size);
	case CKPT_OPERATIONS:
		return coll_saved_valid(s->data, (size_t)s->len);
	case CKPT_COMMUNICATORS:
		return comm_saved_valid(s->data, (size_t)s->len, size);
	default:
		return true;
	}
}

/* The contents make sense to us, too. */
static bool sections_valid(const struct ckpt_loaded *l, int size)
{
	for (size_t i = 0; i < l->n; i++)
		if (!section_valid(&l->sections[i], size))
			return false;
	return true;
}

/* Memory or descriptors are short. That is no reason to go one line further back for good: this
 * rank ends as if the system had killed it for that, and all begin again. Started by hand it has
 * nobody who would. */
static _Noreturn void too_little(
	const struct ckpt_job *j, const struct proposal *p, const char *err)
{
	api_last_words();
	log_error("line %u of session %s cannot be restored now: %s", p->line, p->session, err);
	if (j->launch->control_fd < 0)
		api_die(MPI_ERR_NO_MEM);
	fflush(stdout);
	fflush(stderr);
	for (;;)
		raise(SIGKILL);
}

static bool load(struct ckpt_job *j, const struct proposal *p)
{
	struct ckpt_manifest m = {0};
	char dir[sizeof j->dir], err[1024];
	int rc;

	session_dir(j, p->session, dir, sizeof dir);
	rc = ckpt_manifest_read(&ckpt_fs_posix, dir, p->line, &m, err, sizeof err);
	if (rc == 0) {
		rc = ckpt_load(&ckpt_fs_posix, dir, &m, &j->id, j->launch->settings.accept_binary,
			&j->loaded, err, sizeof err);
		ckpt_manifest_free(&m);
	} else if (team_rank() != 0 && (rc == FT_EDAMAGED || rc == FT_EMISMATCH)) {
		return false; /* rank 0 says it, which sees the same */
	}
	if (rc == FT_ENOMEM)
		too_little(j, p, err);
	if (rc == 0 && !sections_valid(&j->loaded, (int)j->id.size)) {
		snprintf(err, sizeof err,
			"the messages, operations or communicators that it "
			"holds make no sense");
		rc = FT_EDAMAGED;
	}
	if (rc)
		log_error("line %u of session %s cannot be restored: %s", p->line, p->session, err);
	return rc == 0;
}

static _Noreturn void none_is_whole(const struct proposal *p)
{
	api_last_words();
	if (team_rank() == 0)
		log_error("none of the %u recovery lines can be restored: the job cannot go on",
			p->tried);
	api_die(MPI_ERR_OTHER);
}

bool ckpt_job_find(void *user)
{
	struct ckpt_job *j = user;
	struct lists lists = {0};
	struct proposal p;
	bool whole = false;

	if (team_rank() == 0)
		read_lists(j, &lists);
	for (uint32_t i = 0; !whole; i++) {
		if (team_rank() == 0)
			propose(&lists, i, &p);
		team_tell(&p, sizeof p);
		if (!p.line)
			break;
		fault_point("restore-load");
		ckpt_loaded_free(&j->loaded);
		whole = team_all(load(j, &p));
	}
	free(lists.line[0]);
	free(lists.line[1]);
	j->coord.line = p.next - 1;
	if (!whole && (p.tried || j->launch->settings.restore[0]))
		none_is_whole(&p);
	if (whole && team_rank() == 0)
		control_restored(j->launch->control_fd, p.line, p.session);
	return whole;
}

/* ---- taking it ---- */

static const struct ckpt_section *find_variable(const struct ckpt_job *j, uint32_t id)
{
	for (size_t i = 0; i < j->loaded.n; i++)
		if (j->loaded.sections[i].kind == CKPT_VARIABLE && j->loaded.sections[i].id == id)
			return &j->loaded.sections[i];
	return NULL;
}

int ckpt_job_load_variable(int id)
{
	struct ckpt_job *j = ckpt_job();
	const struct ckpt_protected *v = ckpt_protected_find(&j->registry, (uint32_t)id);
	struct ckpt_section *s;

	for (size_t i = 0; i < j->loaded.n; i++) {
		s = &j->loaded.sections[i];
		if (s->kind != CKPT_VARIABLE || s->id != (uint32_t)id)
			continue;
		if (s->len != v->bytes)
			return api_fail(MPI_ERR_SIZE,
				"variable %d has %llu bytes here and %llu in the line restored", id,
				(unsigned long long)v->bytes, (unsigned long long)s->len);
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
		log_error("the line restored has no variable %u", v->id);
		return false;
	}
	if (ckpt_job_load_variable((int)v->id) == MPI_SUCCESS)
		return true;
	log_error("%s", api_detail());
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

static bool take_section(struct ckpt_job *j, const struct ckpt_section *s)
{
	switch (s->kind) {
	case CKPT_BUFFER:
		return ckpt_buffer_fill(&j->buffer, s->data, s->len) == 0;
	case CKPT_MESSAGES:
		return p2p_inject(&j->coord, s->data, (size_t)s->len);
	case CKPT_COUNTERS:
		return comm_restore_numbers(s->data, (size_t)s->len);
	case CKPT_OPERATIONS:
		return coll_resume_take(s->data, (size_t)s->len);
	case CKPT_COMMUNICATORS:
		return comm_again_take(s->data, (size_t)s->len);
	default:
		return true;
	}
}

/* Orphans are numbered from what was sent before the line, messages in transit included. */
static bool take_orphans(struct ckpt_job *j)
{
	for (size_t i = 0; i < j->loaded.n; i++) {
		const struct ckpt_section *s = &j->loaded.sections[i];

		if (s->kind == CKPT_ORPHANS && !coord_load(&j->coord, s->data, (size_t)s->len))
			return false;
	}
	return true;
}

static bool take_all(struct ckpt_job *j)
{
	bool variables = take_variables(j), ok = true;

	ckpt_buffer_free(&j->buffer);
	for (size_t i = 0; ok && i < j->loaded.n; i++)
		ok = take_section(j, &j->loaded.sections[i]);
	ok = ok && take_orphans(j);
	coll_resume_taken();
	if (!ok)
		log_error("no memory for what the line holds");
	return variables && ok;
}

void ckpt_job_take(void *user)
{
	bool ok = take_all(user);

	fault_point("restore-taken");
	if (team_all(ok))
		return;
	api_last_words();
	if (team_rank() == 0)
		log_error("the recovery line does not fit this program: the job cannot go on");
	api_die(MPI_ERR_OTHER);
}
