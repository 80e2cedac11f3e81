/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a process listens: an address of any family with its port, as connect(2) takes it. */
#ifndef FTMPI_BASE_ADDRESS_H
#define FTMPI_BASE_ADDRESS_H

#include <sys/socket.h>

struct net_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

#endif
