// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "kernel/state.hpp"

/// Files: what accesses cost, and what only simulated time can order - shared pointers and locks.
namespace orrery::kernel {

/// The file of an operation. The first that is heard of it gives it the server of its first stripe, in turn.
FileState& Simulation::State::file_of(const op::Operation& operation) {
  const auto [found, fresh] = files.try_emplace(operation.comm);
  if (fresh) found->second.first_server = files_opened++ % std::max<std::uint32_t>(config.storage.servers, 1);
  return found->second;
}

/// Made when the first access comes: most programs have none, and each host costs a link.
storage::Storage& Simulation::State::storage_made() {
  if (storage == nullptr) {
    const auto last = *std::max_element(config.host_of_rank.begin(), config.host_of_rank.end());
    storage = std::make_unique<storage::Storage>(config.storage, std::size_t{last} + 1);
  }
  return *storage;
}

void Simulation::State::begin_access(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  const bool writes = operation.kind == op::Kind::FileWrite;
  if (operation.bytes.count < 0) bad_stream(cursor, concat("an access to ", operation.bytes.count, " bytes of a file"));
  const auto place = operation.counts;
  if (place.size() != 2 || place[0] < 0 || place[1] < 0 || place[0] > INT64_MAX - place[1]) {
    bad_stream(cursor, "an access to a file that does not say where");
  }
  ++file_use.accesses;
  (writes ? file_use.written : file_use.read) += operation.bytes;

  const std::uint32_t index = requests.take();
  Request& request = requests[index];
  request.kind = Request::Kind::File;
  request.rank = cursor.rank;
  request.context = point_to_point_context(operation.comm);
  request.peer = op::any_source;
  request.bytes = operation.bytes;
  storage_made().start({.id = index,
                        .host = host(cursor.rank),
                        .writes = writes,
                        .first_server = file_of(operation).first_server,
                        .bytes = operation.bytes,
                        .offset = place[0],
                        .span = place[1]},
                       now);
  if (!operation.has(op::Blocking)) {
    slot(cursor, operation.request) = index;
    return go_on(cursor);
  }
  wait_for(cursor_index, index);
}

void Simulation::State::accesses_ended(SimTime when) {
  go_to(std::max(now, when));
  ended.clear();
  storage->advance(when, ended);
  events += ended.size();
  for (const storage::AccessId request : ended) complete(request);
}

/// Opening, closing, resizing and the like: they keep no server busy for long enough to matter to others.
void Simulation::State::use_metadata(Cursor& cursor) {
  cursor.clock += Duration{config.storage.metadata_latency_s};
  go_on(cursor);
}

/// Moves the shared pointer of a file. Who asks first in simulated time moves it first; the way to the storage and back
/// is paid after that.
void Simulation::State::move_shared_position(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  std::int64_t& position = file_of(operation).shared_position;
  op::Reply reply;
  reply.bytes = {position};
  position = operation.has(op::Absolute) ? operation.bytes.count : position + operation.bytes.count;
  cursor.clock += Duration{config.storage.latency_s};
  go_on(cursor);
  answer(cursor, reply);
}

void Simulation::State::lock_file(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  FileState& file = file_of(*cursor.current);
  if (file.holder >= 0) {
    file.waiting.join(cursor_index);
    cursor.state = Cursor::State::Waits;
    return;
  }
  file.holder = cursor.rank;
  file_locked(cursor);
}

void Simulation::State::file_locked(Cursor& cursor) {
  cursor.clock += Duration{config.storage.latency_s};
  go_on(cursor);
  answer(cursor, {});
}

void Simulation::State::unlock_file(Cursor& cursor) {
  FileState& file = file_of(*cursor.current);
  if (file.holder < 0) bad_stream(cursor, "a file is unlocked that is not locked");
  go_on(cursor);
  if (file.waiting.empty()) {
    file.holder = -1;
    return;
  }
  const std::uint32_t next = file.waiting.next();
  file.holder = cursors[next].rank;
  cursors[next].clock = std::max(cursors[next].clock, now);
  cursors[next].state = Cursor::State::Resumes;
  schedule(next);
}

}  // namespace orrery::kernel
