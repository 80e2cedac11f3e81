/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/engine/engine.h"

static struct {
	unsigned users;
	struct link cvars, sessions;
} tool = {.cvars = {&tool.cvars, &tool.cvars}, .sessions = {&tool.sessions, &tool.sessions}};

int tool_enter(void)
{
	engine_lock();
	return tool.users > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

int tool_leave(int rc)
{
	engine_unlock();
	return rc;
}

void tool_string(const char *text, char *out, int *len)
{
	int whole = (int)strlen(text) + 1, room = len ? *len : 0;

	if (out && room > 0) {
		int n = whole <= room ? whole : room;

		memcpy(out, text, (size_t)n);
		out[n - 1] = '\0';
	}
	tool_int(whole, len);
}

struct link *tool_cvar_list(void)
{
	return &tool.cvars;
}

struct link *tool_session_list(void)
{
	return &tool.sessions;
}

bool tool_member(const struct link *head, const void *address)
{
	list_for_each (at, head) {
		if (at == address)
			return true;
	}
	return false;
}

void tool_begin(void)
{
	tool.users++;
}

static void free_all(struct link *head)
{
	struct link *at;

	while ((at = list_pop(head)))
		free(at);
}

bool tool_end(void)
{
	if (--tool.users > 0)
		return false;
	list_for_each (at, &tool.sessions)
		free_all(&container_of(at, struct tool_session, link)->handles);
	free_all(&tool.sessions);
	free_all(&tool.cvars);
	return true;
}
