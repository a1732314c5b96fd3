// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "timeline/calls.hpp"
#include "timeline/lineage.hpp"

namespace orrery::timeline {

/// Collective calls under way, and for whom their members wait.
class Gatherings {
 public:
  using Key = std::uint64_t;

  Gatherings(const trace::File& file, Lineage& lineage) : file_(file), lineage_(lineage) {}

  static Key key_of(const Step& step) { return std::uint64_t{step.comm} << 32 | static_cast<std::uint32_t>(step.tag); }
  void enter(const Step& step, std::uint32_t rank, std::int64_t ns, Lineage::Place place);

  /// A member that others wait for.
  struct Late {
    std::uint32_t rank;
    std::int64_t ns;       ///< when it came
    Lineage::Place place;  ///< where it was then; valid until the next call of a method
  };
  /// For whom `rank` waits in the call, as far as is known now. Nothing: for nobody in particular.
  [[nodiscard]] std::optional<Late> late(Key key, std::uint32_t rank) const;
  void leave(Key key);

  /// Calls that not all members have left, and those whose members are not known.
  [[nodiscard]] std::uint64_t unfinished() const { return calls_.size() + unknown_; }

 private:
  struct Call {
    op::CollectiveKind kind;
    std::uint32_t members, here = 0, gone = 0;
    std::uint32_t root;  ///< world rank; UINT32_MAX: none
    Late last, root_came;
  };

  [[nodiscard]] std::uint32_t size_of(op::CommId comm) const;
  [[nodiscard]] std::uint32_t root_of(const Step& step) const;

  const trace::File& file_;
  Lineage& lineage_;
  std::unordered_map<Key, Call> calls_;
  std::uint64_t unknown_ = 0;
};

}  // namespace orrery::timeline
