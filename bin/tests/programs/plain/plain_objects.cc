// SPDX-License-Identifier: BSD-3-Clause
//
// plain_objects: what programs in C++ have and those in C have not. Accounts of several classes lie
// in containers and are changed by virtual functions; what must not be is an exception, which
// passes some frames, or is kept and thrown again at the next step. Two threads (std::thread), each
// with random numbers of its own (thread_local), wait for work at each step; an exception of theirs
// comes back as std::exception_ptr. Statements go round the ring of ranks as text, made and read by
// streams, and into a file that is open all the time and is read at the end. "plain_objects STEPS
// FOLDER"
#include <array>
#include <cinttypes>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plain.h"

namespace
{
const char NAME[] = "plain_objects";
constexpr int ACCOUNTS = 60, WORKERS = 2, TAG = 11;

// ---- accounts ----

struct Refused : std::runtime_error {
	Refused(const std::string &who, long sum)
	    : std::runtime_error(who + " has no " + std::to_string(sum)), missing(sum)
	{
	}
	long missing;
};

class Account
{
      public:
	explicit Account(std::string name_) : name(std::move(name_))
	{
	}
	virtual ~Account() = default;
	virtual void pay(long sum) = 0; // throws Refused
	virtual long fee() const
	{
		return 0;
	}
	void receive(long sum)
	{
		balance += sum;
		history.push_back(sum);
		if (history.size() > 40)
			history.pop_front();
	}

	const std::string name;
	long balance = 1000;
	std::deque<long> history;
};

class Current : public Account
{
      public:
	using Account::Account;
	void pay(long sum) override
	{
		if (sum > balance)
			throw Refused(name, sum - balance);
		receive(-sum);
	}
};

class Credit final : public Current
{
      public:
	using Current::Current;
	void pay(long sum) override
	{
		try {
			Current::pay(sum);
		} catch (const Refused &r) {
			if (r.missing > 5000)
				throw;
			receive(-sum);
			owed++;
		}
	}
	long fee() const override
	{
		return owed % 7;
	}

      private:
	long owed = 0;
};

// ---- workers ----

// Random numbers of the thread, one sequence from the first step to the last.
thread_local std::mt19937_64 chance;
thread_local std::vector<uint64_t> lately;

struct Overflow : std::exception {
	explicit Overflow(uint64_t at_) : at(at_)
	{
	}
	const char *what() const noexcept override
	{
		return "overflow";
	}
	uint64_t at;
};

class Worker
{
      public:
	explicit Worker(uint64_t seed) : thread([this, seed] { live(seed); })
	{
	}

	~Worker()
	{
		give(-1);
		thread.join();
	}

	void give(long step)
	{
		std::lock_guard<std::mutex> guard(mutex);
		task = step;
		news.notify_all();
	}

	// Of the step that was given; an exception of the worker is thrown here.
	uint64_t result()
	{
		std::unique_lock<std::mutex> guard(mutex);
		news.wait(guard, [this] { return task == 0; });
		if (failure)
			std::rethrow_exception(std::exchange(failure, nullptr));
		return sum;
	}

      private:
	std::mutex mutex;
	std::condition_variable news;
	long task = 0; // 0: done, or none yet
	uint64_t sum = 0;
	std::exception_ptr failure;
	std::thread thread;

	void live(uint64_t seed)
	{
		chance.seed(seed);
		for (;;) {
			std::unique_lock<std::mutex> guard(mutex);
			news.wait(guard, [this] { return task != 0; });
			if (task < 0)
				return;
			long step = task;
			guard.unlock();
			uint64_t found = 0;
			std::exception_ptr why;
			try {
				found = work(step);
			} catch (...) {
				why = std::current_exception();
			}
			guard.lock();
			sum = found;
			failure = why;
			task = 0;
			news.notify_all();
		}
	}

	static uint64_t work(long step)
	{
		std::multiset<uint64_t> seen;
		uint64_t all = 0;

		for (int i = 0; i < 2000; i++) {
			seen.insert(chance() % 1000);
			if (i % 100 == 99)
				lately.push_back(chance());
		}
		for (uint64_t x : seen)
			all = mix(all, x);
		for (uint64_t x : lately)
			all += x;
		if (lately.size() > 500)
			lately.erase(lately.begin(), lately.begin() + 250);
		if (all % 11 == 3)
			throw Overflow(mix(all, step));
		return all;
	}
};

// ---- a bank, one on each rank ----

class Bank
{
      public:
	Bank(int rank_, int size_, const std::string &folder)
	    : rank(rank_), size(size_), path(folder + "/" + NAME + "-" + std::to_string(rank_))
	{
		for (int i = 0; i < ACCOUNTS; i++) {
			std::string name = "account " + std::to_string(i);
			if (i % 3 == 0)
				accounts[name] = std::make_unique<Credit>(name);
			else
				accounts[name] = std::make_unique<Current>(name);
			names.push_back(name);
		}
		for (int i = 0; i < WORKERS; i++)
			workers.push_back(std::make_unique<Worker>(mix(rank, i)));
		std::ofstream(path).close(); // what is there is of another run
		book.open(path, std::ios::app);
	}

	void step(long now)
	{
		for (auto &w : workers)
			w->give(now);
		for (int i = 0; i < 200; i++)
			transfer(mix(now, rank, i));
		again();
		for (auto &w : workers)
			try {
				sum = mix(sum, w->result());
			} catch (const Overflow &o) {
				overflows++;
				sum = mix(sum, o.at, 1);
			}
		std::string said = statement(now), heard = pass_on(said);
		check(heard, now);
		sum = mix(sum, std::hash<std::string>()(heard));
		book << said << '\n';
		written.push_back(mix(std::hash<std::string>()(said)));
	}

	// The file has each statement, once.
	void audit()
	{
		book.close();
		std::ifstream in(path);
		std::string line;
		size_t n = 0;

		for (; std::getline(in, line); n++)
			if (n >= written.size() ||
				mix(std::hash<std::string>()(line)) != written[n])
				wrong(NAME, "line %zu of %s is another one: %s", n + 1,
					path.c_str(), line.c_str());
		if (n != written.size())
			wrong(NAME, "%s has %zu lines, not %zu", path.c_str(), n, written.size());
		if (refused != thrown_again + (held ? 1 : 0) + let_go)
			wrong(NAME, "%ld refusals, of which %ld came again and %ld did not",
				refused, thrown_again, let_go);
	}

	uint64_t sum = 0;
	long refused = 0, overflows = 0;

      private:
	int rank, size;
	std::string path;
	std::ofstream book;
	std::map<std::string, std::unique_ptr<Account>> accounts;
	std::unordered_map<std::string, long> fees;
	std::vector<std::string> names;
	std::vector<std::unique_ptr<Worker>> workers;
	std::exception_ptr held;
	long thrown_again = 0, let_go = 0;
	std::vector<uint64_t> written;

	void transfer(uint64_t random)
	{
		Account &from = *accounts.at(names[random % ACCOUNTS]);
		Account &to = *accounts.at(names[(random >> 16) % ACCOUNTS]);
		long amount = static_cast<long>((random >> 32) % 700);

		try {
			move(from, to, amount);
		} catch (const Refused &r) {
			refused++;
			if (held)
				let_go++;
			else
				held = std::current_exception();
			sum = mix(sum, r.missing);
		}
	}

	void move(Account &from, Account &to, long amount)
	{
		std::string purpose =
			"from " + from.name + " to " + to.name; // has to be destroyed on the way
		from.pay(amount);
		to.receive(amount);
		fees[purpose] += from.fee();
		if (fees.size() > 1000)
			fees.clear();
	}

	// What was refused at the step before is thrown here.
	void again()
	{
		if (!held)
			return;
		try {
			std::rethrow_exception(std::exchange(held, nullptr));
		} catch (const std::exception &e) {
			thrown_again++;
			sum = mix(sum, std::hash<std::string>()(e.what()));
		}
	}

	std::string statement(long now)
	{
		std::ostringstream out;
		long total = 0, all = 0;

		for (const auto &[name, account] : accounts) {
			total += account->balance;
			for (long change : account->history)
				all = all * 31 + change;
		}
		if (total != 1000L * ACCOUNTS)
			wrong(NAME, "step %ld: there are %ld in all accounts", now, total);
		out << "rank " << rank << " step " << std::setw(8) << now << " total " << total
		    << " mean " << std::setprecision(17)
		    << static_cast<double>(all % 1000003) / ACCOUNTS << " sum " << std::hex << sum;
		return out.str();
	}

	std::string pass_on(const std::string &said)
	{
		std::vector<char> in(1000);
		MPI_Status status;
		int length;

		MPI_Sendrecv(said.data(), static_cast<int>(said.size()), MPI_CHAR,
			(rank + 1) % size, TAG, in.data(), static_cast<int>(in.size()), MPI_CHAR,
			(rank + size - 1) % size, TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_CHAR, &length);
		return {in.data(), static_cast<size_t>(length)};
	}

	void check(const std::string &heard, long now)
	{
		std::istringstream in(heard);
		std::string word;
		int from = -1;
		long step = -1;

		in >> word >> from >> word >> step;
		if (from != (rank + size - 1) % size || step != now)
			wrong(NAME, "step %ld: heard '%s'", now, heard.c_str());
	}
};
} // namespace

int main(int argc, char **argv)
{
	int rank, size, level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long steps = steps_wanted(NAME, argc, argv, 2000);

	auto bank = std::make_unique<Bank>(rank, size, argc > 2 ? argv[2] : ".");
	for (long now = 1; now <= steps; now++)
		bank->step(now);
	bank->audit();
	uint64_t sum = sum_over_ranks(bank->sum), refused = sum_over_ranks(bank->refused),
		 overflows = sum_over_ranks(bank->overflows);
	bank.reset();
	if (rank == 0)
		std::printf("%s: right, %ld steps, %" PRIu64 " refusals, %" PRIu64
			    " overflows, sum %016" PRIx64 ", %d ranks\n",
			NAME, steps, refused, overflows, sum, size);
	MPI_Finalize();
	return 0;
}
