// The Gram matrix of objects: rows are computed when they are asked for, on all threads, and kept while there is room. What is
// known of a row from others, k(i, j) = k(j, i), is not computed again.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/objects/objects.hpp"

namespace maxmargin {

class KeptRows;

// Rows for all the Grams of one training set, such as those of pairs of classes.
std::shared_ptr<const KeptRows> keep_rows(std::shared_ptr<const Objects> objects, std::size_t bytes);

// `subset` picks objects; empty means all of them.
std::unique_ptr<Gram> make_object_gram(std::shared_ptr<const KeptRows> rows, std::vector<Index> subset);

}  // namespace maxmargin
