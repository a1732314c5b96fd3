// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/embed.hpp"

#include <cstdlib>

#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

Region placed(Region region, const Placed& buffers) {
  switch (region.buffer) {
    case op::Buffer::None: return region;
    case op::Buffer::Input: return buffers.input + region.offset;
    case op::Buffer::Output: return buffers.output + region.offset;
    case op::Buffer::Scratch: return buffers.scratch + region.offset;
  }
  std::abort();
}

bool changes_nothing(const op::Operation& operation) {
  return operation.kind == op::Kind::Copy && operation.here.buffer == operation.there.buffer &&
         operation.here.offset == operation.there.offset;
}

}  // namespace

op::Script embed(op::Script part, Placed buffers, Members members) {
  while (const op::Operation* next = part.next()) {
    op::Operation operation = *next;
    operation.here = placed(operation.here, buffers);
    operation.there = placed(operation.there, buffers);
    if (is_message(operation)) operation.peer = members.rank(operation.peer);
    if (!changes_nothing(operation)) co_yield operation;
  }
}

op::Script renumbered(op::Script part, FromRoot ranks) {
  while (const op::Operation* next = part.next()) {
    op::Operation operation = *next;
    const bool message = operation.kind == op::Kind::Isend || operation.kind == op::Kind::Irecv;
    if (message) operation.peer = ranks.rank(operation.peer);
    co_yield operation;
  }
}

}  // namespace orrery::collective
