// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "kernel/pool.hpp"
#include "op/op.hpp"

namespace orrery::kernel {

/// Where a rank, or one of its non-blocking collectives, is in its stream.
struct Cursor {
  enum class State : std::uint8_t {
    Ready,     ///< reads its next operation at `clock`
    Computes,  ///< before the operation that it has read; only where ranks share processors
    Begins,    ///< has read one; it begins at `clock`, after the computation
    Leaves,    ///< the collective that it is inside of is over at `clock`
    Resumes,   ///< at `clock`, one of the requests that it waits for is complete
    Wakes,     ///< one was complete at `clock`; where ranks share processors, when it is its turn
    Waits,     ///< for requests, or for a message (Probe)
    Parked,    ///< nothing came, but threads of the rank wait for answers, or it waits outside: it is not waited for
    Ended,
  };

  State state = State::Ready;
  std::int32_t rank = 0;
  std::uint32_t serial = 0;  ///< 0: the rank's own stream
  SimTime clock;
  SimTime begun;                           ///< when the present operation of the stream began
  std::uint32_t remaining = 0;             ///< requests that a WaitAll still waits for
  RequestIndex own_request = none;         ///< of a blocking operation
  FrameIndex frame = none;                 ///< collective that it is inside of
  const op::Operation* current = nullptr;  ///< `operation`, or the one that the frame's script yielded
  op::Operation operation;                 ///< last of the stream
  Duration to_compute;                     ///< Computes: what is left
  Duration used;                           ///< of the time slice of this turn: what it has computed
  bool waited = false;                     ///< for its turn on a shared processor
  bool will_rest = false;                  ///< an event will look whether it sleeps
  bool from_afar = false;                  ///< Wakes, Resumes: by a message from another node, in its sleep
  std::uint32_t thread = 0;                ///< who is answered, of an operation Apart
  std::vector<op::RequestId> requests;     ///< lists of an operation Apart
  std::vector<std::int64_t> counts;
};

}  // namespace orrery::kernel
