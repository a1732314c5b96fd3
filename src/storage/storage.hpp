// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "platform/platform.hpp"
#include "settings/storage.hpp"
#include "sharing/flow_engine.hpp"

/// What an access to a file costs: a parallel file system of equal servers, over which files are striped.
namespace orrery::storage {

/// A small file system of typical values, where a platform says nothing.
[[nodiscard]] inline settings::Storage typical() {
  settings::Storage storage;
  storage.servers = 4;
  storage.read_bandwidth_bytes_per_s = storage.write_bandwidth_bytes_per_s = 1e9;
  return storage;
}

using AccessId = std::uint32_t;  ///< chosen by the kernel: dense, reused

/// Bytes that one call reads or writes. They may lie scattered: `bytes` of them between `offset` and `offset + span`.
struct FileAccess {
  AccessId id = 0;
  platform::HostId host = 0;
  bool writes = false;
  std::uint32_t first_server = 0;  ///< where the file's first stripe lies
  Bytes bytes;
  std::int64_t offset = 0;
  std::int64_t span = 0;
};

/// Accesses under way. Each waits for its latency and is then one flow to every server that holds some of its bytes; it
/// ends with the last of them. Flows share servers and nodes by max-min fairness, as those of messages share links.
///
/// Scattered bytes are taken to lie evenly over their span, and to be asked for in one request.
class Storage {
 public:
  /// @throws InputError for a value that the table does not allow
  Storage(const settings::Storage& settings, std::size_t hosts);

  /// @param now never decreases from call to call
  void start(const FileAccess& access, SimTime now);
  [[nodiscard]] std::optional<SimTime> next_event() { return flows_.next_event(); }
  /// Appends the accesses that end at `now`, in the order in which their last flows were started.
  void advance(SimTime now, std::vector<AccessId>& ended);

 private:
  void start_flow(const FileAccess& access, std::uint32_t server, std::int64_t bytes, SimTime now);

  settings::Storage settings_;
  sharing::FlowEngine flows_;
  std::vector<AccessId> access_of_;          ///< by flow
  std::vector<sharing::TransferId> unused_;  ///< flows
  std::vector<std::uint32_t> flows_left_;    ///< by access
  std::vector<sharing::TransferId> flows_ended_;
};

/// Bytes of [0, `end`) that lie on `server` of `servers`, the first stripe being on server 0.
[[nodiscard]] std::int64_t striped_bytes(std::int64_t end, std::uint32_t server, std::uint32_t servers,
                                         std::int64_t stripe);

}  // namespace orrery::storage
