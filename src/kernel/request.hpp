// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/quantity.hpp"
#include "kernel/queues.hpp"

namespace orrery::kernel {

/// A request of one rank or of one collective algorithm.
struct Request : Tagged<Request> {
  enum class Kind : std::uint8_t { Send, Receive, Collective, OneSided, Join, Partitioned, File };

  Kind kind = Kind::Send;
  bool complete = false;
  bool paid = false;  ///< its receive overhead has been charged
  bool cancelled = false;
  bool detached = false;              ///< nobody will ask for it: freed when it completes
  bool wants_match = false;           ///< kept after its completion until Match asks for it
  bool posted = false;                ///< in a queue of posted receives
  std::int32_t rank = 0;              ///< who posted it
  std::int32_t peer = 0;              ///< for reports
  CursorIndex waiter = none;          ///< cursor that waits for it
  RequestIndex join = none;           ///< request that it is part of
  std::uint32_t parts = 0;            ///< Join: parts that are not complete
  PartitionsIndex partitions = none;  ///< Partitioned: what has come of it
  SimTime posted_at;                  ///< receives
  Duration overhead;                  ///< receives: T3, due when the request is waited for
  std::int32_t matched_source = op::any_source, matched_tag = op::any_tag;
  std::uint32_t sequence = 0;
  Bytes bytes;
  std::uint32_t pending = 0;  ///< one-sided operations that it counts; Join: partitions that are still to be posted
  /// Those one-sided operations that take effect in order and have not, in the order of their calls.
  OneSidedIndex first_ordered = none, last_ordered = none;
};

}  // namespace orrery::kernel
