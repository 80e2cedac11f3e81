/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank of coord_cluster gives its protocol (struct coord_env), and the lists of messages
 * that it does it with.
 */
#ifndef FTMPI_TESTS_COORD_CLUSTER_ENV_H
#define FTMPI_TESTS_COORD_CLUSTER_ENV_H

#include "coord_cluster.h"

enum { MAIL_CONTEXT = 6 };

extern const struct coord_env cluster_env;

/* Do what its protocol asks for, until there is nothing more: the call's result. */
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
