#include "maxmargin/platform/poll.hpp"

namespace maxmargin {

namespace {

thread_local const Poll* current = nullptr;
thread_local const std::atomic<bool>* abandoned = nullptr;

}  // namespace

Watched::Watched(const Poll& poll) : before_(current) { current = poll ? &poll : nullptr; }
Watched::~Watched() { current = before_; }

Helping::Helping(const std::atomic<bool>& given_up) : before_(abandoned) { abandoned = &given_up; }
Helping::~Helping() { abandoned = before_; }

void poll_now() {
  if (abandoned != nullptr && abandoned->load(std::memory_order_relaxed)) throw Abandoned();
  if (current != nullptr) (*current)();
}

}  // namespace maxmargin
