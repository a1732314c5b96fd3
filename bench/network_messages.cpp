// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "network/network.hpp"

/// How many messages per second the network models price, without any kernel around them.
///
/// The hosts are a star of 1 Gb/s links with limiter factor 1.5. Each pattern keeps a number of messages under way:
/// when one ends, its receiver sends the next at the same instant. "even": all messages alike, so that many start and
/// end together; "uneven": sizes differ from host to host, so that hardly two do, and every start and end is solved
/// alone.
namespace {

using namespace orrery;
using namespace orrery::network;
using platform::HostId;

platform::Platform star(std::uint32_t nodes) {
  return {"star",
          {{.name = "star",
            .prefix = "n",
            .nodes = nodes,
            .cores = 1,
            .bandwidth_bytes_per_s = 1.25e8,
            .latency_s = 2.4e-5,
            .limiter_factor = 1.5,
            .memory_bandwidth_bytes_per_s = 6e9}},
          {}};
}

settings::Network hybrid(double bandwidth_factor) {
  const settings::Regime regime{.send_overhead_s = 9e-6, .recv_overhead_s = 8e-6, .bandwidth_factor = bandwidth_factor};
  return {.between_nodes = {regime}, .inside_node = {regime}};
}

settings::LogGPS loggps() {
  const settings::LogGPSSet set{
      .latency_s = 4.8e-5, .overhead_s = 8e-6, .gap_s_per_byte = 8e-9, .sync_threshold_bytes = 65536};
  return {.between_nodes = set, .inside_node = set};
}

struct Message {
  HostId to;
  Bytes bytes;
};

/// What `host` sends as its n-th message.
using Pattern = std::function<Message(HostId host, std::uint64_t n)>;

class Load {
 public:
  Load(NetworkModel& model, HostId hosts, std::uint32_t in_flight, Pattern pattern)
      : model_(model), sent_(hosts, 0), target_(std::size_t{hosts} * in_flight), pattern_(std::move(pattern)) {
    for (TransferId id = 0; id < target_.size(); ++id) send(id % hosts, id, {0});
  }

  /// Processor time per message, in nanoseconds.
  double run(std::uint64_t messages) {
    const std::clock_t begin = std::clock();
    std::uint64_t done = 0;
    std::vector<TransferId> ended;
    while (done < messages) {
      const SimTime now = *model_.next_event();
      ended.clear();
      model_.advance(now, ended);
      for (const TransferId id : ended) send(target_[id], id, now);
      done += ended.size();
    }
    return 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(done);
  }

 private:
  void send(HostId from, TransferId id, SimTime now) {
    const Message message = pattern_(from, sent_[from]++);
    target_[id] = message.to;
    const Cost cost = model_.cost(from, message.to, message.bytes);
    model_.start({.id = id,
                  .from = from,
                  .to = message.to,
                  .bytes = message.bytes,
                  .protocol = cost.protocol,
                  .send_posted = now,
                  .receive_posted = now},
                 now);
  }

  NetworkModel& model_;
  std::vector<std::uint64_t> sent_;
  std::vector<HostId> target_;
  Pattern pattern_;
};

void measure(const char* name, NetworkModel& model, HostId hosts, std::uint32_t in_flight, std::uint64_t messages,
             Pattern pattern) {
  Load load(model, hosts, in_flight, std::move(pattern));
  load.run(messages / 10);  // until all memory is there
  const double ns = load.run(messages);
  std::printf("%-52s %8.0f ns/message %8.3f million/s\n", name, ns, 1e3 / ns);
  std::fflush(stdout);
}

Pattern ring(HostId hosts, bool even) {
  return [=](HostId host, std::uint64_t) {
    return Message{(host + 1) % hosts, {even ? 8 : 8 + static_cast<std::int64_t>(host * 37 % 101)}};
  };
}

/// Message n of a host goes n + 1 hosts on, so that every host sends to every other.
Pattern all_to_all(HostId hosts, bool even) {
  return [=](HostId host, std::uint64_t n) {
    const auto distance = static_cast<HostId>(n % (hosts - 1)) + 1;
    return Message{(host + distance) % hosts, {even ? 1024 : 1024 + static_cast<std::int64_t>(host * 37 % 101)}};
  };
}

}  // namespace

int main() {
  constexpr std::uint64_t million = 1000000;
  for (const HostId hosts : {256u, 1024u}) {
    std::printf("%u hosts\n", hosts);
    for (const bool even : {true, false}) {
      const std::string kind = even ? ", even" : ", uneven";
      const auto flows = [&](const char* name, double bandwidth_factor, std::uint32_t in_flight, std::uint64_t messages,
                             Pattern pattern) {
        const auto model = make_hybrid(star(hosts), hybrid(bandwidth_factor));
        measure((name + kind).c_str(), *model, hosts, in_flight, messages, std::move(pattern));
      };
      flows("ring, 8 B, coupled by limiters", 1, 1, million, ring(hosts, even));
      flows("ring, 8 B, limiters never full", 0.4, 1, million, ring(hosts, even));
      flows("all-to-all, 1 KiB, one per host", 1, 1, million, all_to_all(hosts, even));
      flows("all-to-all, 1 KiB, four per host", 1, 4, even ? million : million / 20, all_to_all(hosts, even));
      measure(("all-to-all, 1 KiB, loggps" + kind).c_str(), *make_loggps(star(hosts), loggps()), hosts, 1, million,
              all_to_all(hosts, even));
    }
  }
  constexpr HostId host_count = 256;
  measure("all-to-all, 1 KiB, 256 hosts, all at once", *make_hybrid(star(host_count), hybrid(1)), host_count,
          host_count - 1, million, all_to_all(host_count, true));
}
