/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_wait.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

#include "call_number.h"
#include "call_rest.h"
#include "raw_call.h"
#include "wait_limit.h"

enum { MASK_BYTES = 8, SIGNALS = 64, RED_ZONE = 128, PAGE = 4096 };

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)

/* The piece of code: the system call, and where it ends. */
extern const char thread_wait_call[], thread_wait_over[];

/* ---- registers ---- */

#if defined(__x86_64__)

/* The words of *w are where struct thread_wait has them. The result is what all parts have done, or
 * the error of the only one. The program finds all registers as after its own call. An unwinder
 * finds the caller by the two words at the stack. */
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
	"	movq 64(%rsp), %rcx\n"
	"	testq %rcx, %rcx\n"
	"	je 2f\n"
	"	testq %rax, %rax\n"
	"	jns 1f\n"
	"	xorl %eax, %eax\n"
	"1:	addq %rcx, %rax\n"
	"2:	movq 16(%rsp), %rdi\n"
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

/* The next instruction is a call: with this number. */
static bool is_before_call(const ucontext_t *u, long *number)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)instruction(u);

	*number = result(u);
	return raw_can_read(instruction(u)) && code[0] == 0x0f &&
	       raw_can_read(instruction(u) + 1) && code[1] == 0x05; /* syscall */
}

static bool is_same(const ucontext_t *u, const struct thread_call *c)
{
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		if (argument(u, i) != c->argument[i])
			return false;
	return instruction(u) == c->at && stack(u) == c->stack;
}

static bool read_number(const ucontext_t *u, long *number)
{
	/* what lies before this page may not be there; and code may be there for execution alone */
	return raw_can_read(instruction(u)) &&
	       call_number_before(
		       (const uint8_t *)(uintptr_t)instruction(u), instruction(u) % PAGE, number);
}

static void go_to(ucontext_t *u, const char *code, const struct thread_wait *w, long accumulator)
{
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)code;
	u->uc_mcontext.gregs[REG_RSP] = (greg_t)w;
	u->uc_mcontext.gregs[REG_RAX] = accumulator;
}

static void set_argument(ucontext_t *u, int i, uint64_t value)
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
	"	ldr x16, [sp, #64]\n"
	"	cbz x16, 2f\n"
	"	tbz x0, #63, 1f\n"
	"	mov x0, #0\n"
	"1:	add x0, x0, x16\n"
	"2:	ldp x1, x2, [sp, #24]\n"
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

/* The next instruction is a call: with this number. */
static bool is_before_call(const ucontext_t *u, long *number)
{
	*number = (long)u->uc_mcontext.regs[8];
	return raw_can_read(instruction(u)) &&
	       *(const uint32_t *)(uintptr_t)instruction(u) == 0xd4000001; /* svc #0 */
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
	u->uc_mcontext.regs[code == thread_wait_over ? 0 : 8] = (uint64_t)accumulator;
}

static void set_argument(ucontext_t *u, int i, uint64_t value)
{
	u->uc_mcontext.regs[i] = value;
}

#endif

_Static_assert(offsetof(struct thread_wait, stack) == 8 &&
		       offsetof(struct thread_wait, argument) == 16 &&
		       offsetof(struct thread_wait, done) == 64,
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

/* ---- handlers of the program ---- */

/* As rt_sigaction(2) has it. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

static bool has_handler(int signal, struct action *is)
{
	return raw_call6(SYS_rt_sigaction, signal, 0, (long)is, MASK_BYTES, 0, 0) == 0 &&
	       is->handler != (uint64_t)(uintptr_t)SIG_DFL &&
	       is->handler != (uint64_t)(uintptr_t)SIG_IGN;
}

static bool is_pause(long number)
{
#ifdef SYS_pause
	if (number == SYS_pause)
		return true;
#endif
	return number == SYS_rt_sigsuspend;
}

static bool is_of_libc(int signal)
{
	return signal == 32 || signal == 33;
}

/* Unless the program has taken it: then with its own flags. */
static bool is_of_library(int signal, const struct action *is)
{
	return (signal == SIGRTMAX - 1 || signal == SIGRTMAX - 2) && (is->flags & SA_RESTART);
}

/* Nobody has seen the thread wait, and one of these may have run right before: then it is what has
 * ended the call, and the program wants to know. */
static bool may_be_ended_by_program(long number)
{
	struct action is;

	for (int s = 1; s <= SIGNALS; s++)
		if (!is_of_libc(s) && has_handler(s, &is) && !is_of_library(s, &is) &&
			(!(is.flags & SA_RESTART) || is_pause(number)))
			return true;
	return false;
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

static bool find_number(const ucontext_t *u, const struct thread_call *noted,
	bool (*is_known)(long number), long *number)
{
	if (noted && noted->at && is_same(u, noted) && is_known(noted->number)) {
		*number = noted->number;
		return true;
	}
	return read_number(u, number) && is_known(*number) && !may_be_ended_by_program(*number);
}

static void read_arguments(
	const ucontext_t *u, const struct thread_call *noted, uint64_t to[THREAD_CALL_ARGUMENTS])
{
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		to[i] = argument(u, i);
#if defined(__aarch64__)
	to[0] = noted->argument[0];
#else
	(void)noted;
#endif
}

static struct thread_wait *begin(const ucontext_t *u, long number,
	const uint64_t argument[THREAD_CALL_ARGUMENTS], struct thread_wait *room)
{
	struct thread_wait *w = place(u, room);
	struct wait_limit limit;

	w->at = instruction(u);
	w->stack = stack(u);
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		w->argument[i] = argument[i];
	w->number = number;
	w->done = w->part = 0;
	limit = wait_limit_of(number, w->argument);
	w->left_ns = limit.rest ? time_at(limit.rest) : whole_limit(w, &limit);
	return w;
}

static struct thread_wait *waited(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room)
{
	uint64_t argument[THREAD_CALL_ARGUMENTS];
	long number;

	if (!find_number(u, noted, wait_limit_is_known, &number))
		return NULL;
	read_arguments(u, noted, argument);
	return begin(u, number, argument, room);
}

static struct thread_wait *waited_again(struct thread_wait *w)
{
	const struct wait_limit limit = wait_limit_of(w->number, w->argument);

	w->part = 0;
	w->left_ns = limit.rest ? time_at(limit.rest) : left_now(w);
	return w;
}

/* ---- what has done a part ---- */

static bool is_terminal(dev_t device)
{
	const unsigned n = major(device);

	return n == 4 || n == 5 || (n >= 136 && n <= 143);
}

/* zero, full and urandom; random of old kernels has an end */
static bool is_endless(dev_t device)
{
	const unsigned n = minor(device);

	return major(device) == 1 && (n == 5 || n == 7 || n == 9);
}

static int option_of(uint64_t socket, int option)
{
	int value = -1;
	uint32_t bytes = sizeof value;

	raw_call6(SYS_getsockopt, (int)socket, SOL_SOCKET, option, (long)&value, (long)&bytes, 0);
	return value;
}

static enum call_file file_of(uint64_t descriptor)
{
	struct stat s;

	if (raw_call(SYS_fstat, (int)descriptor, (long)&s, 0) < 0)
		return CALL_FILE_OTHER;
	if (S_ISFIFO(s.st_mode) || (S_ISCHR(s.st_mode) && is_terminal(s.st_rdev)))
		return CALL_FILE_PIPE;
	if (S_ISCHR(s.st_mode) && is_endless(s.st_rdev))
		return CALL_FILE_ENDLESS;
	if (S_ISSOCK(s.st_mode))
		return call_rest_socket(option_of(descriptor, SO_TYPE),
			option_of(descriptor, SO_DOMAIN), option_of(descriptor, SO_PROTOCOL));
	return CALL_FILE_OTHER;
}

static struct thread_wait *cut(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room)
{
	uint64_t argument[THREAD_CALL_ARGUMENTS];
	struct thread_wait *w;
	long number;

	if (!find_number(u, noted, call_rest_is_known, &number))
		return NULL;
	read_arguments(u, noted, argument);
	if (!call_rest_is_due(number, argument, file_of(argument[0]), (uint64_t)result(u)))
		return NULL;
	w = begin(u, number, argument, room);
	w->part = (uint64_t)result(u);
	return w;
}

static struct thread_wait *cut_again(const ucontext_t *u, struct thread_wait *w)
{
	const uint64_t part = (uint64_t)result(u);

	if (!call_rest_is_due(w->number, w->argument, file_of(w->argument[0]), w->done + part))
		return NULL;
	w->part = part;
	return w;
}

long thread_wait_next(const ucontext_t *u)
{
	long number;

	return is_before_call(u, &number) ? number : -1;
}

struct thread_wait *thread_wait_ended(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room)
{
	struct thread_wait *w = (struct thread_wait *)(uintptr_t)stack(u);
	const bool again = instruction(u) == (uint64_t)(uintptr_t)thread_wait_over;

	if (result(u) == -EINTR)
		return again ? waited_again(w) : waited(u, noted, room);
	if (result(u) > 0)
		return again ? cut_again(u, w) : cut(u, noted, room);
	return NULL;
}

/* ---- as it ends ---- */

static bool is_ended_by_program(const ucontext_t *u, uint64_t own)
{
	uint64_t pending = 0, blocked = 0;
	struct action is;

	raw_call(SYS_rt_sigpending, (long)&pending, MASK_BYTES, 0);
	__builtin_memcpy(&blocked, &u->uc_sigmask, sizeof blocked);
	pending &= ~(blocked | own);
	for (int s = 1; s <= SIGNALS; s++)
		if (pending >> (s - 1) & 1 && has_handler(s, &is))
			return true;
	return false;
}

static int64_t round_up_ms(int64_t ns)
{
	int64_t ms = ns / MILLISECOND + (ns % MILLISECOND != 0);

	return ms < INT_MAX ? ms : INT_MAX;
}

static void set_arguments(ucontext_t *u, struct thread_wait *w, const struct wait_limit *limit)
{
	uint64_t argument[THREAD_CALL_ARGUMENTS];

	call_rest_arguments(w->number, w->argument, w->done, w->pieces, argument);
	if (limit->kind == WAIT_LIMIT_MS)
		argument[limit->argument] = (uint64_t)round_up_ms(w->left_ns);
	else if (limit->kind == WAIT_LIMIT_TIME)
		argument[limit->argument] = (uint64_t)(uintptr_t)&w->limit;
	for (int i = 0; i < THREAD_CALL_ARGUMENTS; i++)
		set_argument(u, i, argument[i]);
}

void thread_wait_again(ucontext_t *u, struct thread_wait *w, uint64_t own)
{
	const struct wait_limit limit = wait_limit_of(w->number, w->argument);

	if (is_ended_by_program(u, own))
		return;
	w->done += w->part;
	w->part = 0;
	w->since = now_ns();
	w->limit = (struct timespec){w->left_ns / SECOND, w->left_ns % SECOND};
	set_arguments(u, w, &limit);
	if (limit.kind == WAIT_LIMIT_SOCKET && w->left_ns == 0)
		go_to(u, thread_wait_over, w, -EAGAIN);
	else
		go_to(u, thread_wait_call, w, w->number);
	/* it is read when the handler is over */
	__asm__ volatile("" ::"r"(w) : "memory");
}
