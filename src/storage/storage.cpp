// SPDX-License-Identifier: BSD-3-Clause
#include "storage/storage.hpp"

#include <algorithm>
#include <array>

namespace orrery::storage {
namespace {

/// Links of a server: one for reads, one for writes, and one that both share. The links of nodes come after those of
/// all servers.
enum ServerLink : std::uint32_t { Read, Write, Both, links_of_server };

const settings::Storage& checked(const settings::Storage& settings) {
  settings::check(settings, "storage");
  return settings;
}

std::vector<double> capacities(const settings::Storage& settings, std::size_t hosts) {
  const double reads = settings.read_bandwidth_bytes_per_s;
  const double writes = settings.write_bandwidth_bytes_per_s;
  std::vector<double> capacities;
  for (std::uint32_t server = 0; server < settings.servers; ++server) {
    for (const double rate : {reads, writes, std::max(reads, writes)}) capacities.push_back(rate);
  }
  if (settings.node_bandwidth_bytes_per_s > 0) {
    capacities.insert(capacities.end(), hosts, settings.node_bandwidth_bytes_per_s);
  }
  return capacities;
}

}  // namespace

Storage::Storage(const settings::Storage& settings, std::size_t hosts)
    : settings_(checked(settings)), flows_(capacities(settings, hosts), 3) {}

std::int64_t striped_bytes(std::int64_t end, std::uint32_t server, std::uint32_t servers, std::int64_t stripe) {
  const std::int64_t round = stripe * servers;
  const std::int64_t in_last_round = end % round - stripe * server;
  return end / round * stripe + std::clamp<std::int64_t>(in_last_round, 0, stripe);
}

void Storage::start(const FileAccess& access, SimTime now) {
  if (access.id >= flows_left_.size()) flows_left_.resize(std::max<std::size_t>(access.id + 1, 2 * flows_left_.size()));
  flows_left_[access.id] = 0;
  const std::int64_t span = std::max(access.span, access.bytes.count);
  const auto on_server = [&](std::uint32_t server) {
    return striped_bytes(access.offset + span, server, settings_.servers, settings_.stripe_bytes) -
           striped_bytes(access.offset, server, settings_.servers, settings_.stripe_bytes);
  };
  // Bytes for each server, in proportion to its part of the span. The sums are rounded, so the total is exact.
  std::int64_t covered = 0;
  std::int64_t given = 0;
  for (std::uint32_t server = 0; server < settings_.servers && given < access.bytes.count; ++server) {
    const std::int64_t here = on_server(server);
    if (here == 0) continue;
    covered += here;
    const auto until = static_cast<std::int64_t>(static_cast<double>(access.bytes.count) *
                                                 (static_cast<double>(covered) / static_cast<double>(span)));
    const std::int64_t upto = covered == span ? access.bytes.count : std::min(until, access.bytes.count);
    if (upto > given) start_flow(access, server, upto - given, now);
    given = std::max(given, upto);
  }
  if (flows_left_[access.id] == 0) start_flow(access, 0, 0, now);  // no bytes: the access takes its latency
}

void Storage::start_flow(const FileAccess& access, std::uint32_t server, std::int64_t bytes, SimTime now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<sharing::TransferId>(access_of_.size()));
    access_of_.push_back(0);
  }
  const sharing::TransferId flow = unused_.back();
  unused_.pop_back();
  access_of_[flow] = access.id;
  ++flows_left_[access.id];
  const std::uint32_t first = (access.first_server + server) % settings_.servers * links_of_server;
  std::array<platform::LinkId, 3> links{first + (access.writes ? Write : Read), first + Both};
  std::size_t length = 2;
  Bandwidth bound{access.writes ? settings_.write_bandwidth_bytes_per_s : settings_.read_bandwidth_bytes_per_s};
  if (settings_.node_bandwidth_bytes_per_s > 0) {
    links[length++] = settings_.servers * links_of_server + access.host;
    bound = std::min(bound, Bandwidth{settings_.node_bandwidth_bytes_per_s});
  }
  flows_.start(flow, now, Duration{settings_.latency_s}, static_cast<double>(bytes), std::span(links).first(length),
               bound, false);
}

void Storage::advance(SimTime now, std::vector<AccessId>& ended) {
  flows_ended_.clear();
  flows_.advance(now, flows_ended_);
  for (const sharing::TransferId flow : flows_ended_) {
    unused_.push_back(flow);
    if (--flows_left_[access_of_[flow]] == 0) ended.push_back(access_of_[flow]);
  }
}

}  // namespace orrery::storage
