// SPDX-License-Identifier: BSD-3-Clause
#include "network/network.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace network;

static void bind_hybrid(nb::module_& m) {
  nb::enum_<Protocol>(m, "Protocol", "When a transfer may begin and when its sender goes on.")
      .value("ASYNCHRONOUS", Protocol::Asynchronous, "Starts at once; the sender goes on after its overhead.")
      .value("DETACHED", Protocol::Detached,
             "Starts when the receive is posted; the sender goes on after its overhead.")
      .value("SYNCHRONOUS", Protocol::Synchronous, "Starts when both are ready; the sender goes on when it ends.")
      .value("OPTIMISTIC", Protocol::Optimistic,
             "Starts at once, and again once the receive is posted if it was not; the sender goes on when it ends.");

  nb::class_<Regime>(m, "Regime", "A range of message sizes that cost alike.")
      .def(
          "__init__",
          [](Regime* self, std::optional<std::int64_t> end, Protocol protocol, double send, double send_per_byte,
             double recv, double recv_per_byte, double latency_factor, double bandwidth_factor, double latency) {
            new (self) Regime{end.value_or(INT64_MAX), protocol,         send,   send_per_byte, recv, recv_per_byte,
                              latency_factor,          bandwidth_factor, latency};
          },
          nb::kw_only(), "end_bytes"_a = nb::none(), "protocol"_a = Protocol::Asynchronous, "send_overhead_s"_a = 0.0,
          "send_overhead_s_per_byte"_a = 0.0, "recv_overhead_s"_a = 0.0, "recv_overhead_s_per_byte"_a = 0.0,
          "latency_factor"_a = 1.0, "bandwidth_factor"_a = 1.0, "latency_s"_a = 0.0,
          "Up to, not including, `end_bytes`; None: the last one. The factors scale the route's values, `latency_s` "
          "is\n"
          "added on any route.");

  nb::class_<Framing>(m, "Framing", "What a message is on the wire.")
      .def(
          "__init__",
          [](Framing* self, double header, double payload, double overhead, bool store_and_forward) {
            new (self) Framing{header, payload, overhead, store_and_forward};
          },
          nb::kw_only(), "header_bytes"_a = 0.0, "payload_bytes"_a = 0.0, "overhead_bytes"_a = 0.0,
          "store_and_forward"_a = false,
          "The MPI's header with each message; what a frame carries (0: no frames) and what it adds; whether switches\n"
          "send a frame on only when it is there.");

  nb::class_<SharedProcessors>(m, "SharedProcessors", "Processors that ranks of all nodes take turns on.")
      .def(
          "__init__",
          [](SharedProcessors* self, std::uint32_t count, double send, double recv, double wake, double idle,
             double frame, double slice) { new (self) SharedProcessors{count, send, recv, wake, idle, frame, slice}; },
          nb::kw_only(), "count"_a = 0, "send_work_s"_a = 0.0, "recv_work_s"_a = 0.0, "wake_work_s"_a = 0.0,
          "idle_wake_s"_a = 0.0, "frame_work_s"_a = 0.0, "slice_s"_a = 0.1,
          "Count 0: every rank has its own. Work is that of a message sent, of one received, besides when its "
          "receiver\n"
          "slept, and of each of its frames but the first; the waking of an idle processor is part of the latency;\n"
          "after a slice a rank that computes gives way to those that wait.");

  nb::class_<Noise>(m, "Noise", "Delays drawn from exponential distributions.")
      .def(
          "__init__",
          [](Noise* self, double handling, double rate, std::uint64_t seed) {
            new (self) Noise{handling, rate, seed};
          },
          nb::kw_only(), "handling_s"_a = 0.0, "rate_fraction"_a = 0.0, "seed"_a = 0,
          "Spread of the handling of a message, mean relative lengthening of a transfer; same seed, same draws.");

  nb::class_<TimeoutParameters>(m, "Timeouts", "Of messages that lose packets in crowded switches.")
      .def(
          "__init__",
          [](TimeoutParameters* self, double wait, std::uint32_t flows, double probability) {
            new (self) TimeoutParameters{wait, flows, probability};
          },
          nb::kw_only(), "wait_s"_a = 0.0, "flows"_a = 0, "probability"_a = 0.0,
          "A message that begins while so many others cross a port of a switch on its way waits with that "
          "probability.");

  nb::class_<HybridParameters>(m, "Hybrid", "The model of papers/smpi-hybrid-network-model.txt, section 4.")
      .def(
          "__init__",
          [](HybridParameters* self, std::vector<Regime> network, std::vector<Regime> memory, double window,
             const Framing& framing, double burst, bool grants_wait_for_data, bool requests_follow_messages,
             double send_buffer, double queue, double later_share, double ack, const SharedProcessors& processors,
             const Noise& noise, const TimeoutParameters& timeouts, double first_message) {
            new (self) HybridParameters{std::move(network),
                                        std::move(memory),
                                        window,
                                        framing,
                                        burst,
                                        grants_wait_for_data,
                                        requests_follow_messages,
                                        send_buffer,
                                        queue,
                                        later_share,
                                        ack,
                                        processors,
                                        noise,
                                        timeouts,
                                        first_message};
          },
          nb::kw_only(), "network"_a, "memory"_a, "tcp_window_bytes"_a = 0.0, "framing"_a = Framing{},
          "burst_bytes"_a = 0.0, "grants_wait_for_data"_a = false, "requests_follow_messages"_a = false,
          "send_buffer_bytes"_a = 0.0, "queue_bytes"_a = 0.0, "later_share"_a = 1.0, "ack_fraction"_a = 0.0,
          "processors"_a = SharedProcessors{}, "noise"_a = Noise{}, "timeouts"_a = TimeoutParameters{},
          "first_message_s"_a = 0.0,
          "Regimes between nodes and inside one. What is 0 or false, and a share of 1, is not modelled.");
}

static void bind_loggps(nb::module_& m) {
  using Set = LogGPSParameters::Set;
  nb::class_<Set>(m, "LogGPSSet", "L, o, O_s, O_r, g, G, s, S of papers/smpi-hybrid-network-model.txt, figure 1.")
      .def(
          "__init__",
          [](Set* self, double latency, double overhead, double send_per_byte, double recv_per_byte, double gap_short,
             double gap, std::int64_t short_limit, std::int64_t sync_threshold) {
            new (self)
                Set{latency, overhead, send_per_byte, recv_per_byte, gap_short, gap, short_limit, sync_threshold};
          },
          nb::kw_only(), "latency_s"_a, "overhead_s"_a, "send_overhead_s_per_byte"_a = 0.0,
          "recv_overhead_s_per_byte"_a = 0.0, "gap_s_per_byte_short"_a = 0.0, "gap_s_per_byte"_a,
          "short_limit_bytes"_a = 0, "sync_threshold_bytes"_a);

  nb::class_<LogGPSParameters>(m, "LogGPS", "Single port, no contention, the same between all hosts.")
      .def(
          "__init__",
          [](LogGPSParameters* self, const Set& network, const Set& memory) {
            new (self) LogGPSParameters{network, memory};
          },
          nb::kw_only(), "network"_a, "memory"_a);
}

void bind_network(nb::module_& m) {
  bind_hybrid(m);
  bind_loggps(m);
  nb::class_<FluidParameters>(m, "Fluid", "Latency and bandwidth only, with contention.")
      .def(
          "__init__", [](FluidParameters* self, const Framing& framing) { new (self) FluidParameters{framing}; },
          nb::kw_only(), "framing"_a = Framing{});
}

std::unique_ptr<NetworkModel> make_model(const platform::Platform& platform, const ModelParameters& parameters) {
  struct Make {
    const platform::Platform& platform;
    auto operator()(const HybridParameters& hybrid) const { return make_hybrid(platform, hybrid); }
    auto operator()(const LogGPSParameters& loggps) const { return make_loggps(platform, loggps); }
    auto operator()(const FluidParameters& fluid) const { return make_fluid(platform, fluid.framing); }
  };
  return std::visit(Make{platform}, parameters);
}

}  // namespace orrery::python
