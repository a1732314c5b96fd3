// SPDX-License-Identifier: BSD-3-Clause
#include "collective/test_execution.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>

#include "base/error.hpp"

namespace orrery::collective::test {
namespace {

using op::Kind;
using op::Operation;
using op::Region;
using op::RequestId;

constexpr std::uint8_t blank_byte = 0xEE;

struct Request {
  enum class State : std::uint8_t { Free, Pending, Matched } state = State::Free;
  bool receives = false;
  int peer = 0;
  Region region;
  std::int64_t bytes = 0;
  std::vector<std::uint8_t> payload;  ///< of a matched receive, until the wait
  std::uint64_t heard = 0;            ///< of whom the message tells
};

constexpr std::size_t tags = 1024;  ///< that messages of a collective have, at most

/// Requests of the same direction and tag between the same two ranks, in order.
struct Queue {
  std::vector<RequestId> requests;
  std::size_t matched = 0;
};

struct Rank {
  op::Script script;
  RankMemory* memory = nullptr;
  std::vector<Request> requests;  ///< by id; 0 is that of the blocking operation
  std::vector<RequestId> waits_for;
  bool any = false;                                 ///< one of them is enough
  std::uint32_t* position = nullptr;                ///< where is told which one it was
  std::unordered_map<std::size_t, Queue> sends;     ///< by destination and tag
  std::unordered_map<std::size_t, Queue> receives;  ///< by source and tag
  std::uint64_t heard = 0;                          ///< ranks that it has heard of
  bool ended = false;
};

bool overlap(Region a, std::int64_t a_bytes, Region b, std::int64_t b_bytes) {
  if (a.buffer == op::Buffer::None) return false;
  return a.buffer == b.buffer && a.offset < b.offset + b_bytes && b.offset < a.offset + a_bytes;
}

class Execution {
 public:
  Execution(std::vector<op::Script> scripts, std::vector<RankMemory>& memory, Reduction reduction, int first_group)
      : reduction_(reduction), first_group_(first_group), ranks_(scripts.size()) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i].script = std::move(scripts[i]);
      ranks_[i].memory = &memory[i];
      ranks_[i].requests.resize(1);
      ranks_[i].heard = std::uint64_t{1} << i;
    }
  }

  std::vector<std::uint64_t> run(Order order) {
    order_ = order;
    const int size = static_cast<int>(ranks_.size());
    for (int ended = 0; ended < size;) {
      bool any = false;
      ended = 0;
      for (int i = 0; i < size; ++i) {
        self_ = order == Order::Ascending ? i : size - 1 - i;
        any |= advance();
        ended += rank().ended ? 1 : 0;
      }
      if (!any && ended < size) fault("and others wait for ever: deadlock");
    }
    std::vector<std::uint64_t> heard;
    for (const Rank& rank : ranks_) heard.push_back(rank.heard);
    return heard;
  }

 private:
  Rank& rank() { return ranks_[static_cast<std::size_t>(self_)]; }
  Rank& rank(int other) { return ranks_[static_cast<std::size_t>(other)]; }

  template <class... Args>
  [[noreturn]] void fault(const Args&... what) const {
    throw Fault(concat("rank ", self_, " ", what...));
  }

  /// Runs the rank until it waits or ends; whether it did anything.
  bool advance() {
    bool any = false;
    while (!rank().ended && complete_waits()) {
      const Operation* operation = rank().script.next();
      any = true;
      if (operation == nullptr) {
        end();
      } else {
        perform(*operation);
      }
    }
    return any;
  }

  void end() {
    rank().ended = true;
    for (const Request& request : rank().requests) {
      if (request.state != Request::State::Free) fault("never waits for a request");
    }
  }

  /// Takes, where several requests are complete, the first or the last one, so that tests see both.
  bool narrow_to_one() {
    auto& waits = rank().waits_for;
    std::size_t found = waits.size();
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (rank().requests[waits[i]].state == Request::State::Pending) continue;
      found = i;
      if (order_ == Order::Ascending) break;
    }
    if (found == waits.size()) return false;
    if (rank().position != nullptr) *rank().position = static_cast<std::uint32_t>(found);
    waits = {waits[found]};
    rank().any = false;
    return true;
  }

  /// Whether all that the rank waits for has come; then it is delivered.
  bool complete_waits() {
    if (rank().any && !narrow_to_one()) return false;
    auto& waits = rank().waits_for;
    for (const RequestId id : waits) {
      if (rank().requests[id].state == Request::State::Pending) return false;
    }
    for (const RequestId id : waits) {
      Request& request = rank().requests[id];
      request.state = Request::State::Free;
      if (!request.receives) continue;
      store(request.region, request.payload);
      rank().heard |= request.heard;
    }
    waits.clear();
    return true;
  }

  void perform(const Operation& operation) {
    const std::int64_t bytes = operation.bytes.count;
    switch (operation.kind) {
      case Kind::Isend:
      case Kind::Irecv: start(operation); break;
      case Kind::WaitAll:
      case Kind::WaitAny: wait(operation); break;
      case Kind::Copy: store(operation.here, load(operation.there, bytes)); break;
      case Kind::Reduce: reduce(operation.here, operation.there, bytes); break;
      default: fault("does what no collective algorithm does, kind ", static_cast<int>(operation.kind));
    }
  }

  /// Whom the rank calls `peer`: the ranks of its own group come first, then those of the other.
  int rank_called(int peer) const {
    const auto size = static_cast<int>(ranks_.size());
    if (first_group_ == 0 || self_ < first_group_ || peer < 0 || peer >= size) return peer;
    return (peer + first_group_) % size;
  }

  void start(Operation operation) {
    operation.peer = rank_called(operation.peer);
    const bool blocking = operation.has(op::Blocking);
    if (blocking != (operation.request == 0)) fault("starts a message that is neither blocking nor has a request");
    if (operation.peer < 0 || operation.peer >= static_cast<int>(ranks_.size())) {
      fault("talks to rank ", operation.peer);
    }
    if (operation.tag < 0 || operation.tag >= static_cast<int>(tags)) fault("uses tag ", operation.tag);
    const bool receives = operation.kind == Kind::Irecv;
    if (!receives) static_cast<void>(load(operation.here, operation.bytes.count));
    if (receives) check_unused(operation.here, operation.bytes.count, true);
    auto& requests = rank().requests;
    if (operation.request >= requests.size()) requests.resize(operation.request + 1);
    Request& request = requests[operation.request];
    if (request.state != Request::State::Free) fault("uses request ", operation.request, " twice");
    request = {.state = Request::State::Pending,
               .receives = receives,
               .peer = operation.peer,
               .region = operation.here,
               .bytes = operation.bytes.count,
               .payload = {},
               .heard = rank().heard};
    (receives ? rank().receives : rank().sends)[queue(operation.peer, operation.tag)].requests.push_back(
        operation.request);
    if (blocking) rank().waits_for.assign(1, 0);
    receives ? match(operation.peer, self_, operation.tag) : match(self_, operation.peer, operation.tag);
  }

  static std::size_t queue(int peer, int tag) { return tags * static_cast<std::size_t>(peer) + std::size_t(tag); }

  void match(int source, int dest, int tag) {
    Queue& sends = rank(source).sends[queue(dest, tag)];
    Queue& receives = rank(dest).receives[queue(source, tag)];
    if (sends.matched == sends.requests.size() || receives.matched == receives.requests.size()) return;
    Request& send = rank(source).requests[sends.requests[sends.matched++]];
    Request& receive = rank(dest).requests[receives.requests[receives.matched++]];
    if (send.bytes != receive.bytes)
      fault("matches a message of ", send.bytes, " bytes and a receive of ", receive.bytes);
    const bool has_data = send.region.buffer != op::Buffer::None;
    if (send.bytes > 0 && has_data != (receive.region.buffer != op::Buffer::None))
      fault("matches a message with data and one without");
    const int self = std::exchange(self_, source);
    receive.payload = bytes_of(send.region, send.bytes);
    self_ = self;
    receive.heard = send.heard;
    send.state = receive.state = Request::State::Matched;
  }

  void wait(const Operation& operation) {
    const std::span<const RequestId> requests = operation.requests;
    if (requests.empty()) fault("waits for nothing");
    for (const RequestId id : requests) {
      if (id >= rank().requests.size() || rank().requests[id].state == Request::State::Free) {
        fault("waits for request ", id, ", which is not active");
      }
    }
    rank().waits_for.assign(requests.begin(), requests.end());
    rank().any = operation.kind == Kind::WaitAny;
    rank().position = operation.position;
  }

  void reduce(Region here, Region there, std::int64_t bytes) {
    const std::int64_t element = reduction_.element;
    if (bytes % element != 0 || here.offset % element != 0 || there.offset % element != 0) fault("cuts an element");
    const std::vector<std::uint8_t> lower = load(there, bytes);
    std::vector<std::uint8_t> higher = load(here, bytes);
    if (overlap(here, bytes, there, bytes)) fault("reduces a region into itself");
    for (std::int64_t i = 0; i < bytes; i += element) reduction_.combine(&lower[i], &higher[i]);
    store(here, higher);
  }

  Memory& memory_of(Region region, std::int64_t bytes) {
    RankMemory& memory = *rank().memory;
    const auto end = static_cast<std::size_t>(region.offset + bytes);
    if (region.buffer == op::Buffer::Scratch && end > memory.scratch.bytes.size()) {
      memory.scratch.bytes.resize(end, blank_byte);
      memory.scratch.written.resize(end, 0);
    }
    Memory& buffer = region.buffer == op::Buffer::Input    ? memory.input
                     : region.buffer == op::Buffer::Output ? memory.output
                                                           : memory.scratch;
    if (region.offset < 0 || bytes < 0 || end > buffer.bytes.size()) {
      fault("touches bytes ", region.offset, " to ", end, " of a buffer of ", buffer.bytes.size());
    }
    return buffer;
  }

  /// No pending request may receive into memory that is read, or use memory that is written.
  void check_unused(Region region, std::int64_t bytes, bool writes) {
    for (const Request& request : rank().requests) {
      if (request.state == Request::State::Free || !(writes || request.receives)) continue;
      if (overlap(region, bytes, request.region, request.bytes)) fault("touches memory of a pending request");
    }
  }

  /// Nothing but zeros where a message has no data.
  std::vector<std::uint8_t> bytes_of(Region region, std::int64_t bytes) {
    if (bytes == 0) return {};
    if (region.buffer == op::Buffer::None) return std::vector<std::uint8_t>(static_cast<std::size_t>(bytes));
    const auto begin = memory_of(region, bytes).bytes.begin() + region.offset;
    return {begin, begin + bytes};
  }

  std::vector<std::uint8_t> load(Region region, std::int64_t bytes) {
    if (bytes == 0 || region.buffer == op::Buffer::None) return bytes_of(region, bytes);
    const Memory& memory = memory_of(region, bytes);
    check_unused(region, bytes, false);
    if (std::memchr(memory.written.data() + region.offset, 0, static_cast<std::size_t>(bytes)) != nullptr) {
      fault("reads bytes that were never written");
    }
    return bytes_of(region, bytes);
  }

  void store(Region region, const std::vector<std::uint8_t>& content) {
    if (content.empty() || region.buffer == op::Buffer::None) return;
    const auto bytes = static_cast<std::int64_t>(content.size());
    if (region.buffer == op::Buffer::Input) fault("writes to the input");
    Memory& memory = memory_of(region, bytes);
    check_unused(region, bytes, true);
    std::copy(content.begin(), content.end(), memory.bytes.begin() + region.offset);
    std::fill_n(memory.written.begin() + region.offset, bytes, std::uint8_t{1});
  }

  Reduction reduction_;
  int first_group_;
  std::vector<Rank> ranks_;
  Order order_ = Order::Ascending;
  int self_ = 0;
};

}  // namespace

Memory Memory::of(std::vector<std::uint8_t> content) {
  const std::size_t size = content.size();
  return {std::move(content), std::vector<std::uint8_t>(size, 1)};
}

Memory Memory::blank(std::size_t size) {
  return {std::vector<std::uint8_t>(size, blank_byte), std::vector<std::uint8_t>(size, 0)};
}

std::vector<std::uint64_t> execute(std::vector<op::Script> scripts, std::vector<RankMemory>& memory,
                                   Reduction reduction, Order order, int first_group) {
  return Execution(std::move(scripts), memory, reduction, first_group).run(order);
}

}  // namespace orrery::collective::test
