/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank of coord_cluster does for its protocol, and the lists of messages that it does it
 * with.
 */
#ifndef FTMPI_TESTS_COORD_CLUSTER_ENV_H
#define FTMPI_TESTS_COORD_CLUSTER_ENV_H

#include "coord_cluster.h"

enum { MAIL_CONTEXT = 6 };

void cluster_fatal(void *user, const char *sentence);

struct coord_undelivered rank_undelivered(const struct rank *r);

/* Do what its protocol asks for, until there is nothing more; after every event. The result of the
 * latest call. */
bool rank_drive(struct rank *r);

/* The one whose protocols are at work. */
extern struct cluster *cluster_now;

void mails_add(struct mails *m, const struct mail *one);
struct mail mails_take(struct mails *m, int i);

/* As the protocol is told of it. */
struct coord_message mail_name(const struct mail *m);

/* What the rank was asked for this line. */
struct asked *rank_asked(struct rank *r, uint32_t line);

#endif
