// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/send_plan.hpp"

namespace orrery::kernel {

using network::Protocol;

Protocol protocol_of(const op::Operation& send, Protocol by_size) {
  const bool optimistic = by_size == Protocol::Optimistic;
  // The sender of a buffered message waits for nobody: its data are in the buffer of the program.
  if (send.mode == op::Mode::Buffered)
    return optimistic || by_size == Protocol::Synchronous ? Protocol::Detached : by_size;
  // A partition is not sent twice.
  if (optimistic) return send.kind == op::Kind::Psend ? Protocol::Synchronous : Protocol::Optimistic;
  return send.mode == op::Mode::Synchronous ? Protocol::Synchronous : by_size;
}

SendPlan plan_send(const op::Operation& send, Way way, SimTime posted, transport::Transport& transport) {
  const network::Cost cost = transport.cost(way.from, way.to, send.bytes);
  SendPlan plan;
  plan.protocol = protocol_of(send, cost.protocol);
  plan.posted = posted;
  plan.visible = posted + cost.latency;
  plan.send_overhead = cost.send_overhead;
  plan.recv_overhead = cost.recv_overhead;
  if (!plan.data_leave_at_once()) {
    plan.rts_delay = transport.rts_delay(way.from, way.to, posted);
    plan.visible += plan.rts_delay;
  }
  if (plan.protocol == Protocol::Synchronous || plan.protocol == Protocol::Optimistic)
    plan.until = SendPlan::Until::DataSent;
  // The request of a buffered send is about its buffer, which the message leaves when its transfer ends.
  plan.request_lasts = plan.sender_waits() || (send.mode == op::Mode::Buffered && !send.has(op::Blocking));
  return plan;
}

}  // namespace orrery::kernel
