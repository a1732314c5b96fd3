// SPDX-License-Identifier: BSD-3-Clause
#include "launch/services.hpp"

#include <charconv>
#include <numeric>

#include "base/error.hpp"
#include "launch/spawn.hpp"
#include "mpi/channel/service.hpp"

namespace orrery::launch {

using mpi::channel::ServiceKind;

namespace {

std::uint32_t number(const std::string& text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint32_t ranks_of(const std::vector<NewProgram>& programs) {
  return std::accumulate(programs.begin(), programs.end(), 0U,
                         [](std::uint32_t sum, const NewProgram& program) { return sum + program.ranks; });
}

}  // namespace

std::vector<NewProgram> programs_of(const std::vector<std::string>& words) {
  constexpr std::size_t before_command = 3;  // maxprocs, directory, search path
  std::vector<NewProgram> programs;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t length = number(words[at++]);
    if (length <= before_command || length > words.size() - at) return {};
    const auto word = words.begin() + static_cast<std::ptrdiff_t>(at);
    programs.push_back({.command = {word + before_command, word + static_cast<std::ptrdiff_t>(length)},
                        .ranks = number(word[0]),
                        .directory = word[1],
                        .search_path = word[2]});
    at += length;
  }
  return programs;
}

RunServices::Served RunServices::serve(std::int32_t /*rank*/, const op::Operation& request, std::int32_t next_rank) {
  const auto place = static_cast<mpi::channel::Offset>(request.bytes.count);
  const auto words =
      mpi::channel::split(mpi::channel::take_text(memory_, place, static_cast<std::size_t>(request.element)));
  if (static_cast<ServiceKind>(request.tag) == ServiceKind::Spawn) return spawn(request, words, next_rank);
  return name(request, words);
}

RunServices::Served RunServices::spawn(const op::Operation& request, const std::vector<std::string>& words,
                                       std::int32_t first) {
  const auto programs = programs_of(words);
  const auto parents = memory_.comm_members(request.comm);
  const std::uint32_t count = ranks_of(programs);
  auto& header = memory_.header();
  const std::uint32_t room = header.capacity - static_cast<std::uint32_t>(first);
  if (count == 0 || parents.empty() || !start_) return answer("no process can be started", false);
  if (count > room) {
    return answer(concat(count, " processes were asked for, but this run has room for ", room, " more"), false);
  }

  std::vector<std::int32_t> children(count);
  std::iota(children.begin(), children.end(), first);
  std::vector<std::int32_t> both(parents.begin(), parents.end());
  both.insert(both.end(), children.begin(), children.end());
  const op::CommId world = define(children, 0);
  const op::CommId between = define(both, parents.size());
  header.born.store(static_cast<std::uint32_t>(first) + count, std::memory_order_release);
  std::int32_t rank = first;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::uint32_t j = 0; j < programs[i].ranks; ++j) {
      auto& block = memory_.block(rank + static_cast<std::int32_t>(j));
      block.world_comm = world;
      block.parent_comm = between;
      block.appnum = static_cast<std::int32_t>(i);
    }
    try {
      start_(programs[i], rank);
    } catch (const StartError& error) {
      if (rank == first) {
        header.born.store(static_cast<std::uint32_t>(first), std::memory_order_release);
        return answer(error.what(), false);
      }
      // Those before it run, and would wait for the missing ones.
      throw InputError(concat("of a spawn only some programs could be started: ", error.what()));
    }
    rank += static_cast<std::int32_t>(programs[i].ranks);
  }
  return {.reply = {.flag = true, .source = first, .tag = static_cast<std::int32_t>(between)}, .new_ranks = count};
}

op::CommId RunServices::define(const std::vector<std::int32_t>& world, std::size_t first_group) {
  const op::CommId id = memory_.header().next_comm.fetch_add(1, std::memory_order_relaxed);
  memory_.define_comm(id, world, first_group);
  return id;
}

RunServices::Served RunServices::name(const op::Operation& request, const std::vector<std::string>& words) {
  const std::string service = words.empty() ? "" : words[0];
  const std::string port = words.size() < 2 ? "" : words[1];
  const auto found = ports_.find(service);
  const bool known = found != ports_.end();
  switch (static_cast<ServiceKind>(request.tag)) {
    case ServiceKind::Publish:
      if (known) return answer(concat("the service ", service, " has been published already"), false);
      ports_[service] = port;
      return answer("", true);
    case ServiceKind::Unpublish:
      if (!known) return answer(concat("no service ", service, " has been published"), false);
      ports_.erase(found);
      return answer("", true);
    case ServiceKind::Lookup:
      if (!known) return answer(concat("no service ", service, " has been published"), false);
      return answer(found->second, true);
    default: return answer("there is no such service of the run", false);
  }
}

RunServices::Served RunServices::answer(std::string_view text, bool done) {
  const auto place = mpi::channel::put_text(memory_, text);
  return {.reply = {.flag = done,
                    .sequence = static_cast<std::uint32_t>(text.size()),
                    .bytes = {static_cast<std::int64_t>(place)}}};
}

}  // namespace orrery::launch
