// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/process_sets.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/hardware.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"

#define ORRERY_GROUPS_ONLY_TABLE
#include "mpi/extension/groups.h"

namespace orrery::mpi {

namespace {

constexpr std::array<const char*, 2> of_the_standard{"mpi://WORLD", "mpi://SELF"};
constexpr std::string_view group_kind = "group/";

// Numbers of sets: MPI_COMM_WORLD 0, then groups by colour, parts by level, and MPI_COMM_SELF by world rank.
constexpr int first_group = 1;
constexpr int first_part = first_group + orrery_most_groups_;
constexpr int parts_of_level = 1 << 26;
constexpr int first_self = 1 << 30;

/// The groups that the job asks for.
class JobGroups {
 public:
  /// @throws Error when ORRERY_GROUPS is damaged, or made for another number of ranks
  JobGroups() {
    if (is_spawned()) return;
    orrery_read_groups_(&table_, std::getenv(env_groups));
    const std::string_view wrong = table_.error;
    if (!wrong.empty()) throw Error{err_other, std::string(wrong)};
    if (table_.count == 0 || table_.size == comm_world().size()) return;
    const int made_for = table_.size;
    orrery_forget_groups_(&table_, "");
    throw Error{err_other, concat(env_groups, " is made for ", made_for, " ranks, and there are ", comm_world().size(),
                                  "; start the program with orrery run --groups FILE, or unset the variable")};
  }
  ~JobGroups() { orrery_forget_groups_(&table_, ""); }
  JobGroups(const JobGroups&) = delete;
  JobGroups& operator=(const JobGroups&) = delete;

  /// Names of the groups that this rank is in, from the outermost.
  [[nodiscard]] std::vector<std::string> own_names() const {
    std::vector<std::string> names;
    for (int colour = 0; colour < table_.count; ++colour) {
      if (orrery_has_rank_(&table_, colour, this_rank().world_rank()) != 0) names.emplace_back(name(colour));
    }
    return names;
  }

  [[nodiscard]] std::optional<ProcessSet> find(std::string_view wanted) const {
    for (int colour = 0; colour < table_.count; ++colour) {
      if (name(colour) == wanted) return set(colour);
    }
    return std::nullopt;
  }

 private:
  /// By MPI_Comm_spawn: then its MPI_COMM_WORLD is not that of the job.
  static bool is_spawned() { return comm_world().group->world.front() != 0; }

  [[nodiscard]] const char* name(int colour) const { return table_.groups[colour].name; }

  [[nodiscard]] ProcessSet set(int colour) const {
    ProcessSet found{first_group + colour,
                     std::vector<std::int32_t>(static_cast<std::size_t>(table_.groups[colour].size)),
                     {{"orrery_group_name", name(colour)}, {"orrery_group_colour", std::to_string(colour)}}};
    orrery_list_ranks_(&table_, colour, found.world.data());
    const char* fact = nullptr;
    while ((fact = orrery_next_fact_(&table_, colour, fact)) != nullptr) {
      const char* equals = std::strchr(fact, '=');
      if (equals != nullptr) found.about.emplace_back(concat("orrery_", std::string(fact, equals)), equals + 1);
    }
    return found;
  }

  orrery_groups_ table_{};
};

/// The ranks of MPI_COMM_WORLD on a part of the simulated cluster; none if nobody is on one of this name.
ProcessSet on_part(int level, std::string_view part) {
  const auto& memory = this_rank().memory();
  ProcessSet found;
  for (const std::int32_t member : comm_world().group->world) {
    if (memory.part_name(level, member) != part) continue;
    found.number = first_part + level * parts_of_level + static_cast<int>(memory.part_of(level, member));
    found.world.push_back(member);
  }
  return found;
}

ProcessSet physical(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || slash + 1 == name.size()) return {};
  const auto level = Hardware::level(name.substr(0, slash));
  return level ? on_part(*level, name.substr(slash + 1)) : ProcessSet{};
}

ProcessSet of_orrery(std::string_view name) {
  if (!name.starts_with(group_kind)) return physical(name);
  return JobGroups().find(name.substr(group_kind.size())).value_or(ProcessSet{});
}

}  // namespace

std::vector<std::string> own_process_sets() {
  std::vector<std::string> names(of_the_standard.begin(), of_the_standard.end());
  for (const std::string& group : JobGroups().own_names()) names.push_back(concat(own_scheme, group_kind, group));
  const auto& memory = this_rank().memory();
  for (int level = 0; level < static_cast<int>(memory.header().levels); ++level) {
    const std::string_view part = memory.part_name(level, this_rank().world_rank());
    if (!part.empty()) names.push_back(concat(Hardware::resource_type(level), "/", part));
  }
  return names;
}

ProcessSet process_set(const char* name) {
  if (name == nullptr) throw Error{err_arg, "the name of the process set is a null pointer"};
  if (strcasecmp(name, of_the_standard[0]) == 0) return {0, comm_world().group->world};
  if (strcasecmp(name, of_the_standard[1]) == 0)
    return {first_self + this_rank().world_rank(), comm_self().group->world};
  std::string_view rest = name;
  if (rest.starts_with(own_scheme)) {
    rest.remove_prefix(own_scheme.size());
    ProcessSet found = of_orrery(rest);
    if (!found.world.empty()) return found;
  }
  throw Error{err_arg, concat("there is no process set ", name)};
}

}  // namespace orrery::mpi
