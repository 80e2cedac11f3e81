/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a target over files, each named before it is read, so that a crash tells which it was. */
#include <dirent.h>

#include "fuzz.h"

enum { PATH_BYTES = 4096 };

static void run_file(const char *path)
{
	uint8_t buf[FUZZ_INPUT_MAX];
	FILE *f = fopen(path, "rb");
	uint8_t *exact;
	size_t len;

	FUZZ_CHECK(f, "cannot read %s", path);
	len = fread(buf, 1, sizeof buf, f);
	fclose(f);
	/* of just its size: a byte read beyond it is seen */
	exact = malloc(len ? len : 1);
	FUZZ_CHECK(exact, "out of memory");
	memcpy(exact, buf, len);
	fprintf(stderr, "  %s\n", path);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static int run_directory(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort), ran = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_BYTES];

		snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			run_file(path);
			ran++;
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ran;
}

int main(int argc, char **argv)
{
	int ran = argc == 2 ? run_directory(argv[1]) : 0;

	if (ran == 0) {
		fprintf(stderr, "usage: %s DIRECTORY (of inputs: at least one)\n", argv[0]);
		return 1;
	}
	printf("%s: %d inputs\n", argv[0], ran);
	return 0;
}
