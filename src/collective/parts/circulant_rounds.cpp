// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/circulant_rounds.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace orrery::collective {
namespace {

/// From 1 up: p halved and rounded up again and again; p itself is the last.
std::vector<int> distances_of(int size) {
  std::vector<int> distances{size};
  for (int left = size; left > 1;) distances.push_back(left = left / 2 + left % 2);
  std::ranges::reverse(distances);
  return distances;
}

/// Which blocks a rank receives in q rounds, relative to those that the root sends in them: the root's block k is k in
/// the rounds in which it comes first, and k − q is one that it sent q rounds before.
///
/// A block comes along a path of distances that get shorter. For round after round, the rank takes the nearest rank
/// before it that such a path reaches, that is far enough away for the round, and that no earlier round took.
class Arrivals {
 public:
  Arrivals(int self, std::vector<int> distances)
      : distances_(std::move(distances)),
        rounds_(static_cast<int>(distances_.size()) - 1),
        goal_(distances_.back() + self),
        nearest_(2 * distances_.back()),
        used_(distances_.size(), false) {
    const int base = first_block(self);
    used_[at(base)] = true;
    walk(0, rounds_);
    for (int& block : blocks_) block = block == rounds_ ? base : block - rounds_;
  }

  [[nodiscard]] const std::vector<int>& blocks() const { return blocks_; }

 private:
  [[nodiscard]] static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] int taken() const { return static_cast<int>(blocks_.size()); }
  /// How far a path may come for the round that is sought.
  [[nodiscard]] int reach(int later) const { return goal_ - distances_[at(taken() + later)]; }

  /// That it receives first: the last distance on the shortest path from the root, largest first; of the root q.
  [[nodiscard]] int first_block(int rank) const {
    for (int k = rounds_ - 1; k >= 0; --k) {
      if (distances_[at(k)] == rank) return k;
      if (distances_[at(k)] < rank) rank -= distances_[at(k)];
    }
    return rounds_;
  }

  /// Goes on from a rank with distances up to that of `first`.
  void walk(int here, int first) {
    for (int k = first; k >= 0 && taken() < rounds_; --k) {
      const int there = here + distances_[at(k)];
      if (used_[at(k)] || there > reach(0) || there >= nearest_) continue;
      if (there <= reach(1)) walk(there, k);
      if (taken() == rounds_ || here > reach(1)) return;
      nearest_ = there;
      blocks_.push_back(k);
      used_[at(k)] = true;
    }
  }

  std::vector<int> distances_;
  int rounds_;
  int goal_;     ///< the rank itself, once around the ring
  int nearest_;  ///< what the round before took
  std::vector<bool> used_;
  std::vector<int> blocks_;
};

/// The block that a rank receives in each round; -1: none.
std::vector<int> received(int self, const std::vector<int>& distances, int blocks) {
  const int phase = static_cast<int>(distances.size()) - 1;
  const int before = (phase - (blocks - 1) % phase) % phase;  // rounds that a last whole phase has too many
  std::vector<int> found(static_cast<std::size_t>(blocks - 1 + phase), -1);
  if (self == 0) return found;
  const Arrivals arrivals(self, distances);
  bool has_last = false;
  for (int round = 0; round < static_cast<int>(found.size()); ++round) {
    const int shifted = round + before;
    const int block = arrivals.blocks()[static_cast<std::size_t>(shifted % phase)] + shifted / phase * phase - before;
    if (block < 0 || (block >= blocks - 1 && std::exchange(has_last, true))) continue;
    found[static_cast<std::size_t>(round)] = std::min(block, blocks - 1);
  }
  return found;
}

}  // namespace

std::vector<CirculantRound> circulant_rounds(int self, int size, int blocks) {
  std::vector<CirculantRound> rounds;
  if (size < 2 || blocks < 1) return rounds;
  const std::vector<int> distances = distances_of(size);
  const int phase = static_cast<int>(distances.size()) - 1;
  const int before = (phase - (blocks - 1) % phase) % phase;
  const std::vector<int> own = received(self, distances, blocks);
  std::vector<std::vector<int>> theirs;
  for (int k = 0; k < phase; ++k) {
    theirs.push_back(received((self + distances[static_cast<std::size_t>(k)]) % size, distances, blocks));
  }
  for (std::size_t round = 0; round < own.size(); ++round) {
    const std::size_t k = (round + static_cast<std::size_t>(before)) % static_cast<std::size_t>(phase);
    const int distance = distances[k];
    rounds.push_back({(self + distance) % size, (self - distance + size) % size, theirs[k][round], own[round]});
  }
  return rounds;
}

}  // namespace orrery::collective
