// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "op/op.hpp"

namespace orrery::trace::ti {

/// What a line of a time-independent trace says; the names are those of SMPI's replayer.
enum class Action : std::uint8_t {
  Init,
  Finalize,
  Nothing,  ///< comm_size, comm_split, comm_dup, location: nothing that takes time
  Compute,
  Sleep,
  Send,
  Ssend,
  Bsend,
  Isend,
  Issend,
  Ibsend,
  Recv,
  Irecv,
  SendRecv,
  Test,
  Wait,
  WaitAll,
  Barrier,
  Bcast,
  Reduce,
  Allreduce,
  Alltoall,
  Alltoallv,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allgather,
  Allgatherv,
  ReduceScatter,
  Scan,
  Exscan,
};
inline constexpr std::size_t actions = 32;

struct Described {
  std::string_view name;     ///< in traces
  std::string_view routine;  ///< that the profile counts it under; empty: none
  Action action;
};

/// By name; null for what SMPI's replayer does not know either.
[[nodiscard]] const Described* find(std::string_view name);
/// The name of the routine that an action is.
[[nodiscard]] std::string_view routine_of(Action action);
/// The name of an action, as traces have it.
[[nodiscard]] std::string_view name_of(Action action);
/// Which collective an action is, and back; nothing for those that the other side lacks.
[[nodiscard]] std::optional<op::CollectiveKind> collective_of(Action action);
[[nodiscard]] std::optional<Action> action_of(op::CollectiveKind kind);

/// Bytes of an element of the datatype with SMPI's number; 1 for others: SMPI counts types of the program's own in
/// bytes.
[[nodiscard]] std::int64_t datatype_bytes(std::int64_t code);

/// Numbers that SMPI has for ranks and tags that are none.
inline constexpr std::int64_t undefined = -333;  ///< its tracer's word for any source
inline constexpr std::int64_t any_tag = -444;
inline constexpr std::int64_t any_source = -555;
inline constexpr std::int64_t process_null = -666;

}  // namespace orrery::trace::ti
