/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the launcher has told of a job in its session's folder (doc/ckpt-format.md): lines of words,
 * of which those that are not understood are passed over. Nothing but what is shown hangs on it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shown.h"
#include "json.h"
#include "tool.h"

enum { RECORD_MAX = 1 << 20 };

/* All of the file with a NUL behind; NULL: there is none, or no memory. */
static char *read_text(const char *session_path, bool *is_own)
{
	char path[CKPT_DIR_MAX + 16], *text = NULL;
	struct stat st;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "%s/job.record", session_path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		text = malloc(RECORD_MAX + 1);
	*is_own = text && st.st_uid == geteuid();
	if (text)
		n = read(fd, text, RECORD_MAX);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %XX becomes its byte, a % alone nothing; a NUL would end the text, and is a space. In place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		int high = *from == '%' ? digit(from[1]) : -1;
		int low = high >= 0 ? digit(from[2]) : -1;

		if (low >= 0) {
			*to++ = high || low ? (char)(16 * high + low) : ' ';
			from += 2;
		} else if (*from != '%') {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* "end STATUS TIME SENTENCE" */
static void take_end(struct record *r, char *text)
{
	int at = 0;

	if (sscanf(text, "%3u %" SCNd64 " %n", &r->status, &r->ended, &at) != 2 || !at)
		return;
	unescape(text + at);
	r->has_end = true;
	r->why = text + at;
}

/* "N PROGRAM ARGS...", as a command has it. */
static void take_part(struct record *r, char *text)
{
	size_t used = strlen(r->command);
	char *words = strchr(text, ' ');

	if (!words)
		return;
	*words++ = '\0';
	for (char *at = words; *at; at++)
		if (at[0] == '%' && (at[1] == ' ' || at[1] == '\0'))
			*at = '-'; /* an empty word */
	unescape(words);
	snprintf(r->command + used, sizeof r->command - used, "%s-n %s %s", used ? " : " : "", text,
		words);
}

/* "PID TICKS BOOT" */
static void take_launcher(struct launcher *l, const char *text)
{
	int pid;

	if (sscanf(text, "%9d %" SCNu64 " %64s", &pid, &l->start, l->boot) == 3 && l->start)
		l->pid = pid;
}

void record_read(struct record *r, const char *session_path)
{
	static const char first[] = "FTMPI-JOB 1\n";
	bool is_own = false;
	char *text = read_text(session_path, &is_own), *rest;

	*r = (struct record){.text = text};
	if (!text || strncmp(text, first, sizeof first - 1) != 0)
		return;
	r->there = true;
	rest = text + sizeof first - 1;
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (strncmp(line, "began ", 6) == 0)
			r->began = strtoll(line + 6, NULL, 10);
		else if (strncmp(line, "from ", 5) == 0)
			r->from = line + 5;
		else if (strncmp(line, "launcher ", 9) == 0 && is_own)
			take_launcher(&r->launcher, line + 9);
		else if (strncmp(line, "part ", 5) == 0)
			take_part(r, line + 5);
		else if (strncmp(line, "end ", 4) == 0)
			take_end(r, line + 4);
	}
}

void record_free(struct record *r)
{
	free(r->text);
}

/* What it went on from: a session's name and a line's number, with a space between. */
static void print_from(const struct record *r)
{
	const char *line = strrchr(r->from, ' ');
	char session[256];

	if (!line) {
		printf("    began %s from %s\n", text_time(r->began).v, shown(r->from).text);
		return;
	}
	snprintf(session, sizeof session, "%.*s", (int)(line - r->from), r->from);
	printf("    began %s from line %s of session %s\n", text_time(r->began).v,
		shown(line + 1).text, shown(session).text);
}

void record_print(const struct record *r)
{
	if (!r->there)
		return;
	printf("    %s\n", shown(r->command).text);
	if (r->from)
		print_from(r);
	if (!r->has_end)
		printf("    has not ended, or its ftmpirun was lost\n");
	else if (r->status == 0)
		printf("    finished %s\n", text_time(r->ended).v);
	else
		printf("    ended %s with status %u%s%s\n", text_time(r->ended).v, r->status,
			*r->why ? ": " : "", shown(r->why).text);
}

void record_json(const struct record *r)
{
	if (!r->there)
		return;
	json_open("job", '{');
	json_string("command", r->command);
	json_number("began", r->began);
	json_string_or_null("from", r->from ? r->from : "");
	json_bool("ended", r->has_end);
	if (r->has_end) {
		json_unsigned("status", r->status);
		json_number("time", r->ended);
		json_string_or_null("why", r->why);
	}
	json_close('}');
}
