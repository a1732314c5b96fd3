// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "collective/collective.hpp"
#include "collective/mpich_condition.hpp"

namespace orrery::collective {

/// How MPICH chooses an algorithm: a tree of conditions under each collective, those of the immediate forms too. The
/// first line of a level that holds for a call is entered, and there is no way back; where a line has an answer, that
/// is the choice. Where nobody says where ranks are (`Call::places`) each has a node of its own.
class MpichRules {
 public:
  /// Reads lines "condition" or "condition: algorithm setting=value ...", one level deeper per two blanks; on top the
  /// collectives, immediate ones with an i:
  ///     bcast
  ///       comm_size<8: binomial
  ///       any
  ///         avg_msg_size<=12288: binomial
  ///         any: scatter_ring_allgather
  ///     ibarrier: tsp_k_dissemination k=4
  /// Below a collective, "intra" and "inter" may stand for the kind of communicator; what is below "inter" is not read.
  /// Names may begin with it, as in "intra_binomial". Behind "or" comes what decides where the algorithm is not here or
  /// does not serve a call: "intra_smp or binomial".
  /// @throws InputError naming the line that is wrong and what would be right
  [[nodiscard]] static MpichRules from_text(std::string_view text);
  /// Reads a file as of MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or of MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE,
  /// which has compositions: the same as nested objects.
  [[nodiscard]] static MpichRules from_json(std::string_view json);

  /// Whether they are those of the device, which come first; the others decide where these have no algorithm.
  [[nodiscard]] bool composes() const { return composes_; }

  /// No algorithm where the rules say nothing, or name one that is not here (`Choice::instead_of` says which), or a
  /// composition that makes nothing of nodes. By `Decider::Rules` where they say something.
  [[nodiscard]] Choice choose(const Call& call) const;

  /// Whether there is something about a collective.
  [[nodiscard]] bool has(CollectiveKind kind) const {
    return tops_[entry(kind, false)] > 0 || tops_[entry(kind, true)] > 0;
  }

  /// Adds a line; `number` is for messages. An empty answer is none.
  void add(int depth, std::string_view condition, std::string_view answer, int number);

 private:
  struct Line {
    int depth;
    MpichCondition condition;
    std::optional<Choice> answer;
    Choice otherwise;           ///< where the answer does not serve a call
    bool as_immediate = false;  ///< the answer is that of the immediate form
  };
  [[nodiscard]] static std::size_t entry(CollectiveKind kind, bool immediate) {
    return 2 * static_cast<std::size_t>(kind) + (immediate ? 1 : 0);
  }

  std::vector<Line> lines_;                           ///< each followed by those below it
  std::array<int, 2 * op::collective_kinds> tops_{};  ///< position of a collective's line + 1
  CollectiveKind kind_ = CollectiveKind::Barrier;     ///< whose lines are being added
  bool immediate_ = false;
  int answers_ = 0;
  bool composes_ = false;
};

/// The whole tree of conditions that a release has built in, as lines of `MpichRules::from_text` with "inter" and full
/// names of algorithms.
/// @param of_device compositions, which come first
/// @throws InputError naming the releases that are here
[[nodiscard]] std::string mpich_tree(std::string_view release, bool of_device);

/// What the device of MPICH 4 and 5 chooses before that: no algorithm where it makes nothing of nodes.
[[nodiscard]] Choice mpich_composition(const Call& call);
/// What MPICH 4.0 and 5.0 choose without settings of the user's.
[[nodiscard]] Choice mpich_4_0_choice(const Call& call);
[[nodiscard]] Choice mpich_5_0_choice(const Call& call);

}  // namespace orrery::collective
