/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of receives. One that was open in a checkpoint of data is posted again by the program. It
 * has the number that it had, as an outcome of later may tell its message. Those for the same
 * source, tag and communicator are posted again in their order, whatever others are. */
#include <stdlib.h>
#include <string.h>

#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"
#include "p2p_saved.h"

static struct {
	struct section_logged_receive *again;
	size_t at, n;
} posts;

void p2p_log_posts_again(struct section_logged_receive *v, size_t n)
{
	engine_assert_held();
	free(posts.again);
	posts.again = v;
	posts.n = n;
	posts.at = 0;
}

size_t p2p_log_posts_left(void)
{
	return posts.n - posts.at;
}

const struct section_logged_receive *p2p_log_post_left(size_t i)
{
	return &posts.again[posts.at + i];
}

static int or_any(int wanted, int any)
{
	return wanted == any ? SECTION_LOGGED_ANY : wanted;
}

struct section_logged_receive p2p_log_post_of(const struct request *r)
{
	struct section_logged_receive one = {.number = r->post,
		.context = r->match.context,
		.peer = or_any(r->match.peer, MPI_ANY_SOURCE),
		.tag = or_any(r->match.tag, MPI_ANY_TAG)};

	if (p2p_is_open(r)) {
		one.from = r->peer;
		one.got = r->index;
	}
	return one;
}

/* Most programs post them in one order, so the first is the one, and the others stay. */
static struct section_logged_receive take(size_t i)
{
	struct section_logged_receive one = posts.again[i];

	memmove(posts.again + posts.at + 1, posts.again + posts.at,
		(i - posts.at) * sizeof *posts.again);
	posts.at++;
	return one;
}

/* One of these; posts.n: none. */
static size_t find(const struct section_logged_receive *one)
{
	size_t i = posts.at;

	while (i < posts.n &&
		(posts.again[i].context != one->context || posts.again[i].peer != one->peer ||
			posts.again[i].tag != one->tag))
		i++;
	return i;
}

uint64_t p2p_log_number_post(struct request *r, int *from)
{
	struct section_logged_receive one = p2p_log_post_of(r);
	size_t i = find(&one);

	if (i == posts.n) {
		r->post = outcomes_post(&p2p_msglog->outcomes);
		return 0;
	}
	one = take(i);
	r->post = one.number;
	*from = one.from;
	return one.got;
}

void p2p_log_posts_fini(void)
{
	free(posts.again);
	posts.again = NULL;
	posts.at = posts.n = 0;
}
