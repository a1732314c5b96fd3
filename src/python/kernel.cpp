// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/kernel.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "kernel/best.hpp"
#include "kernel/loop.hpp"
#include "kernel/one_call.hpp"
#include "python/bind.hpp"
#include "python/interruptible.hpp"
#include "python/levels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using collective::Choice;
using collective::WholeCall;
using kernel::CallCost;

static kernel::Config config_of(const platform::Platform& platform, const std::vector<platform::HostId>& host_of_rank,
                                double reduce, double copy, double nonblocking, const Stop* stop) {
  Located ranks = locate(platform, host_of_rank);
  std::vector<collective::Places::Level> levels = places_of_levels(levels_of(platform, ranks));
  std::vector<double> factors(host_of_rank.size(), 1);
  return {.host_of_rank = std::move(ranks.hosts),
          .place_of_rank = std::move(ranks.places),
          .compute_factor = std::move(factors),
          .reduce_s_per_byte = reduce,
          .copy_s_per_byte = copy,
          .nonblocking = {nonblocking},
          .levels = std::move(levels),
          .interrupt = stop == nullptr ? nullptr : &stop->wanted};
}

static CallCost simulate_call(const platform::Platform& platform, const Model& model, const WholeCall& call,
                              const Choice& choice, std::vector<platform::HostId> host_of_rank, double reduce,
                              double copy, double nonblocking, const Stop* stop) {
  kernel::Config config = config_of(platform, std::move(host_of_rank), reduce, copy, nonblocking, stop);
  const auto transport = make_model(platform, model);
  return kernel::cost_of_call(call, choice, on_nodes_of(platform, model, std::move(config)), *transport);
}

static std::vector<double> timed_calls(const platform::Platform& platform, const Model& model, const WholeCall& call,
                                       const SharedSelector& selector, std::uint32_t repetitions,
                                       std::vector<platform::HostId> host_of_rank, double reduce, double copy,
                                       double nonblocking, bool mean, const Stop* stop) {
  kernel::Config config = config_of(platform, std::move(host_of_rank), reduce, copy, nonblocking, stop);
  const auto transport = make_model(platform, model);
  const kernel::OverRanks over = mean ? kernel::OverRanks::Mean : kernel::OverRanks::Longest;
  std::vector<double> seconds;
  for (const Duration time : kernel::timed_calls(
           call, *selector.selector, on_nodes_of(platform, model, std::move(config)), *transport, repetitions, over))
    seconds.push_back(time.s);
  return seconds;
}

/// (what, peer or root, bytes, bytes of an element)
using StepTuple = std::tuple<std::string, std::int32_t, std::int64_t, std::int64_t>;

static kernel::Step step_of(const StepTuple& tuple) {
  using kernel::Act;
  constexpr std::array<std::pair<std::string_view, Act>, 5> acts{{{"send", Act::Send},
                                                                  {"recv", Act::Recv},
                                                                  {"isend", Act::Isend},
                                                                  {"irecv", Act::Irecv},
                                                                  {"waitall", Act::WaitAll}}};
  const auto& [what, peer, bytes, element] = tuple;
  kernel::Step step{.peer = peer, .bytes = {bytes}, .element = element};
  const auto* const found = std::ranges::find(acts, what, &std::pair<std::string_view, Act>::first);
  if (found != acts.end()) {
    step.act = found->second;
    return step;
  }
  const auto kind = collective::kind_named(what);
  if (!kind || op::is_among_neighbors(*kind)) throw InputError(concat("a loop has no step \"", what, "\""));
  step.collective = *kind;
  return step;
}

static std::vector<double> times_of_turns(const platform::Platform& platform, const Model& model,
                                          const SharedSelector& selector,
                                          const std::vector<std::vector<StepTuple>>& bodies, std::uint32_t turns,
                                          std::vector<platform::HostId> host_of_rank, double reduce, double copy,
                                          const Stop* stop) {
  kernel::Config config = config_of(platform, std::move(host_of_rank), reduce, copy, 0, stop);
  const auto transport = make_model(platform, model);
  std::vector<kernel::Body> steps;
  for (const auto& body : bodies) {
    steps.emplace_back();
    for (const StepTuple& step : body) steps.back().push_back(step_of(step));
  }
  std::vector<double> seconds;
  for (const Duration time : kernel::times_of_turns(steps, turns, *selector.selector,
                                                    on_nodes_of(platform, model, std::move(config)), *transport))
    seconds.push_back(time.s);
  return seconds;
}

void bind_kernel(nb::module_& m) {
  translate_interrupted<kernel::Interrupted>();  // a stop is what Ctrl-C is
  nb::class_<Stop>(m, "Stop", "Ends simulations under way, from another thread: they raise KeyboardInterrupt.")
      .def(nb::init<>())
      .def("set", [](Stop& self) { self.wanted = true; });

  nb::class_<CallCost>(m, "CallCost", "What one call of a collective costs.")
      .def_prop_ro(
          "time_s", [](const CallCost& cost) { return cost.time.s; },
          "From the call, which all ranks make at one moment, until the last of them goes on.")
      .def_ro("messages", &CallCost::messages)
      .def_prop_ro("bytes", [](const CallCost& cost) { return cost.bytes.count; })
      .def_ro("events", &CallCost::events, "Processed by the clock.")
      .def_ro("stalled", &CallCost::stalled, "Messages that waited for a time-out of a crowded switch.");

  m.def(
      "best_selector",
      [](const platform::Platform& platform, const Model& model, std::vector<platform::HostId> host_of_rank,
         double reduce, double copy, double nonblocking, const SharedSelector& otherwise, const Stop* stop) {
        return SharedSelector{std::make_shared<kernel::Best>(
            on_nodes_of(platform, model, config_of(platform, std::move(host_of_rank), reduce, copy, nonblocking, stop)),
            [platform, model] { return make_model(platform, model); }, otherwise.selector)};
      },
      "platform"_a, "model"_a, nb::kw_only(), "host_of_rank"_a, "reduce_s_per_byte"_a = 0.0, "copy_s_per_byte"_a = 0.0,
      "nonblocking_collective_s"_a = 0.0, "otherwise"_a, "stop"_a = nb::none(), nb::keep_alive<0, 8>(),
      "Takes the algorithm that is the cheapest in simulation, simulated when it is first asked for.");
  m.def(
      "simulate_call",
      [](const platform::Platform& platform, const Model& model, const WholeCall& call, const Choice& choice,
         std::vector<platform::HostId> host_of_rank, double reduce, double copy, double nonblocking, const Stop* stop) {
        nb::gil_scoped_release released;
        return simulate_call(platform, model, call, choice, std::move(host_of_rank), reduce, copy, nonblocking, stop);
      },
      "platform"_a, "model"_a, "call"_a, "choice"_a, nb::kw_only(), "host_of_rank"_a, "reduce_s_per_byte"_a = 0.0,
      "copy_s_per_byte"_a = 0.0, "nonblocking_collective_s"_a = 0.0, "stop"_a = nb::none(),
      "Simulates one call without a program; other threads run meanwhile. `host_of_rank`: positions in\n"
      "`platform.hosts`.");
  m.def(
      "simulate_timed_calls",
      [](const platform::Platform& platform, const Model& model, const WholeCall& call, const SharedSelector& selector,
         std::uint32_t repetitions, std::vector<platform::HostId> host_of_rank, double reduce, double copy,
         double nonblocking, bool mean, const Stop* stop) {
        nb::gil_scoped_release released;
        return timed_calls(platform, model, call, selector, repetitions, std::move(host_of_rank), reduce, copy,
                           nonblocking, mean, stop);
      },
      "platform"_a, "model"_a, "call"_a, "selector"_a, "repetitions"_a, nb::kw_only(), "host_of_rank"_a,
      "reduce_s_per_byte"_a = 0.0, "copy_s_per_byte"_a = 0.0, "nonblocking_collective_s"_a = 0.0, "mean"_a = false,
      "stop"_a = nb::none(),
      "Calls with a barrier before each: for each repetition the longest time, in seconds, that a rank spends in it;\n"
      "`mean`: the mean time over the ranks.");
  m.def(
      "simulate_loop",
      [](const platform::Platform& platform, const Model& model, const SharedSelector& selector,
         const std::vector<std::vector<StepTuple>>& bodies, std::uint32_t turns,
         std::vector<platform::HostId> host_of_rank, double reduce, double copy, const Stop* stop) {
        nb::gil_scoped_release released;
        return times_of_turns(platform, model, selector, bodies, turns, std::move(host_of_rank), reduce, copy, stop);
      },
      "platform"_a, "model"_a, "selector"_a, "bodies"_a, "turns"_a, nb::kw_only(), "host_of_rank"_a,
      "reduce_s_per_byte"_a = 0.0, "copy_s_per_byte"_a = 0.0, "stop"_a = nb::none(),
      "A loop of a benchmark: for each turn the seconds that rank 0 takes. `bodies`: for each rank its steps, (what, "
      "peer\n"
      "or root, bytes, bytes of an element); what: send, recv, isend, irecv, waitall, or a collective.");
}

}  // namespace orrery::python
