// A small persistent pool. Work is cut into chunks whose number does not depend on the number of threads, so that results
// have the same bits for any number; which thread takes a chunk does not matter.
#pragma once

#include <cstddef>
#include <functional>

namespace maxmargin {

// How many threads a parallel loop may use, the caller included. Starts from MAXMARGIN_NUM_THREADS, OMP_NUM_THREADS or the
// processors this process may run on.
int thread_count();
void set_thread_count(int count);

// Calls body(chunk) for each chunk in [0, chunks). Runs on the calling thread alone if the pool is busy with another
// caller, if only one thread is allowed or if there is one chunk. Safe after fork: the child makes its own pool.
// The first exception thrown by a body is rethrown to the caller. The caller's poll (platform/poll.hpp) is called before each
// chunk that the caller takes, and about every 50 ms while it waits for the others; if it throws, the others stop at their next
// poll.
void parallel_chunks(std::ptrdiff_t chunks, const std::function<void(std::ptrdiff_t)>& body);

}  // namespace maxmargin
