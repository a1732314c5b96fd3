// SPDX-License-Identifier: BSD-3-Clause
#include "replay/check.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "op/sleep.hpp"
#include "op/vocabulary.hpp"

namespace orrery::replay {
namespace {

using op::CollectiveKind;

/// A simulated exabyte: sums of such numbers stay far from the end of 64 bits.
constexpr std::int64_t most_bytes = std::int64_t{1} << 60;

/// A simulated century.
constexpr double most_late_s = 3.2e9;

[[noreturn]] void refuse(std::int32_t rank, const std::string& what) {
  throw InputError(concat("rank ", rank, " of the trace: ", what));
}

bool sane(std::int64_t bytes) { return bytes >= 0 && bytes <= most_bytes; }

/// Whether `list` is how many neighbours there are, then rank and bytes of each; goes behind them.
bool neighbours(std::span<const std::int64_t>& list, bool counted, std::int64_t ranks) {
  std::size_t count = list.size() / 2;
  if (counted) {
    if (list.empty() || list[0] < 0 || static_cast<std::uint64_t>(list[0]) > (list.size() - 1) / 2) return false;
    count = static_cast<std::size_t>(list[0]);
    list = list.subspan(1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (list[2 * i] < 0 || list[2 * i] >= ranks || !sane(list[2 * i + 1])) return false;
  }
  list = list.subspan(2 * count);
  return true;
}

void check_collective(std::int32_t rank, const op::Operation& operation, kernel::Groups& groups) {
  const auto members = groups.members(operation.comm);
  if (members.empty()) refuse(rank, concat("a collective on communicator ", operation.comm, ", which is not defined"));
  const auto size = static_cast<std::int64_t>(members.size());
  const bool inter = groups.first_group(operation.comm) != 0;
  const bool special = inter && (operation.peer == op::root_here || operation.peer == op::no_part);
  if (op::is_rooted(operation.collective) && !special && (operation.peer < 0 || operation.peer >= size))
    refuse(rank, concat("a collective with the root ", operation.peer, " among ", size, " ranks"));
  if (operation.element < 0 || operation.element > most_bytes) refuse(rank, "a collective with a negative element");
  std::span<const std::int64_t> counts = operation.counts;
  if (op::is_among_neighbors(operation.collective)) {
    if (!neighbours(counts, true, size) || !neighbours(counts, false, size))
      refuse(rank, "a collective among neighbours that do not exist");
  } else if (!std::all_of(counts.begin(), counts.end(), sane)) {
    refuse(rank, "a collective with a negative count");
  }
  // Algorithms add up what all ranks have.
  std::int64_t most = operation.bytes.count;
  for (const std::int64_t count : operation.counts) most = std::max(most, count);
  if (most > most_bytes / size) refuse(rank, concat("a collective of ", most, " bytes among ", size, " ranks"));
}

}  // namespace

void check(std::int32_t rank, const op::Operation& operation, kernel::Groups& groups, std::uint32_t ranks) {
  if (!sane(operation.bytes.count) && operation.kind != op::Kind::FilePosition)
    refuse(rank, concat("an operation of ", operation.bytes.count, " bytes"));
  switch (operation.kind) {
    case op::Kind::Sleep:
      if (const double late_s = op::length_of(operation).s;
          operation.has(op::Late) && !(late_s >= 0 && late_s <= most_late_s))
        refuse(rank, concat("it is late by ", late_s, " seconds"));
      return;
    case op::Kind::Collective: return check_collective(rank, operation, groups);
    case op::Kind::Isend:
    case op::Kind::Psend:
    case op::Kind::Put:
    case op::Kind::Get:
    case op::Kind::Accumulate:
    case op::Kind::GetAccumulate:
      if (operation.peer < 0 || static_cast<std::uint32_t>(operation.peer) >= ranks)
        refuse(rank, concat("an operation on rank ", operation.peer, ", which does not exist"));
      return;
    case op::Kind::Irecv:
    case op::Kind::Precv:
    case op::Kind::Probe:
    case op::Kind::Iprobe:
    case op::Kind::Lock:
    case op::Kind::Unlock:
      if (operation.peer < op::any_source || operation.peer >= static_cast<std::int32_t>(ranks))
        refuse(rank, concat("an operation on rank ", operation.peer, ", which does not exist"));
      return;
    case op::Kind::Arrived:
      if (operation.element < 0 ||
          (operation.bytes.count > 0 && operation.element >= most_bytes / operation.bytes.count))
        refuse(rank, concat("piece ", operation.element, " of ", operation.bytes.count, " bytes"));
      return;
    case op::Kind::CommFree:
      if (groups.members(operation.comm).empty())
        refuse(rank, concat("communicator ", operation.comm, " is freed, which is not defined"));
      return;
    case op::Kind::Reduce:
    case op::Kind::Copy: refuse(rank, "a step of a collective algorithm outside of any");
    default: return;
  }
}

}  // namespace orrery::replay
