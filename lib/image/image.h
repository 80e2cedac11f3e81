/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The image of a whole process: its memory, its open files and where it goes on. A child of a fork
 * writes it, copy on write, while the process goes on at once; a new process of the same program,
 * whose address space is not randomised either, loads it before its main function and goes on where
 * the image was taken, with all its threads. Linux, x86-64 and aarch64, glibc.
 */
#ifndef FTMPI_IMAGE_IMAGE_H
#define FTMPI_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Sections of an image, in this order. Numbers in them are those of the machine, but for those of
 * the first. */
enum image_section {
	IMAGE_ORIGIN,  /* what process it is of, on what machine: process.h */
	IMAGE_PROCESS, /* struct image_process */
	IMAGE_MAPS,    /* every region but those of the image writer: struct image_region, then its
			  file's name */
	IMAGE_FILES,   /* descriptors, as files_section.h has them */
	IMAGE_PAGES,   /* runs: struct image_run, then its bytes; the last has none */
	IMAGE_SECTIONS
};

enum { IMAGE_SIGNALS = 64, IMAGE_TIMERS = 3, IMAGE_FOLDER_MAX = 4096 };

/* As the kernel has them, for rt_sigaction(2). */
struct image_signal {
	uint64_t handler, flags, restorer, mask;
};

/* What the kernel knows of a process, beside its memory and descriptors. Timers are those of
 * setitimer(2), with what was left of them. */
struct image_state {
	struct image_signal signal[IMAGE_SIGNALS]; /* of number i + 1 */
	uint64_t timer[IMAGE_TIMERS][4];	   /* a struct itimerval each */
	uint64_t umask;
	char folder[IMAGE_FOLDER_MAX]; /* current; ended by a NUL */
};

struct image_process {
	uint64_t program_break;
	uint64_t thread_pointer; /* of the first thread */
	uint64_t context;	 /* address of its struct image_context */
	struct image_state state;
};

/* Of a region: mprotect(2) may let it be written; it grows downward. */
enum { IMAGE_MAY_WRITE = 1, IMAGE_GROWS = 2 };

struct image_region {
	uint64_t low, high, offset;
	uint32_t treatment, kind; /* enum plan_treatment, enum region_kind */
	uint16_t access, flags;	  /* PROT_*; IMAGE_MAY_WRITE, IMAGE_GROWS */
	uint32_t name_length;
	/* of one that is mapped from its file: that file as it was; else 0 */
	uint64_t file_nanoseconds;
	uint64_t file_bytes;
	int64_t file_seconds; /* when it was changed last, since 1970 */
};

struct image_run {
	uint64_t address, bytes;
};

/* Who writes the standard input of this process, and where it counts that (input.h). pid 0: nobody
 * does, and there is to be none but a file or a device. */
struct image_feeder {
	uint32_t pid, fd;
	uint64_t inode; /* of what fd is */
};

/* Where the child puts the bytes. It may use nothing but system calls, as raw_call.h has them; both
 * return 0 or -errno, which ends the image. */
struct image_out {
	int (*begin)(struct image_out *o, enum image_section section);
	int (*add)(struct image_out *o, const void *bytes, size_t length);
	const int *own; /* descriptors that no image holds, such as the one it is written to */
	size_t owned;
	const void *memory; /* its own, shared with the child: no image holds it */
	size_t memory_bytes;
	bool closes; /* the child closes all descriptors but `kept` first: a peer that waits for
			the end of its parent's sockets would wait for the child's */
	int kept;
	uint32_t patience_ms; /* for other threads to stop; 0: IMAGE_PATIENCE_MS of threads.h */
	const struct image_feeder *feeder; /* NULL: what the process has read is nobody's matter */
};

/* What the child has to say, in memory that both see; of a child that there is not, why. */
struct image_report {
	int error;		 /* 0, or -errno of what failed */
	uint64_t bytes;		 /* of pages */
	_Atomic uint64_t looked; /* at so many pages: it gets on */
	char why[256];		 /* a sentence, for an error that has one */
};

/* Once, before main and before any image: what the program may change later. 0; -ENOSYS:
 * libc does not keep the ids of threads as images need it; or -errno of a thread that cannot begin.
 */
int image_init(void);

/*
 * Before each image, and before other threads are stopped, for it takes locks of libc: what this
 * process is. By one thread at a time, and not while another takes an image. 0; or -errno, and *why
 * is a sentence: there can be no image of this process.
 */
int image_prepare(char *why, size_t size);

/*
 * The image of this process as it is now, by any of its threads; the others stand still until there
 * is the child (threads.h). 0: *child writes it; it sends no signal when it ends, and is waited for
 * with __WALL. Then image_report tells. 1: this process woke up from that image. 2: it did, without
 * all of its threads: image_report says so, and it has to end. -errno: there is no child, and
 * image_report may say why;
 * -EBUSY: another thread takes an image; -EINVAL: image_prepare was not called, or has failed.
 */
int image_take(struct image_out *out, pid_t *child) __attribute__((returns_twice));
/* NULL: image_prepare was not called yet. */
const struct image_report *image_report(void);

/* How many bytes of its standard input, from the beginning, the process had read in the image that
 * it has taken last, or that it woke up from: from there on it is to be given it. */
#define IMAGE_INPUT_UNKNOWN UINT64_MAX
uint64_t image_input_read(void);

/* An image in a file: where its sections begin, one behind the other, how long they are, and their
 * sums by XXH3. */
struct image_file {
	int fd;
	uint64_t at[IMAGE_SECTIONS], length[IMAGE_SECTIONS], sum[IMAGE_SECTIONS];
	const int *own; /* descriptors of this process that stay, beside the standard streams */
	size_t owned;
	const void *carried; /* bytes for the process that wakes up (image_carried); copied */
	size_t carried_bytes;
};

/* Reads all of a file that ends with its image. 0; or -errno, and *why is a sentence: the file is
 * shorter or longer than its sections, or the sum of one is another. */
int image_verify(const struct image_file *f, char *why, size_t size);

/* The lowest number from which on no descriptor is in the way of the image's: `own` ones lie there,
 * and the image's own file; the soft limit of descriptors is raised for them, since the program may
 * have lowered it before it began again here. -errno: *why is a sentence. */
int image_free_from(const struct image_file *f, char *why, size_t size);

/* Could this process become the one of the image, as far as can be seen while it has threads and
 * descriptors of its own, and changes nothing? 0; or -errno, and *why is a sentence: another
 * program, library, kernel or processor, files that are not there or have been replaced, or tables
 * that do not fit each other. */
int image_check(const struct image_file *f, char *why, size_t size);

/*
 * Can its files be opened as they were, and its locks on them be had? Nothing is kept of that.
 * Before image_cut, so that files stay as they are where the process cannot come back; in a process
 * that has no locks of its own, which it could lose. 0; or -errno, and *why is a sentence.
 */
int image_try_files(const struct image_file *f, char *why, size_t size);

/*
 * The files that the process had open for writing are cut to the length that they had: what was
 * written since is lost; what is shorter stays so, and what was written over since is not undone.
 * Before image_load, and where other processes write such a file, too, before any of them goes on:
 * it has the least of the lengths in their images then. 0; or -errno, and *why is a sentence: a
 * file cannot be opened as it was, and then none was touched, or cannot be cut.
 */
int image_cut(const struct image_file *f, char *why, size_t size);

/*
 * Become that process. Its bytes were checked before (image_verify, or by the caller). Does not
 * return, unless this process or the files that it finds do not fit the image, or it has more than
 * one thread, or the image's tables do not fit each other: then *why is a sentence, nothing has
 * been changed (but soft limits may have been raised: of descriptors, stack, memory and threads),
 * and the result is -errno.
 * Descriptors that are neither the image's nor `own` are closed.
 */
int image_load(const struct image_file *f, char *why, size_t size);

/* In a process that woke up, when all is open that it needs beside its image: the soft limits of
 * resources are those that it had, or the hard ones here where these are lower. Until then they are
 * its loader's. */
void image_limits_back(void);

/* In a process that woke up: what its loader was given to carry; NULL, with 0 bytes: nothing. Until
 * image_carried_end, which gives that memory back, and which comes before the next image. */
const void *image_carried(size_t *bytes);
void image_carried_end(void);

#endif
