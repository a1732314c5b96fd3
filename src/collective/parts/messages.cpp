// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/messages.hpp"

#include <array>

namespace orrery::collective {
namespace {

using op::Batch;
using op::Kind;
using op::Operation;
using op::RequestId;

constexpr std::array<RequestId, 2> pair{1, 2};

Operation message(Kind kind, int peer, Slice data, RequestId request) {
  return {.kind = kind, .peer = peer, .request = request, .bytes = data.bytes, .here = data.region};
}

Operation blocking(Kind kind, int peer, Slice data) {
  return {.kind = kind, .flags = op::Blocking, .peer = peer, .bytes = data.bytes, .here = data.region};
}

Operation local(Kind kind, Region here, Slice there) {
  return {.kind = kind, .bytes = there.bytes, .here = here, .there = there.region};
}

Operation wait_for(std::span<const RequestId> requests) { return {.kind = Kind::WaitAll, .requests = requests}; }

Batch<1> unless_empty(const Operation& operation, Empty empty = Empty::Skipped) {
  Batch<1> batch;
  if (operation.bytes.count > 0 || empty == Empty::Sent) batch.add(operation);
  return batch;
}

Batch<1> just(const Operation& operation) {
  Batch<1> batch;
  batch.add(operation);
  return batch;
}

}  // namespace

Batch<1> send(int to, Slice data, Empty empty) { return unless_empty(blocking(Kind::Isend, to, data), empty); }
Batch<1> recv(int from, Slice data, Empty empty) { return unless_empty(blocking(Kind::Irecv, from, data), empty); }

Operation send_even_empty(int to, Slice data) { return blocking(Kind::Isend, to, data); }
Operation recv_even_empty(int from, Slice data) { return blocking(Kind::Irecv, from, data); }

Batch<3> exchange(int to, Slice out, int from, Slice in, Empty empty) {
  if (empty == Empty::Sent) return exchange_even_empty(to, out, from, in);
  Batch<3> batch;
  if (in.bytes.count > 0) batch.add(message(Kind::Irecv, from, in, pair[batch.size()]));
  if (out.bytes.count > 0) batch.add(message(Kind::Isend, to, out, pair[batch.size()]));
  if (batch.size() > 0) batch.add(wait_for(std::span(pair).first(batch.size())));
  return batch;
}

Batch<3> exchange_even_empty(int to, Slice out, int from, Slice in) {
  Batch<3> batch;
  batch.add(message(Kind::Irecv, from, in, pair[0]));
  batch.add(message(Kind::Isend, to, out, pair[1]));
  batch.add(wait_for(pair));
  return batch;
}

Operation receive_ahead(int slot, int from, Slice data) {
  return message(Kind::Irecv, from, data, pair[static_cast<std::size_t>(slot)]);
}
Operation await_ahead(int slot) { return wait_for(std::span(pair).subspan(static_cast<std::size_t>(slot), 1)); }

Operation signal(int to) { return blocking(Kind::Isend, to, {}); }
Operation await_signal(int from) { return blocking(Kind::Irecv, from, {}); }

Batch<3> exchange_signals(int to, int from) {
  Batch<3> batch;
  batch.add(message(Kind::Irecv, from, {}, pair[0]));
  batch.add(message(Kind::Isend, to, {}, pair[1]));
  batch.add(wait_for(pair));
  return batch;
}

Batch<1> copy(Region into, Slice from) { return unless_empty(local(Kind::Copy, into, from)); }
Batch<1> combine(Region into, Slice from) { return unless_empty(local(Kind::Reduce, into, from)); }

RequestId Started::next() {
  if (active_ == requests_.size()) requests_.push_back(first_ + static_cast<RequestId>(active_));
  return requests_[active_++];
}

Batch<1> Started::isend(int to, Slice data) {
  return data.bytes.count > 0 || empty_ == Empty::Sent ? isend_even_empty(to, data) : Batch<1>{};
}
Batch<1> Started::irecv(int from, Slice data) {
  return data.bytes.count > 0 || empty_ == Empty::Sent ? irecv_even_empty(from, data) : Batch<1>{};
}
Batch<1> Started::isend_even_empty(int to, Slice data) { return just(message(Kind::Isend, to, data, next())); }
Batch<1> Started::irecv_even_empty(int from, Slice data) { return just(message(Kind::Irecv, from, data, next())); }
Batch<1> Started::isend_signal(int to) { return just(message(Kind::Isend, to, {}, next())); }
Batch<1> Started::irecv_signal(int from) { return just(message(Kind::Irecv, from, {}, next())); }

Batch<1> Started::wait_all() {
  const std::span<const RequestId> all = std::span(requests_).first(active_);
  active_ = 0;
  return all.empty() ? Batch<1>{} : just(wait_for(all));
}

}  // namespace orrery::collective
