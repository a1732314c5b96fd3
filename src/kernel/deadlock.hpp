// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/files.hpp"
#include "kernel/locks.hpp"
#include "kernel/matching.hpp"
#include "kernel/requests.hpp"

namespace orrery::kernel {

/// When nothing can happen any more: who waits for whom.
class DeadlockReport {
 public:
  DeadlockReport(const Cursors& cursors, const Frames& frames, const Requests& requests, const Locks& locks,
                 const Files& files, const Matching& matching, const Messages& messages)
      : cursors_(cursors),
        frames_(frames),
        requests_(requests),
        locks_(locks),
        files_(files),
        matching_(matching),
        messages_(messages) {}

  /// None where all ranks have ended.
  [[nodiscard]] std::optional<Deadlock> find() const;

 private:
  [[nodiscard]] Waiting describe(const Cursor& cursor) const;
  [[nodiscard]] std::optional<Unmatched> nearest(const Cursor& cursor, const Request* request) const;
  [[nodiscard]] const Request* awaited(const Cursor& cursor) const;
  [[nodiscard]] std::int32_t peer_of(const op::Operation& operation, const Request* request) const;

  const Cursors& cursors_;
  const Frames& frames_;
  const Requests& requests_;
  const Locks& locks_;
  const Files& files_;
  const Matching& matching_;
  const Messages& messages_;
};

}  // namespace orrery::kernel
