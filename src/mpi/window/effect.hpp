// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

#include "mpi/channel/effects.hpp"
#include "mpi/object/held.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/reduction/kernel.hpp"
#include "mpi/window/target.hpp"

/// Accumulates: written down by their origin in the memory of the run, ordered by the kernel, carried out by whoever
/// first needs one of those that are ordered (channel/effects.hpp).
namespace orrery::mpi {

/// What is to be done with the target's elements.
struct Change {
  Operation operation = Operation::NoOperation;
  bool swap = false;                  ///< MPI_Compare_and_swap: replaces where the target equals `compare`
  const Datatype* element = nullptr;  ///< predefined
  Data operand{};                     ///< of as many bytes as the target; unused by MPI_NO_OP
  Data compare{};                     ///< of a swap
};

/// An accumulate that its origin has called and not settled.
class PendingEffect {
 public:
  /// Writes it down. @param result where what was there goes, if it is wanted
  PendingEffect(Window& window, const TargetPlace& place, const Change& change, std::optional<Data> result,
                Datatype* result_type);
  ~PendingEffect();
  PendingEffect(const PendingEffect&) = delete;
  PendingEffect& operator=(const PendingEffect&) = delete;

  /// The kernel's name for it.
  [[nodiscard]] std::int64_t name() const { return static_cast<std::int64_t>(place_); }
  /// Carries it out now: no other rank may reach the target, so the kernel need not give its order.
  /// @throws Error (MPI_ERR_RMA_RANGE) when there is no such memory
  void happen();
  /// Whether the origin waits for what was there.
  [[nodiscard]] bool has_result() const { return result_.has_value(); }
  /// Whether it has happened; then its result is where the program wanted it.
  [[nodiscard]] bool settled();
  /// Whether it could not be done: the target has no such memory. Valid once settled.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  channel::Memory& memory_;
  channel::Offset place_ = 0;
  std::size_t size_ = 0;
  std::optional<Data> result_;
  Held<Datatype> result_type_;
  bool settled_ = false;
  bool failed_ = false;
};

/// Carries out what the kernel has ordered for one target.
void carry_out(channel::EffectQueue& queue);
/// All accumulates of this rank on a target, of which the kernel has told the order. @throws Error when one failed
void settle_effects(Window& window, int rank);
/// Forgets those that have happened already: a long epoch needs no more memory than a short one.
void settle_some(Window& window, int rank);

}  // namespace orrery::mpi
