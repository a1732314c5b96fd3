// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

#include "collective/collective.hpp"

/// The registry is in parts: data beside the algorithms that it lists, one file for each folder.
namespace orrery::collective {

inline constexpr std::string_view bruck_1997 = "Bruck et al. 1997, doi:10.1109/71.642949";
inline constexpr std::string_view chen_2005 = "Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75";
inline constexpr std::string_view hoefler_2007 = "Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692";
inline constexpr std::string_view loch_2021 = "Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751";
inline constexpr std::string_view coti_2008 = "Coti, Herault, Cappello 2008, INRIA research report 6633";
inline constexpr std::string_view hensgen_1988 = "Hensgen, Finkel, Manber 1988, doi:10.1007/BF01379320";
inline constexpr std::string_view patarasuk_2009 = "Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002";
inline constexpr std::string_view pjesivac_2007 = "Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0";
inline constexpr std::string_view rabenseifner_2004 = "Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1";
inline constexpr std::string_view traeff_2005 = "Träff 2005, doi:10.1007/11557265_20";
inline constexpr std::string_view swing_2024 = "De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356";
inline constexpr std::string_view bine_2025 = "De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311";
inline constexpr std::string_view sanders_2009 = "Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001";
inline constexpr std::string_view traeff_2024 = "Träff 2024, doi:10.48550/arXiv.2410.14234";
inline constexpr std::string_view traeff_schedules_2024 = "Träff 2024, doi:10.48550/arXiv.2407.18004";
inline constexpr std::string_view traeff_hunold_2020 = "Träff, Hunold 2020, doi:10.48550/arXiv.1910.13373";
inline constexpr std::string_view thakur_2005 = "Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521";

/// What hinders algorithms that look at where ranks are, as `Algorithm::hindrance`: hierarchical ones.
[[nodiscard]] std::string_view groups_hindrance(const Call& call);
/// For what libraries do where nodes have several ranks.
[[nodiscard]] std::string_view nodes_hindrance(const Call& call);
[[nodiscard]] std::string_view consecutive_nodes_hindrance(const Call& call);
/// Open MPI's component leaves one node to others, and most collectives where nodes have unequal numbers of ranks.
[[nodiscard]] std::string_view several_nodes_hindrance(const Call& call);
[[nodiscard]] std::string_view balanced_nodes_hindrance(const Call& call);
[[nodiscard]] std::string_view unbalanced_nodes_hindrance(const Call& call);

/// Sorted by kind.
namespace registered {
[[nodiscard]] std::span<const Algorithm> barrier();
[[nodiscard]] std::span<const Algorithm> bcast();
[[nodiscard]] std::span<const Algorithm> reduce();
[[nodiscard]] std::span<const Algorithm> allreduce();
[[nodiscard]] std::span<const Algorithm> reduce_scatter();
[[nodiscard]] std::span<const Algorithm> reduce_scatter_block();
[[nodiscard]] std::span<const Algorithm> scan();
[[nodiscard]] std::span<const Algorithm> exscan();
[[nodiscard]] std::span<const Algorithm> gather();
[[nodiscard]] std::span<const Algorithm> gatherv();
[[nodiscard]] std::span<const Algorithm> scatter();
[[nodiscard]] std::span<const Algorithm> scatterv();
[[nodiscard]] std::span<const Algorithm> allgather();
[[nodiscard]] std::span<const Algorithm> allgatherv();
[[nodiscard]] std::span<const Algorithm> alltoall();
[[nodiscard]] std::span<const Algorithm> alltoallv();
[[nodiscard]] std::span<const Algorithm> neighbor_allgather();
[[nodiscard]] std::span<const Algorithm> neighbor_alltoall();
[[nodiscard]] std::span<const Algorithm> new_comm();
}  // namespace registered

}  // namespace orrery::collective
