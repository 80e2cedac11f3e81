// SPDX-License-Identifier: BSD-3-Clause
//
// plain_depths: what a process has beside its heap. At each step a rank goes down through many
// frames of its stack, each with numbers of its own (alloca), at times megabytes of them, and so
// does a second thread, with a stack of its own. At the bottom of the first it exchanges with its
// neighbours, computes, and at times throws an exception through all frames. On the way: a library
// of which nothing is known before main (dlopen), and its variables of each thread; memory mapped
// from a file, grown, and written where it must not be (SIGSEGV, whose handler jumps away); a timer
// that goes off all the time, on an alternative stack; lines of text that stay in the buffer of a
// stream for long. "plain_depths STEPS FOLDER LIBRARY"
#include <alloca.h>
#include <cinttypes>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "plain.h"

namespace
{
const char NAME[] = "plain_depths";
constexpr int TAG = 5, ALTERNATE = 1 << 16, PAGES = 64;
constexpr size_t PAGE = 4096, BUFFER = 1 << 15;

int rank, size;

// ---- a library ----

class Library
{
      public:
	explicit Library(const char *path_) : path(path_)
	{
		open();
	}

	// Closed and opened again; what it holds is at its beginning then.
	void open()
	{
		if (handle != nullptr && dlclose(handle) != 0)
			wrong(NAME, "%s is not closed: %s", path.c_str(), dlerror());
		handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
		if (handle == nullptr)
			wrong(NAME, "%s is not opened: %s", path.c_str(), dlerror());
		next = reinterpret_cast<uint64_t (*)(uint64_t)>(dlsym(handle, "plain_part_next"));
		if (next == nullptr)
			wrong(NAME, "%s has no function: %s", path.c_str(), dlerror());
	}

	uint64_t (*next)(uint64_t) = nullptr;

      private:
	std::string path;
	void *handle = nullptr;
};

// ---- a timer ----

char alternate[ALTERNATE];
volatile sig_atomic_t alarms, elsewhere;

void on_alarm(int)
{
	char here;
	volatile char *at = &here;

	alarms = alarms + 1;
	if (at < alternate || at >= alternate + ALTERNATE)
		elsewhere = 1;
}

void begin_alarms()
{
	struct sigaction action = {};
	const stack_t stack = {alternate, 0, ALTERNATE};
	const struct itimerval often = {{0, 3000}, {0, 3000}};

	action.sa_handler = on_alarm;
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	if (sigaltstack(&stack, nullptr) != 0 || sigaction(SIGALRM, &action, nullptr) != 0 ||
		setitimer(ITIMER_REAL, &often, nullptr) != 0)
		wrong(NAME, "there is no timer");
}

// The timer goes on: it does not end without.
void await_alarm()
{
	for (sig_atomic_t seen = alarms; alarms == seen;)
		continue;
	if (elsewhere)
		wrong(NAME, "a handler was not on its own stack");
}

void end_alarms()
{
	const struct itimerval never = {};

	setitimer(ITIMER_REAL, &never, nullptr);
}

// ---- mapped memory ----

sigjmp_buf out;

void on_fault(int)
{
	siglongjmp(out, 1);
}

bool can_be_written(volatile char *at)
{
	if (sigsetjmp(out, 1) != 0)
		return false;
	*at = 1;
	return true;
}

class Mapped
{
      public:
	explicit Mapped(const std::string &path)
	{
		std::vector<char> bytes(PAGES * PAGE, 'f');
		FILE *file = std::fopen(path.c_str(), "w+");
		if (file == nullptr ||
			std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() ||
			std::fflush(file) != 0)
			wrong(NAME, "%s cannot be written", path.c_str());
		of_file = map(MAP_PRIVATE, PAGES * PAGE, fileno(file));
		std::fclose(file);
		grows = map(MAP_PRIVATE | MAP_ANONYMOUS, PAGE, -1);
		guarded = map(MAP_PRIVATE | MAP_ANONYMOUS, 2 * PAGE, -1);
		if (mprotect(guarded + PAGE, PAGE, PROT_READ) != 0)
			wrong(NAME, "no page is for reading alone");
		std::signal(SIGSEGV, on_fault);
	}

	// Another page of the file is changed, and the rest is that of the file.
	uint64_t step(long now)
	{
		if (now % 8 == 0)
			grow();
		if (!can_be_written(guarded) || can_be_written(guarded + PAGE))
			wrong(NAME, "step %ld: a page can be written, or cannot", now);
		of_file[now % PAGES * PAGE + now / PAGES % PAGE] = 'c';
		uint64_t sum = 0;
		for (int i = 0; i < PAGES; i++)
			sum += count(of_file + i * PAGE, 'c');
		long most = PAGES * static_cast<long>(PAGE);
		if (sum != static_cast<uint64_t>(now < most ? now : most))
			wrong(NAME, "step %ld: %" PRIu64 " bytes of the mapped file are changed",
				now, sum);
		for (long i = 0; i < pages; i++)
			if (grows[i * PAGE] != static_cast<char>(i))
				wrong(NAME, "step %ld: page %ld is another one", now, i);
		return mix(sum, pages);
	}

      private:
	char *of_file, *grows, *guarded;
	long pages = 1;

	static char *map(int flags, size_t bytes, int fd)
	{
		void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
		if (at == MAP_FAILED)
			wrong(NAME, "no memory can be mapped");
		return static_cast<char *>(at);
	}

	static uint64_t count(const char *page, char c)
	{
		uint64_t n = 0;
		for (size_t i = 0; i < PAGE; i++)
			n += page[i] == c;
		return n;
	}

	// It may move; at 500 pages it begins anew.
	void grow()
	{
		long next = pages < 500 ? pages + 1 : 1;
		void *at = mremap(grows, pages * PAGE, next * PAGE, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			wrong(NAME, "memory cannot grow");
		grows = static_cast<char *>(at);
		pages = next;
		grows[(pages - 1) * PAGE] = static_cast<char>(pages - 1);
	}
};

// ---- stacks ----

thread_local uint64_t deepest;

// A function of the bottom; and the step, which chooses how much each frame holds.
struct Descent {
	uint64_t (*bottom)(uint64_t x, long now);
	long now;
	size_t most; // bytes of a frame
};

// Each frame finds what it had put on the stack.
__attribute__((noinline)) uint64_t descend(const Descent &d, uint64_t x, int depth)
{
	size_t words = 1 + x % (d.most / sizeof x);
	auto *own = static_cast<volatile uint64_t *>(alloca(words * sizeof x));

	for (size_t i = 0; i < words; i += 64)
		own[i] = mix(x, i);
	own[words - 1] = x;
	uint64_t below = depth == 0 ? d.bottom(x, d.now) : descend(d, mix(x, depth), depth - 1);
	for (size_t i = 0; i < words; i += 64)
		if (i != words - 1 && own[i] != mix(x, i))
			wrong(NAME, "step %ld: frame %d is not as it was", d.now, depth);
	if (own[words - 1] != x)
		wrong(NAME, "step %ld: the end of frame %d is not as it was", d.now, depth);
	deepest += depth;
	return mix(below, x);
}

Library *library;

// Some milliseconds, in which no function is called.
uint64_t compute(uint64_t x)
{
	for (int i = 0; i < 200000; i++)
		x = x * 6364136223846793005 + 1442695040888963407;
	return x;
}

uint64_t exchange(uint64_t x, long now)
{
	uint64_t from = 0;

	MPI_Sendrecv(&x, 1, MPI_UINT64_T, (rank + 1) % size, TAG, &from, 1, MPI_UINT64_T,
		(rank + size - 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	x = library->next(mix(compute(from), x));
	if (now % 3 == 0)
		throw std::runtime_error(std::to_string(x));
	return x;
}

uint64_t ask_library(uint64_t x, long)
{
	return library->next(compute(x));
}

// ---- a thread ----

// It goes down its own stack at each step, which it waits for.
class Other
{
      public:
	Other()
	{
		// is the first thread's alone, which has the stack for it
		sigset_t alarm, before;
		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		pthread_sigmask(SIG_BLOCK, &alarm, &before);

		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, 32 << 20);
		if (pthread_barrier_init(&meet, nullptr, 2) != 0 ||
			pthread_create(&thread, &attributes, live, this) != 0)
			wrong(NAME, "there is no second thread");
		pthread_attr_destroy(&attributes);
		pthread_sigmask(SIG_SETMASK, &before, nullptr);
	}

	void begin(long step)
	{
		now = step;
		pthread_barrier_wait(&meet);
	}

	uint64_t end()
	{
		pthread_barrier_wait(&meet);
		return result;
	}

	void leave()
	{
		begin(0);
		pthread_join(thread, nullptr);
		pthread_barrier_destroy(&meet);
	}

      private:
	pthread_t thread;
	pthread_barrier_t meet;
	long now = 0;
	uint64_t result = 0;

	static void *live(void *arg)
	{
		auto *other = static_cast<Other *>(arg);
		for (;;) {
			pthread_barrier_wait(&other->meet);
			if (other->now == 0)
				return nullptr;
			Descent d = {ask_library, other->now,
				static_cast<size_t>(other->now % 40 == 7 ? 1 << 18 : 512)};
			other->result = mix(descend(d, mix(other->now, rank), 60), deepest);
			pthread_barrier_wait(&other->meet);
		}
	}
};

// ---- a stream ----

class Text
{
      public:
	explicit Text(const std::string &path_) : path(path_), buffer(BUFFER)
	{
		file = std::fopen(path.c_str(), "w+");
		if (file == nullptr ||
			std::setvbuf(file, buffer.data(), _IOFBF, buffer.size()) != 0)
			wrong(NAME, "%s cannot be written", path.c_str());
	}

	void write(uint64_t x)
	{
		std::fprintf(file, "%016" PRIx64 "\n", x);
		written.push_back(x);
	}

	void read_back()
	{
		uint64_t x;
		std::rewind(file);
		for (size_t i = 0; i < written.size(); i++)
			if (std::fscanf(file, "%" SCNx64, &x) != 1 || x != written[i])
				wrong(NAME, "line %zu of %s is another one", i + 1, path.c_str());
		if (std::fscanf(file, "%" SCNx64, &x) != EOF)
			wrong(NAME, "%s is too long", path.c_str());
		std::fclose(file);
	}

      private:
	std::string path;
	std::vector<char> buffer;
	FILE *file;
	std::vector<uint64_t> written;
};

uint64_t go_down(long now, uint64_t x)
{
	Descent d = {exchange, now, static_cast<size_t>(now % 50 == 9 ? 1 << 16 : 512)};

	try {
		return descend(d, x, 60);
	} catch (const std::runtime_error &e) {
		return mix(std::stoull(e.what()), 1);
	}
}
} // namespace

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long steps = steps_wanted(NAME, argc, argv, 1000);
	if (argc != 4)
		wrong(NAME, "give it STEPS FOLDER LIBRARY");

	const std::string own = std::string(argv[2]) + "/" + NAME + "-" + std::to_string(rank);
	Library opened(argv[3]);
	library = &opened;
	Mapped mapped(own + "-mapped");
	Text text(own);
	Other other;
	begin_alarms();
	uint64_t x = mix(rank);
	for (long now = 1; now <= steps; now++) {
		other.begin(now);
		x = go_down(now, x);
		x = mix(x, other.end(), mapped.step(now), deepest);
		text.write(x);
		await_alarm();
		if (now % 16 == 0)
			opened.open();
	}
	end_alarms();
	other.leave();
	text.read_back();

	uint64_t sum = sum_over_ranks(x);
	if (rank == 0)
		std::printf("%s: right, %ld steps, sum %016" PRIx64 ", %d ranks\n", NAME, steps,
			sum, size);
	MPI_Finalize();
	return 0;
}
