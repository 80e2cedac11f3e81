/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "image/linker_locks.h"
#include "image/raw_call.h"
#include "image/state.h"
#include "image/thread_wait.h"
#include "image/threads.h"
#include "interrupt_find.h"
#include "mpi/engine/engine.h"

enum { RANGES_MAX = 16 };

static int number(void)
{
	return SIGRTMAX - 2;
}

/* And those that stop threads (image/threads.h): of a signal it is bit n - 1. */
static uint64_t own_signals(void)
{
	return UINT64_C(1) << (number() - 1) | UINT64_C(1) << (SIGRTMAX - 2) | UINT64_C(1) << 32;
}

/* ---- where a thread must not be ---- */

static struct {
	struct {
		uintptr_t low, high;
	} at[RANGES_MAX];
	size_t n;
	bool possible;
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

/* Where a program that is not position independent takes the address of a library's function, its
 * linker has an entry of the program stand for the function, by a symbol of no section: that is no
 * definition. */
static bool is_entry_of_program(void *address)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info of;

	return dladdr1(address, &of, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       symbol->st_shndx == SHN_UNDEF;
}

static bool is_defined_in(void *address, const struct link_map *library)
{
	struct link_map *map = NULL;
	Dl_info of;

	return address && dladdr1(address, &of, (void **)&map, RTLD_DL_LINKMAP) && map == library;
}

/* All libraries that define it, as the entry does not tell which of them is called. */
static bool forbid_in_libraries(const char *name)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	struct link_map *m = NULL;
	bool found = false, all = true;

	if (!program || dlinfo(program, RTLD_DI_LINKMAP, &m) != 0)
		m = NULL;
	for (; m && all; m = m->l_next) {
		void *library = *m->l_name ? dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		void *address = library ? dlsym(library, name) : NULL;

		if (is_defined_in(address, m)) {
			found = true;
			all = forbid((uintptr_t)address);
		}
		if (library)
			dlclose(library);
	}
	if (program)
		dlclose(program);
	return found && all;
}

static bool forbid_function(const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);

	return address && is_entry_of_program(address) ? forbid_in_libraries(name)
						       : forbid((uintptr_t)address);
}

void interrupt_prepare(void)
{
	struct sigaction is;

	forbidden.n = 0;
	forbidden.possible = sigaction(number(), NULL, &is) == 0 && is.sa_handler == SIG_DFL &&
			     forbid_function("malloc") && forbid_function("sigaction") &&
			     forbid((uintptr_t)getauxval(AT_BASE));
}

static bool is_forbidden(uintptr_t at)
{
	for (size_t i = 0; i < forbidden.n; i++)
		if (at >= forbidden.at[i].low && at < forbidden.at[i].high)
			return true;
	return false;
}

/* ---- a thread that waits in the kernel ---- */

/* The one that is being interrupted. No other is before its handler has read that, unless it blocks
 * the signal. */
static struct thread_call sleeper; /* all zero: it computed */
static _Atomic unsigned under_way; /* looks that are let pass for it; 0: nobody is */

enum { BLOCKED = 64 };

/* What is left of a sleep was written to where its caller wants it. */
static void go_on_with_rest(struct thread_call *w)
{
	if (w->number == SYS_clock_nanosleep && w->argument[1] == 0)
		w->argument[2] = w->argument[3];
	else if (w->number == SYS_nanosleep)
		w->argument[0] = w->argument[1];
}

/* ---- in the handler ---- */

#if defined(__x86_64__)
#define REGISTER(u, name) ((u)->uc_mcontext.gregs[REG_##name])

static uintptr_t instruction_of(const ucontext_t *u)
{
	return (uintptr_t)REGISTER(u, RIP);
}

static uintptr_t stack_of(const ucontext_t *u)
{
	return (uintptr_t)REGISTER(u, RSP);
}

static bool is_call_at(uintptr_t at)
{
	const uint8_t *code = (const uint8_t *)at;

	/* there may be code for execution alone */
	return raw_can_read(at) && code[0] == 0x0f && raw_can_read(at + 1) &&
	       code[1] == 0x05; /* syscall */
}

static bool has_ended(const ucontext_t *u, const struct thread_call *w)
{
	const uint64_t *a = w->argument;

	return instruction_of(u) == w->at && stack_of(u) == w->stack &&
	       REGISTER(u, RAX) == -EINTR && (uint64_t)REGISTER(u, RDI) == a[0] &&
	       (uint64_t)REGISTER(u, RSI) == a[1] && (uint64_t)REGISTER(u, RDX) == a[2] &&
	       (uint64_t)REGISTER(u, R10) == a[3] && is_call_at(w->at - 2);
}

static void end_again(ucontext_t *u)
{
	REGISTER(u, RIP) += 2;
	REGISTER(u, RAX) = -EINTR;
}

static void begin_again(ucontext_t *u, const struct thread_call *w)
{
	REGISTER(u, RIP) -= 2;
	REGISTER(u, RAX) = w->number;
	REGISTER(u, RDI) = (greg_t)w->argument[0];
	REGISTER(u, RDX) = (greg_t)w->argument[2];
}

/* top: a multiple of 64 */
static void call_on(char *top, void (*run)(void))
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[run]\n\t"
			 "movq %%rbx, %%rsp"
			 : [top] "+r"(top), [run] "+r"(run)
			 :
			 : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
			 "cc");
}
#elif defined(__aarch64__)
static uintptr_t instruction_of(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.pc;
}

static uintptr_t stack_of(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.sp;
}

static bool is_call_at(uintptr_t at)
{
	return raw_can_read(at) && *(const uint32_t *)at == 0xd4000001; /* svc #0 */
}

static bool has_ended(const ucontext_t *u, const struct thread_call *w)
{
	const uint64_t *a = w->argument;

	return instruction_of(u) == w->at && stack_of(u) == w->stack &&
	       (long)u->uc_mcontext.regs[0] == -EINTR && u->uc_mcontext.regs[1] == a[1] &&
	       u->uc_mcontext.regs[2] == a[2] && u->uc_mcontext.regs[3] == a[3] &&
	       is_call_at(w->at - 4);
}

static void end_again(ucontext_t *u)
{
	u->uc_mcontext.pc += 4;
	u->uc_mcontext.regs[0] = (uint64_t)-EINTR;
}

static void begin_again(ucontext_t *u, const struct thread_call *w)
{
	u->uc_mcontext.pc -= 4;
	u->uc_mcontext.regs[0] = w->argument[0];
	u->uc_mcontext.regs[2] = w->argument[2];
	u->uc_mcontext.regs[8] = (uint64_t)w->number;
}

/* top: a multiple of 64 */
static void call_on(char *top, void (*run)(void))
{
	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[top]\n\t"
			 "blr %[run]\n\t"
			 "mov sp, x19"
			 : [top] "+r"(top), [run] "+r"(run)
			 :
			 : "x19", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
			 "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1",
			 "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
			 "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
			 "v31", "memory", "cc");
}
#else
#error "which registers has this machine?"
#endif

/* Another handler may have interrupted a function of libc, wherever it is itself. It is known by
 * its signal, which is blocked meanwhile, but where SA_NODEFER was asked for: then nobody knows. */
static bool may_be_in_handler(const ucontext_t *u)
{
	for (int s = 1; s <= SIGRTMAX; s++) {
		struct sigaction is;

		if (sigaction(s, NULL, &is) == 0 && is.sa_handler != SIG_DFL &&
			is.sa_handler != SIG_IGN &&
			((is.sa_flags & SA_NODEFER) || sigismember(&u->uc_sigmask, s) == 1))
			return true;
	}
	return false;
}

/* A signal with a handler of the program's has come meanwhile, and would have ended the wait;
 * restarts: one with SA_RESTART would not have. */
static bool is_ended_by_program(const ucontext_t *u, bool restarts)
{
	sigset_t pending;

	sigpending(&pending);
	for (int s = 1; s <= SIGRTMAX; s++) {
		struct sigaction is;

		if (s == number() || sigismember(&pending, s) != 1 ||
			sigismember(&u->uc_sigmask, s) == 1 || sigaction(s, NULL, &is) != 0 ||
			is.sa_handler == SIG_DFL || is.sa_handler == SIG_IGN)
			continue;
		if (!restarts || !(is.sa_flags & SA_RESTART))
			return true;
	}
	return false;
}

/* Nothing of the program's runs here: it may be anywhere, with a lock of its own. Nor is the thread
 * cancelled in the midst of it: it is in no call where the program expects that. */
static void come_by_here(void)
{
	int cancels;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
	engine_defer_for_program(false);
	if (engine_try_enter())
		engine_leave();
	engine_defer_for_program(true);
	pthread_setcancelstate(cancels, NULL);
}

/* The program's stack may be a small one, a coroutine's or PTHREAD_STACK_MIN. One thread at a time
 * comes by on this one; another, which was interrupted meanwhile, would only wait for it. */
static struct {
	_Alignas(64) char bytes[256 << 10];
	atomic_flag taken;
} stack = {.taken = ATOMIC_FLAG_INIT};

static void come_by(long call)
{
	if (atomic_flag_test_and_set(&stack.taken))
		return;
	image_threads_interrupted_in(call);
	call_on(stack.bytes + sizeof stack.bytes, come_by_here);
	image_threads_interrupted_in(0);
	atomic_flag_clear(&stack.taken);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	struct thread_call w = sleeper;
	long next = thread_wait_next(u);
	bool ended = has_ended(u, &w), begun = next >= 0 && interrupt_is_begun_by_kernel(next);
	struct thread_wait room, *wait = NULL;
	int error = errno;

	(void)sig, (void)info;
	/* it computed when it was looked at, or its wait was over and it had no processor; or its
	 * call has done a part */
	if (!ended && !begun)
		wait = thread_wait_ended(u, &w, &room);
	under_way = 0;
	if ((!is_forbidden(instruction_of(u)) || begun || ended) && !may_be_in_handler(u) &&
		!linker_locks_held())
		come_by(begun ? next : 0);
	if (begun && is_ended_by_program(u, true)) {
		end_again(u);
	} else if (ended && !is_ended_by_program(u, interrupt_is_begun_by_kernel(w.number))) {
		go_on_with_rest(&w);
		begin_again(u, &w);
	} else if (wait) {
		/* `room` has to stay until the stack is the thread's again: no handler may run over
		 * it between this one's end and rt_sigreturn, which has the thread's mask */
		image_state_block();
		thread_wait_again(u, wait, own_signals());
	}
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
	sigdelset(&a.sa_mask, SIGRTMAX - 1); /* which stops threads for an image: image/threads.h */
	return sigaction(number(), &a, NULL) == 0;
}

/* ---- outside of it ---- */

void interrupt_one(bool asleep)
{
	unsigned left = under_way;
	struct thread_call w = {0};
	pid_t tid;

	if (!forbidden.possible || !handle())
		return;
	if (left > 1) {
		atomic_compare_exchange_strong(&under_way, &left, left - 1);
		return;
	}
	tid = interrupt_find(number(), asleep, &w);
	if (!tid)
		return;
	sleeper = w;
	under_way = BLOCKED;
	if (syscall(SYS_tgkill, getpid(), tid, number()) != 0)
		under_way = 0;
}
