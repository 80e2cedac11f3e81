/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools interface: performance variables (MPI 5.0 section 15.3.7). All are read-only and
 * continuous: they cannot be started, stopped, written or reset, and what asks that of all handles
 * of a session finds none to which it applies.
 */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int enter_index(int pvar_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (pvar_index < 0 || pvar_index >= tool_pvar_count))
		rc = MPI_T_ERR_INVALID_INDEX;
	return rc;
}

static struct tool_session *session_of(MPI_T_pvar_session session)
{
	return (struct tool_session *)(void *)session;
}

static int enter_session(MPI_T_pvar_session session)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !tool_member(tool_session_list(), session))
		rc = MPI_T_ERR_INVALID_SESSION;
	return rc;
}

static int enter_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	int rc = enter_session(session);

	if (rc == MPI_SUCCESS && !tool_member(&session_of(session)->handles, handle))
		rc = MPI_T_ERR_INVALID_HANDLE;
	return rc;
}

/* What cannot be done to any variable here. */
static int refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int why)
{
	int rc;

	if (handle == MPI_T_PVAR_ALL_HANDLES)
		return tool_leave(enter_session(session));
	rc = enter_handle(session, handle);
	return tool_leave(rc == MPI_SUCCESS ? why : rc);
}

#pragma weak MPI_T_pvar_get_num = PMPI_T_pvar_get_num
int PMPI_T_pvar_get_num(int *num_pvar)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !num_pvar)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS)
		*num_pvar = tool_pvar_count;
	return tool_leave(rc);
}

#pragma weak MPI_T_pvar_get_info = PMPI_T_pvar_get_info
int PMPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
	MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
	int *readonly, int *continuous, int *atomic)
{
	const struct tool_pvar *p;
	int rc = enter_index(pvar_index);

	if (rc != MPI_SUCCESS)
		return tool_leave(rc);
	p = &tool_pvars[pvar_index];
	tool_string(p->name, name, name_len);
	tool_string(p->text, desc, desc_len);
	tool_int(p->verbosity, verbosity);
	tool_int(p->class, var_class);
	tool_int(MPI_T_BIND_NO_OBJECT, bind);
	tool_int(1, readonly);
	tool_int(1, continuous);
	tool_int(0, atomic);
	if (datatype)
		*datatype = p->datatype;
	if (enumtype)
		*enumtype = (MPI_T_enum)(void *)(uintptr_t)p->items;
	return tool_leave(MPI_SUCCESS);
}

#pragma weak MPI_T_pvar_get_index = PMPI_T_pvar_get_index
int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (!name || !pvar_index))
		rc = MPI_T_ERR_INVALID;
	for (int i = 0; rc == MPI_SUCCESS && i < tool_pvar_count; i++) {
		if (tool_pvars[i].class == var_class && strcmp(name, tool_pvars[i].name) == 0) {
			*pvar_index = i;
			return tool_leave(MPI_SUCCESS);
		}
	}
	return tool_leave(rc == MPI_SUCCESS ? MPI_T_ERR_INVALID_NAME : rc);
}

#pragma weak MPI_T_pvar_session_create = PMPI_T_pvar_session_create
int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
	struct tool_session *s = NULL;
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !session)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS && !(s = malloc(sizeof *s)))
		rc = MPI_T_ERR_MEMORY;
	if (rc == MPI_SUCCESS) {
		list_init(&s->handles);
		list_append(tool_session_list(), &s->link);
		*session = (MPI_T_pvar_session)(void *)s;
	}
	return tool_leave(rc);
}

/* With its handles. */
#pragma weak MPI_T_pvar_session_free = PMPI_T_pvar_session_free
int PMPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
	int rc = enter_session(session ? *session : MPI_T_PVAR_SESSION_NULL);
	struct link *at;

	if (rc == MPI_SUCCESS) {
		struct tool_session *s = session_of(*session);

		while ((at = list_pop(&s->handles)))
			free(container_of(at, struct tool_pvar_handle, link));
		list_remove(&s->link);
		free(s);
		*session = MPI_T_PVAR_SESSION_NULL;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_pvar_handle_alloc = PMPI_T_pvar_handle_alloc
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
	MPI_T_pvar_handle *handle, int *count)
{
	struct tool_pvar_handle *h = NULL;
	int rc = enter_session(session);

	(void)obj_handle; /* none is bound to an object */
	if (rc == MPI_SUCCESS && (pvar_index < 0 || pvar_index >= tool_pvar_count))
		rc = MPI_T_ERR_INVALID_INDEX;
	if (rc == MPI_SUCCESS && (!handle || !count))
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS && !(h = malloc(sizeof *h)))
		rc = MPI_T_ERR_MEMORY;
	if (rc == MPI_SUCCESS) {
		h->pvar = &tool_pvars[pvar_index];
		list_append(&session_of(session)->handles, &h->link);
		*handle = (MPI_T_pvar_handle)(void *)h;
		*count = 1;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_pvar_handle_free = PMPI_T_pvar_handle_free
int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
	int rc = enter_handle(session, handle ? *handle : MPI_T_PVAR_HANDLE_NULL);

	if (rc == MPI_SUCCESS) {
		struct tool_pvar_handle *h = (struct tool_pvar_handle *)(void *)*handle;

		list_remove(&h->link);
		free(h);
		*handle = MPI_T_PVAR_HANDLE_NULL;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_pvar_read = PMPI_T_pvar_read
int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	int rc = enter_handle(session, handle), item;
	const struct tool_pvar *p;
	unsigned long long value;

	if (rc == MPI_SUCCESS && !buf)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS) {
		p = ((struct tool_pvar_handle *)(void *)handle)->pvar;
		value = p->read();
		item = (int)value;
		if (p->items)
			memcpy(buf, &item, sizeof item);
		else
			memcpy(buf, &value, sizeof value);
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_pvar_start = PMPI_T_pvar_start
int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

#pragma weak MPI_T_pvar_stop = PMPI_T_pvar_stop
int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

#pragma weak MPI_T_pvar_reset = PMPI_T_pvar_reset
int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

/* These two take one handle. */
#pragma weak MPI_T_pvar_write = PMPI_T_pvar_write
int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
	int rc = enter_handle(session, handle);

	(void)buf;
	return tool_leave(rc == MPI_SUCCESS ? MPI_T_ERR_PVAR_NO_WRITE : rc);
}

#pragma weak MPI_T_pvar_readreset = PMPI_T_pvar_readreset
int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	int rc = enter_handle(session, handle);

	(void)buf;
	return tool_leave(rc == MPI_SUCCESS ? MPI_T_ERR_PVAR_NO_ATOMIC : rc);
}
