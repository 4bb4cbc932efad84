// Point sets to begin with: the same points for the same seed, everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maxmargin::playground {

struct Points {
  std::vector<double> x;  // [row][2]; of a regression the second is the target
  std::vector<double> label;
};

// Names: moons, circles, xor, blobs, outliers, spirals, overlap, sine, line, step, cloud. Coordinates have three decimals.
// Throws std::invalid_argument for another name.
Points point_set(const std::string& name, int count, int classes, double noise, std::uint64_t seed);

}  // namespace maxmargin::playground
