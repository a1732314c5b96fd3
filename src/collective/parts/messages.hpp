// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collective/parts/slice.hpp"
#include "op/script.hpp"

/// What algorithms say to each other's ranks. A message of no bytes is not sent at all, and its receiver knows that:
/// hence batches, which may be empty. Libraries do send some empty messages: algorithms that are to send the same ones
/// say `even_empty`.
namespace orrery::collective {

/// Whether an operation starts a message.
[[nodiscard]] inline bool is_message(const op::Operation& operation) {
  return operation.kind == op::Kind::Isend || operation.kind == op::Kind::Irecv;
}

enum class Empty : std::uint8_t {
  Skipped,  ///< a message of no bytes is not sent
  Sent,     ///< it is sent like others
};

[[nodiscard]] op::Batch<1> send(int to, Slice data, Empty empty = Empty::Skipped);
[[nodiscard]] op::Batch<1> recv(int from, Slice data, Empty empty = Empty::Skipped);

[[nodiscard]] op::Operation send_even_empty(int to, Slice data);
[[nodiscard]] op::Operation recv_even_empty(int from, Slice data);

/// Sends `out` and receives `in` at the same time, then waits for both.
[[nodiscard]] op::Batch<3> exchange(int to, Slice out, int from, Slice in, Empty empty = Empty::Skipped);
[[nodiscard]] op::Batch<3> exchange_even_empty(int to, Slice out, int from, Slice in);

/// A receive that is waited for later; two may be under way, in slots 0 and 1.
[[nodiscard]] op::Operation receive_ahead(int slot, int from, Slice data);
[[nodiscard]] op::Operation await_ahead(int slot);

/// Messages without content, which are sent: they carry the news that the sender has come.
[[nodiscard]] op::Operation signal(int to);
[[nodiscard]] op::Operation await_signal(int from);
[[nodiscard]] op::Batch<3> exchange_signals(int to, int from);

[[nodiscard]] op::Batch<1> copy(Region into, Slice from);
/// into = from op into, `from` being the operand of lower ranks.
[[nodiscard]] op::Batch<1> combine(Region into, Slice from);

/// Any number of messages that are started one after the other and waited for together.
class Started {
 public:
  Started() = default;
  /// Leaves requests below `first` to others; 3 leaves those of `receive_ahead`.
  explicit Started(op::RequestId first) : first_(first) {}
  /// What `isend` and `irecv` do with messages of no bytes.
  explicit Started(Empty empty) : empty_(empty) {}

  [[nodiscard]] op::Batch<1> isend(int to, Slice data);
  [[nodiscard]] op::Batch<1> irecv(int from, Slice data);
  [[nodiscard]] op::Batch<1> isend_even_empty(int to, Slice data);
  [[nodiscard]] op::Batch<1> irecv_even_empty(int from, Slice data);
  [[nodiscard]] op::Batch<1> isend_signal(int to);
  [[nodiscard]] op::Batch<1> irecv_signal(int from);
  /// Waits for all of them; the requests may be used again after that.
  [[nodiscard]] op::Batch<1> wait_all();

 private:
  op::RequestId next();

  op::RequestId first_ = 1;
  Empty empty_ = Empty::Skipped;
  std::vector<op::RequestId> requests_;  ///< first, first + 1, ...
  std::size_t active_ = 0;
};

}  // namespace orrery::collective
