// SPDX-License-Identifier: BSD-3-Clause
#include "launch/describe.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "launch/ranks_text.hpp"
#include "launch/routine_name.hpp"

namespace orrery::launch {
namespace {

using kernel::Deadlock;
using kernel::Waiting;
using Names = std::span<const std::string_view>;

constexpr std::size_t most_lines = 20;

std::string comm_name(op::CommId comm) { return comm == 0 ? "MPI_COMM_WORLD" : concat("communicator ", comm); }

bool receives(op::Kind kind) { return kind == op::Kind::Irecv || kind == op::Kind::Probe; }

/// "MPI_Recv(source=1, tag=7, MPI_COMM_WORLD, 8 bytes)"; what the operation does not have is left out.
std::string call(const Waiting& waiting, Names names) {
  const std::string routine = routine_name(waiting.routine, names);
  if (waiting.kind == op::Kind::Collective) return concat(routine, "(", comm_name(waiting.comm), ")");
  const bool envelope = receives(waiting.kind) || waiting.kind == op::Kind::Isend;
  if (!envelope) return routine;
  const std::string peer = waiting.peer ? concat(*waiting.peer) : "any";
  const std::string tag = waiting.tag == op::any_tag ? "any" : concat(waiting.tag);
  const std::string size = waiting.kind == op::Kind::Probe ? "" : concat(", ", waiting.bytes.count, " bytes");
  return concat(routine, receives(waiting.kind) ? "(source=" : "(dest=", peer, ", tag=", tag, ", ",
                comm_name(waiting.comm), size, ")");
}

/// "another tag and another communicator": in what a message is not the one that is waited for.
std::string differences(const Waiting& waiting, const kernel::Unmatched& message) {
  std::string text;
  const auto add = [&](bool differs, const char* what) {
    if (differs) text += concat(text.empty() ? "another " : " and another ", what);
  };
  add(waiting.peer && *waiting.peer != message.source, "source");
  add(waiting.tag != op::any_tag && waiting.tag != message.tag, "tag");
  add(waiting.comm != message.comm, "communicator");
  return text;
}

/// "; a message from rank 0, tag 1, MPI_COMM_WORLD, 4 bytes, has come and is not received: another tag"
std::string nearest(const Waiting& waiting) {
  if (!waiting.nearest) return "";
  const kernel::Unmatched& message = *waiting.nearest;
  return concat("; a message from rank ", message.source, ", tag ", message.tag, ", ", comm_name(message.comm), ", ",
                message.bytes.count, " bytes, is there and not received: ", differences(waiting, message));
}

std::string situation(const Waiting& waiting, Names names) {
  const std::string whom = waiting.peer ? concat(" for rank ", *waiting.peer) : "";
  return concat(call(waiting, names), " waits", whom, waiting.peer_ended ? ", which has ended" : "", nearest(waiting));
}

/// The lines, or the first of them and how many ranks the others are about.
struct Line {
  std::string text;
  std::size_t ranks = 1;
};

std::string joined(const std::vector<Line>& lines) {
  std::string text;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < most_lines) {
      text += concat("\n  ", lines[i].text);
    } else {
      left_out += lines[i].ranks;
    }
  }
  return left_out > 0 ? concat(text, "\n  ... and ", left_out, " more") : text;
}

std::string circle(const Deadlock& deadlock, Names names) {
  std::vector<Line> lines;
  for (std::int32_t rank : deadlock.cycle) {
    const auto at = std::lower_bound(deadlock.waiting.begin(), deadlock.waiting.end(), rank,
                                     [](const Waiting& waiting, std::int32_t r) { return waiting.rank < r; });
    if (at != deadlock.waiting.end() && at->rank == rank) {
      lines.push_back({concat("rank ", rank, ": ", situation(*at, names))});
    }
  }
  return joined(lines);
}

using RanksOfSituations = std::map<std::string, std::vector<std::int32_t>>;

/// One line for all ranks in the same situation, by the lowest of them.
std::string groups(RanksOfSituations ranks_of) {
  std::vector<std::pair<std::vector<std::int32_t>, std::string>> sorted;
  for (auto& [text, ranks] : ranks_of) sorted.emplace_back(std::move(ranks), text);
  std::sort(sorted.begin(), sorted.end());
  std::vector<Line> lines;
  for (const auto& [ranks, text] : sorted) lines.push_back({concat(ranks_text(ranks), ": ", text), ranks.size()});
  return joined(lines);
}

std::string groups(const Deadlock& deadlock, Names names) {
  RanksOfSituations ranks_of;
  for (const Waiting& waiting : deadlock.waiting) ranks_of[situation(waiting, names)].push_back(waiting.rank);
  return groups(std::move(ranks_of));
}

}  // namespace

std::string describe(const Deadlock& deadlock, Names routine_names) {
  std::string text;
  if (!deadlock.cycle.empty()) {
    text += concat("These ranks wait for each other in a circle:", circle(deadlock, routine_names), "\n");
  }
  return concat(text, "All that wait (", deadlock.waiting.size(), "):", groups(deadlock, routine_names));
}

std::string describe_standstill(const mpi::channel::Memory& memory, Names routine_names) {
  RanksOfSituations ranks_of;
  for (std::uint32_t rank = 0; rank < memory.header().born.load(); ++rank) {
    const auto routine = static_cast<op::RoutineId>(memory.block(static_cast<int>(rank)).routine.load());
    ranks_of[routine_name(routine, routine_names)].push_back(static_cast<std::int32_t>(rank));
  }
  return concat(
      "no rank can go on: they wait for data that nobody sends. Do all members of a communicator call the same "
      "collective routine, with the same count, datatype, root and operation? All ranks, and where they are:",
      groups(std::move(ranks_of)));
}

}  // namespace orrery::launch
