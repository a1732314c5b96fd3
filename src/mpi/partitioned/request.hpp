// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/object/held.hpp"
#include "mpi/partitioned/inbox.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

/// What both sides of a partitioned communication are given.
struct Partitioned {
  void* buffer = nullptr;
  int partitions = 0;
  std::int64_t count = 0;  ///< elements of a partition
  Datatype* type = nullptr;
  std::int32_t peer = proc_null;  ///< world rank
  int peer_rank = proc_null;      ///< in the communicator
  int tag = 0;
  Comm* comm = nullptr;
  std::uint32_t pair = 0;  ///< which of those of the same ranks, communicator and tag

  [[nodiscard]] Data partition(int number) const;
  [[nodiscard]] std::int64_t partition_bytes() const;
  [[nodiscard]] std::int64_t bytes() const { return partitions * partition_bytes(); }
  /// Whether there is nobody, or nothing, to exchange.
  [[nodiscard]] bool idle() const { return peer == proc_null; }
  /// An empty one is one message, which leaves when all partitions are ready.
  [[nodiscard]] bool empty() const { return bytes() == 0; }
  /// By what the data plane knows messages of this pair.
  [[nodiscard]] PairKey key(std::int32_t source) const {
    return {.source = source, .comm = comm->id, .tag = tag, .pair = pair};
  }
  /// By what the kernel does. It has no room for more, but serves receives and messages in the order of their calls, so
  /// that pairs of the same number only meet if they are started in another order than they were made.
  [[nodiscard]] std::uint16_t pair_of_kernel() const { return static_cast<std::uint16_t>(pair); }
  void check_partition(int number) const;
};

class PartitionedRequest : public Request {
 public:
  explicit PartitionedRequest(const Partitioned& what);

 protected:
  Partitioned what_;

 private:
  Held<Comm> comm_;
  Held<Datatype> type_;
};

class PartitionedSend final : public PartitionedRequest {
 public:
  using PartitionedRequest::PartitionedRequest;
  [[nodiscard]] bool arrived() override;
  void start() override;
  void ready(int partition);

 private:
  std::vector<bool> is_ready_;
  int ready_ = 0;
  std::vector<Rank::SendToken> tokens_;
};

class PartitionedReceive final : public PartitionedRequest {
 public:
  using PartitionedRequest::PartitionedRequest;
  [[nodiscard]] bool arrived() override;
  void start() override;
  [[nodiscard]] bool arrived(int partition);

 private:
  void fetch();
  void take(Kept& partition);
  void account(std::int64_t begin, std::int64_t end);
  void unpack_rest();
  void unpack(int number, std::int64_t bytes);

  std::vector<std::int64_t> missing_;  ///< bytes of each partition that have not come
  std::uint32_t here_ = 0;             ///< of the sender's partitions
  bool all_here_ = false;
  std::vector<std::byte> packed_;  ///< of a type that is not contiguous: what has come
};

}  // namespace orrery::mpi
