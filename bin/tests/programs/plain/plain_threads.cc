// SPDX-License-Identifier: BSD-3-Clause
//
// plain_threads: four threads of each rank are in MPI nearly all of the time (MPI_THREAD_MULTIPLE),
// each in a communicator of its own: one exchanges with its neighbours, one sends a stream of
// messages that have to come in their order, one sums by an operator of its own, which computes,
// and one copies a communicator with an attribute. At times they compute, with a file open.
//
// Each number that comes is compared with what had to come, and changes what its thread goes on
// with, so one that is lost, comes twice or comes too early is seen at once. "plain_threads STEPS"
#include <atomic>
#include <cinttypes>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "plain.h"

namespace
{
const char NAME[] = "plain_threads";
constexpr int STREAM = 8;  // messages of a step
constexpr int LONG = 6000; // numbers: every so often a message is no short one
int rank, size;

// Some microseconds in which the thread is not in MPI, and then and now much more.
uint64_t compute(uint64_t x, long step)
{
	for (long n = step % 4 == 0 ? 100000 : 200; n > 0; n--)
		x = x * 6364136223846793005 + 1442695040888963407;
	return x;
}

// With a file open, whose number is free as soon as it is closed: another that is closed or opened
// there meanwhile is none of the program's.
uint64_t compute_with_file(uint64_t x, long step)
{
	int fd = step % 4 == 0 ? open("/dev/null", O_WRONLY) : -1;
	uint64_t result = compute(x, step);

	if (step % 4 == 0 && (write(fd, "x", 1) != 1 || close(fd) != 0))
		wrong(NAME, "the file of descriptor %d is gone", fd);
	return result;
}

// One thread's work: what it ends with depends on every step.
class Work
{
      public:
	Work(int kind_, MPI_Comm comm_) : kind(kind_), comm(comm_)
	{
	}

	void run(long steps)
	{
		static void (Work::*const does[])(long) = {
			&Work::exchange, &Work::stream, &Work::sum, &Work::copy};

		for (long step = 1; step <= steps; step++) {
			(this->*does[kind])(step);
			computed ^= compute_with_file(state, step);
		}
	}

	uint64_t result() const
	{
		return mix(state, computed);
	}

	static constexpr int KINDS = 4;

      private:
	int kind;
	MPI_Comm comm;
	uint64_t state = 1, computed = 0;

	void take(uint64_t got, uint64_t expected, long step)
	{
		if (got != expected)
			wrong(NAME, "thread %d, step %ld: %016" PRIx64 " came, not %016" PRIx64,
				kind, step, got, expected);
		state = mix(state, got);
	}

	void exchange(long step)
	{
		int to = (rank + 1) % size, from = (rank + size - 1) % size;
		int tag = static_cast<int>(step % 9), n = step % 40 == 0 ? LONG : 1;
		std::vector<uint64_t> out(n, mix(kind, step, rank)), in(n);

		MPI_Sendrecv(out.data(), n, MPI_UINT64_T, to, tag, in.data(), n, MPI_UINT64_T, from,
			tag, comm, MPI_STATUS_IGNORE);
		take(in.front(), mix(kind, step, from), step);
		take(in.back(), mix(kind, step, from), step);
	}

	// All with one tag. Half of them come when nothing waits for them.
	void stream(long step)
	{
		int to = (rank + 2) % size, from = (rank + 2 * size - 2) % size;
		uint64_t out[STREAM], in[STREAM];
		MPI_Request requests[STREAM + STREAM / 2];

		for (int i = 0; i < STREAM / 2; i++)
			MPI_Irecv(&in[i], 1, MPI_UINT64_T, from, 0, comm, &requests[i]);
		for (int i = 0; i < STREAM; i++) {
			out[i] = mix(kind, step, rank, i);
			MPI_Isend(&out[i], 1, MPI_UINT64_T, to, 0, comm, &requests[STREAM / 2 + i]);
		}
		MPI_Waitall(STREAM / 2, requests, MPI_STATUSES_IGNORE);
		for (int i = STREAM / 2; i < STREAM; i++)
			MPI_Recv(&in[i], 1, MPI_UINT64_T, from, 0, comm, MPI_STATUS_IGNORE);
		MPI_Waitall(STREAM, requests + STREAM / 2, MPI_STATUSES_IGNORE);
		for (int i = 0; i < STREAM; i++)
			take(in[i], mix(kind, step, from, i), step);
	}

	static void add(void *in, void *inout, int *n, MPI_Datatype *)
	{
		static std::atomic<uint64_t> sink;

		for (int i = 0; i < *n; i++)
			static_cast<uint64_t *>(inout)[i] += static_cast<uint64_t *>(in)[i];
		sink = compute(sink, 1);
	}

	void sum(long step)
	{
		static const MPI_Op op = [] {
			MPI_Op made;
			MPI_Op_create(add, 1, &made);
			return made;
		}();
		uint64_t mine = mix(kind, step, rank), all = 0, expected = 0;

		for (int i = 0; i < size; i++)
			expected += mix(kind, step, i);
		MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, op, comm);
		take(all, expected, step);
	}

	static int count(MPI_Comm, int, void *, void *value, void *copied, int *flag)
	{
		static std::atomic<uint64_t> sink;

		sink = compute(sink, 1);
		*static_cast<void **>(copied) =
			reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(value) + 1);
		*flag = 1;
		return MPI_SUCCESS;
	}

	// The copy of a copy; its attribute says how often.
	void copy(long step)
	{
		static const int key = [] {
			int made;
			MPI_Comm_create_keyval(count, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
			return made;
		}();
		uint64_t mine = mix(kind, step, rank), got = 0;
		int root = static_cast<int>(step % size), there = 0;
		void *value = nullptr;
		MPI_Comm next;

		if (step == 1)
			MPI_Comm_set_attr(comm, key, nullptr);
		if (step % 8 == 0) {
			MPI_Comm_dup(comm, &next);
			MPI_Comm_free(&comm);
			comm = next;
		}
		MPI_Comm_get_attr(comm, key, &value, &there);
		take(there ? reinterpret_cast<uintptr_t>(value) : ~UINT64_C(0),
			static_cast<uint64_t>(step / 8), step);
		got = mine;
		MPI_Bcast(&got, 1, MPI_UINT64_T, root, comm);
		take(got, mix(kind, step, root), step);
	}
};
} // namespace

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;
	std::vector<Work> works;
	uint64_t answer = 0;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long steps = steps_wanted(NAME, argc, argv, 1000);

	for (int kind = 0; kind < Work::KINDS; kind++) {
		MPI_Comm comm;
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		works.emplace_back(kind, comm);
	}
	for (Work &w : works)
		threads.emplace_back([&w, steps] { w.run(steps); });
	for (std::thread &t : threads)
		t.join();

	for (const Work &w : works)
		answer = mix(answer, sum_over_ranks(w.result()));
	if (rank == 0)
		std::printf("%s: right, %ld steps, answer %016" PRIx64 ", %d ranks\n", NAME, steps,
			answer, size);
	MPI_Finalize();
	return 0;
}
