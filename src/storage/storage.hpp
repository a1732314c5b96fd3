// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "platform/platform.hpp"
#include "settings/storage.hpp"
#include "sharing/flow_engine.hpp"

/// Time of accesses to files: a parallel file system with equal servers, over which files are striped.
namespace orrery::storage {

/// Settings for a platform without `[storage]`: four servers of 1 GB/s each.
[[nodiscard]] inline settings::Storage typical() {
  settings::Storage storage;
  storage.servers = 4;
  storage.read_bandwidth_bytes_per_s = storage.write_bandwidth_bytes_per_s = 1e9;
  return storage;
}

using AccessId = std::uint32_t;  ///< chosen by the caller: small numbers, reused

/// Bytes that one call reads or writes: `bytes` bytes in [offset, offset + span), where they may be scattered.
struct FileAccess {
  AccessId id = 0;
  platform::HostId host = 0;
  bool writes = false;
  std::uint32_t first_server = 0;  ///< server of the first stripe of the file
  Bytes bytes;
  std::int64_t offset = 0;
  std::int64_t span = 0;
};

/// Accesses under way. An access waits for its latency and is then one flow to each server that holds some of its
/// bytes. It ends when its last flow ends. The flows share the bandwidth of servers and nodes by max-min fairness, as
/// the flows of messages share links.
///
/// Scattered bytes are assumed to be spread evenly over their span, and to be requested at once.
class Storage {
 public:
  /// @param hosts number of hosts of the platform
  /// @throws InputError for a value that is out of the range of its key
  Storage(const settings::Storage& settings, std::size_t hosts);

  /// Starts an access.
  /// @param now never decreases from call to call
  void start(const FileAccess& access, SimTime now);
  /// Time of the next event; none if no access is under way.
  [[nodiscard]] std::optional<SimTime> next_event() { return flows_.next_event(); }
  /// Appends the accesses that end at `now`, in the order in which their last flows were started.
  void advance(SimTime now, std::vector<AccessId>& ended);

 private:
  void start_flow(const FileAccess& access, std::uint32_t server, std::int64_t bytes, SimTime now);

  settings::Storage settings_;
  sharing::FlowEngine flows_;
  std::vector<AccessId> access_of_;          ///< by flow
  std::vector<sharing::TransferId> unused_;  ///< numbers of flows that may be used again
  std::vector<std::uint32_t> flows_left_;    ///< by access: flows that have not ended
  std::vector<sharing::TransferId> flows_ended_;
};

/// Number of bytes of [0, end) on `server`, with stripes of `stripe` bytes over `servers` servers and the first stripe
/// on server 0.
[[nodiscard]] std::int64_t striped_bytes(std::int64_t end, std::uint32_t server, std::uint32_t servers,
                                         std::int64_t stripe);

}  // namespace orrery::storage
