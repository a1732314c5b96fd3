// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernel/requests.hpp"
#include "storage/storage.hpp"

namespace orrery::kernel {

/// First come, first served. Keeps its memory: a deque would allocate again and again.
class LockFifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == all_.size(); }
  void join(CursorIndex who) { all_.push_back(who); }
  CursorIndex next() {
    const CursorIndex who = all_[first_++];
    if (2 * first_ >= all_.size()) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return who;
  }

 private:
  std::vector<CursorIndex> all_;
  std::size_t first_ = 0;
};

/// What the kernel knows of an open file. Its number is that of the communicator that the file has for itself.
struct FileState {
  std::uint32_t first_server = 0;    ///< where its first stripe lies
  std::int64_t shared_position = 0;  ///< its shared pointer, in whatever unit the ranks count
  std::int32_t holder = -1;          ///< rank that has its lock
  LockFifo waiting;                  ///< cursors that want the lock, in the order in which they asked
};

/// Files: what accesses cost, and what only simulated time can order - shared pointers and locks.
class Files {
 public:
  Files(const Config& config, const Clock& clock, const Hosts& hosts, Cursors& cursors, Requests& requests);

  void begin_access(CursorIndex cursor);  ///< FileRead and FileWrite
  /// Opening, closing, resizing and the like: they keep no server busy for long enough to matter to others.
  void begin_metadata(Cursor& cursor);
  /// Moves the shared pointer of a file. Who asks first in simulated time moves it first; the way to the storage and
  /// back is paid after that.
  void begin_position(Cursor& cursor);
  void begin_lock(CursorIndex cursor);
  void resume_lock(Cursor& cursor);  ///< it has the lock
  void begin_unlock(Cursor& cursor);

  /// When an access ends next.
  [[nodiscard]] std::optional<SimTime> next_event() {
    return storage_ == nullptr ? std::nullopt : storage_->next_event();
  }
  /// @return how many accesses end then
  std::size_t advance(SimTime time);

  /// World rank of who has the lock of a file; -1: nobody.
  [[nodiscard]] std::int32_t holder(const op::Operation& lock) const {
    const auto found = files_.find(lock.comm);
    return found == files_.end() ? -1 : found->second.holder;
  }
  [[nodiscard]] const FileUse& use() const { return use_; }
  /// All members have freed the communicator of the file.
  void release(op::CommId file) { files_.erase(file); }

 private:
  [[nodiscard]] FileState& file_of(const op::Operation& operation);
  [[nodiscard]] storage::Storage& storage();
  void check_access(const Cursor& cursor) const;

  const Config& config_;
  const Clock& clock_;
  const Hosts& hosts_;
  Cursors& cursors_;
  Requests& requests_;
  std::unordered_map<op::CommId, FileState> files_;
  std::uint32_t opened_ = 0;                   ///< so far
  std::unique_ptr<storage::Storage> storage_;  ///< null before the first access
  FileUse use_;
  std::vector<storage::AccessId> ended_;
};

}  // namespace orrery::kernel
