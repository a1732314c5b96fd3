// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/payload.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/error.hpp"
#include "mpi/collective/shared_bytes.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/kept.hpp"
#include "mpi/process/environment.hpp"

namespace orrery::mpi {
namespace {

using channel::Form;

/// Largest payload that travels in the inbox record: an eighth of an inbox would let few senders block all others.
constexpr std::int64_t inline_limit = 2048;
/// Below this size two copies cost less than a system call and the wake-up of the sender.
constexpr std::int64_t pull_minimum = 16 * 1024;
/// Up to here no data is left out.
constexpr std::int64_t always_sent = 1024;

ssize_t read_process(pid_t process, std::uint64_t from, std::byte* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(from), bytes};
  return process_vm_readv(process, &local, 1, &remote, 1, 0);
}

}  // namespace

Data Data::of(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), static_cast<std::int64_t>(bytes.size()), nullptr};
}

Data Data::of(const void* buffer, std::int64_t count, const Datatype& type) {
  return {const_cast<void*>(buffer), count, &type};
}

std::int64_t Data::bytes() const { return type == nullptr ? count : count * size_of(*type); }

bool Data::contiguous() const { return type == nullptr || is_contiguous(*type); }

void Data::pack_into(std::byte* packed) const {
  if (!contiguous()) return pack(buffer, count, *type, packed);
  if (const std::int64_t n = bytes(); n > 0) std::memcpy(packed, buffer, static_cast<std::size_t>(n));
}

void Data::unpack_from(const std::byte* packed, std::int64_t packed_bytes) const {
  const std::int64_t n = std::min(packed_bytes, bytes());
  if (n == 0) return;
  if (contiguous()) {
    std::memcpy(buffer, packed, static_cast<std::size_t>(n));
  } else {
    unpack(packed, n, buffer, count, *type);
  }
}

Rank::SendToken Payloads::post(int dest, channel::Message& head, const Data& data, Reuse reuse) {
  head.bytes = data.bytes();
  if (leaves_out(data)) {
    head.form = Form::Absent;
    rank_.post(dest, head, {});
    return {};
  }
  if (head.bytes <= inline_limit) {
    head.form = Form::Inline;
    const auto n = static_cast<std::size_t>(head.bytes);
    if (data.contiguous()) {
      rank_.post(dest, head, {static_cast<const std::byte*>(data.buffer), n});
    } else {
      std::array<std::byte, inline_limit> packed;
      data.pack_into(packed.data());
      rank_.post(dest, head, {packed.data(), n});
    }
    return {};
  }
  const std::int64_t limit = std::max(rank_.settings().buffered_limit, pull_minimum);
  if (reuse == Reuse::Later && head.bytes > limit && data.contiguous() && receivers_can_pull()) {
    head.form = Form::Pull;
    head.place = reinterpret_cast<std::uint64_t>(data.buffer);
    head.ack = allocate(sizeof(std::uint32_t));
    new (rank_.memory().at(head.ack)) std::atomic<std::uint32_t>(0);
    rank_.post(dest, head, {});
    return {rank_, head.ack};
  }
  head.form = Form::Arena;
  head.place = allocate(static_cast<std::size_t>(head.bytes));
  data.pack_into(rank_.memory().at(head.place));
  rank_.post(dest, head, {});
  return {};
}

bool Payloads::leaves_out(const Data& data) const {
  if (rank_.settings().no_data == 0 || data.type == nullptr) return false;
  return data.bytes() > always_sent && is_of_reals(*data.type);
}

channel::Offset Payloads::allocate(std::size_t bytes) {
  try {
    return rank_.memory().allocate(bytes);
  } catch (const std::bad_alloc&) {
    end_run("the shared memory for messages under way is used up: more is sent than is received", 1);
  }
}

bool Payloads::receivers_can_pull() {
  if (!can_pull_) {
    // Where the system restricts this to descendants (Yama), the ranks may allow it to all. Whether it is forbidden
    // altogether shows when reading the parent, whose restrictions are the same: the address is wrong on purpose.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    std::byte probe{};
    can_pull_ = read_process(getppid(), 0, &probe, 1) == 1 || errno == EFAULT;
  }
  return *can_pull_;
}

void Payloads::fetch(const channel::Message& head, const std::byte* inline_bytes, const Data& into) {
  switch (head.form) {
    case Form::Inline: return into.unpack_from(inline_bytes, head.bytes);
    case Form::Arena: into.unpack_from(rank_.memory().at(head.place), head.bytes); return release_arena(head);
    case Form::Pull: return pull(head, into);
    case Form::Absent: return;
  }
}

void Payloads::fetch_ahead(Kept& kept) {
  if (kept.head.form != Form::Pull) return;
  kept.fetched = PayloadMemory(static_cast<std::size_t>(kept.head.bytes));
  pull(kept.head, {kept.fetched.data(), kept.head.bytes, nullptr});
  kept.head.form = Form::Inline;
}

void Payloads::release_arena(const channel::Message& head) {
  auto& memory = rank_.memory();
  if (head.ack != 0) return give_back_share(memory, head.ack);
  memory.release(head.place, static_cast<std::size_t>(head.bytes));
}

void Payloads::pull(const channel::Message& head, const Data& into) {
  const auto wanted = static_cast<std::size_t>(std::min(head.bytes, into.bytes()));
  std::vector<std::byte> packed(into.contiguous() ? 0 : wanted);
  std::byte* to = into.contiguous() ? static_cast<std::byte*>(into.buffer) : packed.data();
  auto& sender = rank_.memory().block(head.source);
  const pid_t process = sender.pid.load(std::memory_order_relaxed);
  if (process == getpid()) {
    std::memmove(to, reinterpret_cast<const void*>(head.place), wanted);
  } else {
    for (std::size_t done = 0; done < wanted;) {
      const ssize_t n = read_process(process, head.place + done, to + done, wanted - done);
      if (n <= 0) end_run(concat("cannot read a message of rank ", head.source, ": ", std::strerror(errno)), 1);
      done += static_cast<std::size_t>(n);
    }
  }
  if (!into.contiguous()) into.unpack_from(packed.data(), static_cast<std::int64_t>(wanted));
  rank_.memory().as<std::atomic<std::uint32_t>>(head.ack)->store(1, std::memory_order_release);
  sender.doorbell.ring();
}

}  // namespace orrery::mpi
