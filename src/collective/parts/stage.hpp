// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/embed.hpp"
#include "collective/places.hpp"
#include "op/script.hpp"

/// Hierarchical algorithms are flat ones among the masters of groups, stage by stage.
namespace orrery::collective {

using Stage = Grouping::Stage;

[[nodiscard]] inline const Grouping& grouping_of(const Call& call) {
  return call.places->grouping(call.hierarchy.levels);
}
[[nodiscard]] constexpr bool is_outermost(const Stage& stage) { return stage.group == 0; }
/// Whether this rank is the master of the stage's group.
[[nodiscard]] constexpr bool leads(const Stage& stage) { return stage.self == stage.root; }

/// A call among the masters of a stage's subgroups, as one of them makes it.
struct StageCall {
  CollectiveKind kind;
  Bytes bytes;                                ///< as `Call::bytes`
  Placed buffers;                             ///< as seen from here
  std::span<const std::int64_t> counts = {};  ///< must outlive the stream
};

/// The stream of that call, by the algorithm that the hierarchical call wants for the outermost stage, or for the
/// others; by the default one, where the wanted one does not serve. What is copied onto itself is left out.
[[nodiscard]] op::Script in_stage(const Call& call, const Stage& stage, const StageCall& part);

/// Blocks of `block` bytes for each rank: those of a stage's subgroups, where subgroups differ in size; empty
/// otherwise.
[[nodiscard]] std::vector<std::int64_t> unequal_counts(const Grouping& grouping, const Stage& stage, Bytes block);

}  // namespace orrery::collective
