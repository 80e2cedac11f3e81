/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls without libc: no errno, no cancellation, no lock. For the child that writes an image
 * while other threads' locks are held for good, and for the loader under which libc's own memory is
 * exchanged. Each returns what the kernel returns: -errno for a failure.
 */
#ifndef FTMPI_IMAGE_RAW_CALL_H
#define FTMPI_IMAGE_RAW_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

static inline long raw_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#elif defined(__aarch64__)

static inline long raw_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#else
#error "process images are for x86-64 and aarch64"
#endif

static inline long raw_call(long number, long a, long b, long c)
{
	return raw_call6(number, a, b, c, 0, 0, 0);
}

/* Can the page of this address be read? By a call that does nothing else. */
static inline bool raw_can_read(uint64_t address)
{
	enum { NO_SUCH_THING_TO_DO = -1 };
	const uint64_t word = address & ~(uint64_t)7;

	return raw_call6(SYS_rt_sigprocmask, NO_SUCH_THING_TO_DO, (long)word, 0, sizeof word, 0,
		       0) != -EFAULT;
}

#endif
