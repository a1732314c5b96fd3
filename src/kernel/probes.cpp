// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/probes.hpp"

namespace orrery::kernel {
namespace {

bool waits_in_probe(const Cursor& cursor) {
  return cursor.state == Cursor::State::Waits && cursor.frame == none && cursor.current->kind == op::Kind::Probe;
}

}  // namespace

Probes::Probes(Cursors& cursors, const Messages& messages, Matching& matching, Polling& polling, std::size_t ranks)
    : cursors_(cursors), messages_(messages), matching_(matching), polling_(polling), apart_(ranks) {}

void Probes::begin(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  const op::Operation& operation = *cursor.current;
  if (operation.peer != op::any_source) cursors_.check_rank(cursor, "a probe of", operation.peer);
  if (answer_now(index)) return;
  if (operation.kind == op::Kind::Iprobe) {
    polling_.found_nothing(index);
    cursors_.go_on(cursor);
    return cursors_.answer(cursor, {});
  }
  // Be told when the envelope of a message that is on its way arrives.
  matching_.announce_all(cursor.rank, wanted_by(operation));
  cursor.state = Cursor::State::Waits;
  if (cursor.thread != 0) apart_[static_cast<std::size_t>(cursor.rank)].push_back(index);
}

void Probes::resume(CursorIndex index) {
  // An earlier receive of any source may have taken it.
  if (!answer_now(index)) cursors_[index].state = Cursor::State::Waits;
}

/// Answers a probe if a message that it accepts has arrived.
bool Probes::answer_now(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  const op::Operation& operation = *cursor.current;
  const MessageIndex found = matching_.first_arrived(cursor.rank, wanted_by(operation));
  if (found == none) return false;
  const Message& message = messages_[found];
  op::Reply reply;
  reply.flag = true;
  reply.source = message.source;
  reply.tag = message.tag;
  reply.sequence = message.sequence;
  reply.bytes = message.bytes;
  if (operation.has(op::Take)) matching_.take(cursor.rank, found);
  std::erase(apart_[static_cast<std::size_t>(cursor.rank)], index);
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
  return true;
}

bool Probes::wait(std::int32_t rank) const {
  return waits_in_probe(cursors_.of_rank(rank)) || !apart_[static_cast<std::size_t>(rank)].empty();
}

void Probes::wake(std::int32_t rank) {
  wake_cursor(Cursors::index_of(rank));
  for (const CursorIndex index : apart_[static_cast<std::size_t>(rank)]) wake_cursor(index);
}

void Probes::wake_cursor(CursorIndex index) {
  if (waits_in_probe(cursors_[index])) cursors_.wake(index);
}

}  // namespace orrery::kernel
