// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kernel/frame.hpp"
#include "kernel/message_handling.hpp"
#include "kernel/request.hpp"

namespace orrery::kernel {

/// Requests: their numbers, and their completion, which lets the cursor go on that waits for it.
///
/// The overhead T3 of a receive is processor time of the receiver: it is charged when the rank waits for the request,
/// one message after the other, in the order in which they arrive.
///
/// A request may be a part of another (a send and a receive in one: MPI_Isendrecv; the partitions of a send). The whole
/// is a Join, and it is complete when all its parts are.
class Requests {
 public:
  Requests(const Clock& clock, const Hosts& hosts, Cursors& cursors, Frames& frames, Turns& turns,
           VirtualProcessors& processors, MessageHandling& handling, std::size_t ranks);

  [[nodiscard]] Request& operator[](RequestIndex index) { return pool_[index]; }
  [[nodiscard]] const Request& operator[](RequestIndex index) const { return pool_[index]; }
  [[nodiscard]] Pool<Request>& pool() { return pool_; }

  /// A new one of the cursor's rank. It has no number yet.
  [[nodiscard]] RequestIndex take(const Cursor& cursor, Request::Kind kind) {
    const RequestIndex index = pool_.take();
    Request& request = pool_[index];
    request.kind = kind;
    request.rank = cursor.rank;
    return index;
  }
  void give_back(RequestIndex index) { pool_.give_back(index); }

  /// Where the cursor keeps the request of this id: the rank's table, or that of the collective it is inside of.
  [[nodiscard]] RequestIndex& slot(const Cursor& cursor, op::RequestId id) {
    Table& table = table_of(cursor);
    return id != 0 && id < table.size() ? table[id] : new_slot(cursor, table, id);
  }
  /// The request of this id. @throws InputError if there is none
  [[nodiscard]] RequestIndex active(const Cursor& cursor, op::RequestId id) {
    const RequestIndex index = slot(cursor, id);
    if (index == none) refuse_inactive(cursor, id);
    return index;
  }
  /// The first request of the list that is not complete; null if there is none.
  [[nodiscard]] const Request* first_incomplete(const Cursor& cursor, std::span<const op::RequestId> ids) const;

  /// The request completes now.
  void complete(RequestIndex index);
  /// A part of `join` is complete.
  void finish_part(RequestIndex join) {
    if (--pool_[join].parts == 0) complete(join);
  }
  /// The cursor pays the overhead of a complete request, once.
  void pay(Cursor& cursor, Request& request, node::Side side = node::Side::Receive);
  /// The rank has seen that the request is complete: its id is free again.
  void consume(Cursor& cursor, op::RequestId id);
  /// A blocking operation waits for its own request.
  void wait_for(CursorIndex cursor, RequestIndex request);

  // --- operations ---

  void begin_join(Cursor& cursor);
  void begin_free(Cursor& cursor);
  void begin_match(Cursor& cursor);

  static constexpr std::size_t bytes_per_rank() { return sizeof(Table); }

 private:
  using Table = std::vector<RequestIndex>;  ///< by request id

  [[nodiscard]] Table& table_of(const Cursor& cursor) {
    return cursor.frame != none ? frames_[cursor.frame].requests : of_ranks_[static_cast<std::size_t>(cursor.rank)];
  }
  [[nodiscard]] static RequestIndex& new_slot(const Cursor& cursor, Table& table, op::RequestId id);
  [[noreturn]] static void refuse_inactive(const Cursor& cursor, op::RequestId id);
  void resume_waiter(CursorIndex cursor, Request& request);
  void finish_receive_part(const Request& part);

  const Clock& clock_;
  const Hosts& hosts_;
  Cursors& cursors_;
  Frames& frames_;
  Turns& turns_;
  VirtualProcessors& processors_;
  MessageHandling& handling_;
  Pool<Request> pool_;
  std::vector<Table> of_ranks_;  ///< by rank
};

/// What a rank is told of the message that a receive has got.
[[nodiscard]] op::Reply match_of(const Request& request);

}  // namespace orrery::kernel
