// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/leader.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/dynamic/dynamic.hpp"
#include "mpi/dynamic/service_call.hpp"
#include "mpi/object/info.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

/// MPI_Comm_spawn: the root asks the run for processes, and tells the others of its communicator what came of it.
namespace orrery::mpi {

namespace {

std::string hint_text(const Info* info, const char* key) {
  const auto* value = info == nullptr ? nullptr : info->find(key);
  return value == nullptr ? std::string() : *value;
}

/// Appends a program as the run's services want it: see channel::ServiceKind.
void append(std::vector<std::string>& words, const SpawnedProgram& program) {
  if (program.command == nullptr) throw Error{err_arg, "the command is a null pointer"};
  if (program.ranks < 0) throw Error{err_arg, concat("maxprocs is ", program.ranks)};
  std::vector<std::string> own{concat(program.ranks), hint_text(program.info, "wdir"), hint_text(program.info, "path"),
                               program.command};
  for (char** argument = program.arguments; argument != nullptr && *argument != nullptr; ++argument) {
    own.emplace_back(*argument);
  }
  words.push_back(concat(own.size()));
  words.insert(words.end(), own.begin(), own.end());
}

op::CommId start_programs(const std::vector<SpawnedProgram>& programs, const Comm& comm) {
  std::vector<std::string> words;
  for (const auto& program : programs) append(words, program);
  return static_cast<op::CommId>(ask_service(channel::ServiceKind::Spawn, words, err_spawn, comm.id).number);
}

}  // namespace

void comm_spawn_multiple(const std::vector<SpawnedProgram>& programs, int root, Comm& comm, Comm*& intercomm,
                         int* codes) {
  check_intra(comm);
  check_root(root, comm);
  const auto id = found_by_leader(comm, root, err_spawn, [&] { return start_programs(programs, comm); });
  intercomm = view_of(id, &comm);
  if (codes != nullptr) std::fill_n(codes, intercomm->remote->size(), success);
}

void comm_spawn(const char* command, char** arguments, int ranks, Info* info, int root, Comm& comm, Comm*& intercomm,
                int* codes) {
  comm_spawn_multiple({{command, arguments, ranks, info}}, root, comm, intercomm, codes);
}

void comm_get_parent(Comm*& parent) {
  auto& known = locals().parent;
  if (!known) {
    known = view_of(this_rank().block().parent_comm.load(std::memory_order_relaxed), nullptr);
    if (*known != nullptr) (*known)->name = "MPI_COMM_PARENT";
  }
  parent = *known;
}

}  // namespace orrery::mpi
