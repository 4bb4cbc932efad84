#include "maxmargin/platform/thread_pool.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "maxmargin/platform/poll.hpp"

namespace maxmargin {

namespace {

int available_processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, int(std::thread::hardware_concurrency()));
}

// "4" or, as OpenMP allows, "4,2" (the outermost level counts). Anything else is no limit.
int limit_from(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return 0;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end != text && value > 0 && value < 4096 ? int(value) : 0;
}

int initial_count() {
  if (const int own = limit_from("MAXMARGIN_NUM_THREADS")) return own;
  const int processors = available_processors();
  const int shared = limit_from("OMP_NUM_THREADS");
  return shared > 0 ? std::min(shared, processors) : processors;
}

std::atomic<int>& count() {
  static std::atomic<int> value{initial_count()};
  return value;
}

struct Job {
  const std::function<void(std::ptrdiff_t)>* body = nullptr;
  std::ptrdiff_t chunks = 0;
  std::atomic<std::ptrdiff_t> next{0};
  std::atomic<bool> given_up{false};
  std::mutex error_lock;
  std::exception_ptr error;

  void work() {
    for (;;) {
      const std::ptrdiff_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks) return;
      attempt([&] {
        poll_now();
        (*body)(chunk);
      });
    }
  }

  template <class Body>
  void attempt(const Body& some) {
    try {
      some();
    } catch (...) {
      const std::lock_guard<std::mutex> hold(error_lock);
      if (!error) error = std::current_exception();
      next.store(chunks, std::memory_order_relaxed);
      given_up.store(true, std::memory_order_relaxed);
    }
  }
};

// Loops of a search follow each other within microseconds, and waking a thread takes many, on a virtual machine some hundred:
// look for a while before sleeping, longer than Python takes between two calls of a fit, but then let others have the
// processor.
template <class Found>
void look_for(const Found& found) {
  constexpr int looks = 2000, polite_looks = 1000;  // some ten microseconds; half a millisecond
  for (int look = 0; look < looks; ++look) {
    if (found()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (int look = 0; look < polite_looks && !found(); ++look) std::this_thread::yield();
}

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard<std::mutex> hold(lock_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  // Only one caller at a time; the others, and loops inside a loop, run alone.
  std::atomic<bool> busy{false};

  void run(Job& job, int helpers) {
    {
      const std::lock_guard<std::mutex> hold(lock_);
      try {
        while (int(workers_.size()) < helpers) workers_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        helpers = int(workers_.size());  // the system gives no more: go on with those there are
      }
      job_ = &job;
      seats_ = helpers;
      ++round_;
    }
    wake_.notify_all();
    job.work();
    std::unique_lock<std::mutex> hold(lock_);
    seats_ = 0;  // a worker that has not woken yet stays out
    hold.unlock();
    look_for([this] { return working_.load() == 0; });
    hold.lock();
    while (!done_.wait_for(hold, std::chrono::milliseconds(50), [this] { return working_ == 0; })) {
      hold.unlock();
      job.attempt(poll_now);
      hold.lock();
    }
    job_ = nullptr;
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> hold(lock_);
    unsigned long seen = 0;
    for (;;) {
      hold.unlock();
      look_for([&] { return round_.load() != seen; });
      hold.lock();
      wake_.wait(hold, [&] { return stop_ || (round_ != seen && seats_ > 0); });
      if (stop_) return;
      seen = round_;
      --seats_;
      ++working_;
      Job* job = job_;
      hold.unlock();
      {
        const Helping helping(job->given_up);
        job->work();
      }
      hold.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::mutex lock_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  Job* job_ = nullptr;
  int seats_ = 0;
  std::atomic<int> working_{0};
  std::atomic<unsigned long> round_{0};
  bool stop_ = false;
};

// The pool is never destroyed at exit: joining threads from a static destructor can hang where the interpreter has already
// ended them. A forked child has none of the parent's threads, so it forgets the pool and makes its own.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
#if !defined(_WIN32)
  static const bool registered = [] {
    pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
    return true;
  }();
  (void)registered;
#endif
  Pool* current = the_pool.load();
  if (current == nullptr) {
    auto fresh = std::make_unique<Pool>();
    if (the_pool.compare_exchange_strong(current, fresh.get())) current = fresh.release();
  }
  return *current;
}

}  // namespace

int thread_count() { return count().load(); }

void set_thread_count(int wanted) { count().store(std::max(1, wanted)); }

void parallel_chunks(std::ptrdiff_t chunks, const std::function<void(std::ptrdiff_t)>& body) {
  const int helpers = int(std::min<std::ptrdiff_t>(thread_count(), chunks)) - 1;
  if (helpers > 0) {
    Pool& shared = pool();
    if (!shared.busy.exchange(true)) {
      Job job;
      job.body = &body;
      job.chunks = chunks;
      shared.run(job, helpers);
      shared.busy.store(false);
      if (job.error) std::rethrow_exception(job.error);
      return;
    }
  }
  for (std::ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
    poll_now();
    body(chunk);
  }
}

}  // namespace maxmargin
