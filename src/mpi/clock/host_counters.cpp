// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/host_counters.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {
namespace {

using channel::page_bytes;

/// The value of a hardware counter of this processor.
std::uint64_t hardware_counter([[maybe_unused]] std::uint32_t index) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(__builtin_ia32_rdpmc(static_cast<int>(index)));
#else
  return 0;
#endif
}

}  // namespace

InstructionCounter::InstructionCounter(bool wanted) {
#if defined(__x86_64__)
  if (!wanted) return;
  perf_event_attr what{};
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  const auto descriptor = static_cast<int>(
      syscall(SYS_perf_event_open, &what, 0, -1, -1, static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
  if (descriptor < 0) return;
  void* const page = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);  // the mapping keeps the counter
  if (page == MAP_FAILED) return;
  page_ = static_cast<perf_event_mmap_page*>(page);
  if (page_->cap_user_rdpmc != 0 && read() != 0) return;
  munmap(page, page_bytes);
  page_ = nullptr;
#else
  (void)wanted;
#endif
}

InstructionCounter::~InstructionCounter() {
  if (page_ != nullptr) munmap(page_, page_bytes);
}

/// As the header of the interface says (linux/perf_event.h): the kernel changes `lock` whenever it moves the counter.
std::uint64_t InstructionCounter::read() const {
  if (page_ == nullptr) return 0;
  const volatile perf_event_mmap_page& page = *page_;
  for (;;) {
    const std::uint32_t before = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint32_t index = page.index;
    auto count = static_cast<std::uint64_t>(page.offset);
    if (index == 0) return 0;
    const int unused = 64 - page.pmc_width;
    count += static_cast<std::uint64_t>(static_cast<std::int64_t>(hardware_counter(index - 1) << unused) >> unused);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page.lock == before) return count;
  }
}

std::uint64_t page_faults() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

}  // namespace orrery::mpi
