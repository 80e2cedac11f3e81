/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a connection's handshake, whatever it came to. */
#include <stdlib.h>
#include <unistd.h>

#include "transport/conn.h"

int conn_release(struct conn *c)
{
	int fd = c->fd;

	if (c->attempt)
		c->attempt->conn = NULL;
	if (c->admission)
		admission_leave(c->admission, &c->link);
	else
		list_remove(&c->link);
	if (c->event)
		event_free(c->event);
	auth_wipe(&c->handshake, sizeof c->handshake);
	free(c);
	return fd;
}

void conn_close(struct conn *c)
{
	int fd = conn_release(c);

	if (fd >= 0)
		close(fd);
}
