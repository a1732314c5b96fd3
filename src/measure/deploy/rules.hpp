// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "deploy.hpp"

namespace orrery::deploy {

/// Which algorithm calls of some sizes have; all limits included. Bytes are those of `collective::Call`.
struct Rule {
  CollectiveKind kind;
  int ranks_from, ranks_to;
  std::int64_t bytes_from, bytes_to;
  collective::Choice choice;  ///< no algorithm: the library's own
};

/// Where hosts are whose names fit a pattern of the shell's. Numbers stand for names.
struct HostPlace {
  std::string pattern;
  std::array<std::uint32_t, 3> part;  ///< site, cluster, cabinet
};
inline constexpr std::uint32_t unknown_part = 0xffffffff;

/// What `orrery deploy` wrote, which rank 0 reads, and all ranks get from it.
struct Settings {
  bool check = false;       ///< first uses are compared with the library's results
  std::string report;       ///< file that rank 0 writes, and a rank that ends the job
  std::vector<Rule> rules;  ///< the first one that fits decides
  std::vector<HostPlace> places;

  /// Null: no rule is for such a call.
  [[nodiscard]] const Rule* rule_of(CollectiveKind kind, int ranks, std::int64_t bytes) const;
  /// Whether any algorithm of ours is for communicators of so many ranks.
  [[nodiscard]] bool concerns(int ranks) const;
  /// Null: no pattern fits.
  [[nodiscard]] const HostPlace* place_of(const std::string& host) const;
};

/// @throws InputError for what `orrery deploy` does not write
[[nodiscard]] Settings parse_settings(const std::string& text);

}  // namespace orrery::deploy
