/* SPDX-License-Identifier: BSD-3-Clause */
#include "linker_locks.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first words of a pthread_mutex_t of glibc. */
struct recursive {
	int lock;
	unsigned count;
	int owner;
	unsigned users;
	int kind;
};

_Static_assert(sizeof(struct recursive) <= sizeof(pthread_mutex_t), "a mutex has room for it");

enum { DATA_MAX = 4, KIND_MASK = 3 };

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

static bool is_thread(int id)
{
	return syscall(SYS_tgkill, getpid(), id, 0) == 0;
}

/* The linker's data has what it knows of the processor, too, which may look like a mutex that is
 * held; but hardly by a thread of this process. */
static bool is_held(const volatile struct recursive *m)
{
	return (m->kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE && m->kind <= KIND_MASK &&
	       (m->lock == 1 || m->lock == 2) && m->owner > 0 && m->count > 0 && m->users == 1 &&
	       is_thread(m->owner);
}

bool linker_locks_held(void)
{
	size_t step = _Alignof(pthread_mutex_t);

	for (size_t i = 0; i < parts; i++) {
		uintptr_t at = (data[i].low + step - 1) / step * step;

		for (; at + sizeof(struct recursive) <= data[i].high; at += step)
			if (is_held((const volatile struct recursive *)at))
				return true;
	}
	return false;
}
