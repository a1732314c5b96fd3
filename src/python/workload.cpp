// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "python/bind.hpp"
#include "python/sources.hpp"
#include "replay/workload_source.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace replay::workload;

template <class T>
static std::array<T, 4> four(const std::vector<T>& values, T rest) {
  if (values.size() > 4) throw InputError(concat("a grid of ", values.size(), " dimensions; there may be 4"));
  std::array<T, 4> all;
  all.fill(rest);
  std::copy(values.begin(), values.end(), all.begin());
  return all;
}

static Phase collective_phase(std::string_view name, std::int64_t bytes, std::int64_t element, std::int32_t root) {
  const std::optional<op::CollectiveKind> kind = collective::kind_named(name);
  if (!kind || *kind == op::CollectiveKind::NewComm) {
    throw InputError(concat("there is no collective \"", name, "\""));
  }
  return {.what = Collective{*kind, bytes, element, root}};
}

static Routines workload_routines() {
  Routines found{.isend = routine_number("MPI_Isend"),
                 .irecv = routine_number("MPI_Irecv"),
                 .send = routine_number("MPI_Send"),
                 .recv = routine_number("MPI_Recv"),
                 .waitall = routine_number("MPI_Waitall"),
                 .sendrecv = routine_number("MPI_Sendrecv"),
                 .finalize = routine_number("MPI_Finalize")};
  for (int kind = 0; kind < op::collective_kinds; ++kind) {
    if (static_cast<op::CollectiveKind>(kind) == op::CollectiveKind::NewComm) continue;  // no workload makes one
    std::string name(collective::name(static_cast<op::CollectiveKind>(kind)));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    found.collective[static_cast<std::size_t>(kind)] = routine_number("MPI_" + name);
  }
  return found;
}

void bind_workload(nb::module_& m) {
  nb::class_<Phase>(m, "WorkloadPhase", "What all ranks of a synthetic workload do, before they do the next thing.")
      .def_rw("repeat", &Phase::repeat)
      .def_rw("compute_s", &Phase::compute_s, "Computation of every rank before each repetition.")
      .def_rw("imbalance", &Phase::imbalance, "Computation varies from (1 - imbalance) to (1 + imbalance) times that.")
      .def_rw("seed", &Phase::seed, "Seed of these variations.")
      .def_static("compute", [] { return Phase{}; })
      .def_static(
          "halo",
          [](const std::vector<std::int32_t>& grid, const std::vector<std::int64_t>& bytes, bool periodic) {
            return Phase{.what = Halo{four(grid, 1), four(bytes, std::int64_t{0}), periodic}};
          },
          "grid"_a, "bytes"_a, "periodic"_a, "`bytes`: of a message, by dimension.")
      .def_static(
          "wavefront",
          [](const std::vector<std::int32_t>& grid, const std::vector<std::int64_t>& bytes, std::int32_t planes,
             std::int32_t sweeps, double compute_s) {
            return Phase{.what = Wavefront{four(grid, 1), four(bytes, std::int64_t{0}), planes, sweeps, compute_s}};
          },
          "grid"_a, "bytes"_a, "planes"_a, "sweeps"_a, "compute_s"_a, "`compute_s`: of a plane on a rank.")
      .def_static(
          "master_worker",
          [](std::int64_t tasks, std::int64_t task_bytes, std::int64_t result_bytes, double compute_s, double imbalance,
             std::uint64_t seed) {
            return Phase{.what = MasterWorker{tasks, task_bytes, result_bytes, compute_s, imbalance, seed}};
          },
          "tasks"_a, "task_bytes"_a, "result_bytes"_a, "compute_s"_a, "imbalance"_a, "seed"_a,
          "`compute_s`: mean of a task.")
      .def_static("collective", &collective_phase, "kind"_a, "bytes"_a, "element"_a, "root"_a)
      .def_static(
          "random",
          [](std::int32_t messages, std::int64_t least_bytes, std::int64_t most_bytes, std::uint64_t seed) {
            return Phase{.what = Random{messages, least_bytes, most_bytes, seed}};
          },
          "messages"_a, "least_bytes"_a, "most_bytes"_a, "seed"_a);
  m.def(
      "open_workload",
      [](const std::vector<Phase>& phases, std::int32_t ranks, std::int64_t steps, double bytes_factor) {
        return HeldSource{
            std::make_unique<replay::WorkloadSource>(phases, ranks, steps, bytes_factor, workload_routines())};
      },
      "phases"_a, nb::kw_only(), "ranks"_a, "steps"_a = 1, "bytes_factor"_a = 1.0,
      "A synthetic workload: the phases one after the other, `steps` times.");
}

}  // namespace orrery::python
