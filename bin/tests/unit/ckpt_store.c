/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_store.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { LARGE = 3 << 20 };

char store_work[64], store_dir[80];
char store_err[STORE_ERR];

void store_begin(void)
{
	strcpy(store_work, "/tmp/ftmpi-ckpt-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(store_work));
	snprintf(store_dir, sizeof store_dir, "%s/session", store_work);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

void store_end(void)
{
	nftw(store_work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct ckpt_identity store_identity(uint32_t rank, uint32_t epoch)
{
	struct ckpt_identity id = {.epoch = epoch, .rank = rank, .size = STORE_RANKS};

	memset(id.session, 0x5e, sizeof id.session);
	memset(id.program, 0x99, sizeof id.program);
	strcpy(id.program_name, "solver");
	return id;
}

size_t store_sections(uint32_t rank, uint32_t line, const struct ckpt_section **out)
{
	static uint8_t large[LARGE], small[100];
	static struct ckpt_section s[5];

	for (size_t i = 0; i < LARGE; i++)
		large[i] = (uint8_t)(i * 31 + (i >> 11) + rank * 7 + line);
	for (size_t i = 0; i < sizeof small; i++)
		small[i] = (uint8_t)(i + rank + 3 * line);
	s[0] = (struct ckpt_section){CKPT_BUFFER, 0, 0, 0, large, LARGE - rank};
	s[1] = (struct ckpt_section){CKPT_VARIABLE, 7, 11, 0, small, 8};
	s[2] = (struct ckpt_section){CKPT_VARIABLE, 8, 12, 0, NULL, 0};
	s[3] = (struct ckpt_section){CKPT_VARIABLE, 65535, 0, 0, large + 5, 1 << 20};
	s[4] = (struct ckpt_section){CKPT_MESSAGES, 0, 0, 0, small, sizeof small};
	*out = s;
	return sizeof s / sizeof *s;
}

void store_write(uint32_t line, uint32_t epoch, struct ckpt_manifest *m)
{
	struct ckpt_identity id = store_identity(0, epoch);

	*m = (struct ckpt_manifest){.epoch = epoch, .line = line, .size = STORE_RANKS};
	memcpy(m->session, id.session, sizeof m->session);
	memcpy(m->program, id.program, sizeof m->program);
	strcpy(m->program_name, id.program_name);
	m->time_s = 1795293000 + line;
	m->ranks = calloc(STORE_RANKS, sizeof *m->ranks);
	for (uint32_t r = 0; r < STORE_RANKS; r++) {
		const struct ckpt_section *s;
		size_t n = store_sections(r, line, &s);
		int rc;

		id = store_identity(r, epoch);
		rc = ckpt_write(&ckpt_fs_posix, store_dir, &id, line, s, n, &m->ranks[r].seal,
			&m->ranks[r].bytes, store_err, sizeof store_err);
		ck_assert_msg(rc == 0, "%s", store_err);
	}
}

void store_line(uint32_t line, uint32_t epoch)
{
	struct ckpt_manifest m;
	int rc;

	store_write(line, epoch, &m);
	rc = ckpt_commit(&ckpt_fs_posix, store_dir, &m, store_err, sizeof store_err);
	ck_assert_msg(rc == 0, "%s", store_err);
	ckpt_manifest_free(&m);
}

int store_check(uint32_t line, uint32_t rank)
{
	struct ckpt_identity self = store_identity(rank, 77);
	const struct ckpt_section *s;
	struct ckpt_manifest m;
	struct ckpt_loaded l;
	size_t n;
	int rc = ckpt_manifest_read(
		&ckpt_fs_posix, store_dir, line, &m, store_err, sizeof store_err);

	if (rc)
		return rc;
	rc = ckpt_load(
		&ckpt_fs_posix, store_dir, &m, &self, false, &l, store_err, sizeof store_err);
	ckpt_manifest_free(&m);
	if (rc)
		return rc;
	n = store_sections(rank, line, &s);
	ck_assert_uint_eq(l.n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(l.sections[i].kind, s[i].kind);
		ck_assert_uint_eq(l.sections[i].id, s[i].id);
		ck_assert_uint_eq(l.sections[i].type, s[i].type);
		ck_assert_uint_eq(l.sections[i].len, s[i].len);
		if (s[i].len)
			ck_assert_mem_eq(l.sections[i].data, s[i].data, s[i].len);
	}
	ckpt_loaded_free(&l);
	return 0;
}

const char *store_path(const char *name)
{
	static char path[300];

	snprintf(path, sizeof path, "%s/%s", store_dir, name);
	return path;
}

bool store_has(const char *name)
{
	return access(store_path(name), F_OK) == 0;
}

void store_flip(const char *name, long at, int bits)
{
	FILE *f = fopen(store_path(name), "r+b");
	int c;

	ck_assert_ptr_nonnull(f);
	fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
	c = getc(f);
	ck_assert_int_ne(c, EOF);
	fseek(f, -1, SEEK_CUR);
	putc(c ^ bits, f);
	ck_assert_int_eq(fclose(f), 0);
}

void store_resize(const char *name, long by)
{
	struct stat st;

	ck_assert_int_eq(stat(store_path(name), &st), 0);
	ck_assert_int_eq(truncate(store_path(name), st.st_size + by), 0);
}

void store_make(const char *name, const char *contents)
{
	FILE *f = fopen(store_path(name), "wb");

	ck_assert_ptr_nonnull(f);
	fputs(contents, f);
	ck_assert_int_eq(fclose(f), 0);
}
