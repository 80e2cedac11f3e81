/* SPDX-License-Identifier: BSD-3-Clause */
/* What every data socket is told. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/tp.h"

/* A congestion control that paces (BBR) spreads what is sent over time: on a machine or a local
 * network that costs two thirds more for 1 MiB. The system's choice is kept unless it is one of
 * those. */
static void dont_pace(int fd)
{
	static const char *const instead[] = {"cubic", "reno"};
	char name[16] = "";
	socklen_t len = sizeof name - 1;

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len) != 0 ||
		strncmp(name, "bbr", 3) != 0)
		return;
	for (int i = 0; i < 2; i++)
		if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, instead[i],
			    (socklen_t)strlen(instead[i])) == 0)
			return;
}

void tp_socket_tune(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	dont_pace(fd);
}
