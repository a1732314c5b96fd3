// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/launcher_variables.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr const char* of_open_mpi = "OMPI_COMM_WORLD_";
constexpr const char* of_pmi = "PMI_";
constexpr const char* of_hydra = "MPI_LOCAL";
constexpr const char* of_mvapich = "MV2_COMM_WORLD_";
constexpr const char* of_slurm = "SLURM_";

/// Beginnings of variables by which a process finds the launcher that has started it.
constexpr std::array of_connections{"PMI_FD=", "PMI_PORT=", "PMI_ID=", "PMI_CONTROL_", "PMI_SPAWNED=", "PMIX_"};

/// Room for a name and a number.
constexpr std::size_t longest_entry = 48;
constexpr std::size_t most_variables = 32;
alignas(64) std::array<std::array<char, longest_entry>, most_variables> forked_entries;

std::string name_of(const LauncherVariable& variable) { return concat(variable.family, variable.name); }

}  // namespace

const std::vector<LauncherVariable>& launcher_variables() {
  static const std::vector<LauncherVariable> all{
      {of_open_mpi, "RANK", &RankPlace::rank},
      {of_open_mpi, "SIZE", &RankPlace::size},
      {of_open_mpi, "LOCAL_RANK", &RankPlace::local_rank},
      {of_open_mpi, "LOCAL_SIZE", &RankPlace::local_size},
      {of_open_mpi, "NODE_RANK", &RankPlace::local_rank},  // the same where a node has ranks of one job
      {of_pmi, "RANK", &RankPlace::rank},
      {of_pmi, "SIZE", &RankPlace::size},
      {of_pmi, "LOCAL_RANK", &RankPlace::local_rank},
      {of_pmi, "LOCAL_SIZE", &RankPlace::local_size},
      {of_hydra, "RANKID", &RankPlace::local_rank},
      {of_hydra, "NRANKS", &RankPlace::local_size},
      {of_mvapich, "RANK", &RankPlace::rank},
      {of_mvapich, "SIZE", &RankPlace::size},
      {of_mvapich, "LOCAL_RANK", &RankPlace::local_rank},
      {of_mvapich, "LOCAL_SIZE", &RankPlace::local_size},
      {of_slurm, "PROCID", &RankPlace::rank},
      {of_slurm, "NTASKS", &RankPlace::size},
      {of_slurm, "NPROCS", &RankPlace::size},
      {of_slurm, "LOCALID", &RankPlace::local_rank},
      {of_slurm, "NODEID", &RankPlace::node},
      {of_slurm, "NNODES", &RankPlace::nodes},
  };
  return all;
}

std::vector<RankPlace> places_in(const Memory& memory, op::CommId world) {
  struct Node {
    int number = 0;
    int ranks = 0;
  };
  const auto members = memory.comm_members(world);
  std::unordered_map<std::uint32_t, Node> nodes;
  std::vector<RankPlace> places;
  for (const std::int32_t world_rank : members) {
    Node& node = nodes.try_emplace(memory.host_of(world_rank), Node{static_cast<int>(nodes.size()), 0}).first->second;
    places.push_back({.rank = static_cast<int>(places.size()), .local_rank = node.ranks++, .node = node.number});
  }
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    places[rank].size = static_cast<int>(members.size());
    places[rank].local_size = nodes.at(memory.host_of(members[rank])).ranks;
    places[rank].nodes = static_cast<int>(nodes.size());
  }
  return places;
}

std::vector<std::string> launcher_entries(const RankPlace& place) {
  std::vector<std::string> entries;
  for (const LauncherVariable& variable : launcher_variables())
    entries.push_back(concat(name_of(variable), "=", place.*variable.value));
  return entries;
}

bool is_of_a_launcher(std::string_view entry) {
  const auto begins = [&](std::string_view beginning) { return entry.starts_with(beginning); };
  if (std::ranges::any_of(of_connections, begins)) return true;
  return std::ranges::any_of(launcher_variables(),
                             [&](const LauncherVariable& variable) { return begins(concat(name_of(variable), "=")); });
}

void ForkedVariables::prepare() {
  std::size_t i = 0;
  for (const LauncherVariable& variable : launcher_variables()) {
    auto& entry = forked_entries[i++];
    std::snprintf(entry.data(), entry.size(), "%s%s=", variable.family, variable.name);
    putenv(entry.data());
  }
}

void ForkedVariables::set(const RankPlace& place) {
  std::size_t i = 0;
  for (const LauncherVariable& variable : launcher_variables()) {
    auto& entry = forked_entries[i++];
    std::snprintf(entry.data(), entry.size(), "%s%s=%d", variable.family, variable.name, place.*variable.value);
  }
}

}  // namespace orrery::mpi::channel
