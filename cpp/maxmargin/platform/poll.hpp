// Work that can be stopped. A thread that works for somebody has a poll: it looks at the clock and for signals, and throws
// where the work must end. Loops call it through `poll_now`; those of `parallel_chunks` do so between chunks, so that whatever
// is packed, laid out, multiplied or passed over ends in time without a word about it.
#pragma once

#include <atomic>
#include <exception>
#include <functional>

namespace maxmargin {

// Throws to stop the work of the thread that calls it.
using Poll = std::function<void()>;

// As long as it is alive, `poll` is the poll of this thread; then again the one before. An empty one leaves it in peace.
class Watched {
 public:
  explicit Watched(const Poll& poll);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  const Poll* before_;
};

// Calls the poll of this thread, if it has one; throws `Abandoned` where this thread helps somebody who has given up. Some ten
// nanoseconds: worth it every microsecond, needed every some ten milliseconds.
void poll_now();

// What a thread throws that helps somebody who has given up. Nobody waits for it.
class Abandoned : public std::exception {};

// The same for a thread of the pool while it helps: `given_up` turns true when the others need it no more.
class Helping {
 public:
  explicit Helping(const std::atomic<bool>& given_up);
  ~Helping();
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace maxmargin
