/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the recovery line to go back to. Rank 0 lists the lines (ckpt_list.c), the newest first;
 * every rank verifies its own file of the one proposed; the first that is whole everywhere is
 * taken. So each rank reads and checks the file that it restores, and no rank reads the
 * files of all. Which line comes next, and when the folders are listed again, is decided by
 * lib/ckpt/choice.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt/choice.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_list.h"
#include "ckpt_part.h"
#include "ckpt_restore.h"
#include "ckpt_schedules.h"
#include "launch/control.h"
#include "mpi/coll/team.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"

/* How many lines of another program or job are reported with what is wrong with them; and the exit
 * status of a rank that has nothing to go on from, which is that of ftmpirun, too. */
enum { FOREIGN_TOLD = 8, NOT_RESTORED = 1 };

/* What rank 0 proposes. */
struct proposal {
	char session[LAUNCH_HOST_MAX];
	uint32_t line;	   /* 0: the search is over */
	uint32_t given_up; /* lines proposed before, and not taken */
	uint32_t next;	   /* number of the next line to be made */
	uint32_t last;	   /* of the tries of this line */
};

/* The search of this process: rank 0 has the choice. */
struct search {
	struct ckpt_job *j;
	struct ckpt_choice choice;
	struct proposal p, loaded; /* loaded: what was read, and is whole here; line 0: nothing */
	bool complained;
	bool lost;		 /* lines that were committed are not there */
	unsigned first, session; /* place of the session of the first proposal, and of this one */
	bool proposed;
	bool not_ours;	     /* what was read is whole, but not for this program or job */
	unsigned foreign;    /* such lines so far */
	char last_why[1024]; /* why not, as this rank told it last; or "" */
};

/* ---- rank 0 proposes ---- */

static void begin(struct search *s)
{
	const struct settings *set = &s->j->launch->settings;

	s->choice.committed = set->committed;
	s->choice.may_lose = set->from_start;
	ckpt_list_begin(s->j);
	ckpt_list_all(s->j, &s->choice);
}

/* Listing again as often as the choice wants to, until it knows what to propose. */
static void propose(struct search *s)
{
	struct ckpt_next next;

	while ((next = ckpt_choice_next(&s->choice)).step == CKPT_LIST) {
		ckpt_list_pause(next.pause_ms);
		ckpt_list_all(s->j, &s->choice);
	}
	s->lost = next.step == CKPT_LOST;
	s->p = (struct proposal){.given_up = ckpt_choice_given_up(&s->choice),
		.next = ckpt_choice_most(&s->choice) + 1,
		.last = next.last};
	if (next.step != CKPT_PROPOSE)
		return;
	s->session = next.session;
	if (!s->proposed)
		s->first = next.session;
	s->proposed = true;
	s->p.line = next.line;
	ckpt_list_session(s->j, next.session, s->p.session, sizeof s->p.session);
}

/* ---- every rank reads its own ---- */

/* Memory or descriptors are short. That is no reason to go one line further back for good. */
static _Noreturn void too_little(
	const struct ckpt_job *j, const struct proposal *p, const char *err)
{
	process_last_words();
	log_error("line %u of session %s cannot be restored now: %s", p->line, p->session, err);
	process_die_for_now(j->launch->control_fd >= 0);
}

static enum ckpt_outcome outcome_of(int rc)
{
	switch (rc) {
	case 0:
		return CKPT_WHOLE;
	case FT_ENONE:
		return CKPT_MISSING;
	case FT_ESYS:
		return CKPT_NOT_NOW;
	default:
		return CKPT_BROKEN;
	}
}

/* Of a line that is tried again only the first trouble is told. */
static void complain(struct search *s, enum ckpt_outcome outcome, const char *err)
{
	const struct proposal *p = &s->p;

	if (outcome == CKPT_BROKEN || p->last) {
		log_error("line %u of session %s cannot be restored: %s", p->line, p->session, err);
	} else if (outcome == CKPT_NOT_NOW && !s->complained) {
		log_error("line %u of session %s cannot be read, and is tried again: %s", p->line,
			p->session, err);
		s->complained = true;
	}
}

static void close_image(struct ckpt_job *j)
{
	if (j->found.line)
		ckpt_reader_close(&j->found.image);
	j->found.line = 0;
}

/* Of images: whole, and of a process that this one can become. */
static int open_image(
	struct search *s, const char *dir, const struct ckpt_manifest *m, char *err, size_t errsize)
{
	struct ckpt_job *j = s->j;
	struct ckpt_found *f = &j->found;
	int rc = ckpt_image_open(
		&ckpt_fs_posix, dir, m, &j->id, &f->image, (struct ckpt_err){err, errsize});

	if (rc)
		return rc;
	f->line = m->line;
	snprintf(f->dir, sizeof f->dir, "%s", dir);
	rc = ckpt_image_fits(&f->image, err, errsize);
	if (rc)
		close_image(j);
	return rc;
}

static int read_data(
	struct search *s, const char *dir, const struct ckpt_manifest *m, char *err, size_t errsize)
{
	struct ckpt_job *j = s->j;
	int rc = ckpt_load(&ckpt_fs_posix, dir, m, &j->id, j->launch->settings.accept_binary,
		&j->loaded, err, errsize);

	if (rc)
		return rc;
	if (ckpt_part_valid(&j->loaded, (int)j->id.size))
		return ckpt_schedules_fit(&j->loaded, err, errsize);
	snprintf(err, errsize,
		"the messages, operations or communicators that it holds make no sense");
	return FT_EDAMAGED;
}

static int read_line(struct search *s, const char *dir, char *err, size_t errsize)
{
	struct ckpt_job *j = s->j;
	struct ckpt_manifest m = {0};
	int rc = ckpt_manifest_read(&ckpt_fs_posix, dir, s->p.line, &m, err, errsize);

	if (rc) {
		/* rank 0 says it, which sees the same */
		if (team_rank() != 0 && (rc == FT_EDAMAGED || rc == FT_EMISMATCH))
			err[0] = '\0';
		return rc;
	}
	if (j->launch->settings.image)
		rc = open_image(s, dir, &m, err, errsize);
	else
		rc = read_data(s, dir, &m, err, errsize);
	s->not_ours = rc == FT_EMISMATCH;
	ckpt_manifest_free(&m);
	return rc;
}

static enum ckpt_outcome load(struct search *s, char *err, size_t errsize)
{
	char dir[sizeof s->j->dir];
	int rc;

	s->not_ours = false;
	if (s->loaded.line == s->p.line && strcmp(s->loaded.session, s->p.session) == 0)
		return CKPT_WHOLE; /* others could not read theirs at once */
	s->loaded.line = 0;
	ckpt_loaded_free(&s->j->loaded);
	close_image(s->j);
	ckpt_list_dir(s->j, s->p.session, dir, sizeof dir);
	rc = read_line(s, dir, err, errsize);
	if (rc == FT_ENOMEM)
		too_little(s->j, &s->p, err);
	if (rc == 0)
		s->loaded = s->p;
	else if (err[0] && !s->not_ours)
		complain(s, outcome_of(rc), err);
	return outcome_of(rc);
}

/* Behind the path of the file, which each line has its own of. */
static const char *reason_in(const char *err)
{
	const char *end_of_path = strstr(err, ": ");

	return end_of_path ? end_of_path : err;
}

/* All ranks find alike that lines are another program's or job's, most often for each line: the
 * first rank that finds it reports it, and for older lines only what is new. */
static void tell_foreign(struct search *s, bool am_teller, const char *err)
{
	if (s->foreign++ >= FOREIGN_TOLD || !am_teller)
		return;
	if (strcmp(s->last_why, reason_in(err)) == 0)
		return;
	snprintf(s->last_why, sizeof s->last_why, "%s", reason_in(err));
	log_error("line %u of session %s cannot be restored: %s", s->p.line, s->p.session, err);
}

/* All ranks read their file of it. */
static enum ckpt_outcome load_on_all(struct search *s)
{
	char err[1024] = "";
	enum ckpt_outcome outcome =
		(enum ckpt_outcome)team_minimum((uint32_t)load(s, err, sizeof err));
	uint32_t me = (uint32_t)team_rank(), teller;

	if (outcome != CKPT_BROKEN)
		return outcome;
	teller = team_minimum(s->not_ours ? me : UINT32_MAX);
	if (teller != UINT32_MAX)
		tell_foreign(s, teller == me, err);
	return outcome;
}

/* ---- the search ---- */

static void say_what_is_lost(const struct search *s)
{
	const struct ckpt_listing *own = &s->choice.list[0];
	char there[64] = "has no line at all";

	if (own->n)
		snprintf(there, sizeof there, "has no line after %u", own->line[0]);
	log_error(
		"line %u was committed, but %s %s: was the work directory removed or unmounted, or "
		"is it another one on this host? The job cannot go on; -restart-from-start would "
		"let it go on from what is there, or begin again",
		s->choice.committed, s->j->dir, there);
}

/* The first rank that ends takes the others with it: before that rank 0 has said why, and another,
 * which was to tell it, has done so before it came here. Which one is first means nothing. */
static _Noreturn void none_is_whole(const struct search *s)
{
	process_last_words();
	if (team_rank() == 0 && s->lost)
		say_what_is_lost(s);
	else if (team_rank() == 0 && s->p.given_up == 1)
		log_error("the only recovery line cannot be restored: the job cannot go on");
	else if (team_rank() == 0)
		log_error("none of the %u recovery lines can be restored: the job cannot go on",
			s->p.given_up);
	team_all(true);
	fail_begin(CONTROL_NO_LINE);
	process_die(NOT_RESTORED);
}

/* That it cannot be given is as bad as that there is none; unless the job may begin again. */
static bool may_begin_again(const struct search *s)
{
	const struct settings *set = &s->j->launch->settings;
	uint32_t lost = s->lost;

	team_broadcast(&lost, sizeof lost);
	if (lost)
		return false;
	if (s->p.given_up || set->restore[0])
		return false;
	if (set->committed && team_rank() == 0)
		log_error("line %u was committed, but %s has no line: the job begins again "
			  "(-restart-from-start)",
			set->committed, s->j->dir);
	return true;
}

static void say_what_is_taken(const struct search *s)
{
	const struct settings *set = &s->j->launch->settings;
	const struct ckpt_listing *own = &s->choice.list[0];

	if (s->session != s->first)
		log_error("the job goes on from a line of another session: line %u of session %s",
			s->p.line, s->p.session);
	if (s->session == 0 && own->line[0] < set->committed)
		log_error(
			"line %u was committed, but %s has no line after %u: the job goes on from "
			"what is there (-restart-from-start)",
			set->committed, s->j->dir, own->line[0]);
	control_restored(s->j->launch->control_fd, s->p.line, s->p.session);
}

bool ckpt_find(struct ckpt_job *j, uint32_t *highest)
{
	struct search s = {.j = j};
	enum ckpt_outcome outcome = CKPT_NOT_NOW;

	if (team_rank() == 0)
		begin(&s);
	while (outcome != CKPT_WHOLE) {
		if (team_rank() == 0)
			propose(&s);
		team_broadcast(&s.p, sizeof s.p);
		if (!s.p.line)
			break;
		fault_point("restore-load");
		outcome = load_on_all(&s);
		if (team_rank() == 0 && ckpt_choice_told(&s.choice, outcome) != 0)
			process_die(MPI_ERR_NO_MEM);
	}
	*highest = s.p.next - 1;
	if (outcome != CKPT_WHOLE && !may_begin_again(&s))
		none_is_whole(&s);
	if (outcome == CKPT_WHOLE && team_rank() == 0)
		say_what_is_taken(&s);
	ckpt_choice_free(&s.choice);
	return outcome == CKPT_WHOLE;
}
