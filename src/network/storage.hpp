// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "network/flow_engine.hpp"
#include "platform/platform.hpp"

/// What an access to a file costs: a parallel file system of equal servers, over which files are striped.
namespace orrery::network {

/// The section [storage] of a platform. Rates are those of one server; 0 is no rate of that kind.
struct StorageParameters {
  std::uint32_t servers = 4;
  Bytes stripe{1 << 20};            ///< consecutive bytes of a file that lie on one server
  Bandwidth read_bandwidth{1e9};    ///< of a server, when it only reads
  Bandwidth write_bandwidth{1e9};   ///< when it only writes; both together reach the larger of the two
  Duration latency{500e-6};         ///< of an access, however many servers take part
  Duration metadata_latency{1e-3};  ///< of opening, closing, deleting, resizing
  Bandwidth node_bandwidth{};       ///< what all ranks of a node reach together; 0: no bound
};

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
  /// @throws InputError when there are no servers, or a rate, a latency or the stripe is not one
  Storage(const StorageParameters& parameters, std::size_t hosts);

  /// @param now never decreases from call to call
  void start(const FileAccess& access, SimTime now);
  [[nodiscard]] std::optional<SimTime> next_event() { return flows_.next_event(); }
  /// Appends the accesses that end at `now`, in the order in which their last flows were started.
  void advance(SimTime now, std::vector<AccessId>& ended);

 private:
  void start_flow(const FileAccess& access, std::uint32_t server, std::int64_t bytes, SimTime now);

  StorageParameters parameters_;
  FlowEngine flows_;
  std::vector<AccessId> access_of_;        ///< by flow
  std::vector<TransferId> unused_;         ///< flows
  std::vector<std::uint32_t> flows_left_;  ///< by access
  std::vector<TransferId> flows_ended_;
};

/// Bytes of [0, `end`) that lie on `server` of `servers`, the first stripe being on server 0.
[[nodiscard]] std::int64_t striped_bytes(std::int64_t end, std::uint32_t server, std::uint32_t servers, Bytes stripe);

}  // namespace orrery::network
