// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "launch/spawn.hpp"
#include "mpi/channel/launcher_variables.hpp"
#include "mpi/process/template.hpp"

namespace orrery::launch {
namespace {

using mpi::channel::Memory;

std::string entry(const char* name, const auto& value) { return concat(name, "=", value); }

/// A given environment without what an enclosing run or another launcher has set, with the channel's descriptors.
/// @param launcher -1: none
std::vector<std::string> environment(const std::vector<std::string>& all, const Memory& memory, int launcher) {
  std::vector<std::string> entries;
  for (const std::string& given : all) {
    const auto names = {mpi::channel::env_memory, mpi::channel::env_rank, mpi::channel::env_launcher, mpi::env_label};
    const bool ours = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return given.starts_with(name) && given.size() > name.size() && given[name.size()] == '=';
    });
    if (!ours && !mpi::channel::is_of_a_launcher(given)) entries.push_back(given);
  }
  entries.push_back(memory_mark(memory));
  if (launcher >= 0) entries.push_back(entry(mpi::channel::env_launcher, launcher));
  return entries;
}

/// An environment in which a program is found first in the folders of `search_path`.
std::vector<std::string> with_search_path(std::vector<std::string> environment, const std::string& search_path) {
  if (search_path.empty()) return environment;
  const std::string path = concat("PATH=", search_path, ":", value_of(environment, "PATH"));
  std::erase_if(environment, [](const std::string& given) { return given.starts_with("PATH="); });
  environment.push_back(path);
  return environment;
}

void append(std::vector<Handed>& to, const std::vector<Handed>& more) { to.insert(to.end(), more.begin(), more.end()); }

void start_template(const Job& job, Spawn request, const Gather& gather, Processes& processes, Started& started) {
  if (job.label) {
    const int first = first_unused_descriptor();
    allow_open_files(2 * job.ranks + 1, "labelled output");  // and one by which spawn reports
    request.environment.push_back(entry(mpi::env_label, concat(first, ":", job.ranks)));
    append(request.descriptors, gather.for_template(first));
  } else {
    append(request.descriptors, gather.for_rank(0));
  }
  started.leaders.push_back({spawn(request), Leader::template_rank});
  processes.add(started.leaders.back().pid);
}

/// What the process of a rank is told: its number, and what other launchers say of it. Its program may start others,
/// which are told, too.
std::vector<std::string> rank_entries(std::uint32_t world_rank, const mpi::channel::RankPlace& place) {
  std::vector<std::string> entries = mpi::channel::launcher_entries(place);
  entries.push_back(entry(mpi::channel::env_rank, world_rank));
  return entries;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Ranks from `first` on. @param places of all ranks
void start_each(const Spawn& common, const std::vector<mpi::channel::RankPlace>& places, std::uint32_t first,
                std::uint32_t ranks, const Gather& gather, Processes& processes, Started& started) {
  const Descriptor no_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (std::uint32_t rank = first; rank < first + ranks; ++rank) {
    Spawn request = common;
    append(request.environment, rank_entries(rank, places[rank]));
    if (rank > 0 && no_input) request.descriptors.push_back({no_input.number(), STDIN_FILENO});
    append(request.descriptors, gather.for_rank(rank));
    started.leaders.push_back({spawn(request), static_cast<std::int32_t>(rank)});
    processes.add(started.leaders.back().pid);
  }
}

struct Ranks {
  std::int32_t first;
  std::uint32_t count;
};

/// Ranks that come when others run already.
void start_late(const Spawn& common, const Memory& memory, Ranks ranks, Gather& gather, Processes& processes,
                std::vector<Leader>& leaders) {
  allow_open_files(2 * ranks.count, "starting ranks");  // for news of their ends
  const Descriptor no_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const op::CommId world = memory.block(ranks.first).world_comm.load();
  const auto places = mpi::channel::places_in(memory, world);
  const std::int32_t first_of_world = memory.comm_members(world).front();
  for (std::uint32_t i = 0; i < ranks.count; ++i) {
    const auto rank = ranks.first + static_cast<std::int32_t>(i);
    Spawn request = common;
    append(request.environment,
           rank_entries(static_cast<std::uint32_t>(rank), places[static_cast<std::size_t>(rank - first_of_world)]));
    request.descriptors = {{memory.descriptor(), memory.descriptor()}};
    if (no_input) request.descriptors.push_back({no_input.number(), STDIN_FILENO});
    append(request.descriptors, gather.for_new_rank(static_cast<std::uint32_t>(rank)));
    leaders.push_back({spawn(request), rank});
    processes.add(leaders.back().pid);
    gather.close_writers();
  }
}

}  // namespace

std::string memory_mark(const Memory& memory) { return entry(mpi::channel::env_memory, memory.descriptor()); }

Started start_processes(const Job& job, const Memory& memory, const Gather& gather, Processes& processes) {
  Started started;
  Pair launcher = make_record_socket();
  std::vector<Section> sections = job.sections;
  if (sections.empty()) sections.push_back({job.command, job.environment, job.directory, job.ranks});
  std::vector<Spawn> requests;  // all are looked for before the first one starts
  for (const Section& section : sections) {
    if (section.command.empty()) throw InputError("no program was given to run");
    requests.push_back(
        {.path = find_program(section.command.front(), section.environment, section.directory),
         .arguments = section.command,
         .environment = environment(section.environment, memory, launcher.far.number()),
         .directory = section.directory,
         .descriptors = {{memory.descriptor(), memory.descriptor()}, {launcher.far.number(), launcher.far.number()}}});
  }
  if (job.start != Start::Exec) {
    start_template(job, requests.front(), gather, processes, started);
  } else {
    allow_open_files(job.ranks, "starting each rank afresh");  // for news of its end
    const auto places = mpi::channel::places_in(memory, 0);
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      start_each(requests[i], places, first, sections[i].ranks, gather, processes, started);
      first += sections[i].ranks;
    }
  }
  started.ended_ranks = std::move(launcher.near);
  return started;
}

void start_all_but_first(const Job& job, const Memory& memory, Gather& gather, Processes& processes,
                         std::vector<Leader>& leaders) {
  start_late({.path = find_program(job.command.front(), job.environment, job.directory),
              .arguments = job.command,
              .environment = environment(job.environment, memory, -1),
              .directory = job.directory,
              .descriptors = {}},
             memory, {1, job.ranks - 1}, gather, processes, leaders);
}

void start_more(const Job& job, const Memory& memory, const NewProgram& program, std::int32_t first, Gather& gather,
                Processes& processes, std::vector<Leader>& leaders) {
  const std::string& directory = program.directory.empty() ? job.directory : program.directory;
  const std::string path =
      find_program(program.command.front(), with_search_path(job.environment, program.search_path), directory);
  start_late({.path = path,
              .arguments = program.command,
              .environment = environment(job.environment, memory, -1),
              .directory = directory,
              .descriptors = {}},
             memory, {first, program.ranks}, gather, processes, leaders);
}

}  // namespace orrery::launch
