/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * list -table: what the manifests say, for scripts and for ftmpirun -restore. Of the files of ranks
 * only the head of the first is read, so this is fast whatever their number; a restore verifies
 * them. One line each:
 *
 *	SESSION LINE EPOCH TIME RANKS BYTES PROGRAM KIND PROBLEM
 *
 * with tabs between. KIND is image or data; "-" when that head cannot be read. PROBLEM is empty for
 * a manifest that is well; else it is a sentence, and what the manifest would have told is "-".
 * Nothing of a name or a sentence is a tab or a line end.
 */
#include <inttypes.h>

#include "base/shown.h"
#include "tool.h"

static void one_line(const struct session *s, uint32_t number)
{
	char problem[SENTENCE_BYTES] = "out of memory";
	struct ckpt_manifest m;
	uint64_t bytes = 0;
	enum line_kind kind;

	printf("%s\t%" PRIu32 "\t", shown(s->name).text, number);
	if (ckpt_manifest_read(&ckpt_fs_posix, s->path, number, &m, problem, sizeof problem) != 0) {
		printf("-\t-\t-\t-\t-\t-\t%s\n", problem);
		return;
	}
	for (uint32_t r = 0; r < m.size; r++)
		bytes += m.ranks[r].bytes;
	kind = line_kind(s->path, &m);
	printf("%" PRIu32 "\t%" PRId64 "\t%" PRIu32 "\t%" PRIu64 "\t%s\t%s\t\n", m.epoch, m.time_s,
		m.size, bytes, shown(m.program_name).text,
		kind == LINE_UNKNOWN ? "-" : line_kind_word(kind));
	ckpt_manifest_free(&m);
}

void list_table(const struct options *o, const struct sessions *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t n;
		const uint32_t *lines = session_lines(&s->v[i], o, &n);

		for (size_t k = 0; k < n; k++)
			one_line(&s->v[i], lines[k]);
	}
}
