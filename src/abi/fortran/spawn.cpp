// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "abi/fortran/convert.hpp"

/// Starting processes: arrays of texts.
namespace orrery::abi::fortran {

namespace {

/// What becomes of blanks in front of an argument: they are stripped (MPI-4.1, section 11.8.2), but mpi_f08 keeps them,
/// as that of MPICH does.
enum class Front { Stripped, Kept };

/// Arguments of one command: elements `stride` characters apart, up to a blank one.
class Arguments {
 public:
  Arguments(const char* first, std::size_t length, std::size_t stride, Front front) {
    for (const char* at = first; !without_padding(at, length).empty(); at += stride) {
      texts_.push_back(front == Front::Kept ? std::string(without_padding(at, length)) : info_text(at, length));
    }
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;
  Arguments(Arguments&&) = default;
  [[nodiscard]] char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// Whether this rank says what to start: the others' arguments are not looked at.
bool starts(int comm, int root) {
  int rank = 0;
  return MPI_Comm_rank(from<MPI_Comm>(comm), &rank) == MPI_SUCCESS && rank == root;
}

}  // namespace

}  // namespace orrery::abi::fortran

using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

#define ORRERY_SPAWN_PARAMETERS                                                                                       \
  (const char* command, const char* argv, int* maxprocs, int* info, int* root, int* comm, int* intercomm, int* codes, \
   int* ierror, std::size_t command_length, std::size_t argv_length)

#define ORRERY_SPAWN(entry, front)                                                                                     \
  void entry ORRERY_SPAWN_PARAMETERS {                                                                                 \
    const bool none = is_argv_null(argv) || !starts(*comm, *root);                                                     \
    Arguments arguments(none ? "" : argv, none ? 0 : argv_length, argv_length, front);                                 \
    done(ierror, MPI_Comm_spawn(StringIn(command, command_length), none ? MPI_ARGV_NULL : arguments.data(), *maxprocs, \
                                from<MPI_Info>(*info), *root, from<MPI_Comm>(*comm), HandleOut<MPI_Comm>(intercomm),   \
                                codes_or_ignore(codes)));                                                              \
  }

ORRERY_SPAWN(pmpi_comm_spawn_, Front::Stripped)
ORRERY_NAME(pmpi_comm_spawn_) void mpi_comm_spawn_ ORRERY_SPAWN_PARAMETERS;
ORRERY_SPAWN(pmpi_comm_spawn_f08_, Front::Kept)
ORRERY_NAME(pmpi_comm_spawn_f08_) void mpi_comm_spawn_f08_ ORRERY_SPAWN_PARAMETERS;

/// `array_of_argv(count, *)`: the arguments of a command are a row. Everything but the root is ignored elsewhere.
void pmpi_comm_spawn_multiple_(int* count, const char* commands, const char* argvs, int* maxprocs, int* infos,
                               int* root, int* comm, int* intercomm, int* codes, int* ierror,
                               std::size_t commands_length, std::size_t argvs_length) {
  const bool none = is_argvs_null(argvs);
  const auto programs = static_cast<std::size_t>(starts(*comm, *root) ? std::max(*count, 0) : 0);
  std::vector<std::string> names;
  std::vector<char*> name_pointers;
  std::vector<Arguments> arguments;
  std::vector<char**> argument_pointers;
  for (std::size_t i = 0; i < programs; ++i) {
    names.emplace_back(without_padding(commands + i * commands_length, commands_length));
    if (!none) arguments.emplace_back(argvs + i * argvs_length, argvs_length, programs * argvs_length, Front::Kept);
  }
  for (std::string& name : names) name_pointers.push_back(name.data());
  for (Arguments& of_one : arguments) argument_pointers.push_back(of_one.data());
  done(ierror, MPI_Comm_spawn_multiple(*count, name_pointers.data(), none ? MPI_ARGVS_NULL : argument_pointers.data(),
                                       maxprocs, HandlesIn<MPI_Info>(infos, static_cast<std::int64_t>(programs)), *root,
                                       from<MPI_Comm>(*comm), HandleOut<MPI_Comm>(intercomm), codes_or_ignore(codes)));
}
ORRERY_NAMES(comm_spawn_multiple,
             (int* count, const char* commands, const char* argvs, int* maxprocs, int* infos, int* root, int* comm,
              int* intercomm, int* codes, int* ierror, std::size_t commands_length, std::size_t argvs_length));
}
#pragma GCC visibility pop
