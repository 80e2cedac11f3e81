/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of receives. One that was open in a checkpoint of data is posted again by the program. It
 * has the number that it had, as an outcome of later may tell its message; and those that are
 * posted after it have theirs. */
#include <stdlib.h>

#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"

static struct {
	uint64_t *again;
	size_t at, n;
} posts;

void p2p_log_posts_again(uint64_t *numbers, size_t n)
{
	engine_assert_held();
	free(posts.again);
	posts.again = numbers;
	posts.n = n;
	posts.at = 0;
}

size_t p2p_log_posts_left(void)
{
	return posts.n - posts.at;
}

uint64_t p2p_log_post_left(size_t i)
{
	return posts.again[posts.at + i];
}

uint64_t p2p_log_number_of_post(struct outcomes *o)
{
	return posts.at < posts.n ? posts.again[posts.at++] : outcomes_post(o);
}

void p2p_log_posts_fini(void)
{
	free(posts.again);
	posts.again = NULL;
	posts.at = posts.n = 0;
}
