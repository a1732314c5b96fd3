// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/files.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace orrery::kernel {

Files::Files(const Config& config, const Clock& clock, const Hosts& hosts, Cursors& cursors, Requests& requests)
    : config_(config), clock_(clock), hosts_(hosts), cursors_(cursors), requests_(requests) {}

/// The file of an operation. The first that is heard of it gives it the server of its first stripe, in turn.
FileState& Files::file_of(const op::Operation& operation) {
  const auto [found, fresh] = files_.try_emplace(operation.comm);
  if (fresh) found->second.first_server = opened_++ % std::max<std::uint32_t>(config_.storage.servers, 1);
  return found->second;
}

/// Made when the first access comes: most programs have none, and each host costs a link.
storage::Storage& Files::storage() {
  if (storage_ == nullptr) {
    const auto last = *std::max_element(config_.host_of_rank.begin(), config_.host_of_rank.end());
    storage_ = std::make_unique<storage::Storage>(config_.storage, std::size_t{last} + 1);
  }
  return *storage_;
}

void Files::check_access(const Cursor& cursor) const {
  const op::Operation& operation = *cursor.current;
  if (operation.bytes.count < 0) bad_stream(cursor, concat("an access to ", operation.bytes.count, " bytes of a file"));
  const auto place = operation.counts;
  if (place.size() != 2 || place[0] < 0 || place[1] < 0 || place[0] > INT64_MAX - place[1])
    bad_stream(cursor, "an access to a file that does not say where");
}

void Files::begin_access(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  check_access(cursor);
  const op::Operation& operation = *cursor.current;
  const bool writes = operation.kind == op::Kind::FileWrite;
  ++use_.accesses;
  (writes ? use_.written : use_.read) += operation.bytes;

  const RequestIndex index = requests_.take(cursor, Request::Kind::File);
  Request& request = requests_[index];
  request.context = point_to_point_context(operation.comm);
  request.peer = op::any_source;
  request.bytes = operation.bytes;
  storage().start({.id = index.value,
                   .host = hosts_.of(cursor.rank),
                   .writes = writes,
                   .first_server = file_of(operation).first_server,
                   .bytes = operation.bytes,
                   .offset = operation.counts[0],
                   .span = operation.counts[1]},
                  clock_.now);
  if (operation.has(op::Blocking)) return requests_.wait_for(cursor_index, index);
  requests_.slot(cursor, operation.request) = index;
  cursors_.go_on(cursor);
}

std::size_t Files::advance(SimTime time) {
  ended_.clear();
  storage_->advance(time, ended_);
  for (const storage::AccessId id : ended_) requests_.complete(RequestIndex{id});
  return ended_.size();
}

void Files::begin_metadata(Cursor& cursor) {
  cursor.clock += Duration{config_.storage.metadata_latency_s};
  cursors_.go_on(cursor);
}

void Files::begin_position(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  std::int64_t& position = file_of(operation).shared_position;
  op::Reply reply;
  reply.bytes = {position};
  position = operation.has(op::Absolute) ? operation.bytes.count : position + operation.bytes.count;
  cursor.clock += Duration{config_.storage.latency_s};
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

void Files::begin_lock(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  FileState& file = file_of(*cursor.current);
  if (file.holder >= 0) {
    file.waiting.join(cursor_index);
    cursor.state = Cursor::State::Waits;
    return;
  }
  file.holder = cursor.rank;
  resume_lock(cursor);
}

void Files::resume_lock(Cursor& cursor) {
  cursor.clock += Duration{config_.storage.latency_s};
  cursors_.go_on(cursor);
  cursors_.answer(cursor, {});
}

void Files::begin_unlock(Cursor& cursor) {
  FileState& file = file_of(*cursor.current);
  if (file.holder < 0) bad_stream(cursor, "a file is unlocked that is not locked");
  cursors_.go_on(cursor);
  if (file.waiting.empty()) {
    file.holder = -1;
    return;
  }
  const CursorIndex next = file.waiting.next();
  file.holder = cursors_[next].rank;
  cursors_.wake(next);
}

}  // namespace orrery::kernel
