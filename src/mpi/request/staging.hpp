// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace orrery::mpi {

/// Copies of the program's buffers, which a binding gives to a call in their place because the library could not use
/// them as they are: sections of Fortran's arrays. They belong to what the call has begun, until that is complete.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  virtual ~Staging() = default;
  /// The program's data go into the copies: an operation begins, or a partition of it is ready.
  virtual void fill() = 0;
  /// What has come goes to the program, which is about to be told so. Called again and again.
  virtual void deliver() = 0;
};

/// Results of accesses to a window, each to be delivered when the accesses to its target are complete.
class StagedResults {
 public:
  void add(int target, std::unique_ptr<Staging> staging) {
    const std::lock_guard lock(mutex_);
    results_.push_back({target, std::move(staging)});
  }
  void complete(std::span<const int> targets) {
    const std::lock_guard lock(mutex_);
    std::erase_if(results_, [&](const Result& result) {
      if (std::ranges::find(targets, result.target) == targets.end()) return false;
      result.staging->deliver();
      return true;
    });
  }

 private:
  struct Result {
    int target;
    std::unique_ptr<Staging> staging;
  };
  std::mutex mutex_;  ///< a thread adds without the rank's lock
  std::vector<Result> results_;
};

}  // namespace orrery::mpi
