// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "base/error.hpp"
#include "next.hpp"

namespace orrery::deploy {
namespace {

/// What a rank tells the others.
struct Whereabouts {
  std::array<char, 256> host{};
  std::uint32_t socket = 0;
};

/// Reads "0-3,8,10-11"; whether all processors of the mask are among these.
bool contains(const std::string& list, const cpu_set_t& mask) {
  int left = CPU_COUNT(&mask);
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (read < 1) continue;
    for (int processor = first; processor <= (read == 2 ? last : first); ++processor)
      left -= processor < CPU_SETSIZE && CPU_ISSET(processor, &mask) ? 1 : 0;
  }
  return left == 0;
}

/// The NUMA node that this rank is bound to; `unknown_part` if it may run on several.
std::uint32_t own_socket() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return unknown_part;
  for (std::uint32_t node = 0;; ++node) {
    std::ifstream file(concat("/sys/devices/system/node/node", node, "/cpulist"));
    std::string list;
    if (!std::getline(file, list)) return unknown_part;
    if (contains(list, mask)) return node;
  }
}

std::vector<Whereabouts> exchanged() {
  Whereabouts own;
  gethostname(own.host.data(), own.host.size() - 1);
  own.socket = own_socket();
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<Whereabouts> all(static_cast<std::size_t>(size));
  ORRERY_NEXT(Allgather)(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

}  // namespace

World World::gathered(const Settings& settings) {
  World world;
  for (const std::string_view name : collective::Places::names)
    world.levels.push_back({.name = std::string(name), .part_of_rank = {}});
  std::map<std::string, std::uint32_t> node_of_host;
  for (const Whereabouts& rank : exchanged()) {
    const std::string host = rank.host.data();
    const HostPlace* place = settings.place_of(host);
    if (place == nullptr && !settings.places.empty()) world.unknown_hosts.insert(host);
    for (std::size_t level = 0; level < 3; ++level)
      world.levels[level].part_of_rank.push_back(place != nullptr ? place->part[level] : unknown_part);
    const auto number = static_cast<std::uint32_t>(node_of_host.size());
    world.levels[3].part_of_rank.push_back(node_of_host.try_emplace(host, number).first->second);
    world.levels[4].part_of_rank.push_back(rank.socket);
  }
  return world;
}

std::optional<collective::Places> World::places_of(MPI_Comm comm) const {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> ranks(static_cast<std::size_t>(size)), world_ranks(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, size, ranks.data(), all, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&all);
  std::vector<collective::Places::Level> mine;
  for (const collective::Places::Level& level : levels) {
    collective::Places::Level part{.name = level.name, .part_of_rank = {}};
    for (const int rank : world_ranks) {
      if (rank == MPI_UNDEFINED) return std::nullopt;
      part.part_of_rank.push_back(level.part_of_rank[static_cast<std::size_t>(rank)]);
    }
    mine.push_back(std::move(part));
  }
  return collective::Places(size, std::move(mine));
}

}  // namespace orrery::deploy
