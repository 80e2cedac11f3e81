/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "image/image.h"
#include "image/raw_call.h"

enum { HEAD = 4096, PIECE = 1 << 20 };

int image_file_own = -1;

/* The head of the file says where the sections are. */
struct file {
	struct image_out out;
	int fd;
	enum image_section now;
	struct image_file head;
	uint64_t end;
	XXH3_state_t sum; /* of the section of now */
	/* The sum is one of the bytes that are written. The child's stack, which is in the image,
	 * is changed by making the sum; so bytes are copied to this memory, which is not. */
	uint8_t *piece;
};

static int begin(struct image_out *out, enum image_section section)
{
	struct file *f = (struct file *)out;

	long piece = (long)f->piece;

	if (!piece)
		piece = raw_call6(SYS_mmap, 0, PIECE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece < 0 && piece > -4096)
		return (int)piece;
	f->piece = (uint8_t *)piece;
	f->now = section;
	f->head.at[section] = f->end;
	XXH3_64bits_reset(&f->sum);
	return 0;
}

static int put(const struct file *f, const void *bytes, size_t length, uint64_t at)
{
	while (length > 0) {
		long n = raw_call6(SYS_pwrite64, f->fd, (long)bytes, (long)length, (long)at, 0, 0);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		bytes = (const char *)bytes + n;
		at += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}

static int add(struct image_out *out, const void *bytes, size_t length)
{
	struct file *f = (struct file *)out;
	int rc = 0;

	while (length > 0 && rc == 0) {
		size_t n = length < PIECE ? length : PIECE;

		memcpy(f->piece, bytes, n);
		rc = put(f, f->piece, n, f->end);
		XXH3_64bits_update(&f->sum, f->piece, n);
		f->end += n;
		f->head.length[f->now] += n;
		bytes = (const char *)bytes + n;
		length -= n;
	}
	f->head.sum[f->now] = XXH3_64bits_digest(&f->sum);
	return rc ? rc : put(f, &f->head, sizeof f->head, 0);
}

static _Noreturn void stop(const char *what, const char *why)
{
	fprintf(stderr, "image: %s: %s\n", what, why);
	exit(2);
}

static void load(const char *path)
{
	struct image_file f;
	char why[1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, &f, sizeof f, 0) != sizeof f)
		stop(path, strerror(errno));
	image_file_soil();
	f.fd = fd;
	if (image_verify(&f, why, sizeof why) != 0)
		stop("load", why);
	if (image_file_own < 0)
		image_file_own =
			fcntl(STDERR_FILENO, F_DUPFD, image_free_from(&f, why, sizeof why));
	f.own = &image_file_own;
	f.owned = 1;
	if (!getenv("IMAGE_UNTRIED") && image_try_files(&f, why, sizeof why) != 0)
		stop("load", why);
	if (!getenv("IMAGE_KEEP") && image_cut(&f, why, sizeof why) != 0)
		stop("load", why);
	image_load(&f, why, sizeof why);
	stop("load", why);
}

__attribute__((constructor)) static void before_main(void)
{
	const char *path = getenv(IMAGE_FILE);
	int rc = image_init();

	if (rc)
		stop("init", strerror(-rc));
	if (path)
		load(path);
}

bool image_file_take(const char *path)
{
	int own[] = {-1, image_file_own};
	struct file f = {.out = {.begin = begin, .add = add, .own = own, .owned = 2}, .end = HEAD};
	char why[1024];
	pid_t child;
	int status, rc;

	if (image_prepare(why, sizeof why) != 0)
		stop("prepare", why);
	own[0] = f.fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (f.fd < 0)
		stop(path, strerror(errno));
	rc = image_take(&f.out, &child);
	if (rc == 1) {
		image_limits_back();
		return true;
	}
	if (rc < 0)
		stop("take", image_report()->why[0] ? image_report()->why : strerror(-rc));
	if (waitpid(child, &status, __WALL) != child || status != 0)
		stop("image", image_report()->why);
	close(f.fd);
	return false;
}
