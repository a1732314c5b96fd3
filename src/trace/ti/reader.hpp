// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "op/stream.hpp"
#include "trace/ti/actions.hpp"
#include "trace/ti/files.hpp"
#include "trace/ti/known_lines.hpp"
#include "trace/ti/requests.hpp"
#include "trace/ti/words.hpp"

namespace orrery::trace::ti {

/// What all ranks of a trace share.
struct Terms {
  double flops_per_s = 1e9;                         ///< that computation is divided by
  std::array<op::RoutineId, actions> routine = {};  ///< numbers of routines, by action
};

/// The stream of one rank of a time-independent trace, line by line, as SMPI's replayer takes it: everything happens on
/// MPI_COMM_WORLD; a wait for what is not open does nothing; waitall waits for all that is open, as does the end.
/// About 320 bytes for each rank besides its open requests.
/// Source: SimGrid 3.32, manual of `smpirun -replay`.
class Reader {
 public:
  /// @param known shared by all ranks
  Reader(const Files& files, const Terms& terms, KnownLines& known, std::uint32_t rank);

  /// @throws InputError naming file and line of what cannot be read
  op::Pull next(op::Operation& operation);
  void reply(const op::Reply& reply);

 private:
  static constexpr std::int64_t most_elements = std::int64_t{1} << 50;  ///< so that bytes stay far from 64 bits' end

  bool read_line();
  [[nodiscard]] bool begins_with_own() const;
  void leave_line();
  [[nodiscard]] bool computes();
  bool act(Action action, op::Operation& operation);
  bool repeat_known(op::Operation& operation);
  bool message(Action action, op::Operation& operation);
  std::optional<Message> send(Action action);
  std::optional<Message> receive(Action action);
  void begin(op::Operation& operation, const Message& message);
  void exchange(op::Operation& operation);
  bool wait(Action action, op::Operation& operation);
  bool wait_for_all(op::Operation& operation);
  void end(op::Operation& operation);
  op::Pull hand_over(op::Operation& operation);
  void begin(op::Operation& operation, Action action, op::Kind kind, unsigned flags = 0) const;

  // reader_collectives.cpp
  void collective(Action action, op::Operation& operation);
  void reduction(Action action, op::Operation& operation);
  void equal_blocks(Action action, op::Operation& operation);
  void rooted_vector(Action action, op::Operation& operation);
  void all_to_all_v(op::Operation& operation);
  std::int64_t read_counts();
  void scale_counts(std::size_t from, std::int64_t by);

  [[nodiscard]] std::int64_t number(const char* what);
  [[nodiscard]] std::int64_t count(const char* what);
  [[nodiscard]] std::int32_t peer(const char* what);
  [[nodiscard]] std::int32_t optional_root();
  [[nodiscard]] double seconds_of_flops();
  [[nodiscard]] std::int64_t datatype();
  [[nodiscard]] Requests::Key key();
  [[noreturn]] void refuse(const std::string& what) const;

  const Files* files_;
  const Terms* terms_;
  KnownLines* known_;
  std::uint32_t rank_;
  std::uint32_t piece_ = 0;
  std::uint64_t own_ = 0;         ///< what its lines begin with, its number and a blank, as characters in their order
  std::uint64_t own_mask_ = 0;    ///< of its characters; none: they are more than eight
  std::uint32_t own_length_ = 0;  ///< in characters
  std::string_view left_;         ///< of the piece, from where `line_` begins
  const char* line_ = nullptr;    ///< the present one, null before the first and behind the last
  Words words_{{}};
  KnownLines::Letters letters_;  ///< of the present line, if it is short and not a computation
  bool finalized_ = false;
  std::uint8_t more_ = 0;  ///< operations that a sendRecv still is
  std::int64_t default_bytes_ = 1;
  std::int32_t collectives_ = 0;
  double compute_s_ = 0;  ///< before the next operation
  double after_s_ = 0;    ///< after the present one
  op::Operation second_;  ///< of a sendRecv
  Requests requests_;
  std::vector<op::RequestId> list_;
  std::vector<std::int64_t> counts_;
};

}  // namespace orrery::trace::ti
