#include "maxmargin/text/svmlight.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/text/number.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t piece_bytes = std::size_t(1) << 18;
constexpr std::int32_t largest_index = std::numeric_limits<std::int32_t>::max() - 1;  // so that their number fits, too
constexpr std::string_view query_word = "qid:";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Reads the lines of one piece. Every read of a character is below `end_`, which is that of the line.
class PieceReader {
 public:
  PieceReader(std::string_view text, std::size_t begin, std::size_t end) : text_(text), at_(begin), last_(end) {}

  SvmlightRows read() {
    rows_.starts.push_back(0);
    while (at_ < last_ && rows_.fault == SvmlightFault::none) {
      const void* found = std::memchr(text_.data() + at_, '\n', last_ - at_);
      const std::size_t stop = found == nullptr ? last_ : std::size_t(static_cast<const char*>(found) - text_.data());
      end_ = stop;
      ++rows_.line;
      read_line();
      if (rows_.fault == SvmlightFault::none) at_ = std::min(stop + 1, last_);
    }
    rows_.at = std::int64_t(at_);
    return std::move(rows_);
  }

 private:
  void skip_blanks() {
    while (at_ < end_ && is_blank(text_[at_])) ++at_;
  }
  bool is_over() const { return at_ == end_ || text_[at_] == '#'; }
  bool ends_word(std::size_t at) const { return at == end_ || is_blank(text_[at]) || text_[at] == '#'; }
  void fail(SvmlightFault fault) { rows_.fault = fault; }

  // A number that ends where the word ends; it is passed only if it is one.
  bool take_number(double& value, SvmlightFault otherwise) {
    const ReadNumber found = read_number(text_.substr(at_, end_ - at_));
    if (found.fault == NumberFault::too_large) return fail(SvmlightFault::too_large), false;
    if (found.fault != NumberFault::none || !ends_word(at_ + found.length)) return fail(otherwise), false;
    value = found.value;
    at_ += found.length;
    return true;
  }

  void read_line() {
    skip_blanks();
    if (is_over()) return;
    double label = 0.0;
    if (!take_number(label, SvmlightFault::bad_label)) return explain_label();
    rows_.labels.push_back(label);
    skip_blanks();
    if (text_.substr(at_, end_ - at_).starts_with(query_word) && !take_query()) return;
    read_entries();
    rows_.starts.push_back(std::int64_t(rows_.columns.size()));
    if (rows_.fault == SvmlightFault::none && !rows_.queries.empty() && rows_.queries.size() != rows_.labels.size())
      fail(SvmlightFault::bad_query);
  }

  // A label that is no number may be several, or none.
  void explain_label() {
    if (rows_.fault != SvmlightFault::bad_label) return;
    for (std::size_t k = at_; !ends_word(k); ++k) {
      if (text_[k] == ':') return fail(SvmlightFault::no_label);
      if (text_[k] == ',') return fail(SvmlightFault::several_labels);
    }
  }

  bool take_query() {
    const char *const begin = text_.data() + at_ + query_word.size(), *const end = text_.data() + end_;
    std::int64_t query = 0;
    const auto [stop, error] = std::from_chars(begin, end, query);
    if (error != std::errc() || !ends_word(std::size_t(stop - text_.data()))) return fail(SvmlightFault::bad_query), false;
    at_ = std::size_t(stop - text_.data());
    rows_.queries.push_back(query);
    return true;
  }

  void read_entries() {
    std::int32_t last = -1;
    for (skip_blanks(); !is_over(); skip_blanks()) {
      std::int32_t column = 0;
      const char *const begin = text_.data() + at_, *const end = text_.data() + end_;
      const auto [stop, error] = std::from_chars(begin, end, column);
      if (error != std::errc() || column < 0 || column > largest_index) return fail(SvmlightFault::bad_index);
      if (stop == end || *stop != ':') return fail(SvmlightFault::no_colon);
      if (column <= last) return fail(column == last ? SvmlightFault::repeated_index : SvmlightFault::descending_index);
      at_ = std::size_t(stop + 1 - text_.data());
      double value = 0.0;
      if (!take_number(value, SvmlightFault::bad_value)) return;
      rows_.columns.push_back(last = column);
      rows_.values.push_back(value);
    }
  }

  std::string_view text_;
  std::size_t at_, last_, end_ = 0;
  SvmlightRows rows_;
};

// Where pieces begin, and the end: each begins a line. Their number depends on the text alone.
std::vector<std::size_t> piece_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = piece_bytes; at < text.size();) {
    const std::size_t line = text.find('\n', at);
    if (line == std::string_view::npos || line + 1 == text.size()) break;
    starts.push_back(line + 1);
    at = line + 1 + piece_bytes;
  }
  starts.push_back(text.size());
  return starts;
}

template <class V>
void append(std::vector<V>& all, std::vector<V>& own) {
  all.insert(all.end(), own.begin(), own.end());
  std::vector<V>().swap(own);
}

// One after the other; each piece is let go when it was copied.
SvmlightRows joined(std::vector<SvmlightRows>& pieces) {
  SvmlightRows all;
  std::size_t rows = 0, entries = 0;
  for (const SvmlightRows& piece : pieces) {
    rows += piece.labels.size();
    entries += piece.columns.size();
  }
  all.labels.reserve(rows);
  all.starts.reserve(rows + 1);
  all.columns.reserve(entries);
  all.values.reserve(entries);
  all.starts.push_back(0);
  for (SvmlightRows& piece : pieces) {
    const auto before = std::int64_t(all.columns.size());
    for (std::size_t r = 1; r < piece.starts.size(); ++r) all.starts.push_back(before + piece.starts[r]);
    append(all.labels, piece.labels);
    append(all.columns, piece.columns);
    append(all.values, piece.values);
    append(all.queries, piece.queries);
  }
  return all;
}

}  // namespace

SvmlightRows read_svmlight(std::string_view text) {
  const std::vector<std::size_t> starts = piece_starts(text);
  std::vector<SvmlightRows> pieces(starts.size() - 1);
  parallel_chunks(std::ptrdiff_t(pieces.size()),
                  [&](std::ptrdiff_t p) { pieces[p] = PieceReader(text, starts[p], starts[p + 1]).read(); });
  std::int64_t lines = 0;
  bool has_queries = false, has_none = false;
  for (SvmlightRows& piece : pieces) {
    const bool mixed = !piece.labels.empty() && (piece.queries.empty() ? has_queries : has_none);
    if (piece.fault == SvmlightFault::none && mixed) {  // some pieces have queries, this one does not, or the other way round
      piece.fault = SvmlightFault::bad_query;
      piece.line = 1;
      piece.at = std::int64_t(starts[std::size_t(&piece - pieces.data())]);
    }
    if (piece.fault != SvmlightFault::none) {
      SvmlightRows failed;
      failed.fault = piece.fault;
      failed.line = lines + piece.line;
      failed.at = piece.at;
      return failed;
    }
    lines += piece.line;
    has_queries = has_queries || !piece.queries.empty();
    has_none = has_none || (!piece.labels.empty() && piece.queries.empty());
  }
  return joined(pieces);
}

}  // namespace maxmargin
