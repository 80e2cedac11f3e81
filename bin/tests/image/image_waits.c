/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads wait, each in a system call that a handler ends with EINTR, and images are tried all the
 * time: nothing of that is to be seen. First those with a limit of time, until all are over; then
 * the same with signals of libc's own; then those without, which are ended one by one. Prints what
 * is not as it should be, and at last "all waited". No image is written: the child ends at once, or
 * there is none, for they have sockets.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/image.h"
#include "image_file.h"

enum { LIMIT_SECONDS = 120, LIMIT_MS = 400, AGAIN = 20, STACK = 1 << 16, LIBC_SIGNAL = 33 };

#define MS INT64_C(1000000)

static const struct timespec limit = {0, LIMIT_MS *MS};
static struct sembuf down = {.sem_op = -1};
static int semaphores, messages, sockets[2], epoll, channel[2];
static sem_t never;
static _Atomic int word, wrong;

void image_file_soil(void)
{
}

/* ---- what they do: 0, or the error ---- */

static int error_of(long rc)
{
	return rc < 0 ? errno : 0;
}

static int by_nanosleep(void)
{
	return error_of(nanosleep(&limit, NULL));
}

static int by_nanosleep_rest(void)
{
	struct timespec t = limit;

	return error_of(nanosleep(&t, &t));
}

static int by_usleep(void)
{
	return error_of(usleep(LIMIT_MS * 1000));
}

static int by_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec++;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int by_poll(void)
{
	return error_of(poll(NULL, 0, LIMIT_MS));
}

static int by_ppoll(void)
{
	return error_of(ppoll(NULL, 0, &limit, NULL));
}

static int by_select(void)
{
	struct timeval t = {0, LIMIT_MS * 1000};

	return error_of(select(0, NULL, NULL, NULL, &t));
}

static int by_epoll(void)
{
	struct epoll_event e;

	return error_of(epoll_wait(epoll, &e, 1, LIMIT_MS));
}

/* The number is in the register by another way than in libc's calls. */
static int by_number(void)
{
	return error_of(
		syscall(SYS_epoll_pwait, epoll, &(struct epoll_event){0}, 1, LIMIT_MS, NULL, 8));
}

static int by_sigtimedwait(void)
{
	sigset_t hangup;

	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	return error_of(sigtimedwait(&hangup, NULL, &limit));
}

static int by_sem(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return error_of(sem_timedwait(&never, &t));
}

static int by_semop(void)
{
	return error_of(semtimedop(semaphores, &down, 1, &limit));
}

static int by_futex(void)
{
	return error_of(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0));
}

/* The kernel leaves all registers as they are but that of the result; so it is to be. */
static int by_registers(void)
{
#if defined(__x86_64__)
	register long rax __asm__("rax") = SYS_poll, rdi __asm__("rdi") = 0, rsi __asm__("rsi") = 0,
			  rdx __asm__("rdx") = LIMIT_MS, r10 __asm__("r10") = 10,
			  r8 __asm__("r8") = 8, r9 __asm__("r9") = 9, rbx __asm__("rbx") = 3,
			  r12 __asm__("r12") = 12;

	__asm__ volatile("syscall"
			 : "+r"(rax), "+r"(rdi), "+r"(rsi), "+r"(rdx), "+r"(r10), "+r"(r8),
			 "+r"(r9), "+r"(rbx), "+r"(r12)
			 :
			 : "rcx", "r11", "memory");
	return rax != 0 || rdi != 0 || rsi != 0 || rdx != LIMIT_MS || r10 != 10 || r8 != 8 ||
	       r9 != 9 || rbx != 3 || r12 != 12;
#else
	register long x8 __asm__("x8") = SYS_epoll_pwait, x0 __asm__("x0") = epoll,
			 x1 __asm__("x1") = (long)&(struct epoll_event){0}, x2 __asm__("x2") = 1,
			 x3 __asm__("x3") = LIMIT_MS, x4 __asm__("x4") = 0, x5 __asm__("x5") = 8;
	const long event = x1;

	__asm__ volatile("svc 0"
			 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4), "+r"(x5), "+r"(x8)
			 :
			 : "x16", "x17", "memory");
	return x0 != 0 || x1 != event || x2 != 1 || x3 != LIMIT_MS || x4 != 0 || x5 != 8 ||
	       x8 != SYS_epoll_pwait;
#endif
}

static int by_receive(void)
{
	char c;

	return error_of(recv(sockets[0], &c, 1, 0));
}

static int poll_pipe(void)
{
	struct pollfd p = {.fd = channel[0], .events = POLLIN};

	return poll(&p, 1, -1) == 1 ? 0 : errno;
}

static int receive_message(void)
{
	struct {
		long type;
		char text[8];
	} m;

	return error_of(msgrcv(messages, &m, sizeof m.text, 0, 0));
}

static int take_semaphore(void)
{
	struct sembuf second = {.sem_num = 1, .sem_op = -1};

	return error_of(semop(semaphores, &second, 1));
}

static int wait_hangup(void)
{
	sigset_t hangup;
	int got;

	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	got = sigwaitinfo(&hangup, NULL);
	return got == SIGHUP ? 0 : errno;
}

static int suspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	return error_of(sigsuspend(&none));
}

/* libc looks for who called, from the call on. */
static void clean(void *cleaned)
{
	*(_Atomic int *)cleaned = 1;
}

static _Atomic int cleaned;

static int by_cancel(void)
{
	pthread_cleanup_push(clean, &cleaned);
	poll(NULL, 0, -1);
	pthread_cleanup_pop(0);
	return ECANCELED;
}

static int by_pause(void)
{
	return error_of(pause());
}

/* ---- how they end ---- */

static void by_signal(pthread_t t)
{
	pthread_kill(t, SIGUSR1);
}

static void cancel(pthread_t t)
{
	void *result = NULL;

	pthread_cancel(t);
	pthread_join(t, &result);
	wrong |= !cleaned || result != PTHREAD_CANCELED;
}

static void hang_up(pthread_t t)
{
	pthread_kill(t, SIGHUP);
}

static void write_pipe(pthread_t unused)
{
	(void)unused;
	(void)!write(channel[1], "x", 1);
}

static void send_message(pthread_t unused)
{
	const struct {
		long type;
		char text[8];
	} m = {1, "x"};

	(void)unused;
	msgsnd(messages, &m, sizeof m.text, 0);
}

static void give_semaphore(pthread_t unused)
{
	struct sembuf up = {.sem_num = 1, .sem_op = 1};

	(void)unused;
	semop(semaphores, &up, 1);
}

struct way {
	const char *name;
	int (*wait)(void);
	int expected;		  /* error */
	void (*end)(pthread_t t); /* NULL: the limit ends it */
};

static const struct way limited[] = {{"nanosleep", by_nanosleep, 0, NULL},
	{"nanosleep with its rest", by_nanosleep_rest, 0, NULL}, {"usleep", by_usleep, 0, NULL},
	{"clock_nanosleep", by_clock, 0, NULL}, {"poll", by_poll, 0, NULL},
	{"ppoll", by_ppoll, 0, NULL}, {"select", by_select, 0, NULL},
	{"epoll_wait", by_epoll, 0, NULL}, {"epoll_pwait", by_number, 0, NULL},
	{"sigtimedwait", by_sigtimedwait, EAGAIN, NULL}, {"sem_timedwait", by_sem, ETIMEDOUT, NULL},
	{"semtimedop", by_semop, EAGAIN, NULL}, {"futex", by_futex, ETIMEDOUT, NULL},
	{"registers", by_registers, 0, NULL}, {"recv", by_receive, EAGAIN, NULL}};
static const struct way unlimited[] = {{"poll", poll_pipe, 0, write_pipe},
	{"msgrcv", receive_message, 0, send_message}, {"semop", take_semaphore, 0, give_semaphore},
	{"sigwaitinfo", wait_hangup, 0, hang_up}, {"sigsuspend", suspend, EINTR, by_signal},
	{"cancelled", by_cancel, 0, cancel}, {"pause", by_pause, EINTR, by_signal}};

enum {
	LIMITED = sizeof limited / sizeof *limited,
	UNLIMITED = sizeof unlimited / sizeof *unlimited
};

struct waiter {
	const struct way *way;
	pthread_t thread;
	_Atomic int id, over, may_end;
	char stack[STACK];
};

static struct waiter waiter[LIMITED > UNLIMITED ? LIMITED : UNLIMITED];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void *run(void *arg)
{
	struct waiter *w = arg;
	/* one that has a stack for signals is elsewhere while it waits on */
	stack_t stack = {.ss_sp = w->stack, .ss_size = STACK};
	int64_t from;
	int error;

	if ((w - waiter) % 2)
		sigaltstack(&stack, NULL);
	from = now();
	w->id = (int)syscall(SYS_gettid);
	error = w->way->wait();
	if (error != w->way->expected ||
		(w->way->end ? !w->may_end : now() - from < LIMIT_MS * MS)) {
		printf("%s: %s after %d ms\n", w->way->name, strerror(error),
			(int)((now() - from) / MS));
		wrong = 1;
	}
	w->over = 1;
	return NULL;
}

/* ---- who tries images ---- */

static int no_section(struct image_out *out, enum image_section section)
{
	(void)out, (void)section;
	return -ECANCELED;
}

static void take(void)
{
	struct image_out out = {.begin = no_section};
	pid_t child;
	int rc = image_take(&out, &child);

	if (rc == 0 && waitpid(child, NULL, __WALL) == child)
		return;
	/* after all threads have stopped */
	if (rc == -EOPNOTSUPP && !strstr(image_report()->why, "thread"))
		return;
	printf("%d: %s\n", rc, image_report()->why);
	exit(1);
}

static bool is_asleep(const struct waiter *w)
{
	char path[64], text[512] = "", state = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", w->id);
	f = w->id ? fopen(path, "r") : NULL;
	if (f && fgets(text, sizeof text, f))
		sscanf(text, "%*d (image_waits) %c", &state);
	if (f)
		fclose(f);
	return state == 'S';
}

static void begin(const struct way *ways, int count)
{
	for (int i = 0; i < count; i++) {
		struct waiter *w = &waiter[i];

		w->way = &ways[i];
		w->id = w->over = 0;
		if (pthread_create(&w->thread, NULL, run, w) != 0)
			exit(3);
	}
	for (int i = 0; i < count; i++)
		while (!waiter[i].over && !is_asleep(&waiter[i]))
			sched_yield();
}

static void end(struct waiter *w)
{
	while (!w->over)
		take();
	pthread_join(w->thread, NULL);
}

static void wait_limited(void)
{
	begin(limited, LIMITED);
	for (int i = 0; i < LIMITED; i++)
		end(&waiter[i]);
}

/* By another process, as libc's handler wants to know nothing of it then. Two at a time: one is
 * pending when the handler of the other ends. */
static pid_t disturb(void)
{
	const struct timespec pause = {0, MS};
	pid_t process = getpid(), child = fork();

	while (child == 0) {
		for (int i = 0; i < 2 * LIMITED; i++)
			syscall(SYS_tgkill, process, waiter[i / 2].id, LIBC_SIGNAL);
		nanosleep(&pause, NULL);
		if (getppid() != process)
			_exit(0);
	}
	return child;
}

/* Signals that stop threads for setuid(2), and are handled here once an image was tried. */
static void wait_disturbed(void)
{
	pid_t child;

	begin(limited, LIMITED);
	take();
	child = disturb();
	for (int i = 0; i < LIMITED; i++)
		end(&waiter[i]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void wait_unlimited(void)
{
	begin(unlimited, UNLIMITED);
	for (int i = 0; i < AGAIN; i++)
		take();
	for (int i = 0; i < UNLIMITED; i++) {
		while (!is_asleep(&waiter[i]))
			sched_yield();
		waiter[i].may_end = 1;
		waiter[i].way->end(waiter[i].thread);
		if (waiter[i].way->end != cancel)
			end(&waiter[i]);
	}
}

static void on_signal(int signal)
{
	(void)signal;
}

static bool make_objects(void)
{
	const struct timeval t = {0, LIMIT_MS * 1000};
	const struct sigaction usr1 = {.sa_handler = on_signal};
	sigset_t hangup;

	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &hangup, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	sem_init(&never, 0, 0);
	epoll = epoll_create1(0);
	semaphores = semget(IPC_PRIVATE, 2, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	return epoll >= 0 && pipe(channel) == 0 && semaphores >= 0 && messages >= 0 &&
	       socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 &&
	       setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0;
}

int main(void)
{
	char why[1024];

	alarm(LIMIT_SECONDS);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!make_objects() || image_prepare(why, sizeof why) != 0)
		return 3;
	wait_limited();
	wait_disturbed();
	wait_unlimited();
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	printf("%s\n", wrong ? "wrong" : "all waited");
	return wrong;
}
