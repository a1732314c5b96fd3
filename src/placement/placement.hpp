// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

/// Which rank goes to which node, so that ranks which exchange much are near each other.
///
/// A platform is a tree: nodes are its leaves, cabinets, clusters and sites the parts around them. Two ranks pay for
/// their messages by the smallest part that has both, and what crosses the border of a part shares its links:
///
///     C = 1/n · Σ over pairs (m · α(P) + b · β(P)) + max over parts (X · γ)
///
/// with n ranks, m messages and b bytes of a pair in both directions, P its smallest common part, and X the bytes that
/// cross the border of a part. The search makes C small: `divide` halves the ranks down the tree, `exchange` swaps
/// pairs. Pure functions; equal arguments give equal mappings. The equations and their reasons:
/// docs/design/placement.md.
namespace orrery::placement {

/// Who exchanges how much with whom: rows of a symmetric matrix. What i sends to j and what j sends to i is added up,
/// and stands in both rows. Entries of row i are those from `offsets[i]` to `offsets[i + 1]`.
struct Traffic {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::uint32_t> peers;
  std::vector<double> messages, bytes;

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
};

/// A part of a platform.
struct Part {
  std::uint32_t parent = 0;  ///< number of a part before this one; of the first, which is the whole, itself
  std::uint32_t slots = 0;   ///< ranks that a leaf has room for; 0 for others
  double message_s = 0;      ///< α: seconds for a message between two ranks whose smallest common part this is
  double byte_s = 0;         ///< β: seconds for each byte of it
  double border_byte_s =
      0;  ///< γ: for so long a byte that enters or leaves occupies the shared links; 0: none are shared
};

/// The whole first, each part behind its parent.
using Tree = std::vector<Part>;

/// Which leaves ranks may go to, where not all are the same to them.
struct Kinds {
  std::vector<std::uint32_t> of_rank;      ///< empty: every rank may go anywhere
  std::vector<std::vector<bool>> may_use;  ///< by kind, then by part; of leaves only

  [[nodiscard]] bool suit(std::uint32_t rank, std::uint32_t leaf) const {
    return of_rank.empty() || may_use[of_rank[rank]][leaf];
  }
};

/// By rank: the number of a leaf.
using Mapping = std::vector<std::uint32_t>;

/// The two terms of C, in seconds.
struct Cost {
  double pairs_s = 0;
  double busiest_s = 0;
  [[nodiscard]] double total_s() const { return pairs_s + busiest_s; }
};

/// Thrown where `stop` became true.
struct Interrupted {};

/// @throws InputError if rows are no symmetric matrix, parts no tree, or slots too few. All others take this as given.
void check(const Traffic& traffic, const Tree& tree);

[[nodiscard]] Cost cost(const Traffic& traffic, const Tree& tree, const Mapping& mapping);

/// A mapping from the whole to the leaves: the ranks of a part are divided among halves of its parts, again and again,
/// each time so that little is cut. Kinds are not looked at. Every leaf has `slots` ranks at most.
/// @param seed of the draws   @throws Interrupted
[[nodiscard]] Mapping divide(const Traffic& traffic, const Tree& tree, std::uint64_t seed,
                             const std::atomic<bool>* stop = nullptr);

/// The nearest mapping in which every rank has a leaf that its kind may use, and no leaf has too many.
/// @throws InputError if there is none   @throws Interrupted
[[nodiscard]] Mapping fit(const Tree& tree, const Kinds& kinds, Mapping mapping,
                          const std::atomic<bool>* stop = nullptr);

/// Swaps pairs of ranks, and moves ranks to free slots, while that lowers C. The mapping fits before and after.
/// @throws Interrupted
[[nodiscard]] Mapping exchange(const Traffic& traffic, const Tree& tree, const Kinds& kinds, Mapping mapping,
                               std::uint64_t seed, const std::atomic<bool>* stop = nullptr);

}  // namespace orrery::placement
