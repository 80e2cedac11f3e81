/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void ckpt_name_format(struct ckpt_path *out, const char *dir, struct ckpt_name n)
{
	size_t size = sizeof out->text;

	switch (n.kind) {
	case CKPT_NAME_MANIFEST:
		snprintf(out->text, size, "%s/line-%08u.manifest", dir, n.line);
		break;
	case CKPT_NAME_MANIFEST_TMP:
		snprintf(out->text, size, "%s/line-%08u.e%04u.manifest.tmp", dir, n.line, n.epoch);
		break;
	case CKPT_NAME_FOLDER:
		snprintf(out->text, size, "%s/line-%08u.e%04u", dir, n.line, n.epoch);
		break;
	case CKPT_NAME_EPOCH:
		snprintf(out->text, size, "%s/epoch-%04u", dir, n.epoch);
		break;
	case CKPT_NAME_FILE:
		snprintf(out->text, size, "%s/rank-%05u.ckpt", dir, n.rank);
		break;
	case CKPT_NAME_FILE_TMP:
		snprintf(out->text, size, "%s/rank-%05u.ckpt.tmp", dir, n.rank);
		break;
	case CKPT_NAME_ALONE:
		snprintf(out->text, size, "%s/ckpt-%08u.i%04u", dir, n.line, n.epoch);
		break;
	case CKPT_NAME_ALONE_TMP:
		snprintf(out->text, size, "%s/ckpt-%08u.i%04u.tmp", dir, n.line, n.epoch);
		break;
	case CKPT_NAME_FOREIGN:
		snprintf(out->text, size, "%s", dir);
	}
}

/* A number after `prefix`, if it is there. */
static bool number(const char **at, const char *prefix, uint32_t *out)
{
	size_t len = strlen(prefix);
	uint64_t v = 0;

	if (strncmp(*at, prefix, len) != 0 || !isdigit((unsigned char)(*at)[len]))
		return false;
	for (*at += len; isdigit((unsigned char)**at); ++*at)
		if ((v = v * 10 + (uint64_t)(**at - '0')) > UINT32_MAX)
			return false;
	*out = (uint32_t)v;
	return true;
}

static enum ckpt_name_kind kind_of(const char *at, struct ckpt_name *n)
{
	if (number(&at, "rank-", &n->rank))
		return strcmp(at, ".ckpt") == 0	      ? CKPT_NAME_FILE
		       : strcmp(at, ".ckpt.tmp") == 0 ? CKPT_NAME_FILE_TMP
						      : CKPT_NAME_FOREIGN;
	if (number(&at, "ckpt-", &n->line)) {
		if (!number(&at, ".i", &n->epoch))
			return CKPT_NAME_FOREIGN;
		return *at == '\0'		 ? CKPT_NAME_ALONE
		       : strcmp(at, ".tmp") == 0 ? CKPT_NAME_ALONE_TMP
						 : CKPT_NAME_FOREIGN;
	}
	if (number(&at, "epoch-", &n->epoch))
		return *at == '\0' ? CKPT_NAME_EPOCH : CKPT_NAME_FOREIGN;
	if (!number(&at, "line-", &n->line))
		return CKPT_NAME_FOREIGN;
	if (strcmp(at, ".manifest") == 0)
		return CKPT_NAME_MANIFEST;
	if (!number(&at, ".e", &n->epoch))
		return CKPT_NAME_FOREIGN;
	return *at == '\0'			  ? CKPT_NAME_FOLDER
	       : strcmp(at, ".manifest.tmp") == 0 ? CKPT_NAME_MANIFEST_TMP
						  : CKPT_NAME_FOREIGN;
}

struct ckpt_name ckpt_name_parse(const char *name)
{
	struct ckpt_name n = {0};
	struct ckpt_path again;

	n.kind = kind_of(name, &n);
	if (n.kind == CKPT_NAME_FOREIGN)
		return n;
	/* another spelling of the numbers is somebody else's */
	ckpt_name_format(&again, "", n);
	if (strcmp(again.text + 1, name) != 0)
		n.kind = CKPT_NAME_FOREIGN;
	return n;
}

void ckpt_path_folder(struct ckpt_path *out, const char *dir, uint32_t line, uint32_t epoch)
{
	ckpt_name_format(out, dir, (struct ckpt_name){CKPT_NAME_FOLDER, line, epoch, 0});
}

void ckpt_path_file(struct ckpt_path *out, const char *dir, uint32_t line, uint32_t epoch,
	uint32_t rank, bool tmp)
{
	struct ckpt_path folder;

	ckpt_path_folder(&folder, dir, line, epoch);
	ckpt_name_format(out, folder.text,
		(struct ckpt_name){tmp ? CKPT_NAME_FILE_TMP : CKPT_NAME_FILE, line, epoch, rank});
}

void ckpt_path_alone(struct ckpt_path *out, const char *dir, uint32_t rank)
{
	snprintf(out->text, sizeof out->text, "%s/rank-%05u", dir, rank);
}

bool ckpt_name_is_session(const char *name)
{
	static const char form[] = "dddddddd-dddddd-xxxxxxxx";

	for (size_t i = 0; i < sizeof form; i++) { /* with the NUL */
		unsigned char c = (unsigned char)name[i];

		if (form[i] == 'd'	 ? !isdigit(c)
			: form[i] == 'x' ? !isdigit(c) && (c < 'a' || c > 'f')
					 : c != (unsigned char)form[i])
			return false;
	}
	return true;
}

void ckpt_path_in(struct ckpt_path *out, const char *dir, const char *name)
{
	snprintf(out->text, sizeof out->text, "%s/%s", dir, name);
}

void ckpt_path_above(struct ckpt_path *out, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 0 && dir[len - 1] == '/')
		len--;
	while (len > 0 && dir[len - 1] != '/')
		len--;
	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (len == 0)
		snprintf(out->text, sizeof out->text, ".");
	else
		snprintf(out->text, sizeof out->text, "%.*s", (int)len, dir);
}
