// Rows of the text format of SVMlight and LIBSVM, one in a line: "label qid:3 1:0.5 7:-2 # comment".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace maxmargin {

enum class SvmlightFault {
  none,
  no_label,          // a line begins with index:value
  several_labels,    // "1,2"
  bad_label,         // no number
  bad_index,         // no whole number from 0 to 2^31 - 2
  no_colon,          // an index without a value
  bad_value,         // no number
  too_large,         // a number that no double holds
  repeated_index,    // twice in a row
  descending_index,  // after a larger one
  bad_query,         // qid: without a whole number, or in some lines only
};

// CSR rows with indices as they are written, or the first fault and where it stands.
struct SvmlightRows {
  std::vector<double> labels, values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts, queries;  // no queries where no line has one
  SvmlightFault fault = SvmlightFault::none;
  std::int64_t line = 0, at = 0;  // number of the line, from 1, and of the byte, from 0
};

// The text is cut into pieces that are read on all threads.
SvmlightRows read_svmlight(std::string_view text);

}  // namespace maxmargin
