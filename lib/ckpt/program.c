/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cursor.h"
#include "base/error.h"
#include "ckpt/ckpt.h"
#include "ckpt/sentence.h"

/* It stays what was started when the file is replaced by a newer build. */
static const char self[] = "/proc/self/exe";

enum { PIECE = 1 << 18 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool known;
static uint8_t hash[CKPT_PROGRAM_BYTES];
static char base_name[CKPT_NAME_BYTES], path[4096];

static int hash_file(XXH3_state_t *state, uint8_t *piece)
{
	int fd = open(self, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, piece, PIECE)) != 0) {
		if (n > 0)
			XXH3_128bits_update(state, piece, (size_t)n);
		else if (errno != EINTR) {
			rc = -errno;
			break;
		}
	}
	close(fd);
	return rc;
}

static int find_hash(void)
{
	XXH3_state_t *state = XXH3_createState();
	uint8_t *piece = malloc(PIECE);
	int rc = -ENOMEM;

	if (state && piece) {
		XXH3_128bits_reset(state);
		rc = hash_file(state, piece);
	}
	if (rc == 0) {
		XXH128_hash_t sum = XXH3_128bits_digest(state);
		struct writer w = writer_over(hash, sizeof hash);

		writer_u64(&w, sum.low64);
		writer_u64(&w, sum.high64);
	}
	free(piece);
	XXH3_freeState(state);
	return rc;
}

/* Without what would be odd in a line of text. */
static int find_name(void)
{
	static const char gone[] = " (deleted)";
	char *name;
	ssize_t n = readlink(self, path, sizeof path - 1);
	size_t len;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	len = (size_t)n;
	if (len >= sizeof gone && strcmp(path + len - (sizeof gone - 1), gone) == 0)
		path[len - (sizeof gone - 1)] = '\0';
	name = strrchr(path, '/');
	snprintf(base_name, sizeof base_name, "%.63s", name ? name + 1 : path);
	for (char *at = base_name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return 0;
}

const char *ckpt_program_path(void)
{
	return path;
}

int ckpt_program(
	uint8_t out[CKPT_PROGRAM_BYTES], char *name, size_t size, char *err, size_t errsize)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!known && (rc = find_hash()) == 0)
		rc = find_name();
	known = known || rc == 0;
	pthread_mutex_unlock(&lock);
	if (rc) {
		char why[128];

		snprintf(err, errsize, "cannot read this program's own file (%s): %s", self,
			strerror_r(-rc, why, sizeof why));
		return rc == -ENOMEM ? FT_ENOMEM : FT_ESYS;
	}
	memcpy(out, hash, CKPT_PROGRAM_BYTES);
	snprintf(name, size, "%s", base_name);
	return 0;
}

void ckpt_program_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	known = false;
}
