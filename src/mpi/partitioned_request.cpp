// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned_request.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/errors.hpp"

namespace orrery::mpi {
namespace {

/// A message's number holds that of its partition in its lower half and that of the start in its upper one.
constexpr int partition_bits = 16;

[[nodiscard]] std::uint32_t part_number(std::uint32_t iteration, int partition) {
  return iteration << partition_bits | static_cast<std::uint32_t>(partition);
}
[[nodiscard]] std::uint16_t number_of(const channel::Message& head) {
  return static_cast<std::uint16_t>(head.sequence);
}
[[nodiscard]] std::uint16_t start_of(const channel::Message& head) {
  return static_cast<std::uint16_t>(head.sequence >> partition_bits);
}
[[nodiscard]] std::uint16_t start_of(std::uint32_t iteration) { return static_cast<std::uint16_t>(iteration); }

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
  ++iteration_;
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
  if (what_.empty()) return;
  channel::Message head{};
  address(what_.key(rank.world_rank()), head);
  head.sequence = part_number(iteration_, partition);
  tokens_.push_back(rank.payloads().post(what_.peer, head, what_.partition(partition), Reuse::Later));
}

bool PartitionedSend::arrived() {
  while (!tokens_.empty() && tokens_.back().done()) tokens_.pop_back();
  return tokens_.empty() && (ready_ == what_.partitions || what_.idle());
}

void PartitionedReceive::start() {
  active = true;
  ++iteration_;
  status = {.source = what_.peer_rank, .tag = what_.tag, .bytes = what_.bytes()};
  if (what_.peer == proc_null) status = {.source = proc_null, .tag = any_tag};
  if (what_.idle()) return;
  missing_.assign(static_cast<std::size_t>(what_.partitions), what_.partition_bytes());
  all_missing_ = what_.bytes();
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
  return all_missing_ == 0;
}

/// Takes what has come of this start: a sender starts again only when all partitions of the start before are on their
/// way, so those stand before the others. What a longer send had too much for an earlier start is dropped.
void PartitionedReceive::fetch() {
  PartitionInbox& inbox = this_rank().partitions();
  const PairKey key = what_.key(what_.peer);
  while (const Kept* kept = inbox.oldest(key)) {
    const auto starts_ahead = static_cast<std::int16_t>(start_of(kept->head) - start_of(iteration_));
    if (starts_ahead > 0) return;
    take(*inbox.take(key), starts_ahead == 0);
  }
}

/// The sender's partitions may be others than the receiver's, but they are equally long too.
void PartitionedReceive::take(Kept& partition, bool of_this_start) {
  const channel::Message& head = partition.head;
  const std::int64_t begin = static_cast<std::int64_t>(number_of(head)) * head.bytes;
  const std::int64_t end = std::min(begin + head.bytes, what_.bytes());
  const std::size_t length = of_this_start && begin < end ? static_cast<std::size_t>(end - begin) : 0;
  if (of_this_start && (begin >= end || begin + head.bytes > what_.bytes())) {
    status.error = err_truncate;
    error_text = concat("partitions of more than the ", what_.bytes(), " bytes that the receive has");
  }
  std::byte* into = packed_.empty() ? static_cast<std::byte*>(what_.buffer) : packed_.data();
  const auto room = std::span<const std::byte>(into + (length > 0 ? begin : 0), length);
  this_rank().payloads().fetch(head, partition.payload(), Data::of(room));
  if (length > 0) account(begin, end);
}

/// Bytes from `begin` to `end` of the whole have come.
void PartitionedReceive::account(std::int64_t begin, std::int64_t end) {
  all_missing_ -= end - begin;
  const std::int64_t size = what_.partition_bytes();
  for (std::int64_t number = begin / size; number * size < end; ++number) {
    std::int64_t& missing = missing_[static_cast<std::size_t>(number)];
    missing -= std::min(end, (number + 1) * size) - std::max(begin, number * size);
    if (missing == 0 && !packed_.empty()) {
      what_.partition(static_cast<int>(number)).unpack_from(packed_.data() + number * size, size);
    }
  }
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
    return missing_[static_cast<std::size_t>(partition)] == 0;
  });
  return true;
}

}  // namespace orrery::mpi
