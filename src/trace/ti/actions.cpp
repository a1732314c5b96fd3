// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ti/actions.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace orrery::trace::ti {
namespace {

constexpr std::array known{
    Described{"ISsend", "MPI_Issend", Action::Issend},
    Described{"Ssend", "MPI_Ssend", Action::Ssend},
    Described{"allgather", "MPI_Allgather", Action::Allgather},
    Described{"allgatherv", "MPI_Allgatherv", Action::Allgatherv},
    Described{"allreduce", "MPI_Allreduce", Action::Allreduce},
    Described{"alltoall", "MPI_Alltoall", Action::Alltoall},
    Described{"alltoallv", "MPI_Alltoallv", Action::Alltoallv},
    Described{"barrier", "MPI_Barrier", Action::Barrier},
    Described{"bcast", "MPI_Bcast", Action::Bcast},
    Described{"bsend", "MPI_Bsend", Action::Bsend},
    Described{"comm_dup", "", Action::Nothing},
    Described{"comm_size", "", Action::Nothing},
    Described{"comm_split", "", Action::Nothing},
    Described{"compute", "", Action::Compute},
    Described{"exscan", "MPI_Exscan", Action::Exscan},
    Described{"finalize", "MPI_Finalize", Action::Finalize},
    Described{"gather", "MPI_Gather", Action::Gather},
    Described{"gatherv", "MPI_Gatherv", Action::Gatherv},
    Described{"ibsend", "MPI_Ibsend", Action::Ibsend},
    Described{"init", "", Action::Init},
    Described{"irecv", "MPI_Irecv", Action::Irecv},
    Described{"isend", "MPI_Isend", Action::Isend},
    Described{"location", "", Action::Nothing},
    Described{"recv", "MPI_Recv", Action::Recv},
    Described{"reduce", "MPI_Reduce", Action::Reduce},
    Described{"reducescatter", "MPI_Reduce_scatter", Action::ReduceScatter},
    Described{"scan", "MPI_Scan", Action::Scan},
    Described{"scatter", "MPI_Scatter", Action::Scatter},
    Described{"scatterv", "MPI_Scatterv", Action::Scatterv},
    Described{"send", "MPI_Send", Action::Send},
    Described{"sendRecv", "MPI_Sendrecv", Action::SendRecv},
    Described{"sleep", "", Action::Sleep},
    Described{"test", "MPI_Test", Action::Test},
    Described{"wait", "MPI_Wait", Action::Wait},
    Described{"waitall", "MPI_Waitall", Action::WaitAll},
};

constexpr std::size_t places = 128;
/// Where a name stands in the index below, alone: every line of a trace has one. The factors were found by trying.
constexpr std::size_t place_of(std::string_view name) {
  const auto at = [name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  return (at(0) + 3 * at(name.size() / 2) + 3 * at(name.size() - 1) + name.size()) % places;
}

/// Numbers of actions in `known`, plus 1; 0: none has this place.
constexpr auto index_by_place = [] {
  std::array<std::uint8_t, places> numbers{};
  for (std::size_t i = 0; i < known.size(); ++i) numbers[place_of(known[i].name)] = static_cast<std::uint8_t>(i + 1);
  return numbers;
}();
static_assert(std::count(index_by_place.begin(), index_by_place.end(), 0) ==
              std::ssize(index_by_place) - std::ssize(known));

/// By SMPI's number of the predefined type, MPI_DOUBLE first.
constexpr std::array<std::uint8_t, 60> sizes{
    8,  4,  1,  2,  8,  4,  1,  8,      // double, int, char, short, long, float, byte, long long
    1,  1,  2,  4,  8,  8,  16, 4,      // signed char, unsigned char to long long, long double, wchar
    1,  1,  2,  4,  8,  1,  2,  4,  8,  // bool, int8 to int64, uint8 to uint64
    8,  16, 32, 8,  8,                  // complex, address, offset
    8,  16, 16, 8,  8,  8,  16, 16,     // pairs: float-int, long-int, double-int, short-int, 2int, 2float, ...
    4,  4,  8,  16, 8,  16, 16, 4,  2,  // Fortran: real, real4 to 16, complex8 to 32, integer1 (an int in SMPI), 2
    4,  8,  16,                         // integer4 to 16
    32, 1,  8,  16, 32,                 // long-double-int, C++: bool, complex
    0,  0,  1,  8,  8,                  // upper and lower bound, packed, pointer, count
};

using op::CollectiveKind;
constexpr std::array collectives{
    std::pair{Action::Barrier, CollectiveKind::Barrier},
    std::pair{Action::Bcast, CollectiveKind::Bcast},
    std::pair{Action::Reduce, CollectiveKind::Reduce},
    std::pair{Action::Allreduce, CollectiveKind::Allreduce},
    std::pair{Action::Alltoall, CollectiveKind::Alltoall},
    std::pair{Action::Alltoallv, CollectiveKind::Alltoallv},
    std::pair{Action::Gather, CollectiveKind::Gather},
    std::pair{Action::Gatherv, CollectiveKind::Gatherv},
    std::pair{Action::Scatter, CollectiveKind::Scatter},
    std::pair{Action::Scatterv, CollectiveKind::Scatterv},
    std::pair{Action::Allgather, CollectiveKind::Allgather},
    std::pair{Action::Allgatherv, CollectiveKind::Allgatherv},
    std::pair{Action::ReduceScatter, CollectiveKind::ReduceScatter},
    std::pair{Action::Scan, CollectiveKind::Scan},
    std::pair{Action::Exscan, CollectiveKind::Exscan},
};

/// The names of actions have at least so many letters.
constexpr std::size_t shortest = 4;
static_assert(std::all_of(known.begin(), known.end(), [](const auto& entry) { return entry.name.size() >= shortest; }));

/// Their first and last letters as numbers, which overlap: two names of one length are equal if these are. A comparison
/// of texts is a call that cannot know their length, and every line has one to make.
template <class Letters>
std::pair<Letters, Letters> ends_of(std::string_view name) {
  std::pair<Letters, Letters> ends;
  std::memcpy(&ends.first, name.data(), sizeof(Letters));
  std::memcpy(&ends.second, name.data() + name.size() - sizeof(Letters), sizeof(Letters));
  return ends;
}

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() <= 8) return ends_of<std::uint32_t>(a) == ends_of<std::uint32_t>(b);
  return a.size() <= 16 ? ends_of<std::uint64_t>(a) == ends_of<std::uint64_t>(b) : a == b;
}

const Described& described(Action action) {
  return *std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.action == action; });
}

}  // namespace

const Described* find(std::string_view name) {
  if (name.size() < shortest) return nullptr;
  const std::size_t number = index_by_place[place_of(name)];
  return number != 0 && same(known[number - 1].name, name) ? &known[number - 1] : nullptr;
}

std::string_view routine_of(Action action) { return described(action).routine; }
std::string_view name_of(Action action) { return described(action).name; }

std::optional<op::CollectiveKind> collective_of(Action action) {
  for (const auto& [candidate, kind] : collectives) {
    if (candidate == action) return kind;
  }
  return std::nullopt;
}

std::optional<Action> action_of(op::CollectiveKind kind) {
  for (const auto& [action, candidate] : collectives) {
    if (candidate == kind) return action;
  }
  return std::nullopt;
}

std::int64_t datatype_bytes(std::int64_t code) {
  if (code < 0 || code >= std::ssize(sizes)) return 1;
  return sizes[static_cast<std::size_t>(code)];
}

}  // namespace orrery::trace::ti
