// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// Something that goes on while the rank does other things: a non-blocking collective's data plane.
struct Task {
  virtual ~Task() = default;
  /// Does what can be done now; true once all is done. Called from the progress loop whenever messages of a
  /// collective have arrived.
  virtual bool advance() = 0;
};

/// One rank: all state of the library hangs off this object, so that several could live in one process.
///
/// Time plane: `push` sends operations to the kernel. Data plane: `post_collective`, `take_collective` and the
/// point-to-point engine move bytes between processes. The two meet only where MPI leaves a choice: then the rank waits
/// for the kernel's answer. `progress` is the only place that reads the inbox; whoever waits does so through
/// `wait_until`, so that peers that wait for room in our inbox always get it: no rank ever sleeps on anything else.
class Rank {
 public:
  [[nodiscard]] int world_rank() const;
  [[nodiscard]] int world_size() const;

  // --- time plane -------------------------------------------------------------------------------------------------
  /// Sends an operation to the kernel. Fills in routine, computation since the last call and FirstOfCall; makes
  /// progress while the ring is full.
  void push(op::Operation operation);
  /// The same for an operation that is answered: waits for the answer, making progress.
  const channel::ReplySlot& ask(op::Operation operation);
  [[nodiscard]] op::RequestId new_request_id();
  void free_request_id(op::RequestId id);

  // --- data plane -------------------------------------------------------------------------------------------------
  /// Drains the inbox, sorts what came, advances tasks. Never sleeps.
  void progress();
  /// Makes progress until `done()`, sleeping on the own doorbell when there is nothing to do.
  template <class Done>
  void wait_until(Done&& done);

  /// Sends bytes of a collective call to a world rank: copied at once unless they are many, then pulled by the
  /// receiver: the returned token is true when `data` may be reused (always, for small ones). `part` tells apart
  /// several messages of one call between the same two ranks.
  class SendToken;
  [[nodiscard]] SendToken post_collective(std::int32_t dest, op::CommId comm, std::int32_t call, std::uint32_t part,
                                          std::span<const std::byte> data);
  /// The message of a collective call from a world rank if it has arrived, else null. `read` copies its payload and
  /// releases it; then it is gone.
  class Arrived;
  [[nodiscard]] Arrived* find_collective(std::int32_t source, op::CommId comm, std::int32_t call, std::uint32_t part);
  [[nodiscard]] static std::int64_t size_of(const Arrived& message);
  void read(Arrived* message, std::span<std::byte> into);

  void add_task(std::shared_ptr<Task> task);  ///< dropped once `advance` gave true

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The rank of the calling process; MPI must be initialised.
[[nodiscard]] Rank& this_rank();

}  // namespace orrery::mpi
