// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace orrery::collective {

/// One round of a broadcast of blocks on a circulant graph, as one rank sees it. Ranks are relative to the root.
struct CirculantRound {
  int to;
  int from;
  int out;  ///< block that goes to `to`; -1: none
  int in;   ///< block that comes from `from`; -1: none
};

/// All rounds of one rank. With q = ⌈log2 p⌉ and n blocks there are n − 1 + q, as few as can be: in each of them a rank
/// sends at most one block and receives at most one. Distances are p halved and rounded up again and again, in turn.
/// The root sends block after block; in each q rounds another rank receives q different blocks, of which it passes on
/// those that it has. No block comes to a rank twice.
/// Source: Träff 2024, doi:10.48550/arXiv.2407.18004
[[nodiscard]] std::vector<CirculantRound> circulant_rounds(int self, int size, int blocks);

}  // namespace orrery::collective
