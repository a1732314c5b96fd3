// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/hardware.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/process/process_sets.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

constexpr const char* resource_key = "mpi_hw_resource_type";
constexpr const char* set_key = "mpi_pset_name";

int levels() { return static_cast<int>(this_rank().memory().header().levels); }

/// By which part of the hardware, or of the program, a communicator is divided.
struct Division {
  int color = undefined;
  std::string resource_type = {};  ///< told by the new communicator's hints; empty: nothing
};

int own_host() {
  auto& rank = this_rank();
  return static_cast<int>(rank.memory().host_of(rank.world_rank()));
}

Division by_level(std::optional<int> level) {
  if (!level) return {};
  return {Hardware::part(*level), Hardware::resource_type(*level)};
}

const std::string* find_hint(Info* info, const char* key) { return info == nullptr ? nullptr : info->find(key); }

Division by_resource(Info* info) {
  const auto* resource = find_hint(info, resource_key);
  if (resource == nullptr) return {};
  if (*resource == "mpi_shared_memory") return {own_host(), *resource};
  return by_level(Hardware::level(*resource));
}

/// Undefined for who is not in the set, and where there is none of this name.
Division by_set(const std::string& name) {
  try {
    const ProcessSet set = process_set(name.c_str());
    const bool inside = std::ranges::find(set.world, this_rank().world_rank()) != set.world.end();
    return inside ? Division{set.number} : Division{};
  } catch (const Error& error) {
    if (error.error_class == err_arg) return {};
    throw;
  }
}

/// By a hardware resource, or by the process set that is named instead.
Division by_resource_or_set(Info* info) {
  if (find_hint(info, resource_key) != nullptr) return by_resource(info);
  const auto* set = find_hint(info, set_key);
  return set == nullptr ? Division{} : by_set(*set);
}

Division divide(const Comm& comm, int split_type, Info* info) {
  switch (split_type) {
    case undefined: return {};
    case comm_type_shared: return {own_host()};
    case comm_type_hw_unguided: return by_level(Hardware::level_that_divides(comm));
    case comm_type_hw_guided: return by_resource(info);
    case comm_type_resource_guided: return by_resource_or_set(info);
    default: throw Error{err_arg, concat("there is no split type ", split_type)};
  }
}

}  // namespace

std::optional<int> Hardware::level(std::string_view resource_type) {
  if (resource_type.starts_with(own_scheme)) resource_type.remove_prefix(own_scheme.size());
  for (int level = 0; level < levels(); ++level) {
    if (resource_type == this_rank().memory().level_name(level)) return level;
  }
  return std::nullopt;
}

std::optional<int> Hardware::level_that_divides(const Comm& comm) {
  const auto& memory = this_rank().memory();
  for (int level = 0; level < levels(); ++level) {
    const auto own = memory.part_of(level, this_rank().world_rank());
    const auto elsewhere = [&](std::int32_t member) { return memory.part_of(level, member) != own; };
    if (std::ranges::any_of(comm.group->world, elsewhere)) return level;
  }
  return std::nullopt;
}

int Hardware::part(int level) {
  return static_cast<int>(this_rank().memory().part_of(level, this_rank().world_rank()));
}

std::string Hardware::resource_type(int level) { return concat(own_scheme, this_rank().memory().level_name(level)); }

void comm_split_type(Comm& comm, int split_type, int key, Info* info, Comm*& part) {
  const Division division = divide(comm, split_type, info);
  comm_split(comm, division.color, key, part);
  if (part == nullptr || division.resource_type.empty()) return;
  if (split_type == comm_type_hw_unguided && info != nullptr)
    info_set(info, resource_key, division.resource_type.c_str());
  info_create(part->info);
  info_set(part->info, resource_key, division.resource_type.c_str());
}

void get_hw_resource_info(Info*& info) {
  info_create(info);
  for (int level = 0; level < levels(); ++level) info_set(info, Hardware::resource_type(level).c_str(), "true");
}

}  // namespace orrery::mpi
