// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

struct perf_event_mmap_page;

namespace orrery::mpi {

/// Instructions that the calling thread has retired in user space, where the kernel lets programs count them: most
/// virtual machines have no counters, and some systems allow them to administrators alone.
class InstructionCounter {
 public:
  /// Opens a counter of the calling thread. @param wanted false: do not
  explicit InstructionCounter(bool wanted);
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  [[nodiscard]] bool counts() const { return page_ != nullptr; }
  /// So far; only differences mean something. 0: they are not counted, or not now. No system call.
  [[nodiscard]] std::uint64_t read() const;

 private:
  perf_event_mmap_page* page_ = nullptr;  ///< the counter's, which says where it is
};

/// Page faults of the calling thread so far that needed no disk. A system call.
[[nodiscard]] std::uint64_t page_faults();

}  // namespace orrery::mpi
