// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "network/network.hpp"

/// Shared by the tests of the models: a platform with round numbers, and a way to run messages on it.
namespace orrery::network::example {

/// Nodes behind one switch: 100 B/s and 1 s per direction (2 s per route), limiters of 150 B/s, memory of 1000 B/s and
/// 0.5 s.
inline platform::Platform star(std::uint32_t nodes, double latency_s = 1, double limiter_factor = 1.5) {
  return {"example",
          {{.name = "star",
            .prefix = "n",
            .nodes = nodes,
            .cores = 1,
            .bandwidth_bytes_per_s = 100,
            .latency_s = latency_s,
            .limiter_factor = limiter_factor,
            .memory_bandwidth_bytes_per_s = 1000,
            .memory_latency_s = latency_s / 2}},
          {}};
}

struct Message {
  double start_s;
  platform::HostId from, to;
  std::int64_t bytes;
  double receive_posted_s = -1;  ///< of a rendezvous; −1: at `start_s`
};

/// Runs messages, in the order of their starts, and keeps the times that the model gives.
struct Run {
  std::map<TransferId, double> end_s;      ///< by position in `messages`
  std::map<TransferId, double> release_s;  ///< when senders go on, if the model gives it; by position in `messages`
  std::vector<TransferId> order;           ///< in which the transfers ended
  std::vector<std::size_t> handed_over;    ///< number of ends in each call of `advance` that had any

  /// @param model network::NetworkModel, or transport::Transport
  template <class Model>
  Run(Model& model, const std::vector<Message>& messages) {
    for (TransferId id = 0; id < messages.size(); ++id) {
      advance_to(model, messages[id].start_s);
      start(model, id, messages[id]);
    }
    advance_to(model, 1e300);
  }

 private:
  template <class Model>
  void start(Model& model, TransferId id, const Message& m) {
    const SimTime now{m.start_s};
    const SimTime receive_posted{m.receive_posted_s < 0 ? m.start_s : m.receive_posted_s};
    const auto release = model.start({.id = id,
                                      .from = m.from,
                                      .to = m.to,
                                      .bytes = {m.bytes},
                                      .protocol = model.cost(m.from, m.to, {m.bytes}).protocol,
                                      .send_posted = now,
                                      .receive_posted = receive_posted},
                                     std::max(now, receive_posted));
    if (release) release_s[id] = release->s;
  }

  template <class Model>
  void advance_to(Model& model, double until_s) {
    for (auto next = model.next_event(); next && next->s < until_s; next = model.next_event()) {
      const std::size_t before = order.size();
      model.advance(*next, order);
      released_.clear();
      if constexpr (requires { model.take_released(released_); }) model.take_released(released_);
      for (const TransferId id : released_) release_s[id] = next->s;
      for (std::size_t i = before; i < order.size(); ++i) end_s[order[i]] = next->s;
      if (order.size() > before) handed_over.push_back(order.size() - before);
    }
  }

  std::vector<TransferId> released_;
};

}  // namespace orrery::network::example
