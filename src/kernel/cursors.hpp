// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/clock.hpp"
#include "kernel/cursor.hpp"
#include "kernel/kernel.hpp"
#include "kernel/profile.hpp"
#include "kernel/threads.hpp"

namespace orrery::kernel {

/// A stream is in error. @throws InputError
[[noreturn]] void bad_stream(const Cursor& cursor, const std::string& what);

/// All cursors: one for each rank, and one for each of its non-blocking collectives and of its threads that wait.
///
/// Components that carry out operations tell here what becomes of the cursor: it goes on, at once or when its clock has
/// come, or what it waited for is there. The scheduler (kernel/scheduler.hpp) does the rest.
class Cursors {
 public:
  /// Whether cursors may go on before their time, because all comes out the same.
  struct Ahead {
    bool streams = false;  ///< what a rank does next depends on no others
    bool clocks = false;   ///< no clock depends on what others do meanwhile: processors are not shared, and so on
  };

  /// References must outlive this. @param ranks that there may ever be; none has begun
  Cursors(Clock& clock, Profiles& profiles, Threads& threads, op::Streams& streams, Observer* observer,
          std::size_t ranks, Ahead ahead);

  [[nodiscard]] Cursor& operator[](CursorIndex index) { return cursors_[index]; }
  [[nodiscard]] const Cursor& operator[](CursorIndex index) const { return cursors_[index]; }
  /// @return index of the cursor of a rank's own stream
  [[nodiscard]] static constexpr CursorIndex index_of(std::int32_t rank) {
    return CursorIndex{static_cast<std::uint32_t>(rank)};
  }
  [[nodiscard]] Cursor& of_rank(std::int32_t rank) { return cursors_[index_of(rank)]; }
  [[nodiscard]] const Cursor& of_rank(std::int32_t rank) const { return cursors_[index_of(rank)]; }
  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(ends_.size()); }
  /// Refuses what names a rank that does not exist. @param what "a send to"
  void check_rank(const Cursor& cursor, const char* what, std::int32_t rank) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ends_.size()) refuse_rank(cursor, what, rank);
  }

  // --- cursors begin and end ---

  /// The next rank begins its stream.
  void be_born(SimTime at);
  /// One more of a rank, behind all that it has.
  [[nodiscard]] CursorIndex fork(std::int32_t rank);
  void give_back(CursorIndex cursor) { cursors_.give_back(cursor); }
  /// A rank has come to the end of its stream.
  void finish(Cursor& cursor) {
    cursor.state = Cursor::State::Ended;
    ends_[static_cast<std::size_t>(cursor.rank)] = cursor.clock;
    --alive_;
  }
  [[nodiscard]] std::uint32_t alive() const { return alive_; }
  [[nodiscard]] std::uint32_t born() const { return born_; }
  [[nodiscard]] const std::vector<SimTime>& ends() const { return ends_; }  ///< by rank

  // --- cursors go on ---

  /// The scheduler comes back to the cursor when its clock has come.
  void schedule(CursorIndex index) {
    const Cursor& cursor = cursors_[index];
    clock_.queue.push(Event::cursor(cursor.clock, index, cursor.rank, cursor.serial));
  }
  /// The present operation is over at `cursor.clock`, which may lie ahead of now.
  void go_on(Cursor& cursor);
  /// Answers the operation of a rank, or of its thread. Nobody asks inside a collective algorithm.
  void answer(Cursor& cursor, op::Reply reply);
  /// What the cursor waits for has come now.
  void wake(CursorIndex index) {
    Cursor& cursor = cursors_[index];
    cursor.clock = std::max(cursor.clock, clock_.now);
    cursor.state = Cursor::State::Resumes;
    schedule(index);
  }
  /// The last request that the cursor waits for is complete at its clock.
  void resume(CursorIndex index);

  /// Inside a collective, and in a stream that does not depend on others, the next operation is known without waiting
  /// for anyone, so it may be looked at before its time.
  [[nodiscard]] bool reads_ahead(const Cursor& cursor) const {
    return cursor.frame != none || (ahead_.streams && cursor.serial == 0);
  }
  /// Whether all comes out the same when the cursor goes on before its time, as far as it can without the others. That
  /// spares half of the visits to the event queue, and an eighth of the time of a replay of small messages.
  [[nodiscard]] bool goes_ahead(const Cursor& cursor) const { return ahead_.clocks && reads_ahead(cursor); }

  // --- for the scheduler ---

  /// The cursor whose step is under way. @return the one before, to be given back at the end
  CursorIndex begin_step(CursorIndex cursor) { return std::exchange(stepping_, cursor); }
  void end_step(CursorIndex outer) { stepping_ = outer; }
  [[nodiscard]] CursorIndex stepping() const { return stepping_; }
  /// Cursors that have what they waited for, and whose clocks are ahead of now.
  [[nodiscard]] std::vector<CursorIndex>& resumed() { return resumed_; }

  static constexpr std::size_t bytes_per_rank() { return sizeof(Cursor) + sizeof(SimTime) + sizeof(std::uint32_t); }

 private:
  [[noreturn]] static void refuse_rank(const Cursor& cursor, const char* what, std::int32_t rank);
  void answer_thread(Cursor& cursor, op::Reply reply);

  Clock& clock_;
  Profiles& profiles_;
  Threads& threads_;
  op::Streams& streams_;
  Observer* observer_;
  Ahead ahead_;
  Pool<Cursor> cursors_;                ///< those of the ranks have their world rank as index
  std::vector<SimTime> ends_;           ///< by rank
  std::vector<std::uint32_t> serials_;  ///< by rank: cursors that it has forked so far
  std::uint32_t alive_ = 0;
  std::uint32_t born_ = 0;  ///< ranks that have begun; the others have cursors that ended before they did
  CursorIndex stepping_ = none;
  std::vector<CursorIndex> resumed_;
};

}  // namespace orrery::kernel
