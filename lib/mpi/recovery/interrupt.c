/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mpi/engine/engine.h"

enum { RANGES_MAX = 16, STAT_BYTES = 512 };

#define OWN_THREADS "ftmpi-"

static int number(void)
{
	return SIGRTMAX - 2;
}

/* ---- where a thread must not be ---- */

static struct {
	struct {
		uintptr_t low, high;
	} at[RANGES_MAX];
	size_t n;
	bool known, possible;
} forbidden;

struct look {
	uintptr_t of; /* an address of the object that is looked for */
	bool found, program;
};

static bool is_in(const struct dl_phdr_info *o, uintptr_t address)
{
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t low = o->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && address >= low && address < low + p->p_memsz)
			return true;
	}
	return false;
}

static int add_object(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct look *l = arg;

	(void)size;
	if (!is_in(o, l->of))
		return 0;
	l->found = true;
	l->program = o->dlpi_name[0] == '\0';
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (forbidden.n == RANGES_MAX) {
			l->found = false;
			return 1;
		}
		forbidden.at[forbidden.n].low = o->dlpi_addr + p->p_vaddr;
		forbidden.at[forbidden.n++].high = o->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return 1;
}

/* An object that is not the program itself, whose own code cannot be told from it. */
static bool forbid(uintptr_t address)
{
	struct look l = {.of = address};

	if (address)
		dl_iterate_phdr(add_object, &l);
	return l.found && !l.program;
}

static void find_forbidden(void)
{
	struct sigaction is;

	forbidden.known = true;
	forbidden.possible = sigaction(number(), NULL, &is) == 0 && is.sa_handler == SIG_DFL &&
			     forbid((uintptr_t)dlsym(RTLD_DEFAULT, "malloc")) &&
			     forbid((uintptr_t)dlsym(RTLD_DEFAULT, "sigaction")) &&
			     forbid((uintptr_t)getauxval(AT_BASE));
}

static bool is_forbidden(uintptr_t at)
{
	for (size_t i = 0; i < forbidden.n; i++)
		if (at >= forbidden.at[i].low && at < forbidden.at[i].high)
			return true;
	return false;
}

/* ---- in the handler ---- */

/* Of those that a signal with SA_RESTART begins again. */
static bool may_wait(long call)
{
	static const long calls[] = {SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_recvfrom,
		SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_accept, SYS_accept4, SYS_connect,
		SYS_futex, SYS_wait4, SYS_waitid, SYS_ioctl};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i] == call)
			return true;
	return false;
}

/* The instruction that was interrupted; and whether it is a system call that waits and that the
 * signal has ended, or will be begun again. None that malloc makes is one of those. */
#if defined(__x86_64__)
static uintptr_t instruction_of(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
}

static bool is_call_at(uintptr_t at)
{
	const uint8_t *code = (const uint8_t *)at;

	return code[0] == 0x0f && code[1] == 0x05; /* syscall */
}

static bool was_waiting(const ucontext_t *u)
{
	uintptr_t at = instruction_of(u);
	long result = u->uc_mcontext.gregs[REG_RAX];

	return is_call_at(at) ? may_wait(result) : is_call_at(at - 2) && result == -EINTR;
}
#elif defined(__aarch64__)
static uintptr_t instruction_of(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.pc;
}

static bool is_call_at(uintptr_t at)
{
	return *(const uint32_t *)at == 0xd4000001; /* svc #0 */
}

static bool was_waiting(const ucontext_t *u)
{
	uintptr_t at = instruction_of(u);

	if (is_call_at(at))
		return may_wait((long)u->uc_mcontext.regs[8]);
	return is_call_at(at - 4) && (long)u->uc_mcontext.regs[0] == -EINTR;
}
#else
#error "which registers has this machine?"
#endif

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	int error = errno;

	(void)sig, (void)info;
	if ((!is_forbidden(instruction_of(u)) || was_waiting(u)) && engine_try_enter())
		engine_leave();
	errno = error;
}

static bool handle(void)
{
	struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART}, is;

	if (sigaction(number(), NULL, &is) != 0)
		return false;
	if (is.sa_handler != SIG_DFL)
		return is.sa_sigaction == on_signal;
	sigfillset(&a.sa_mask);
	return sigaction(number(), &a, NULL) == 0;
}

/* ---- who is interrupted ---- */

/* "TID (NAME) STATE ...": is it the program's, and in one of these states? */
static bool is_in_state(const char *stat, const char *states)
{
	const char *name = strchr(stat, '('), *end = strrchr(stat, ')');

	return name && end && end[1] == ' ' && end[2] && strchr(states, end[2]) &&
	       strncmp(name + 1, OWN_THREADS, strlen(OWN_THREADS)) != 0;
}

static bool thread_is(pid_t tid, const char *states)
{
	char path[64], stat[STAT_BYTES];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, stat, sizeof stat - 1);
	close(fd);
	if (n <= 0)
		return false;
	stat[n] = '\0';
	return is_in_state(stat, states);
}

/* The next one behind `last` that is in such a state; 0: there is none. */
static pid_t next_thread(pid_t last, const char *states)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	pid_t next = 0;

	while (d && (e = readdir(d))) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > last && (!next || tid < next) && thread_is(tid, states))
			next = tid;
	}
	if (d)
		closedir(d);
	return next;
}

void interrupt_one(bool asleep)
{
	static pid_t last;
	static bool first;
	const char *states = asleep ? "RS" : "R";
	pid_t tid = getpid();

	if (!forbidden.known)
		find_forbidden();
	if (!forbidden.possible || !handle())
		return;
	first = !first;
	if (!first || !thread_is(tid, states)) {
		tid = next_thread(last, states);
		last = tid;
	}
	if (tid)
		syscall(SYS_tgkill, getpid(), tid, number());
}
