// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mpi/channel/channel.hpp"

/// What the launchers of other MPI libraries tell a process by its environment: which rank it is, and which on its
/// node. Scripts that start a program on each rank choose its device, files and profiler by these variables.
namespace orrery::mpi::channel {

/// A rank among those that were started with it, and on its simulated node.
struct RankPlace {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among those of its node
  int local_size = 1;
  int node = 0;  ///< nodes are numbered as ranks come to them
  int nodes = 1;
};

/// Places of all ranks of an MPI_COMM_WORLD, by rank.
[[nodiscard]] std::vector<RankPlace> places_in(const Memory& memory, op::CommId world);

/// A variable that has a value for each rank. Name and value are apart, so that this library does not look like a
/// program that reads it.
struct LauncherVariable {
  const char* family;  ///< first part of its name
  const char* name;    ///< the rest
  int RankPlace::*value;
};

/// Variables of Open MPI, Hydra (MPICH, Intel MPI), MVAPICH2 and Slurm. Those by which a program finds its launcher
/// (PMI_FD, PMIX_*, OMPI_MCA_*, SLURM_JOB_ID, ...) are not among them: there is none to be found.
[[nodiscard]] const std::vector<LauncherVariable>& launcher_variables();

/// "NAME=value" of each.
[[nodiscard]] std::vector<std::string> launcher_entries(const RankPlace& place);

/// Whether an entry "NAME=value" of the environment is another launcher's: one of these variables, or one by which its
/// processes find it.
[[nodiscard]] bool is_of_a_launcher(std::string_view entry);

/// The variables in the environment of a process that forks ranks: set once, and given each rank's values where they
/// are, in memory of little more than a page.
class ForkedVariables {
 public:
  /// Adds them to the environment of the calling process, without values. Once in a process.
  static void prepare();
  /// Gives them the values of a rank.
  static void set(const RankPlace& place);
};

}  // namespace orrery::mpi::channel
