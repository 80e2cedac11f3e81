/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into every program that is built with a sanitizer: its reports are files in REPORTS, one a
 * process, for watch.pl to find. So a report counts wherever the process runs and whatever becomes
 * of it later: with variables of the environment ranks on other hosts would not be told, and what
 * is killed has no status. */
#include <unistd.h>

const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__ubsan_default_options(void);
int __lsan_is_turned_off(void);

/* Calls that want far too much memory are refused; tests ask whether they are. */
#define OPTIONS "log_path=" REPORTS "/report:allocator_may_return_null=1"

const char *__asan_default_options(void)
{
	return OPTIONS;
}

const char *__ubsan_default_options(void)
{
	return OPTIONS ":print_stacktrace=1";
}

/* No false alarm of a rank that ends in the midst of things (a fault, MPI_Abort): the writer's thread
 * is through, and whoever would have joined it never comes. That none is left over is asked by
 * test_ckpt_writer and test_heartbeat, of the kernel. */
const char *__tsan_default_options(void)
{
	return OPTIONS ":second_deadlock_stack=1:history_size=4:report_thread_leaks=0";
}

static pid_t loaded_in;

__attribute__((constructor)) static void note_process(void)
{
	loaded_in = getpid();
}

/* A forked child is not asked for leaks: its check would wait for ever for a lock of the sanitizer's
 * allocator that another thread of its parent held at the fork. The parent's own check remains. */
int __lsan_is_turned_off(void)
{
	return loaded_in != 0 && getpid() != loaded_in;
}
