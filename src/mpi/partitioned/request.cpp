// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/request.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

/// A message's number holds that of its partition in its lower half, and in its upper one how many others the start
/// has.
constexpr int partition_bits = 16;

[[nodiscard]] std::uint32_t part_number(int partition, int partitions) {
  return static_cast<std::uint32_t>(partitions - 1) << partition_bits | static_cast<std::uint32_t>(partition);
}
[[nodiscard]] std::int64_t number_of(const channel::Message& head) {
  return head.sequence & ((1u << partition_bits) - 1);
}
[[nodiscard]] std::uint32_t others_of(const channel::Message& head) { return head.sequence >> partition_bits; }

}  // namespace

Data Partitioned::partition(int number) const {
  return Data::of(static_cast<std::byte*>(buffer) + number * count * extent_of(*type), count, *type);
}

std::int64_t Partitioned::partition_bytes() const { return count * size_of(*type); }

void Partitioned::check_partition(int number) const {
  if (number >= 0 && number < partitions) return;
  throw Error{err_arg, concat("partition is ", number, ", but there are partitions 0 to ", partitions - 1)};
}

PartitionedRequest::PartitionedRequest(const Partitioned& what) : what_(what), comm_(*what.comm), type_(*what.type) {
  comm = what.comm;
  persistent = true;
  active = false;
  if (what.partitions > 1 << partition_bits) {
    throw Error{err_arg, concat(what.partitions, " partitions, but there can be ", 1 << partition_bits, " at most")};
  }
}

void PartitionedSend::start() {
  active = true;
  ready_ = 0;
  is_ready_.assign(static_cast<std::size_t>(what_.partitions), false);
  if (what_.idle()) return;
  Rank& rank = this_rank();
  id = rank.new_request_id();
  rank.push({.kind = op::Kind::Join,
             .peer = what_.peer,
             .tag = what_.tag,
             .comm = what_.comm->id,
             .request = id,
             .bytes = {what_.empty() ? 1 : what_.partitions}});
}

void PartitionedSend::ready(int partition) {
  what_.check_partition(partition);
  if (!active) throw Error{err_request, "a partition of a request that is not started"};
  if (is_ready_[static_cast<std::size_t>(partition)])
    throw Error{err_arg, concat("partition ", partition, " was ready before")};
  is_ready_[static_cast<std::size_t>(partition)] = true;
  ++ready_;
  if (what_.idle() || (what_.empty() && ready_ < what_.partitions)) return;
  Rank& rank = this_rank();
  rank.push({.kind = op::Kind::Psend,
             .flags = op::Part,
             .algorithm = what_.pair_of_kernel(),
             .peer = what_.peer,
             .tag = what_.tag,
             .comm = what_.comm->id,
             .request = id,
             .bytes = {what_.partition_bytes()},
             .element = what_.empty() ? 0 : partition});
  channel::Message head{};
  address(what_.key(rank.world_rank()), head);
  head.sequence = part_number(partition, what_.empty() ? 1 : what_.partitions);
  tokens_.push_back(rank.payloads().post(what_.peer, head, what_.partition(partition), Reuse::Later));
}

bool PartitionedSend::arrived() {
  while (!tokens_.empty() && tokens_.back().done()) tokens_.pop_back();
  return tokens_.empty() && (ready_ == what_.partitions || what_.idle());
}

void PartitionedReceive::start() {
  active = true;
  status = {.source = what_.peer_rank, .tag = what_.tag};
  if (what_.peer == proc_null) status = {.source = proc_null, .tag = any_tag};
  if (what_.idle()) return;
  here_ = 0;
  all_here_ = false;
  missing_.assign(static_cast<std::size_t>(what_.partitions), what_.partition_bytes());
  if (!what_.partition(0).contiguous()) packed_.resize(static_cast<std::size_t>(what_.bytes()));
  Rank& rank = this_rank();
  id = rank.new_request_id();
  rank.push({.kind = op::Kind::Precv,
             .algorithm = what_.pair_of_kernel(),
             .peer = what_.peer,
             .tag = what_.tag,
             .comm = what_.comm->id,
             .request = id,
             .bytes = {what_.bytes()}});
}

bool PartitionedReceive::arrived() {
  if (what_.idle()) return true;
  fetch();
  return all_here_;
}

/// Takes what has come of this start, which may be less than there is room for.
void PartitionedReceive::fetch() {
  PartitionInbox& inbox = this_rank().partitions();
  const PairKey key = what_.key(what_.peer);
  while (!all_here_ && inbox.oldest(key) != nullptr) {
    const Kept::Owner partition = inbox.take(key);
    take(*partition);
    all_here_ = here_++ == others_of(partition->head);
    if (all_here_) unpack_rest();
  }
}

/// The sender's partitions may be others than the receiver's, but they are equally long too.
void PartitionedReceive::take(Kept& partition) {
  const channel::Message& head = partition.head;
  const std::int64_t begin = std::min(number_of(head) * head.bytes, what_.bytes());
  const std::int64_t end = std::min(begin + head.bytes, what_.bytes());
  if (end - begin < head.bytes) {
    status.error = err_truncate;
    error_text = concat("partitions of more than the ", what_.bytes(), " bytes that the receive has");
  }
  std::byte* into = packed_.empty() ? static_cast<std::byte*>(what_.buffer) : packed_.data();
  const std::span<const std::byte> room(end > begin ? into + begin : into, static_cast<std::size_t>(end - begin));
  this_rank().payloads().fetch(head, partition.payload(), Data::of(room));
  status.bytes += end - begin;
  if (end > begin) account(begin, end);
}

/// Bytes from `begin` to `end` of the whole have come.
void PartitionedReceive::account(std::int64_t begin, std::int64_t end) {
  const std::int64_t size = what_.partition_bytes();
  for (std::int64_t number = begin / size; number * size < end; ++number) {
    std::int64_t& missing = missing_[static_cast<std::size_t>(number)];
    missing -= std::min(end, (number + 1) * size) - std::max(begin, number * size);
    if (missing == 0) unpack(static_cast<int>(number), size);
  }
}

/// A shorter send may end inside of a partition.
void PartitionedReceive::unpack_rest() {
  const std::int64_t size = what_.partition_bytes();
  const std::int64_t rest = size > 0 ? status.bytes % size : 0;
  if (rest > 0) unpack(static_cast<int>(status.bytes / size), rest);
}

void PartitionedReceive::unpack(int number, std::int64_t bytes) {
  if (packed_.empty()) return;
  what_.partition(number).unpack_from(packed_.data() + number * what_.partition_bytes(), bytes);
}

bool PartitionedReceive::arrived(int partition) {
  what_.check_partition(partition);
  if (!active || what_.idle()) return true;
  Rank& rank = this_rank();
  const auto& reply =
      rank.ask({.kind = op::Kind::Arrived, .request = id, .bytes = {what_.partition_bytes()}, .element = partition});
  if (reply.flag == 0) return false;
  rank.wait_until([&] {
    fetch();
    return all_here_ || missing_[static_cast<std::size_t>(partition)] == 0;
  });
  return true;
}

}  // namespace orrery::mpi
