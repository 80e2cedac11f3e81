/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that is stopped may hold any lock of libc. So the one that takes the image uses system
 * calls alone from the first signal until it has let them go on; so do the stopped ones.
 */
#include "threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "raw_call.h"
#include "thread_list.h"
#include "thread_wait.h"

enum {
	LOOK_AGAIN_MS = 5, /* for threads that end, or begin */
};

#define PARK_SIGNAL (SIGRTMAX - 1)

/*
 * The one by which libc reaches all threads for setuid(2): it leaves this signal out of what
 * sigfillset, pthread_sigmask and sigwait are given, so a thread that blocks all signals, or takes
 * all in sigwait, takes this one. What libc sends (tgkill) goes to its handler; what is sent here
 * has another code. The other signal is for threads that block this one, too, without libc.
 */
enum { LIBC_SIGNAL = 33 };

enum place {
	FOUND,	   /* the thread is there, and was not asked */
	ASKED,	   /* the signal was sent */
	ANSWERING, /* its handler runs */
	PARKED,	   /* and waits */
	GONE	   /* it has ended without an answer */
};

struct thread {
	int id;		   /* when the image is taken */
	_Atomic int where; /* id and place in one word, as at() has it: a late answer is nobody
			      else's */
	uint32_t round;	   /* of looking, in which it was there */
	struct thread_status status;
	struct thread_call call; /* that it waited in when it was asked; all zero: in none */
	long next;		 /* the call that it begins when it goes on; -1: none */
	struct thread_state state;
	const char *refused; /* what it does, for a sentence; NULL */
	struct image_context context;
};

/* The first thread of the list is the one that takes the image. */
static struct {
	struct thread thread[IMAGE_THREADS_MAX];
	_Atomic size_t count;
	int process;
	atomic_flag taken;
	uint32_t turn;		   /* of images that were tried */
	_Atomic uint32_t released; /* the last whose threads go on; they wait here */
	_Atomic uint32_t news;	   /* how many threads were parked or came back; who asked waits */
	void (*of_libc)(int, siginfo_t *, void *); /* the handler that libc has */
	_Atomic uint32_t back;			   /* how many came back; or failed */
	_Atomic int back_error;
} park;

/* ---- waiting ---- */

static uint64_t now_ms(void)
{
	struct timespec t;

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Until it is not the one that was seen any more; at most so long. */
static void wait_change(_Atomic uint32_t *word, uint32_t seen, const struct timespec *limit)
{
	raw_call6(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, (long)seen, (long)limit, 0, 0);
}

static void wake(_Atomic uint32_t *word)
{
	raw_call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

static void tell_news(void)
{
	atomic_fetch_add(&park.news, 1);
	wake(&park.news);
}

/* ---- a thread that is stopped ---- */

static int own_id(void)
{
	return (int)raw_call(SYS_gettid, 0, 0, 0);
}

enum { PLACES = 8 };

static int at(int id, enum place place)
{
	return id * PLACES + (int)place;
}

static enum place place_of(const struct thread *t)
{
	return (enum place)(atomic_load(&t->where) % PLACES);
}

static bool move(struct thread *t, int id, enum place from, enum place to)
{
	int before = at(id, from);

	return atomic_compare_exchange_strong(&t->where, &before, at(id, to));
}

static struct thread *find(int id)
{
	size_t count = atomic_load(&park.count);

	for (size_t i = 1; i < count; i++) {
		int where = atomic_load(&park.thread[i].where);

		if (where / PLACES == id && where % PLACES != GONE)
			return &park.thread[i];
	}
	return NULL;
}

static void come_back(const struct thread *t)
{
	int rc = thread_state_set(&t->state);

	if (rc)
		atomic_store(&park.back_error, rc);
	atomic_fetch_add(&park.back, 1);
	tell_news();
}

static void stop_here(struct thread *t, int id)
{
	uint32_t turn = park.turn, released;

	t->refused = thread_state_read(&t->state);
	if (image_context_save(&t->context)) {
		come_back(t);
	} else {
		move(t, id, ANSWERING, PARKED);
		tell_news();
	}
	/* the place in the list is another thread's as soon as this turn is over */
	while ((int32_t)((released = atomic_load(&park.released)) - turn) < 0)
		wait_change(&park.released, released, NULL);
}

/* No wait of the program's ends for these. The library has one more, for threads that compute. */
#define OWN_SIGNALS                                                                                \
	(1ull << (PARK_SIGNAL - 1) | 1ull << (PARK_SIGNAL - 2) | 1ull << (LIBC_SIGNAL - 1))

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const int id = own_id();
	struct thread *t = find(id);
	struct thread_wait room, *wait;

	if (signal == LIBC_SIGNAL && info->si_code != SI_QUEUE) {
		t = NULL;
		if (park.of_libc)
			park.of_libc(signal, info, context);
	}
	if (t && !move(t, id, ASKED, ANSWERING))
		t = NULL; /* too late, or by somebody else */
	wait = thread_wait_ended(context, t ? &t->call : NULL, &room);
	if (t) {
		t->next = thread_wait_next(context);
		stop_here(t, id);
	}
	if (wait)
		thread_wait_again(context, wait, OWN_SIGNALS);
}

/* ---- the thread that stops them ---- */

/* What prevents it, for a sentence. */
struct trouble {
	int error, id; /* of the thread that has it on its conscience; 0: the process */
	const char *what;
	char name[THREAD_NAME_BYTES];
};

static int trouble(struct trouble *t, int error, const char *what, const struct thread *thread)
{
	*t = (struct trouble){.error = error, .what = what};
	if (thread) {
		t->id = thread->id;
		memcpy(t->name, thread->status.name, sizeof t->name);
	}
	return error;
}

static void say(const struct trouble *t, char *why, size_t size)
{
	if (t->id)
		snprintf(why, size, "its thread %d (%s) %s", t->id, t->name, t->what);
	else
		snprintf(why, size, "%s", t->what);
}

/* On the thread's own stack, as libc's own: the program's stack for signals may be too small for
 * the registers of this processor, and the kernel would end the process. */
static int take_signal(struct trouble *t)
{
	struct sigaction is, to = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};

	sigaction(PARK_SIGNAL, NULL, &is);
	if (is.sa_sigaction == on_signal)
		return 0;
	if (is.sa_handler != SIG_DFL)
		return trouble(t, -EOPNOTSUPP,
			"it uses signal SIGRTMAX - 1, which stops threads for an image", NULL);
	/* those that sigfillset leaves out, too */
	memset(&to.sa_mask, 0xff, sizeof to.sa_mask);
	sigaction(PARK_SIGNAL, &to, NULL);
	return 0;
}

/* As rt_sigaction(2) has it; sigaction(3) has nothing to do with this signal. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	uint64_t flags, restorer, mask;
};

/* Before each use, as libc may have set its own meanwhile: with the first thread. */
static bool take_libc_signal(void)
{
	struct action is, to;

	if (raw_call6(SYS_rt_sigaction, LIBC_SIGNAL, 0, (long)&is, sizeof is.mask, 0, 0) < 0 ||
		raw_call6(SYS_rt_sigaction, PARK_SIGNAL, 0, (long)&to, sizeof to.mask, 0, 0) < 0)
		return false;
	if (is.handler == on_signal)
		return true;
	park.of_libc = (uintptr_t)is.handler > (uintptr_t)SIG_IGN ? is.handler : NULL;
	return raw_call6(SYS_rt_sigaction, LIBC_SIGNAL, (long)&to, 0, sizeof to.mask, 0, 0) == 0;
}

_Static_assert(IMAGE_THREADS_MAX == 1024, "a sentence has it");

static struct thread *add(int id)
{
	size_t count = atomic_load(&park.count), i = 1;
	struct thread *t;

	while (i < count && place_of(&park.thread[i]) != GONE)
		i++;
	if (i == IMAGE_THREADS_MAX)
		return NULL;
	t = &park.thread[i];
	t->id = id;
	t->refused = NULL;
	t->status = (struct thread_status){.name = "?"};
	atomic_store(&t->where, at(id, FOUND));
	if (i == count)
		atomic_store(&park.count, count + 1);
	return t;
}

static bool can_be_sent(const struct thread *t, int signal)
{
	return !(t->status.blocked >> (signal - 1) & 1) && !thread_list_waits_for(&t->call, signal);
}

/* What the kernel says of the first one is not certain: it shows a thread in sigwait as one that
 * blocks nothing, and what it waits for is read at another moment. 0: none, now. A thread may
 * unblock them soon, as one does that begins or ends. */
static int signal_for(const struct thread *t)
{
	if (can_be_sent(t, LIBC_SIGNAL) && take_libc_signal())
		return LIBC_SIGNAL;
	return can_be_sent(t, PARK_SIGNAL) ? PARK_SIGNAL : 0;
}

static long send(const struct thread *t, int signal)
{
	siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};

	info.si_pid = park.process;
	return raw_call6(SYS_rt_tgsigqueueinfo, park.process, t->id, signal, (long)&info, 0, 0);
}

static int ask(struct thread *t, struct trouble *why)
{
	int signal;
	long rc;

	if (!thread_list_status(t->id, &t->status))
		return 0;
	if (t->status.ended && t->id == park.process)
		return trouble(why, -EOPNOTSUPP, "has ended, the first, and others have not", t);
	if (!thread_list_call(t->id, &t->call))
		t->call = (struct thread_call){0};
	signal = t->status.ended ? 0 : signal_for(t);
	if (!signal)
		return 0;
	move(t, t->id, FOUND, ASKED);
	rc = send(t, signal);
	if (rc == 0)
		return 0;
	move(t, t->id, ASKED, FOUND);
	return rc == -ESRCH ? 0 : trouble(why, (int)rc, "cannot be sent a signal", t);
}

struct round {
	uint32_t number;
	bool all_known; /* no thread came or went */
	struct trouble *why;
};

/* A thread that is there now. */
static int look_at(int id, void *arg)
{
	struct round *r = arg;
	struct thread *t = find(id);
	int rc = 0;

	if (id == park.thread[0].id)
		return 0;
	if (!t) {
		/* while none is stopped yet */
		if (atomic_load(&park.count) == 1)
			rc = take_signal(r->why);
		if (rc)
			return rc;
		t = add(id);
		r->all_known = false;
	}
	if (!t)
		return trouble(r->why, -E2BIG, "it has more than 1,024 threads", NULL);
	t->round = r->number;
	return place_of(t) == FOUND ? ask(t, r->why) : 0;
}

/* Those that were not there any more are gone. Returns one that is not parked; NULL: all are. */
static const struct thread *settle(struct round *r)
{
	size_t count = atomic_load(&park.count);
	const struct thread *one = NULL;

	for (size_t i = 1; i < count; i++) {
		struct thread *t = &park.thread[i];
		enum place place = place_of(t);

		if (place == PARKED || place == GONE)
			continue;
		if (t->round != r->number && place != ANSWERING && move(t, t->id, place, GONE))
			r->all_known = false;
		else
			one = t;
	}
	return one;
}

static bool any(enum place place)
{
	size_t count = atomic_load(&park.count);

	for (size_t i = 1; i < count; i++)
		if (place_of(&park.thread[i]) == place)
			return true;
	return false;
}

/* Until all are parked or gone; at most twice LOOK_AGAIN_MS. */
static void wait_answers(void)
{
	const struct timespec limit = {0, LOOK_AGAIN_MS * 1000000};
	uint64_t until = now_ms() + LOOK_AGAIN_MS;

	do {
		uint32_t seen = atomic_load(&park.news);

		if (!any(FOUND) && !any(ASKED) && !any(ANSWERING))
			return;
		wait_change(&park.news, seen, &limit);
	} while (now_ms() < until);
}

static int too_late(const struct thread *t, struct trouble *why)
{
	if (place_of(t) == FOUND)
		return trouble(why, -ETIMEDOUT,
			"blocks all signals, also libc's own, and does not stop for an image", t);
	return trouble(why, -ETIMEDOUT, "did not stop in time for an image", t);
}

/* A thread that is in a handler as it was interrupted. */
static struct {
	_Atomic int id; /* 0: there is none; else `call` is set */
	_Atomic long call;
} interrupted;

void image_threads_interrupted_in(long call)
{
	if (call)
		interrupted.call = call;
	interrupted.id = call ? own_id() : 0;
}

static bool waits_for_child(const struct thread *t)
{
	long call = t->id == interrupted.id ? interrupted.call : t->next;

	return call == SYS_wait4 || call == SYS_waitid;
}

static int check_all(struct trouble *why)
{
	for (size_t i = 0; i < atomic_load(&park.count); i++) {
		const struct thread *t = &park.thread[i];

		if (place_of(t) != PARKED)
			continue;
		if (t->refused)
			return trouble(why, -EOPNOTSUPP, t->refused, t);
		if (waits_for_child(t))
			return trouble(why, -EOPNOTSUPP,
				"waits for a child process, which no image has", t);
	}
	return 0;
}

/* A thread that is not parked may begin others, and the kernel's list may lack one where another
 * has just ended. So the list is read again until all are parked, and none came or went. */
static int park_all(uint64_t until, struct trouble *why)
{
	for (struct round r = {.number = 1, .why = why};; r.number++) {
		const struct thread *one;
		int rc;

		r.all_known = true;
		rc = thread_list_each(look_at, &r);
		one = settle(&r);
		if (rc)
			return why->what ? rc
					 : trouble(why, rc, "/proc/self/task cannot be read", NULL);
		if (!one && r.all_known)
			return check_all(why);
		if (one && now_ms() >= until)
			return too_late(one, why);
		wait_answers();
	}
}

/* Nobody writes into the list any more, when the next image is taken. */
static void give_up(void)
{
	size_t count = atomic_load(&park.count);

	for (size_t i = 1; i < count; i++)
		move(&park.thread[i], park.thread[i].id, ASKED, GONE);
	while (any(ANSWERING))
		wait_answers();
	image_threads_release();
}

int image_threads_park(uint32_t patience_ms, char *why, size_t size)
{
	struct thread *own = &park.thread[0];
	struct trouble t = {0};
	int rc;

	if (atomic_flag_test_and_set(&park.taken))
		return -EBUSY;
	why[0] = '\0';
	park.process = (int)raw_call(SYS_getpid, 0, 0, 0);
	park.turn++;
	atomic_store(&park.count, 1);
	atomic_store(&park.back, 0);
	own->id = own_id();
	own->refused = thread_state_read(&own->state);
	own->next = -1;
	thread_list_status(own->id, &own->status);
	atomic_store(&own->where, at(own->id, PARKED));
	rc = park_all(now_ms() + (patience_ms ? patience_ms : IMAGE_PATIENCE_MS), &t);
	if (rc) {
		give_up();
		say(&t, why, size);
	}
	return rc;
}

void image_threads_release(void)
{
	atomic_store(&park.released, park.turn);
	wake(&park.released);
	atomic_flag_clear(&park.taken);
}

struct image_context *image_threads_own_context(void)
{
	return &park.thread[0].context;
}

/* ---- in a new process ---- */

static const struct thread *first(void)
{
	const struct thread *t = find(park.process);

	return t ? t : &park.thread[0];
}

const struct image_context *image_threads_first_context(void)
{
	return &first()->context;
}

uint64_t image_threads_first_pointer(void)
{
	return first()->state.thread_pointer;
}

int image_threads_begin(void)
{
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM | CLONE_SETTLS;
	const struct thread *stays = first();
	size_t count = atomic_load(&park.count);

	for (size_t i = 0; i < count; i++) {
		const struct thread *t = &park.thread[i];
		long rc =
			t == stays || place_of(t) != PARKED
				? 0
				: image_context_begin(&t->context, flags, t->state.thread_pointer);

		if (rc < 0)
			return (int)rc;
	}
	return 0;
}

int image_threads_back(void)
{
	const uint64_t until = now_ms() + IMAGE_PATIENCE_MS;
	const struct timespec limit = {0, LOOK_AGAIN_MS * 1000000};
	size_t count = atomic_load(&park.count), expected = 0;

	for (size_t i = 0; i < count; i++)
		expected += place_of(&park.thread[i]) == PARKED;
	come_back(&park.thread[0]);
	for (;;) {
		uint32_t seen = atomic_load(&park.news);

		if (atomic_load(&park.back) == expected)
			return atomic_load(&park.back_error);
		if (now_ms() >= until)
			return -ETIMEDOUT;
		wait_change(&park.news, seen, &limit);
	}
}
