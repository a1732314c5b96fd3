// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace orrery::kernel {

Rendezvous::Rendezvous(const Clock& clock, const Hosts& hosts, const Cursors& cursors, const Threads& threads,
                       Messages& messages, Transfers& transfers, node::Progress progress)
    : clock_(clock),
      hosts_(hosts),
      cursors_(cursors),
      threads_(threads),
      messages_(messages),
      transfers_(transfers),
      progress_(std::move(progress)) {}

/// Whether the rank looks at its connections now: it waits, or a thread of it does.
bool Rendezvous::looks_now(std::int32_t rank) const {
  switch (cursors_.of_rank(rank).state) {
    case Cursor::State::Waits:
    case Cursor::State::Wakes:
    case Cursor::State::Parked:
    case Cursor::State::Ended: return true;
    default: return threads_.wait_for_answers(rank);
  }
}

void Rendezvous::answer_rts(MessageIndex index, SimTime receive_posted) {
  Message& message = messages_[index];
  if (!progress_.in_calls() || hosts_.same(message.source, message.dest))
    return transfers_.start(index, receive_posted);
  message.cts_written = false;
  if (progress_.has_seen(message.dest, message.visible)) return write_cts(index, clock_.now);
  if (looks_now(message.dest)) return write_cts(index, std::max(clock_.now, cursors_.of_rank(message.dest).clock));
  progress_.leave_unseen(message.dest, index.value);
}

/// The receiver has seen the RTS and writes the CTS. The data leave when the sender sees that, now or when it looks.
void Rendezvous::write_cts(MessageIndex index, SimTime at) {
  Message& message = messages_[index];
  message.cts_written = true;
  message.cts_at = at;
  if (looks_now(message.source)) return transfers_.start(index, at);
  progress_.leave_unseen(message.source, index.value);
}

void Rendezvous::look(const Cursor& cursor) {
  if (!progress_.in_calls()) return;
  if (cursor.serial != 0 && cursor.thread == 0) return;  // a non-blocking collective goes on in the calls of its rank
  const SimTime at = std::max(clock_.now, cursor.clock);
  for (const std::uint32_t number : progress_.look(cursor.rank, at)) {
    const MessageIndex index{number};
    if (messages_[index].cts_written) {
      transfers_.start(index, messages_[index].cts_at);
    } else {
      write_cts(index, at);
    }
  }
}

}  // namespace orrery::kernel
