// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "collective/collective.hpp"
#include "kernel/kernel.hpp"
#include "settings/launch.hpp"
#include "settings/node.hpp"
#include "transport/transport.hpp"

/// The module `orrery._core`: one function per room, each in its own file; no logic.
namespace orrery::python {

void bind_platform(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_collective(nanobind::module_& module);
void bind_kernel(nanobind::module_& module);
void bind_results(nanobind::module_& module);
void bind_launch(nanobind::module_& module);
void bind_replay(nanobind::module_& module);
void bind_workload(nanobind::module_& module);
void bind_goal(nanobind::module_& module);
void bind_loggops(nanobind::module_& module);
void bind_trace_reader(nanobind::module_& module);
void bind_timeline(nanobind::module_& module);
void bind_placement(nanobind::module_& module);

/// Ends simulations under way, from another thread.
struct Stop {
  std::atomic<bool> wanted{false};
};

/// The hybrid model with the layers on top of it.
struct HybridModel {
  settings::Network network;
  settings::Transport transport;
  settings::Node node;
  std::uint64_t seed = 0;  ///< of all noise
  sharing::Accuracy accuracy = {};
};
/// The fluid model: of the network's settings, protocols and frames act.
struct FluidModel {
  settings::Network network;
  sharing::Accuracy accuracy = {};
};

using Model = std::variant<HybridModel, settings::LogGPS, FluidModel>;

[[nodiscard]] std::unique_ptr<transport::Transport> make_model(const platform::Platform& platform, const Model& model);
/// The configuration of a simulation with what nodes add by this model.
[[nodiscard]] kernel::Config on_nodes_of(const platform::Platform& platform, const Model& model, kernel::Config config);
/// With MPI_Init of ranks that are launched in jobs, each by itself, where the platform says what that takes.
/// @param first_ranks the first rank of each job
/// @param config has the hosts of all ranks, and how many there are from the beginning
[[nodiscard]] kernel::Config launched(const std::optional<settings::Launch>& launch, const platform::Platform& platform,
                                      transport::Transport& transport, std::vector<std::uint32_t> first_ranks,
                                      kernel::Config config);

/// A selector as Python holds it: shared by any number of runs.
struct SharedSelector {
  std::shared_ptr<const collective::Selector> selector;
};

}  // namespace orrery::python
