#include "maxmargin/dual/row_groups.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

// Which group each row is in, or -1. Problem by problem, the rows of a group that are in it part from those that are not.
std::vector<Index> group_numbers(Index rows, std::span<const std::span<const Index>> used) {
  std::vector<Index> group(std::size_t(rows), 0);
  std::vector<Index> part(1, 0);  // the group that those of a group go to now
  std::vector<std::size_t> since(1, 0);
  for (std::size_t p = 0; p < used.size(); ++p)
    for (const Index row : used[p]) {
      const Index from = group[row];
      if (since[from] != p + 1) {
        since[from] = p + 1;
        part[from] = Index(part.size());
        part.push_back(0);
        since.push_back(0);
      }
      group[row] = part[from];
    }
  std::vector<Index> number(part.size(), -1);  // of those that have rows, by their first one; group 0 is in no problem
  Index count = 0;
  for (Index& g : group) {
    if (g != 0 && number[g] < 0) number[g] = count++;
    g = number[g];
  }
  return group;
}

// Do all rows of the group stand here, one after the other?
bool stands_at(const RowGroup& group, std::span<const Index> rows) {
  return group.rows.size() <= rows.size() && std::equal(group.rows.begin(), group.rows.end(), rows.begin());
}

}  // namespace

std::vector<RowGroup> row_groups(Index rows, std::span<const std::span<const Index>> used) {
  const std::vector<Index> group = group_numbers(rows, used);
  std::vector<RowGroup> groups(group.empty() ? 0 : std::size_t(1 + *std::max_element(group.begin(), group.end())));
  std::vector<Index> place(group.size()), seen(group.size(), 0);   // in its group; how often so far where they are scattered
  std::vector<std::vector<std::size_t>> scattered(groups.size());  // places of a group
  for (std::size_t row = 0; row < group.size(); ++row)
    if (group[row] >= 0) {
      place[row] = Index(groups[group[row]].rows.size());
      groups[group[row]].rows.push_back(Index(row));
    }
  for (std::size_t p = 0; p < used.size(); ++p)
    for (std::size_t k = 0; k < used[p].size();) {
      const Index row = used[p][k], g = group[row];
      RowGroup& own = groups[g];
      if (stands_at(own, used[p].subspan(k))) {
        own.places.push_back({Index(p), Index(k), {}});
        k += own.rows.size();
        continue;
      }
      const auto among = std::size_t(seen[row]++);
      if (among == scattered[g].size()) {
        scattered[g].push_back(own.places.size());
        own.places.push_back({Index(p), 0, std::vector<Index>(own.rows.size())});
      }
      own.places[scattered[g][among]].scattered[place[row]] = Index(k++);
    }
  return groups;
}

}  // namespace maxmargin
