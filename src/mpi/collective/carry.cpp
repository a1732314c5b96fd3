// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/carry.hpp"

#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpi/collective/round.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/process/host_processors.hpp"

namespace orrery::mpi {

namespace {

/// What a carrier holds at a time, unless the slices of one receiver are more.
constexpr std::int64_t carried_at_once = 32 << 20;
/// Pieces that one call of the system takes (IOV_MAX).
constexpr int most_pieces = 1024;

int carriers() {
  static const int processors = processors_of_this_host();
  return std::max(1, processors - 1);
}

/// Memory of its own pages, large ones where the system has them.
class Pages {
 public:
  explicit Pages(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* const made = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return;
    first_ = static_cast<std::byte*>(made);
    (void)madvise(made, bytes_, MADV_HUGEPAGE);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (first_ != nullptr) munmap(first_, bytes_);
  }
  [[nodiscard]] std::byte* first() const { return first_; }  ///< null: there is no memory left

 private:
  std::size_t bytes_;
  std::byte* first_ = nullptr;
};

iovec piece(std::byte* first, std::int64_t bytes) { return {first, static_cast<std::size_t>(bytes)}; }
iovec remote_piece(std::uint64_t first, std::int64_t bytes) {
  return {reinterpret_cast<void*>(first), static_cast<std::size_t>(bytes)};
}

/// Carries slices to some receivers, in part after part of the work that is shared.
class Carrier {
 public:
  Carrier(const Round::Slot* slots, Comm& comm)
      : slots_(slots),
        comm_(comm),
        size_(comm.size()),
        bytes_(slots[0].bytes),
        at_once_(static_cast<int>(std::clamp<std::int64_t>(carried_at_once / (bytes_ * size_), 1, size_))) {}

  [[nodiscard]] std::uint32_t parts() const { return static_cast<std::uint32_t>((size_ + at_once_ - 1) / at_once_); }

  bool carry(std::uint32_t part) {
    if (!pages_) pages_.emplace(bytes_ * size_ * at_once_);
    if (pages_->first() == nullptr) return false;
    const int first = static_cast<int>(part) * at_once_;
    const int receivers = std::min(at_once_, size_ - first);
    for (int from = 0; from < size_; ++from) {
      if (!collect(from, first, receivers)) return false;
    }
    for (int i = 0; i < receivers; ++i) {
      if (!deliver(first + i, i, receivers)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] pid_t process(int rank) const {
    return this_rank().memory().block(comm_.world(rank)).pid.load(std::memory_order_relaxed);
  }

  /// What a sender has for all receivers of the part.
  [[nodiscard]] bool collect(int from, int first, int receivers) const {
    const std::int64_t bytes = receivers * bytes_;
    const iovec local = piece(pages_->first() + from * bytes, bytes);
    const iovec remote = remote_piece(slots_[from].from + static_cast<std::uint64_t>(first * bytes_), bytes);
    return process_vm_readv(process(from), &local, 1, &remote, 1, 0) == bytes;
  }

  /// What all have for a receiver, the i-th of the part.
  [[nodiscard]] bool deliver(int to, int i, int receivers) const {
    std::array<iovec, most_pieces> local;
    for (int from = 0; from < size_; from += most_pieces) {
      const int pieces = std::min(most_pieces, size_ - from);
      for (int k = 0; k < pieces; ++k) {
        local[static_cast<std::size_t>(k)] = piece(pages_->first() + ((from + k) * receivers + i) * bytes_, bytes_);
      }
      const iovec remote = remote_piece(slots_[to].to + static_cast<std::uint64_t>(from * bytes_), pieces * bytes_);
      const auto count = static_cast<unsigned long>(pieces);
      if (process_vm_writev(process(to), local.data(), count, &remote, 1, 0) != pieces * bytes_) return false;
    }
    return true;
  }

  const Round::Slot* slots_;
  Comm& comm_;
  int size_;
  std::int64_t bytes_;  ///< of a slice
  int at_once_;         ///< receivers of a part
  std::optional<Pages> pages_;
};

/// Where a member's slices are, if somebody else may carry them.
Round::Slot offer(const Blocks& send, const Blocks& recv, int size) {
  Round::Slot slot{.bytes = recv[0].bytes(), .place = 0, .from = 0, .to = 0};
  const auto from = send.whole(size);
  const auto to = recv.whole(size);
  if (!from || !to || !from->contiguous() || !to->contiguous() || from->bytes() != to->bytes()) return slot;
  if (from->buffer == to->buffer || !this_rank().payloads().receivers_can_pull()) return slot;
  slot.from = reinterpret_cast<std::uint64_t>(from->buffer);
  slot.to = reinterpret_cast<std::uint64_t>(to->buffer);
  return slot;
}

}  // namespace

bool carry_slices(const Blocks& send, const Blocks& recv, Comm& comm) {
  Round round(comm);
  const Round::Slot* slots = round.slots();
  round.slots()[comm.rank] = offer(send, recv, comm.size());
  round.meet(carriers());
  const auto alike = [&](const Round::Slot& slot) { return slot.from != 0 && slot.bytes == slots[0].bytes; };
  const bool possible = std::all_of(slots, slots + comm.size(), alike);
  Carrier carrier(slots, comm);
  const bool carried =
      round.share(possible ? carrier.parts() : 1, [&](std::uint32_t part) { return possible && carrier.carry(part); });
  (void)round.leave();
  return carried;
}

}  // namespace orrery::mpi
