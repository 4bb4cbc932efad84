// Which instruction-set level runs. Chosen once; the environment variable MAXMARGIN_CPU forces a level (for tests).
#pragma once

#include <string>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// The levels this build and this processor both have, lowest first.
std::vector<std::string> cpu_levels();

// The table in use. Throws std::invalid_argument if MAXMARGIN_CPU names a level that cannot run here.
const SimdTable& simd();

}  // namespace maxmargin
