/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicators that are there from the start: which they are. */
#include "comm_inside.h"

struct comm_job comm_job;

struct comm *comm_world(void)
{
	return comm_job.world;
}

struct comm *comm_self(void)
{
	return comm_job.self;
}

struct comm *comm_coord(void)
{
	return comm_job.coord;
}
