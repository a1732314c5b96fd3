// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "kernel/state.hpp"

/// Requests of several parts: a send and a receive in one (MPI_Isendrecv), and partitioned communication (MPI-4.1,
/// chapter 4), where each partition is a message of its own that leaves when it is ready.
namespace orrery::kernel {

void Simulation::State::begin_join(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  if (operation.peer != op::any_source) check_rank(cursor, "a message in parts with", operation.peer);
  const std::uint32_t index = requests.take();
  Request& request = requests[index];
  request.kind = Request::Kind::Join;
  request.rank = cursor.rank;
  request.context = point_to_point_context(operation.comm);
  request.peer = operation.peer;
  request.tag = operation.tag;
  request.parts = request.pending = static_cast<std::uint32_t>(operation.bytes.count);
  for (const op::RequestId id : operation.requests) {
    const std::uint32_t part = request_of(cursor, id);
    slot(cursor, id) = none;
    if (requests[part].complete) {
      requests.give_back(part);
    } else {
      requests[part].join = index;
      ++request.parts;
    }
  }
  request.complete = request.parts == 0;
  slot(cursor, operation.request) = index;
  go_on(cursor);
}

/// A part of `join` is complete.
void Simulation::State::finish_part(std::uint32_t join) {
  if (--requests[join].parts == 0) complete(join);
}

/// A receive that is a part: what is asked of it, and what it costs, is now asked of the whole.
void Simulation::State::finish_receive_part(const Request& part) {
  Request& join = requests[part.join];
  join.overhead += part.overhead;
  join.matched_source = part.matched_source;
  join.matched_tag = part.matched_tag;
  join.sequence = part.sequence;
  join.bytes = part.bytes;
}

void Simulation::State::begin_partitioned_receive(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  check_rank(cursor, "a partitioned receive from", operation.peer);
  const std::uint32_t index = requests.take();
  Request& request = requests[index];
  request.kind = Request::Kind::Partitioned;
  request.rank = cursor.rank;
  request.source = request.peer = operation.peer;
  request.tag = operation.tag;
  request.bytes = operation.bytes;
  request.order = posted++;
  request.context = partitioned_context(operation.comm, operation.algorithm);
  request.parts = partitions.take();
  slot(cursor, operation.request) = index;
  go_on(cursor);

  const auto accepted = [&](const Message& message) { return accepts(request, message); };
  while (!partitions[request.parts].all) {
    const std::uint32_t found = rank.unexpected.find(messages, request.context, request.source, accepted);
    if (found == none) {
      request.posted = true;
      return rank.posted.append(requests, index);
    }
    match_partition(index, found);
  }
}

/// A partition meets its receive, which goes on taking others until it has the last that its sender posts: that may be
/// less than it has room for.
void Simulation::State::match_partition(std::uint32_t request_index, std::uint32_t message_index) {
  Request& request = requests[request_index];
  Message& message = messages[message_index];
  Partitions& parts = partitions[request.parts];
  parts.matched += message.bytes;
  parts.all = message.last_partition;
  if (request.posted && parts.all) {
    ranks[static_cast<std::size_t>(message.dest)].posted.remove(requests, request_index);
    request.posted = false;
  }
  if (message.queued) dequeue(message_index);
  message.recv_request = request_index;
  if (message.protocol != network::Protocol::Asynchronous) return start_transfer(message_index, now);
  if (!message.arrived) return;
  partition_arrived(request_index, message);
  release_message(message_index);
}

void Simulation::State::partition_arrived(std::uint32_t request_index, const Message& message) {
  Request& request = requests[request_index];
  Partitions& parts = partitions[request.parts];
  parts.partition = message.bytes.count;
  parts.here.insert(message.sequence);
  parts.arrived += message.bytes;
  request.overhead += message.recv_overhead;
  if (!parts.all || parts.arrived < parts.matched) return;
  partitions.give_back(request.parts);
  complete(request_index);
}

/// Whether all partitions that a piece of a partitioned receive is made of have arrived.
void Simulation::State::answer_arrived(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const Request& request = requests[request_of(cursor, operation.request)];
  op::Reply reply;
  reply.flag = request.complete;
  if (!request.complete && request.kind == Request::Kind::Partitioned) {
    const Partitions& parts = partitions[request.parts];
    if (parts.partition > 0) {
      const std::int64_t begin = operation.element * operation.bytes.count;
      const auto first = static_cast<std::uint64_t>(begin / parts.partition);
      const auto last = static_cast<std::uint64_t>((begin + operation.bytes.count - 1) / parts.partition);
      reply.flag = last - first < parts.here.size();
      for (std::uint64_t number = first; reply.flag && number <= last; ++number)
        reply.flag = parts.here.contains(static_cast<std::uint32_t>(number));
    }
  }
  if (!reply.flag) cursor.clock += config.poll_cost;
  go_on(cursor);
  answer(cursor, reply);
}

}  // namespace orrery::kernel
