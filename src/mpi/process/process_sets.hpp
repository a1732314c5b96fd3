// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Process sets (MPI-4.1, section 11.3.2), by their names:
///
///     mpi://WORLD, mpi://SELF
///     orrery://group/NAME      groups that the job asks for (environment variable ORRERY_GROUPS, extension/groups.h)
///     orrery://LEVEL/NAME      where they landed: parts of the simulated cluster
///
/// LEVEL is site, cluster, cabinet, node or socket, and NAME that of the part.
///
/// Ranks that a spawn starts are in no group of the job, and the parts have those of their own MPI_COMM_WORLD.
namespace orrery::mpi {

/// What names of ours begin with.
inline constexpr std::string_view own_scheme = "orrery://";
inline constexpr const char* env_groups = "ORRERY_GROUPS";

struct ProcessSet {
  int number = 0;                        ///< no other set has it, and all members know it
  std::vector<std::int32_t> world = {};  ///< world ranks of its members, in their order
  /// Keys and values for MPI_Session_get_pset_info, besides mpi_size. Of a group: orrery_group_name,
  /// orrery_group_colour, and for each fact of ORRERY_GROUPS its key behind "orrery_".
  std::vector<std::pair<std::string, std::string>> about = {};
};

/// Names of the sets that this rank is in: the standard's, its groups from the outermost, the parts that it is in from
/// the largest. @throws Error (MPI_ERR_OTHER) when ORRERY_GROUPS is damaged or made for another number of ranks
[[nodiscard]] std::vector<std::string> own_process_sets();

/// The set of a name, whether or not this rank is in it. Names of the standard's are compared without regard to case.
/// @throws Error (MPI_ERR_ARG) when there is none; (MPI_ERR_OTHER) as above
[[nodiscard]] ProcessSet process_set(const char* name);

}  // namespace orrery::mpi
