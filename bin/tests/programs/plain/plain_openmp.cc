// SPDX-License-Identifier: BSD-3-Clause
//
// plain_openmp: a gas on a lattice, particles that fly along rows and columns of a torus and turn
// where two meet (HPP). Rows are dealt to ranks, and those of a rank to a team of threads, whose
// first one calls MPI (MPI_THREAD_FUNNELED). Everything is a whole number: particles, and what
// flies in each direction less what flies against it, stay exactly as many. "plain_openmp STEPS"
#include <algorithm>
#include <cinttypes>
#include <vector>

#include <omp.h>

#include "plain.h"

namespace
{
const char NAME[] = "plain_openmp";
constexpr long WIDTH = 512, ROWS = 128; // of each rank
constexpr int THREADS = 3;
enum : uint8_t { NORTH = 1, EAST = 2, SOUTH = 4, WEST = 8 };

struct Count {
	uint64_t particles = 0, north_south = 0, east_west = 0; // differences modulo 2^64
	bool operator==(const Count &o) const
	{
		return particles == o.particles && north_south == o.north_south &&
		       east_west == o.east_west;
	}
};

// Two that meet head on leave at right angles.
uint8_t collide(uint8_t cell)
{
	if (cell == (NORTH | SOUTH))
		return EAST | WEST;
	return cell == (EAST | WEST) ? NORTH | SOUTH : cell;
}

class Gas
{
      public:
	Gas(int rank, int size)
	    : above((rank + size - 1) % size), below((rank + 1) % size), cells((ROWS + 2) * WIDTH),
	      next(cells.size())
	{
		for (long i = 1; i <= ROWS; i++)
			for (long j = 0; j < WIDTH; j++)
				at(cells, i, j) =
					mix(rank, i, j) % 3 == 0 ? mix(j, i, rank) & 15 : 0;
	}

	void run(long steps)
	{
#pragma omp parallel num_threads(THREADS)
		for (long step = 0; step < steps; step++) {
#pragma omp master
			exchange();
#pragma omp barrier
#pragma omp for schedule(static)
			for (long i = 1; i <= ROWS; i++)
				move(i);
#pragma omp single
			cells.swap(next);
#pragma omp critical
			turns[omp_get_thread_num()]++;
		}
	}

	Count count() const
	{
		uint64_t n = 0, ns = 0, ew = 0;

#pragma omp parallel for num_threads(THREADS) reduction(+ : n, ns, ew)
		for (long i = WIDTH; i < (ROWS + 1) * WIDTH; i++) {
			n += __builtin_popcount(cells[i]);
			ns += !!(cells[i] & NORTH) - !!(cells[i] & SOUTH);
			ew += !!(cells[i] & EAST) - !!(cells[i] & WEST);
		}
		return {sum_over_ranks(n), sum_over_ranks(ns), sum_over_ranks(ew)};
	}

	uint64_t print(int rank) const
	{
		uint64_t sum = 0;

		for (long i = WIDTH; i < (ROWS + 1) * WIDTH; i++)
			sum += mix(cells[i], i, rank);
		return sum_over_ranks(sum);
	}

	long turns[THREADS] = {};

      private:
	int above, below;
	std::vector<uint8_t> cells, next; // with a row of each neighbour

	static uint8_t &at(std::vector<uint8_t> &of, long i, long j)
	{
		return of[i * WIDTH + j];
	}

	void exchange()
	{
		MPI_Request requests[4];

		MPI_Irecv(
			&at(cells, 0, 0), WIDTH, MPI_BYTE, above, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&at(cells, ROWS + 1, 0), WIDTH, MPI_BYTE, below, 2, MPI_COMM_WORLD,
			&requests[1]);
		MPI_Isend(&at(cells, ROWS, 0), WIDTH, MPI_BYTE, below, 1, MPI_COMM_WORLD,
			&requests[2]);
		MPI_Isend(
			&at(cells, 1, 0), WIDTH, MPI_BYTE, above, 2, MPI_COMM_WORLD, &requests[3]);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	}

	// What flies into row i: particles of the neighbours' cells that fly here.
	void move(long i)
	{
		for (long j = 0; j < WIDTH; j++)
			at(next, i, j) = collide((at(cells, i + 1, j) & NORTH) |
						 (at(cells, i - 1, j) & SOUTH) |
						 (at(cells, i, (j + WIDTH - 1) % WIDTH) & EAST) |
						 (at(cells, i, (j + 1) % WIDTH) & WEST));
	}
};
} // namespace

int main(int argc, char **argv)
{
	int rank, size, level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (level < MPI_THREAD_FUNNELED)
		wrong(NAME, "threads are of no use here: level %d", level);
	long steps = steps_wanted(NAME, argc, argv, 4000);

	Gas gas(rank, size);
	Count begin = gas.count();
	gas.run(steps);
	Count end = gas.count();
	if (!(begin == end))
		wrong(NAME, "of %" PRIu64 " particles %" PRIu64 " are left, or they fly elsewhere",
			begin.particles, end.particles);
	for (int t = 0; t < THREADS; t++)
		if (gas.turns[t] != steps && (t == 0 || gas.turns[t] != 0)) // a team may be smaller
			wrong(NAME, "thread %d has done %ld steps of %ld", t, gas.turns[t], steps);
	uint64_t print = gas.print(rank);
	if (rank == 0)
		std::printf("%s: right, %ld steps, %" PRIu64 " particles are at %016" PRIx64
			    ", %d ranks\n",
			NAME, steps, end.particles, print, size);
	MPI_Finalize();
	return 0;
}
