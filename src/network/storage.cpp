// SPDX-License-Identifier: BSD-3-Clause
#include "network/storage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace orrery::network {
namespace {

/// Links of a server: one for each kind of access, and one that both share. Those of nodes follow all of them.
enum ServerLink : std::uint32_t { Read, Write, Both, links_of_server };

const StorageParameters& checked(const StorageParameters& parameters) {
  const auto check = [](bool good, const char* what) {
    if (!good) throw InputError(concat("storage: ", what));
  };
  const auto is_rate = [](Bandwidth rate) { return rate.bytes_per_s > 0 && std::isfinite(rate.bytes_per_s); };
  const auto is_time = [](Duration time) { return time.s >= 0 && std::isfinite(time.s); };
  check(parameters.servers > 0, "at least one server is needed");
  check(parameters.stripe.count > 0, "a stripe has at least one byte");
  check(is_rate(parameters.read_bandwidth) && is_rate(parameters.write_bandwidth), "a server needs positive rates");
  check(parameters.node_bandwidth.bytes_per_s >= 0, "the rate of a node must not be negative (0: no bound)");
  check(is_time(parameters.latency) && is_time(parameters.metadata_latency), "a latency must not be negative");
  return parameters;
}

std::vector<double> capacities(const StorageParameters& parameters, std::size_t hosts) {
  const double reads = parameters.read_bandwidth.bytes_per_s;
  const double writes = parameters.write_bandwidth.bytes_per_s;
  std::vector<double> capacities;
  for (std::uint32_t server = 0; server < parameters.servers; ++server) {
    for (const double rate : {reads, writes, std::max(reads, writes)}) capacities.push_back(rate);
  }
  if (parameters.node_bandwidth.bytes_per_s > 0) {
    capacities.insert(capacities.end(), hosts, parameters.node_bandwidth.bytes_per_s);
  }
  return capacities;
}

}  // namespace

Storage::Storage(const StorageParameters& parameters, std::size_t hosts)
    : parameters_(checked(parameters)), flows_(capacities(parameters, hosts), 3) {}

std::int64_t striped_bytes(std::int64_t end, std::uint32_t server, std::uint32_t servers, Bytes stripe) {
  const std::int64_t round = stripe.count * servers;
  const std::int64_t in_last_round = end % round - stripe.count * server;
  return end / round * stripe.count + std::clamp<std::int64_t>(in_last_round, 0, stripe.count);
}

void Storage::start(const FileAccess& access, SimTime now) {
  if (access.id >= flows_left_.size()) flows_left_.resize(std::max<std::size_t>(access.id + 1, 2 * flows_left_.size()));
  flows_left_[access.id] = 0;
  const std::int64_t span = std::max(access.span, access.bytes.count);
  const auto on_server = [&](std::uint32_t server) {
    return striped_bytes(access.offset + span, server, parameters_.servers, parameters_.stripe) -
           striped_bytes(access.offset, server, parameters_.servers, parameters_.stripe);
  };
  // Each server's share of the bytes, rounded so that together they are all of them.
  std::int64_t covered = 0;
  std::int64_t given = 0;
  for (std::uint32_t server = 0; server < parameters_.servers && given < access.bytes.count; ++server) {
    const std::int64_t here = on_server(server);
    if (here == 0) continue;
    covered += here;
    const auto until = static_cast<std::int64_t>(static_cast<double>(access.bytes.count) *
                                                 (static_cast<double>(covered) / static_cast<double>(span)));
    const std::int64_t upto = covered == span ? access.bytes.count : std::min(until, access.bytes.count);
    if (upto > given) start_flow(access, server, upto - given, now);
    given = std::max(given, upto);
  }
  if (flows_left_[access.id] == 0) start_flow(access, 0, 0, now);  // nothing to move: the latency alone
}

void Storage::start_flow(const FileAccess& access, std::uint32_t server, std::int64_t bytes, SimTime now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<TransferId>(access_of_.size()));
    access_of_.push_back(0);
  }
  const TransferId flow = unused_.back();
  unused_.pop_back();
  access_of_[flow] = access.id;
  ++flows_left_[access.id];
  const std::uint32_t first = (access.first_server + server) % parameters_.servers * links_of_server;
  std::array<platform::LinkId, 3> links{first + (access.writes ? Write : Read), first + Both};
  std::size_t length = 2;
  Bandwidth bound = access.writes ? parameters_.write_bandwidth : parameters_.read_bandwidth;
  if (parameters_.node_bandwidth.bytes_per_s > 0) {
    links[length++] = parameters_.servers * links_of_server + access.host;
    bound = std::min(bound, parameters_.node_bandwidth);
  }
  flows_.start(flow, now, parameters_.latency, static_cast<double>(bytes), std::span(links).first(length), bound,
               false);
}

void Storage::advance(SimTime now, std::vector<AccessId>& ended) {
  flows_ended_.clear();
  flows_.advance(now, flows_ended_);
  for (const TransferId flow : flows_ended_) {
    unused_.push_back(flow);
    if (--flows_left_[access_of_[flow]] == 0) ended.push_back(access_of_[flow]);
  }
}

}  // namespace orrery::network
