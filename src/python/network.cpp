// SPDX-License-Identifier: BSD-3-Clause
#include "network/network.hpp"

#include <utility>

#include "base/error.hpp"
#include "kernel/virtual_processors.hpp"
#include "python/bind.hpp"
#include "python/settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

void unknown(std::string_view what, std::string_view name) {
  throw InputError(concat("settings of the core: ", what, " has no \"", name, "\""));
}

void bind_network(nb::module_& m) {
  bind_settings(m);
  m.attr("SHARING_ERROR") = sharing::Accuracy::usual_error;
  m.attr("EXACT_SHARING") = sharing::Accuracy::exact_error;
  nb::class_<HybridModel>(m, "Hybrid", "The network model `hybrid`, and its layers.")
      .def(
          "__init__",
          [](HybridModel* self, const settings::Network& network, const settings::Transport& transport,
             const settings::Node& node, std::uint64_t seed, double sharing_error) {
            new (self) HybridModel{network, transport, node, seed, sharing::Accuracy::of(sharing_error)};
          },
          "network"_a, nb::kw_only(), "transport"_a = settings::Transport{}, "node"_a = settings::Node{}, "seed"_a = 0,
          "sharing_error"_a = sharing::Accuracy::usual_error,
          "The seed is that of all noise; the error, relative to a message, is that with which links are shared.");
  nb::class_<FluidModel>(m, "Fluid", "Latency and bandwidth only, with contention.")
      .def(
          "__init__",
          [](FluidModel* self, const settings::Network& network, double sharing_error) {
            new (self) FluidModel{network, sharing::Accuracy::of(sharing_error)};
          },
          "network"_a = settings::Network{}, nb::kw_only(), "sharing_error"_a = sharing::Accuracy::usual_error,
          "Fluid model; of the settings of `Hybrid`, protocols and frames act, and the error of sharing.");
}

std::unique_ptr<transport::Transport> make_model(const platform::Platform& platform, const Model& model) {
  struct Make {
    const platform::Platform& platform;
    auto operator()(const HybridModel& hybrid) const {
      auto network = std::make_unique<network::Hybrid>(platform, hybrid.network, hybrid.seed, hybrid.accuracy);
      const Duration idle_wake{hybrid.node.processors ? hybrid.node.processors->idle_wake_s : 0};
      auto transport = transport::make_transport(std::move(network), hybrid.transport, idle_wake, hybrid.seed);
      if (!hybrid.node.nic) return transport;
      return transport::behind_nics(std::move(transport), platform, *hybrid.node.nic);
    }
    auto operator()(const settings::LogGPS& loggps) const {
      return transport::make_transport(network::make_loggps(platform, loggps));
    }
    auto operator()(const FluidModel& fluid) const {
      return transport::make_transport(network::make_fluid(platform, fluid.network, fluid.accuracy));
    }
  };
  auto transport = std::visit(Make{platform}, model);
  return platform.broker() ? transport::brokered(std::move(transport), platform) : std::move(transport);
}

kernel::Config on_nodes_of(const platform::Platform& platform, const Model& model, kernel::Config config) {
  if (const auto* hybrid = std::get_if<HybridModel>(&model)) {
    config.node = hybrid->node;
    config.seed = hybrid->seed;
    if (config.node.hypervisor) config.seats = kernel::seats_on(platform, config.host_of_rank, config.initial_ranks);
  }
  return config;
}

}  // namespace orrery::python
