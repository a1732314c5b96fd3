// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// "first:count": with it, descriptors first + 2 × rank and first + 2 × rank + 1 are what rank writes its output and
/// its errors to.
inline constexpr const char* env_label = "ORRERY_LABEL_FDS";

/// What the template writes to the launcher's socket, one record a message.
struct EndedRank {
  std::int32_t rank;         ///< or one of the values below
  std::int32_t wait_status;  ///< as waitpid gives it

  static constexpr std::int32_t has_threads = -2;  ///< the program has started threads: it cannot be forked
  static constexpr std::int32_t cannot_fork = -3;  ///< the system refused a process; `wait_status` is errno
  /// The program has something that its ranks should not share: `text` says what. If the header allows it, the process
  /// goes on as the first rank, and the launcher starts the others; otherwise it forks all the same.
  static constexpr std::int32_t shares = -4;

  char text[244] = "";
};

/// The program before it has ranks: forks them. Returns in each rank, with its number. The template itself stays here,
/// tells the launcher which ranks end how, and ends with the last one. Ranks end with the template, and the template
/// with the launcher. Where ranks should not be forked (`EndedRank::shares`) it returns 0.
[[nodiscard]] int template_main(channel::Memory& memory, int launcher);

/// The process writes whole lines, when they are complete: those of different ranks are not mixed, and a crash loses
/// none. Not on a terminal, which does so anyway.
void write_whole_lines();

}  // namespace orrery::mpi
