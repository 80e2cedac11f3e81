/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long it takes from the first rank's FTMPI_Perform_Checkpoint until all know that the line is
 * committed, and how long the disk takes for the same:
 *
 *	commit BYTES LINES DIR
 *
 * Each rank protects BYTES and makes LINES recovery lines. In turns with each, the same steps are
 *made in DIR by bare system calls (doc/ckpt-format.md): each rank a file of as many bytes, then
 *rank 0 a manifest. Rank 0 prints "commit BYTES LINE FLUSH" for each: milliseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ftmpi.h>

enum { ID = 1, BYTES_MAX = 1 << 26, HEAD = 512, PATH = 512 };

static int rank;
static const char *dir;

static void wrong(const char *what)
{
	fprintf(stderr, "commit: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void flush_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0 || fsync(fd) != 0)
		wrong("cannot flush a folder");
	close(fd);
}

static void write_flushed(const char *path, const char *bytes, long len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);

	if (fd < 0 || posix_fallocate(fd, 0, HEAD + len) != 0 ||
		pwrite(fd, bytes, (size_t)len, HEAD) != len ||
		pwrite(fd, bytes, len < HEAD ? (size_t)len : HEAD, 0) < 0 || fsync(fd) != 0)
		wrong("cannot write a file");
	close(fd);
}

/* As each rank's file of a line. */
static void like_a_part(int line, const char *bytes, long len)
{
	char folder[PATH], tmp[PATH + 32], path[PATH + 32];

	snprintf(folder, sizeof folder, "%s/line-%d", dir, line);
	mkdir(folder, 0777);
	snprintf(tmp, sizeof tmp, "%s/rank-%d.tmp", folder, rank);
	snprintf(path, sizeof path, "%s/rank-%d", folder, rank);
	write_flushed(tmp, bytes, len);
	if (rename(tmp, path) != 0)
		wrong("cannot rename a file");
	flush_folder(folder);
}

/* As the manifest. */
static void like_a_commit(int line, const char *bytes, long len)
{
	char tmp[PATH + 32], path[PATH + 32], above[PATH + 32];

	snprintf(tmp, sizeof tmp, "%s/line-%d.manifest.tmp", dir, line);
	snprintf(path, sizeof path, "%s/line-%d.manifest", dir, line);
	snprintf(above, sizeof above, "%s/..", dir);
	write_flushed(tmp, bytes, len < HEAD ? len : HEAD);
	flush_folder(above);
	flush_folder(dir);
	if (link(tmp, path) != 0)
		wrong("cannot link a file");
	flush_folder(dir);
	unlink(tmp);
}

/* Seconds from the first rank's `from` to the last one's `to`; on rank 0. */
static double span(double from, double to)
{
	double first = 0, last = 0;

	MPI_Reduce(&from, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&to, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return last - first;
}

/* What messages between the ranks take is not in it. */
static double flushing(int line, const char *bytes, long len)
{
	double from, parts, took;

	MPI_Barrier(MPI_COMM_WORLD);
	from = MPI_Wtime();
	like_a_part(line, bytes, len);
	parts = span(from, MPI_Wtime());
	if (rank != 0)
		return 0;
	took = MPI_Wtime();
	like_a_commit(line, bytes, len);
	return parts + MPI_Wtime() - took;
}

static double committing(void)
{
	double from;

	MPI_Barrier(MPI_COMM_WORLD);
	from = MPI_Wtime();
	if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED ||
		FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		wrong("there is no recovery line");
	return span(from, MPI_Wtime());
}

int main(int argc, char **argv)
{
	int lines;
	long bytes;
	char *data;

	MPI_Init(&argc, &argv);
	FTMPI_Restore();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bytes = argc == 4 ? atol(argv[1]) : 0;
	lines = argc == 4 ? atoi(argv[2]) : 0;
	if (bytes < 1 || bytes > BYTES_MAX || lines < 1 || strlen(argv[3]) > PATH - 32)
		wrong("usage: commit BYTES LINES DIR");
	dir = argv[3];
	data = malloc((size_t)bytes);
	if (data == NULL)
		wrong("no memory");
	memset(data, rank, (size_t)bytes);
	if (FTMPI_CKPT_Protect(ID, data, bytes, MPI_BYTE) != MPI_SUCCESS)
		wrong("FTMPI_CKPT_Protect failed");
	for (int i = 0; i < lines; i++) {
		double bare = i % 2 ? flushing(i, data, bytes) : 0, took = committing();

		bare = i % 2 ? bare : flushing(i, data, bytes);
		if (rank == 0)
			printf("commit %ld %.4f %.4f\n", bytes, 1e3 * took, 1e3 * bare);
	}
	MPI_Finalize();
	free(data);
	return 0;
}
