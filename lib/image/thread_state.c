/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_state.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "raw_call.h"
#include "thread_id.h"

/* <linux/rseq.h> and <sys/rseq.h>, which older systems do not have */
enum { AREA_STEP = 32, AREA_MAX = 512, UNREGISTER = 1 };

#if defined(__x86_64__)
#define SIGNATURE 0x53053053
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00
#endif

/* The last bit of an entry of a robust list. */
#define PRIORITY_INHERITING ((uintptr_t)1)

/* Of glibc from 2.35 on: from the thread pointer to the area. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));

static long rseq(uint64_t area, uint64_t bytes, int flags)
{
	return raw_call6(SYS_rseq, (long)area, (long)bytes, flags, SIGNATURE, 0, 0);
}

/* The kernel does not say what is registered. It says EBUSY to what is registered already, and
 * EINVAL to another place or length. */
static const char *read_sequences(struct thread_state *s)
{
	uint64_t area = s->thread_pointer + (uint64_t)__rseq_offset;

	s->sequences = s->sequences_bytes = 0;
	for (uint64_t bytes = AREA_STEP; bytes <= AREA_MAX; bytes += AREA_STEP) {
		long rc = rseq(area, bytes, 0);

		if (rc == 0)
			rseq(area, bytes, UNREGISTER);
		if (rc == 0 || rc == -ENOSYS)
			return NULL;
		if (rc == -EBUSY) {
			s->sequences = area;
			s->sequences_bytes = bytes;
			return NULL;
		}
	}
	return "has restartable sequences (rseq) that are not glibc's";
}

const char *thread_state_read(struct thread_state *s)
{
	s->id = (uint64_t)*thread_id_word();
	s->thread_pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	if (!thread_id_is_right())
		return "was not made by pthread_create";
	raw_call(SYS_get_robust_list, 0, (long)&s->robust_list, (long)&s->robust_bytes);
	raw_call(SYS_sigaltstack, 0, (long)s->signal_stack, 0);
	raw_call(SYS_prctl, PR_GET_NAME, (long)s->name, 0);
	if (&__rseq_offset)
		return read_sequences(s);
	s->sequences = s->sequences_bytes = 0;
	return NULL;
}

/* What a mutex of glibc begins with. */
struct mutex {
	uint32_t lock, count, owner;
};

/* Robust mutexes that the thread has locked hold its id, and are in a list: glibc's kernel ABI. */
static void own_robust(const struct thread_state *s, uint32_t id)
{
	const struct robust_list_head *head = (const struct robust_list_head *)s->robust_list;
	uintptr_t at = (uintptr_t)head->list.next & ~PRIORITY_INHERITING;

	for (int i = 0; i < ROBUST_LIST_LIMIT && at != (uintptr_t)&head->list; i++) {
		struct mutex *m = (struct mutex *)(at + (uintptr_t)head->futex_offset);

		if ((m->lock & FUTEX_TID_MASK) == s->id)
			m->lock = (m->lock & ~(uint32_t)FUTEX_TID_MASK) | id;
		if (m->owner == s->id)
			m->owner = id;
		at = (uintptr_t)((const struct robust_list *)at)->next & ~PRIORITY_INHERITING;
	}
}

int thread_state_set(const struct thread_state *s)
{
	long rc = raw_call(SYS_sigaltstack, (long)s->signal_stack, 0, 0);

	thread_id_set();
	/* which pthread_join waits for: the kernel clears it */
	raw_call(SYS_set_tid_address, (long)thread_id_word(), 0, 0);
	if (s->robust_list)
		own_robust(s, (uint32_t)*thread_id_word());
	if (rc == 0 && s->robust_list)
		rc = raw_call(SYS_set_robust_list, (long)s->robust_list, (long)s->robust_bytes, 0);
	raw_call(SYS_prctl, PR_SET_NAME, (long)s->name, 0);
	if (rc == 0 && s->sequences) {
		/* the first thread's is registered already: anew, so that the kernel fills it in */
		rseq(s->sequences, s->sequences_bytes, UNREGISTER);
		rc = rseq(s->sequences, s->sequences_bytes, 0);
	}
	return (int)rc;
}
