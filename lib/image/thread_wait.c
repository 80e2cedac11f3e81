/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_wait.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "raw_call.h"
#include "wait_limit.h"

enum { MASK_BYTES = 8, SIGNALS = 64, RED_ZONE = 128, PAGE = 4096 };

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)

/* The piece of code: the system call, and where it ends. */
extern const char thread_wait_call[], thread_wait_over[];

/* ---- registers ---- */

#if defined(__x86_64__)

/* The words of *w are where struct thread_wait has them. The program finds all registers as after
 * its own call. An unwinder finds the caller by the two words at the stack. */
__asm__(".text\n"
	".globl thread_wait_call, thread_wait_over\n"
	".hidden thread_wait_call, thread_wait_over\n"
	".type thread_wait_call, @function\n"
	"thread_wait_call:\n"
	"	.cfi_startproc\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 3, 0x77, 8, 0x06\n"
	"	.cfi_escape 0x10, 16, 2, 0x77, 0\n"
	"	syscall\n"
	"thread_wait_over:\n"
	"	movq 16(%rsp), %rdi\n"
	"	movq 24(%rsp), %rsi\n"
	"	movq 32(%rsp), %rdx\n"
	"	movq 40(%rsp), %r10\n"
	"	movq 48(%rsp), %r8\n"
	"	movq 56(%rsp), %r9\n"
	"	movq (%rsp), %rcx\n"
	"	movq 8(%rsp), %rsp\n"
	"	jmp *%rcx\n"
	"	.cfi_endproc\n"
	".size thread_wait_call, . - thread_wait_call\n");

static const int registers[THREAD_CALL_ARGUMENTS] = {
	REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

static uint64_t instruction(const ucontext_t *u)
{
	return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
}

static uint64_t stack(const ucontext_t *u)
{
	return (uint64_t)u->uc_mcontext.gregs[REG_RSP];
}

static long result(const ucontext_t *u)
{
	return (long)u->uc_mcontext.gregs[REG_RAX];
}

static uint64_t argument(const ucontext_t *u, int i)
{
	return (uint64_t)u->uc_mcontext.gregs[registers[i]];
}

static bool is_same(const ucontext_t *u, const struct thread_call *c)
{
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		if (argument(u, i) != c->argument[i])
			return false;
	return instruction(u) == c->at && stack(u) == c->stack;
}

/* "mov $NUMBER, %eax; syscall", as most calls of libc are made. The register has not got the number
 * any more. */
static bool read_number(const ucontext_t *u, long *number)
{
	enum { BYTES = 8, REX = 0x40, MOV_EAX = 0xb8 };
	const uint8_t *code = (const uint8_t *)(uintptr_t)instruction(u) - BYTES;

	/* what lies before this page may not be there */
	if (instruction(u) % PAGE < BYTES || code[6] != 0x0f || code[7] != 0x05 ||
		code[1] != MOV_EAX || (code[0] & 0xf0) == REX)
		return false;
	*number = code[2] | code[3] << 8 | code[4] << 16 | (long)code[5] << 24;
	return true;
}

static void go_to(ucontext_t *u, const char *code, const struct thread_wait *w, long accumulator)
{
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)code;
	u->uc_mcontext.gregs[REG_RSP] = (greg_t)w;
	u->uc_mcontext.gregs[REG_RAX] = accumulator;
}

static void set_argument(ucontext_t *u, unsigned i, uint64_t value)
{
	u->uc_mcontext.gregs[registers[i]] = (greg_t)value;
}

#elif defined(__aarch64__)

/* A function's x16 and x17 are any linker's, and are not kept here. RET, as BR would have to find a
 * landing pad. */
__asm__(".text\n"
	".globl thread_wait_call, thread_wait_over\n"
	".hidden thread_wait_call, thread_wait_over\n"
	".type thread_wait_call, %function\n"
	"thread_wait_call:\n"
	"	svc 0\n"
	"thread_wait_over:\n"
	"	ldp x1, x2, [sp, #24]\n"
	"	ldp x3, x4, [sp, #40]\n"
	"	ldr x5, [sp, #56]\n"
	"	ldp x16, x17, [sp]\n"
	"	mov sp, x17\n"
	"	ret x16\n"
	".size thread_wait_call, . - thread_wait_call\n");

static uint64_t instruction(const ucontext_t *u)
{
	return u->uc_mcontext.pc;
}

static uint64_t stack(const ucontext_t *u)
{
	return u->uc_mcontext.sp;
}

static long result(const ucontext_t *u)
{
	return (long)u->uc_mcontext.regs[0];
}

static uint64_t argument(const ucontext_t *u, int i)
{
	return u->uc_mcontext.regs[i];
}

/* The first argument is where the result is. */
static bool is_same(const ucontext_t *u, const struct thread_call *c)
{
	for (int i = 1; i < THREAD_CALL_ARGUMENTS; i++)
		if (argument(u, i) != c->argument[i])
			return false;
	return instruction(u) == c->at && stack(u) == c->stack &&
	       (long)u->uc_mcontext.regs[8] == c->number;
}

/* It would not help, without the first argument. */
static bool read_number(const ucontext_t *u, long *number)
{
	(void)u;
	(void)number;
	return false;
}

static void go_to(ucontext_t *u, const char *code, const struct thread_wait *w, long accumulator)
{
	u->uc_mcontext.pc = (uint64_t)(uintptr_t)code;
	u->uc_mcontext.sp = (uint64_t)(uintptr_t)w;
	if (code == thread_wait_over) {
		u->uc_mcontext.regs[0] = (uint64_t)accumulator;
		return;
	}
	u->uc_mcontext.regs[0] = w->argument[0];
	u->uc_mcontext.regs[8] = (uint64_t)accumulator;
}

static void set_argument(ucontext_t *u, unsigned i, uint64_t value)
{
	u->uc_mcontext.regs[i] = value;
}

#endif

_Static_assert(
	offsetof(struct thread_wait, stack) == 8 && offsetof(struct thread_wait, argument) == 16,
	"the code above knows");

/* ---- time ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0);
	return (uint64_t)t.tv_sec * (uint64_t)SECOND + (uint64_t)t.tv_nsec;
}

/* At most what fits. */
static int64_t to_ns(int64_t seconds, int64_t ns)
{
	return seconds < INT64_MAX / SECOND - 1 ? seconds * SECOND + ns : INT64_MAX;
}

static int64_t time_at(uint64_t address)
{
	const struct timespec *t = (const struct timespec *)(uintptr_t)address;

	return to_ns(t->tv_sec, t->tv_nsec);
}

/* The socket may have none, or be something else. */
static int64_t socket_limit(const struct thread_wait *w, const struct wait_limit *l)
{
	struct timeval t = {0, 0};
	uint32_t bytes = sizeof t;

	if (raw_call6(SYS_getsockopt, (long)w->argument[l->argument], SOL_SOCKET, l->option,
		    (long)&t, (long)&bytes, 0) < 0 ||
		(t.tv_sec == 0 && t.tv_usec == 0))
		return INT64_MAX;
	return to_ns(t.tv_sec, t.tv_usec * 1000);
}

static int64_t whole_limit(const struct thread_wait *w, const struct wait_limit *l)
{
	switch (l->kind) {
	case WAIT_LIMIT_MS:
		return (int)w->argument[l->argument] * MILLISECOND;
	case WAIT_LIMIT_TIME:
		return time_at(w->argument[l->argument]);
	case WAIT_LIMIT_SOCKET:
		return socket_limit(w, l);
	default:
		return 0;
	}
}

static int64_t left_now(const struct thread_wait *w)
{
	int64_t passed = (int64_t)(now_ns() - w->since);

	return passed < w->left_ns ? w->left_ns - passed : 0;
}

/* ---- as the handler begins ---- */

static bool is_on_signal_stack(const ucontext_t *u, uint64_t address)
{
	return address - (uint64_t)(uintptr_t)u->uc_stack.ss_sp - 1 < u->uc_stack.ss_size;
}

/* A signal stack is another handler's as soon as this one ends: then there is room where the thread
 * was. Else the handler's variable is below all that the thread has. */
static struct thread_wait *place(const ucontext_t *u, struct thread_wait *room)
{
	uint64_t bytes = RED_ZONE + sizeof *room;

	if (!is_on_signal_stack(u, (uint64_t)(uintptr_t)room) || is_on_signal_stack(u, stack(u)))
		return room;
	return (struct thread_wait *)(uintptr_t)((stack(u) - bytes) & ~UINT64_C(15));
}

static bool find_number(const ucontext_t *u, const struct thread_call *noted, long *number)
{
	if (noted && noted->at && is_same(u, noted) && wait_limit_is_known(noted->number)) {
		*number = noted->number;
		return true;
	}
	return read_number(u, number) && wait_limit_is_known(*number);
}

static struct thread_wait *begun_here(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room)
{
	struct thread_wait *w;
	struct wait_limit limit;
	long number;

	if (!find_number(u, noted, &number))
		return NULL;
	w = place(u, room);
	w->at = instruction(u);
	w->stack = stack(u);
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		w->argument[i] = argument(u, i);
#if defined(__aarch64__)
	w->argument[0] = noted->argument[0];
#endif
	w->number = number;
	limit = wait_limit_of(number, w->argument);
	w->left_ns = limit.rest ? time_at(limit.rest) : whole_limit(w, &limit);
	return w;
}

struct thread_wait *thread_wait_ended(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room)
{
	struct thread_wait *w = (struct thread_wait *)(uintptr_t)stack(u);
	struct wait_limit limit;

	if (result(u) != -EINTR)
		return NULL;
	if (instruction(u) != (uint64_t)(uintptr_t)thread_wait_over)
		return begun_here(u, noted, room);
	limit = wait_limit_of(w->number, w->argument);
	w->left_ns = limit.rest ? time_at(limit.rest) : left_now(w);
	return w;
}

/* ---- as it ends ---- */

/* As rt_sigaction(2) has it. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

static bool is_ended_by_program(const ucontext_t *u, uint64_t own)
{
	uint64_t pending = 0, blocked = 0;
	struct action is;

	raw_call(SYS_rt_sigpending, (long)&pending, MASK_BYTES, 0);
	__builtin_memcpy(&blocked, &u->uc_sigmask, sizeof blocked);
	pending &= ~(blocked | own);
	for (int s = 1; s <= SIGNALS; s++)
		if (pending >> (s - 1) & 1 &&
			raw_call6(SYS_rt_sigaction, s, 0, (long)&is, MASK_BYTES, 0, 0) == 0 &&
			is.handler != (uint64_t)(uintptr_t)SIG_DFL &&
			is.handler != (uint64_t)(uintptr_t)SIG_IGN)
			return true;
	return false;
}

static int64_t round_up_ms(int64_t ns)
{
	int64_t ms = ns / MILLISECOND + (ns % MILLISECOND != 0);

	return ms < INT_MAX ? ms : INT_MAX;
}

void thread_wait_again(ucontext_t *u, struct thread_wait *w, uint64_t own)
{
	const struct wait_limit limit = wait_limit_of(w->number, w->argument);

	if (is_ended_by_program(u, own))
		return;
	w->since = now_ns();
	w->limit = (struct timespec){w->left_ns / SECOND, w->left_ns % SECOND};
	if (limit.kind == WAIT_LIMIT_SOCKET && w->left_ns == 0)
		go_to(u, thread_wait_over, w, -EAGAIN);
	else
		go_to(u, thread_wait_call, w, w->number);
	if (limit.kind == WAIT_LIMIT_MS)
		set_argument(u, limit.argument, (uint64_t)round_up_ms(w->left_ns));
	else if (limit.kind == WAIT_LIMIT_TIME)
		set_argument(u, limit.argument, (uint64_t)(uintptr_t)&w->limit);
	/* it is read when the handler is over */
	__asm__ volatile("" ::"r"(w) : "memory");
}
