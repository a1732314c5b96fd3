// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/send_plan.hpp"

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

using namespace testing;
using enum network::Protocol;
using Until = SendPlan::Until;

/// The plan in the plain network: up to 1,000 bytes Asynchronous, up to 2,000 Detached, Synchronous beyond.
SendPlan plan(const op::Operation& operation) {
  PlainNetwork network;
  network.send_overhead = 0.25;
  network.recv_overhead = 0.5;
  return plan_send(operation, {0, 1}, {3}, network);
}

op::Operation in_mode(op::Mode mode, std::int64_t bytes, op::RequestId request = 0) {
  op::Operation operation = send(1, bytes, 0, request);
  operation.mode = mode;
  return operation;
}

TEST_CASE("the size of a message decides when its data leave and what its sender waits for") {
  const SendPlan eager = plan(send(1, 1000));
  CHECK(eager.protocol == Asynchronous);
  CHECK(eager.data_leave_at_once());
  CHECK(eager.until == Until::Handled);
  const SendPlan detached = plan(send(1, 1001));
  CHECK(detached.protocol == Detached);
  CHECK_FALSE(detached.data_leave_at_once());
  CHECK(detached.until == Until::Handled);
  const SendPlan synchronous = plan(send(1, 2001));
  CHECK(synchronous.protocol == Synchronous);
  CHECK_FALSE(synchronous.data_leave_at_once());
  CHECK(synchronous.until == Until::DataSent);
}

TEST_CASE("a plan says when the message is posted, when its envelope is there, and what both sides pay") {
  const SendPlan eager = plan(send(1, 8));
  CHECK(eager.posted.s == 3);
  CHECK(eager.visible.s == 3 + 1);  // the latency of the plain network
  CHECK(eager.send_overhead.s == 0.25);
  CHECK(eager.recv_overhead.s == 0.5);
}

TEST_CASE("the mode of a send may ask for a rendezvous, or spare the sender from it") {
  CHECK(protocol_of(in_mode(op::Mode::Synchronous, 8), Asynchronous) == Synchronous);
  CHECK(protocol_of(in_mode(op::Mode::Ready, 8), Asynchronous) == Asynchronous);
  CHECK(protocol_of(in_mode(op::Mode::Buffered, 8), Asynchronous) == Asynchronous);
  CHECK(protocol_of(in_mode(op::Mode::Buffered, 8), Synchronous) == Detached);
  CHECK(protocol_of(in_mode(op::Mode::Buffered, 8), Optimistic) == Detached);
  CHECK(protocol_of(in_mode(op::Mode::Synchronous, 8), Optimistic) == Optimistic);
  op::Operation partition = send(1, 8);
  partition.kind = op::Kind::Psend;
  CHECK(protocol_of(partition, Optimistic) == Synchronous);
}

TEST_CASE("the request of an immediate buffered send lasts until its buffer is free") {
  CHECK(plan(in_mode(op::Mode::Buffered, 5000, 1)).request_lasts);
  CHECK_FALSE(plan(in_mode(op::Mode::Buffered, 5000)).request_lasts);
  CHECK_FALSE(plan(send(1, 8, 0, 1)).request_lasts);
}

}  // namespace
}  // namespace orrery::kernel
