// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/channel/channel.hpp"

/// What takes effect in the memory of a rank in an order that the kernel decides: accumulates of windows.
///
/// The kernel links effects into their queue in this order, and goes on. Whoever needs one of them to have happened
/// carries out all that are linked, whosever they are: so nobody waits for another rank to get there, and the order is
/// the kernel's whoever does it.
namespace orrery::mpi::channel {

/// Head of an effect in the arena; what is to be done follows it.
struct Effect {
  enum State : std::uint32_t { Pending, Done, Failed };

  Offset queue = 0;                           ///< written by the origin before it tells the kernel
  Offset next = 0;                            ///< the one before it in the queue; written by the kernel
  std::atomic<std::uint32_t> state{Pending};  ///< written by whoever carries it out; then the origin frees it
};

/// Effects on one target in one window.
struct EffectQueue {
  std::atomic<Offset> linked{0};       ///< the latest effect that is not carried out; written by the kernel and takers
  std::atomic<std::uint32_t> busy{0};  ///< 1: someone carries out effects; taken by compare-and-swap

  void link(const Memory& memory, Offset effect) {
    auto& entry = *memory.as<Effect>(effect);
    entry.next = linked.load(std::memory_order_relaxed);
    // Release: who takes it sees the entry; also what the origin wrote before it told the kernel.
    while (!linked.compare_exchange_weak(entry.next, effect, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  /// All that is linked, the latest first. Only while `busy` is one's own.
  [[nodiscard]] Offset take() { return linked.exchange(0, std::memory_order_acquire); }
};

}  // namespace orrery::mpi::channel
