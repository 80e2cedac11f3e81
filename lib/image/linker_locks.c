/* SPDX-License-Identifier: BSD-3-Clause */
#include "linker_locks.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A pthread_mutex_t of glibc. */
struct recursive {
	int lock;
	unsigned count;
	int owner;
	unsigned users;
	int kind;
	int spins;     /* of other kinds than this one */
	void *list[2]; /* and these */
};

_Static_assert(sizeof(struct recursive) == sizeof(pthread_mutex_t), "it is one");

enum { DATA_MAX = 4 };

static struct {
	uintptr_t low, high;
} data[DATA_MAX];

static size_t parts;

static int find_data(struct dl_phdr_info *o, size_t size, void *linker)
{
	(void)size;
	if (o->dlpi_addr != *(uintptr_t *)linker)
		return 0;
	for (int i = 0; i < o->dlpi_phnum && parts < DATA_MAX; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		data[parts].low = o->dlpi_addr + p->p_vaddr;
		data[parts++].high = o->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return 1;
}

void linker_locks_find(void)
{
	uintptr_t linker = getauxval(AT_BASE);

	if (linker && parts == 0)
		dl_iterate_phdr(find_data, &linker);
}

/* The linker's data has what it knows of the processor, too, of which the first words may look like
 * a mutex that is held, by a thread with the number of its family. But behind them it goes on. */
int linker_locks_owner(const void *mutex)
{
	const volatile struct recursive *m = mutex;
	bool is_held = m->kind == PTHREAD_MUTEX_RECURSIVE && (m->lock == 1 || m->lock == 2) &&
		       m->count > 0 && m->users == 1;

	return is_held && !m->spins && !m->list[0] && !m->list[1] ? m->owner : 0;
}

static bool is_thread(int id)
{
	return id > 0 && syscall(SYS_tgkill, getpid(), id, 0) == 0;
}

bool linker_locks_held(void)
{
	size_t step = _Alignof(pthread_mutex_t);

	for (size_t i = 0; i < parts; i++) {
		uintptr_t at = (data[i].low + step - 1) / step * step;

		for (; at + sizeof(struct recursive) <= data[i].high; at += step)
			if (is_thread(linker_locks_owner((const void *)at)))
				return true;
	}
	return false;
}
