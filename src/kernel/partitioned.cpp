// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/partitioned.hpp"

namespace orrery::kernel {

bool Partitions::has(std::int64_t first_byte, Bytes bytes) const {
  if (partition <= 0) return false;
  const auto first = static_cast<std::uint64_t>(first_byte / partition);
  const auto last = static_cast<std::uint64_t>((first_byte + bytes.count - 1) / partition);
  bool all_here = last - first < here.size();
  for (std::uint64_t number = first; all_here && number <= last; ++number)
    all_here = here.contains(static_cast<std::uint32_t>(number));
  return all_here;
}

Partitioned::Partitioned(const Clock& clock, const Config& config, Cursors& cursors, Messages& messages,
                         Requests& requests, Matching& matching, Transfers& transfers)
    : clock_(clock),
      config_(config),
      cursors_(cursors),
      messages_(messages),
      requests_(requests),
      matching_(matching),
      transfers_(transfers) {}

void Partitioned::begin_receive(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  cursors_.check_rank(cursor, "a partitioned receive from", operation.peer);
  const RequestIndex index = requests_.take(cursor, Request::Kind::Partitioned);
  Request& request = requests_[index];
  request.source = request.peer = operation.peer;
  request.tag = operation.tag;
  request.bytes = operation.bytes;
  request.order = matching_.next_order();
  request.context = partitioned_context(operation.comm, operation.algorithm);
  request.partitions = partitions_.take();
  requests_.slot(cursor, operation.request) = index;
  cursors_.go_on(cursor);

  while (!partitions_[request.partitions].all) {
    const MessageIndex found = matching_.first_unexpected(request.rank, request);
    if (found == none) return matching_.append_posted(index);
    meet(index, found);
  }
}

void Partitioned::meet(RequestIndex request_index, MessageIndex message_index) {
  Request& request = requests_[request_index];
  Message& message = messages_[message_index];
  Partitions& parts = partitions_[request.partitions];
  parts.matched += message.bytes;
  parts.all = message.last_partition;
  if (parts.all) matching_.remove_posted(request_index);
  matching_.remove_unexpected(message_index);
  message.recv_request = request_index;
  if (message.protocol != network::Protocol::Asynchronous) return transfers_.start(message_index, clock_.now);
  if (!message.arrived) return;
  arrived(request_index, message);
  messages_.release(message_index);
}

void Partitioned::arrived(RequestIndex request_index, const Message& message) {
  Request& request = requests_[request_index];
  Partitions& parts = partitions_[request.partitions];
  parts.partition = message.bytes.count;
  parts.here.insert(message.sequence);
  parts.arrived += message.bytes;
  request.overhead += message.recv_overhead;
  if (!parts.all || parts.arrived < parts.matched) return;
  partitions_.give_back(request.partitions);
  requests_.complete(request_index);
}

/// @param index none: another thread of the rank has waited for the whole since this one asked
bool Partitioned::has_arrived(RequestIndex index, const op::Operation& operation) const {
  if (index == none) return true;
  const Request& request = requests_[index];
  if (request.complete || request.kind != Request::Kind::Partitioned) return request.complete;
  return partitions_[request.partitions].has(operation.element * operation.bytes.count, operation.bytes);
}

void Partitioned::begin_arrived(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  op::Reply reply;
  reply.flag = has_arrived(requests_.slot(cursor, operation.request), operation);
  if (!reply.flag) cursor.clock += config_.poll_cost;
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

}  // namespace orrery::kernel
