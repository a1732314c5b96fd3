// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/cursors.hpp"

#include "base/error.hpp"

namespace orrery::kernel {

void bad_stream(const Cursor& cursor, const std::string& what) {
  throw InputError(concat("rank ", cursor.rank, " at ", cursor.clock.s, " s: ", what));
}

Cursors::Cursors(Clock& clock, Profiles& profiles, Threads& threads, op::Streams& streams, Observer* observer,
                 std::size_t ranks, Ahead ahead)
    : clock_(clock),
      profiles_(profiles),
      threads_(threads),
      streams_(streams),
      observer_(observer),
      ahead_(ahead),
      ends_(ranks),
      serials_(ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Cursor& cursor = cursors_[cursors_.take()];
    cursor.rank = static_cast<std::int32_t>(rank);
    cursor.state = Cursor::State::Ended;
  }
}

void Cursors::refuse_rank(const Cursor& cursor, const char* what, std::int32_t rank) {
  bad_stream(cursor, concat(what, " rank ", rank, ", which does not exist"));
}

void Cursors::be_born(SimTime at) {
  const CursorIndex index{born_};
  Cursor& cursor = cursors_[index];
  cursor.state = Cursor::State::Ready;
  cursor.clock = at;
  schedule(index);
  ++born_;
  ++alive_;
}

CursorIndex Cursors::fork(std::int32_t rank) {
  const CursorIndex index = cursors_.take();
  Cursor& cursor = cursors_[index];
  cursor.rank = rank;
  cursor.serial = ++serials_[static_cast<std::size_t>(rank)];
  return index;
}

void Cursors::go_on(Cursor& cursor) {
  cursor.state = Cursor::State::Ready;
  if (cursor.frame != none) return;  // accounted as a whole when the collective ends
  RankProfile::Line& line = profiles_.line(cursor.rank, cursor.operation.routine);
  line.time += cursor.clock - cursor.begun;
  if (cursor.operation.has(op::FirstOfCall)) ++line.calls;
  if (observer_ != nullptr)
    observer_->happened(cursor.rank, cursor.thread, cursor.operation, cursor.begun, cursor.clock);
}

void Cursors::answer(Cursor& cursor, op::Reply reply) {
  if (cursor.frame != none) return;
  if (cursor.thread != 0) return answer_thread(cursor, reply);
  reply.now = cursor.clock;
  streams_.reply(WorldRank{cursor.rank}, reply);
}

void Cursors::answer_thread(Cursor& cursor, op::Reply reply) {
  reply.now = cursor.clock;
  reply.thread = cursor.thread;
  threads_.is_answered(cursor.rank);
  const CursorIndex stream_index = index_of(cursor.rank);
  Cursor& stream = cursors_[stream_index];
  stream.clock = std::max(stream.clock, cursor.clock);
  if (stream.state == Cursor::State::Parked) {
    std::erase(threads_.parked, stream_index);
    stream.state = Cursor::State::Ready;
    schedule(stream_index);
  }
  streams_.reply(WorldRank{cursor.rank}, reply);
}

void Cursors::resume(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  cursor.state = Cursor::State::Resumes;
  // One whose own step completes what it waits for goes on in that step: a second visit would find it elsewhere.
  if (index == stepping_) return;
  if (cursor.clock > clock_.now && goes_ahead(cursor)) return resumed_.push_back(index);
  schedule(index);
}

}  // namespace orrery::kernel
