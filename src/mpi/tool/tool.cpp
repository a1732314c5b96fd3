// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/tool.hpp"

#include "mpi/error/errors.hpp"
#include "mpi/process/process.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi::tool {
namespace {

/// MPI_T_ERR_NOT_ACCESSIBLE.
constexpr int not_accessible = 1002;

const channel::Header& settings() {
  if (process().memory == nullptr) throw Error{not_accessible, "settings are known from MPI_Init on"};
  return process().memory->header();
}

Rank& rank() {
  Rank* rank = rank_if_running();
  if (rank == nullptr) throw Error{not_accessible, "only between MPI_Init and MPI_Finalize"};
  return *rank;
}

constexpr std::array<std::string_view, 2> clock_names{"host", "simulated"};
constexpr Enumeration clock_kinds{"clock", clock_names};
constexpr std::array<std::string_view, 2> compute_names{"none", "cpu"};
constexpr Enumeration compute_kinds{"compute", compute_names};

constexpr std::array<ControlVariable, 7> control{{
    {"ranks", "Number of ranks of the run.", Type::Int, [] { return Value{static_cast<int>(settings().ranks)}; }},
    {"clock", "What clocks and waits of the program follow.", Type::Int,
     [] { return Value{static_cast<int>(settings().simulated_clock)}; }, &clock_kinds},
    {"compute", "Whether computation between calls is measured.", Type::Int,
     [] { return Value{static_cast<int>(settings().measure_compute)}; }, &compute_kinds},
    {"compute_scale", "Seconds of a host of speed 1 for a second of this one.", Type::Double,
     [] { return Value{settings().compute_scale}; }},
    {"epoch", "Seconds of the wall clock that simulated time 0 stands for.", Type::Double,
     [] { return Value{settings().epoch_s}; }},
    {"buffered_limit", "Bytes of the largest standard send that does not wait for its receiver.", Type::Wide,
     [] { return Value{static_cast<std::uint64_t>(settings().buffered_limit)}; }},
    {"host", "Name of the simulated host of this rank.", Type::Text,
     [] { return Value{std::string_view(rank().memory().host_name(rank().world_rank()))}; }},
}};

constexpr std::array<PerformanceVariable, 4> performance{{
    {"messages_sent", "Point-to-point messages that this rank has sent.", Class::Counter,
     [] { return Value{rank().counters().messages}; }},
    {"bytes_sent", "Bytes of these messages.", Class::Aggregate, [] { return Value{rank().counters().bytes}; }},
    {"operations", "Operations that this rank has handed to the simulation.", Class::Counter,
     [] { return Value{rank().counters().operations}; }},
    {"simulated_time", "Seconds of simulated time since the start of the run.", Class::Timer,
     [] { return Value{rank().simulated_now()}; }},
}};

constexpr std::array<int, 1> size_variables{0};
constexpr std::array<int, 6> model_variables{1, 2, 3, 4, 5, 6};
constexpr std::array<int, 3> traffic_variables{0, 1, 2};
constexpr std::array<int, 1> time_variables{3};

constexpr std::array<Category, 3> all_categories{{
    {"run", "How the run was started.", size_variables, {}},
    {"model", "What is simulated, and how.", model_variables, time_variables},
    {"communication", "What this rank has communicated.", {}, traffic_variables},
}};

}  // namespace

std::span<const ControlVariable> control_variables() { return control; }

std::span<const PerformanceVariable> performance_variables() { return performance; }

std::span<const Category> categories() { return all_categories; }

}  // namespace orrery::mpi::tool
