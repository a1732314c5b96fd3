// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "mpi/channel/channel.hpp"

/// What a program has done before MPI_Init that belongs to one process. Ranks that are forked there would share it, as
/// the ranks of no other launcher do: an open file has one position for all, a seed is the same for all.
namespace orrery::mpi {

/// Answers of the system that differ from one process to the next.
enum class Personal : std::uint8_t { Clock, ProcessNumber, RandomNumbers, TemporaryName };

/// The program gets such an answer. Any thread.
void note(Personal answer);

/// Descriptors that the launcher gave to the template, from `first` up to `end`, besides those of the channel.
struct GivenDescriptors {
  int first = 0;
  int end = 0;
};

/// What the calling process would share with processes that it forks, in words that follow "the program has"; empty:
/// nothing that is known of. Cost: it reads a few files of /proc.
/// @param launcher socket towards the launcher
[[nodiscard]] std::string shared_by_forking(const channel::Memory& memory, int launcher, GivenDescriptors given);

}  // namespace orrery::mpi
