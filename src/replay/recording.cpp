// SPDX-License-Identifier: BSD-3-Clause
#include "replay/recording.hpp"

#include "base/error.hpp"
#include "collective/fixed.hpp"

namespace orrery::replay {

Recording::Recording(op::Streams& streams, kernel::Groups& groups, const std::string& path, std::uint32_t ranks,
                     std::uint32_t capacity)
    : recorder_(streams, path, ranks, capacity, [&groups](op::CommId comm) {
        return trace::Recorder::Members{groups.members(comm), groups.first_group(comm)};
      }) {}

void Recording::describe(const std::vector<std::pair<std::string, std::string>>& properties,
                         const std::vector<std::string_view>& routine_names,
                         const std::vector<std::string_view>& hosts) {
  for (const auto& [key, value] : properties) recorder_.add_property(key, value);
  recorder_.add_names(ORRERY_TRACE_ROUTINES, routine_names);
  recorder_.add_names(ORRERY_TRACE_HOSTS, hosts);
}

void Recording::add_beginnings(std::span<const startup::Beginning> beginnings, op::RoutineId init_routine) {
  std::int32_t rank = 0;
  if (!beginnings.empty()) init_routine_ = init_routine;
  for (const startup::Beginning& beginning : beginnings)
    recorder_.started(rank++, init_routine, beginning.enters, beginning.leaves);
}

void Recording::add_local_calls(std::span<const kernel::ProfileRow> rows) {
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint32_t rank = rows[i].rank;
    std::vector<orrery_trace_local_calls> of_rank;
    for (; i < rows.size() && rows[i].rank == rank; ++i)
      if (init_routine_ == 0 || rows[i].routine != init_routine_)
        of_rank.push_back({.phase = rows[i].phase, .routine = rows[i].routine, .calls = rows[i].calls, .time_ns = 0});
    recorder_.add_local_calls(rank, of_rank);
  }
}

std::string Recording::close() {
  try {
    recorder_.close();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void Recording::happened(std::int32_t rank, std::uint32_t thread, const op::Operation& /*operation*/, SimTime begin,
                         SimTime end) {
  if (thread == 0) recorder_.happened(rank, begin, end);  // those of threads have been written before they are over
}

void Recording::chose(std::int32_t rank, const op::Operation& call, const collective::Choice& choice) {
  if (choice.algorithm->topology) return recorder_.ran(rank, call, collective::spelled(choice));
  std::string& spelled = spelled_[Key{choice.algorithm, choice.segment.count, choice.fanout}];
  if (spelled.empty()) spelled = collective::spelled(choice);
  recorder_.ran(rank, call, spelled);
}

}  // namespace orrery::replay
