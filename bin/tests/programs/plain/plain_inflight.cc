// SPDX-License-Identifier: BSD-3-Clause
//
// plain_inflight: messages of 0 bytes to 1 MiB are on their way nearly all of the time. At each
// step a rank posts as many receives as will be needed, from any source, and begins as many sends;
// what it waits for is what was sent WINDOW steps before, with MPI_Waitany, and the buffers of
// sends are given back as MPI_Testsome finds them done.
//
// What is sent follows from rank and step alone. A receive of a tag takes what comes first, so each
// message is recognised by its place among those of its sender and tag, and compared with what that
// sender had to send. "plain_inflight STEPS"
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "plain.h"

namespace
{
const char NAME[] = "plain_inflight";
constexpr int TAGS = 4;	  // messages of a rank at each step, one with each tag
constexpr int WINDOW = 4; // steps
constexpr int LONGEST = 1 << 20;

struct Message {
	long step;
	int source, tag;
};

// All ranks send to the rank so far behind them, so each is sent one message of each tag.
int shift(long step, int tag, int size)
{
	return static_cast<int>(mix(1, step, tag) % size);
}

// Most are short, one in 20 is up to the longest, one in 8 is empty.
int length(const Message &m)
{
	uint64_t chance = mix(2, m.step, m.source, m.tag);
	uint64_t most = chance % 20 == 0 ? LONGEST : chance % 20 < 10 ? 64 : 8192;

	return chance % 8 == 1 ? 0 : static_cast<int>(mix(chance) % (most + 1));
}

std::vector<char> contents(const Message &m)
{
	std::vector<char> bytes(length(m));
	uint64_t word = mix(3, m.step, m.source, m.tag);

	for (size_t i = 0; i < bytes.size();
		i += sizeof word, word = word * 6364136223846793005 + 1)
		std::memcpy(&bytes[i], &word, std::min(sizeof word, bytes.size() - i));
	return bytes;
}

// One receive, in a list of those of its tag in the order in which they were posted: that is the
// order in which they take messages.
struct Receive {
	std::vector<char> buffer = std::vector<char>(LONGEST);
	bool done = false;
	int source = -1, count = -1;
};

class Traffic
{
      public:
	Traffic(int rank_, int size_) : rank(rank_), size(size_)
	{
	}

	void step(long now, bool begins)
	{
		if (begins)
			begin(now);
		while (received < TAGS * (now - WINDOW))
			finish_one();
		forget_sent();
	}

	void end()
	{
		for (size_t i = 0; i < sends.size(); i++)
			MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
		if (!posted.empty())
			wrong(NAME, "%zu receives are left", posted.size());
	}

	uint64_t sum = 0, bytes = 0;
	long received = 0;

      private:
	int rank, size;
	std::vector<MPI_Request> receives, sends;
	std::vector<std::vector<char>> outgoing; // one for each of sends
	std::vector<Receive *> posted;		 // one for each of receives
	std::list<Receive> queue[TAGS];		 // posted, and not yet looked at in their order
	std::map<std::pair<int, int>, long>
		latest; // by source and tag: the step of the last message

	void begin(long now)
	{
		for (int tag = 0; tag < TAGS; tag++) {
			queue[tag].emplace_back();
			posted.push_back(&queue[tag].back());
			receives.push_back(MPI_REQUEST_NULL);
			MPI_Irecv(posted.back()->buffer.data(), LONGEST, MPI_BYTE, MPI_ANY_SOURCE,
				tag, MPI_COMM_WORLD, &receives.back());
		}
		for (int tag = 0; tag < TAGS; tag++) {
			int to = (rank + size - shift(now, tag, size)) % size;
			outgoing.push_back(contents({now, rank, tag}));
			sends.push_back(MPI_REQUEST_NULL);
			MPI_Isend(outgoing.back().data(), static_cast<int>(outgoing.back().size()),
				MPI_BYTE, to, tag, MPI_COMM_WORLD, &sends.back());
		}
	}

	void finish_one()
	{
		MPI_Status status;
		int which;

		MPI_Waitany(static_cast<int>(receives.size()), receives.data(), &which, &status);
		if (which == MPI_UNDEFINED)
			wrong(NAME, "no receive is open after %ld messages", received);
		Receive *r = posted[which];
		r->done = true;
		r->source = status.MPI_SOURCE;
		MPI_Get_count(&status, MPI_BYTE, &r->count);
		receives.erase(receives.begin() + which);
		posted.erase(posted.begin() + which);
		received++;
		look_at(status.MPI_TAG);
	}

	void look_at(int tag)
	{
		while (!queue[tag].empty() && queue[tag].front().done) {
			compare(queue[tag].front(), tag);
			queue[tag].pop_front();
		}
	}

	// The next step at which that rank had something with this tag for us.
	long next_step(int source, int tag)
	{
		long &step = latest[{source, tag}];

		do
			step++;
		while ((source + size - shift(step, tag, size)) % size != rank);
		return step;
	}

	void compare(const Receive &r, int tag)
	{
		Message m = {next_step(r.source, tag), r.source, tag};
		std::vector<char> expected = contents(m);

		if (static_cast<size_t>(r.count) != expected.size())
			wrong(NAME,
				"%d bytes came from rank %d with tag %d, not the %zu of step %ld",
				r.count, m.source, tag, expected.size(), m.step);
		if (!std::equal(expected.begin(), expected.end(), r.buffer.begin()))
			wrong(NAME,
				"what rank %d sent with tag %d at step %ld came as something else",
				m.source, tag, m.step);
		for (size_t i = 0; i + 8 <= expected.size(); i += 64) {
			uint64_t word;
			std::memcpy(&word, &r.buffer[i], sizeof word);
			sum += mix(word, i);
		}
		sum += mix(4, m.step, m.source, tag);
		bytes += expected.size();
	}

	void forget_sent()
	{
		std::vector<int> which(sends.size());
		int count = 0;

		MPI_Testsome(static_cast<int>(sends.size()), sends.data(), &count, which.data(),
			MPI_STATUSES_IGNORE);
		for (size_t i = sends.size(); i-- > 0;)
			if (sends[i] == MPI_REQUEST_NULL) {
				sends.erase(sends.begin() + i);
				outgoing.erase(outgoing.begin() + i);
			}
	}
};
} // namespace

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long steps = steps_wanted(NAME, argc, argv, 1000);

	Traffic traffic(rank, size);
	for (long now = 1; now <= steps + WINDOW; now++)
		traffic.step(now, now <= steps);
	traffic.end();

	uint64_t sum = sum_over_ranks(traffic.sum), bytes = sum_over_ranks(traffic.bytes);
	if (rank == 0)
		std::printf("%s: right, %ld steps, %ld messages of %" PRIu64
			    " bytes, sum %016" PRIx64 ", %d ranks\n",
			NAME, steps, steps * TAGS * size, bytes, sum, size);
	MPI_Finalize();
	return 0;
}
