// SPDX-License-Identifier: BSD-3-Clause
#include "startup/startup.hpp"

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::startup;
using settings::Launch;
using settings::Launcher;

namespace {

/// Messages are free, so that only processes take time.
Post free_post(platform::HostId, platform::HostId, Bytes) { return {}; }

/// 1 s for the sender, 2 s on the way and 1 s for each 100 bytes, 3 s for the receiver; inside a node nothing.
Post costly_post(platform::HostId from, platform::HostId to, Bytes bytes) {
  if (from == to) return {};
  return {{1}, {2 + static_cast<double>(bytes.count) / 100}, {3}};
}

std::vector<double> enters(const std::vector<Beginning>& all) {
  std::vector<double> seconds;
  for (const Beginning& beginning : all) seconds.push_back(beginning.enters.s);
  return seconds;
}
std::vector<double> leaves(const std::vector<Beginning>& all) {
  std::vector<double> seconds;
  for (const Beginning& beginning : all) seconds.push_back(beginning.leaves.s);
  return seconds;
}

constexpr Launch by_ssh{
    .connection_s = 10, .connection_work_s = 1, .fork_s = 0.5, .load_s = 0.25, .init_s = 0.125, .init_s_per_peer = 2};

using Seconds = std::vector<double>;

}  // namespace

TEST_CASE("mpiexec opens connections one after the other, and a proxy starts its ranks one after the other") {
  // The proxy of mpiexec's own node is forked; the others begin 10 s after their connections, which mpiexec is done
  // with at 0.5 + 1 and 0.5 + 2. Two ranks a node.
  const auto all = beginnings(by_ssh, std::vector<platform::HostId>{4, 4, 7, 7, 5, 5}, free_post);
  CHECK(enters(all) == Seconds{0.5 + 0.75, 0.5 + 1.25, 11.5 + 0.75, 11.5 + 1.25, 12.5 + 0.75, 12.5 + 1.25});
}

TEST_CASE("whoever is early waits in MPI_Init for the last, and then sets up its peers") {
  const auto all = beginnings(by_ssh, std::vector<platform::HostId>{0, 1, 2}, free_post);
  // The last one calls MPI_Init at 12.5 + 0.75 and publishes its address after 0.125 s; two peers take 2 s each.
  CHECK(leaves(all) == Seconds(3, 12.5 + 0.75 + 0.125 + 4));
}

TEST_CASE("ranks that do not meet in MPI_Init leave it each at its own time") {
  Launch alone = by_ssh;
  alone.exchanges = 0;
  const auto all = beginnings(alone, std::vector<platform::HostId>{0, 1}, free_post);
  CHECK(leaves(all) == Seconds{1.25 + 0.125 + 2, 12.25 + 0.125 + 2});
}

TEST_CASE("with a fan-out proxies open connections, before they start their ranks") {
  Launch tree = by_ssh;
  tree.fanout = 2;
  // mpiexec has the proxies of hosts 0 and 1, that of host 0 has those of 2 and 3, that of host 1 has that of 4.
  const auto all = beginnings(tree, std::vector<platform::HostId>{0, 1, 2, 3, 4}, free_post);
  CHECK(enters(all) == Seconds{0.5 + 2 + 0.75, 11.5 + 1 + 0.75, 11.5 + 0.75, 12.5 + 0.75, 11.5 + 11 + 0.75});
}

TEST_CASE("a resource manager starts all proxies at once") {
  Launch manager = by_ssh;
  manager.launcher = Launcher::Manager;
  const auto all = beginnings(manager, std::vector<platform::HostId>{0, 1, 2, 2}, free_post);
  CHECK(enters(all) == Seconds{10.75, 10.75, 10.75, 11.25});
}

TEST_CASE("addresses go up and all of them come down, and an agent handles its messages one after the other") {
  const Launch addresses{.launcher = Launcher::Manager, .address_bytes = 100};
  // Up: hosts 1 and 2 send 100 bytes each at 0, which arrive at 1 + 2 + 1; mpiexec takes 3 s for each of them: 10.
  // Down: 300 bytes; sent until 11 and 12, they are 2 + 3 s on the way and take 3 s. mpiexec is on host 0, whose ranks
  // hear of them at once.
  const auto all = beginnings(addresses, std::vector<platform::HostId>{0, 1, 2}, costly_post);
  CHECK(leaves(all) == Seconds{10, 11 + 8, 12 + 8});
}

TEST_CASE("in a tree an agent hands on what those below it have published, in one message") {
  const Launch tree{.launcher = Launcher::Manager, .fanout = 1, .address_bytes = 100};
  // A chain: mpiexec, hosts 0, 1, 2. Up: host 2 has 100 bytes, which host 1 has handled at 1 + 2 + 1 + 3; it sends 200,
  // which host 0 has handled at 7 + 1 + 2 + 2 + 3. Down: 300 bytes, 1 + 2 + 3 + 3 s each way; a proxy first sends.
  const auto all = beginnings(tree, std::vector<platform::HostId>{0, 1, 2}, costly_post);
  CHECK(leaves(all) == Seconds{15 + 1, 15 + 9 + 1, 15 + 18});
}

TEST_CASE("each exchange begins when the one before it has ended") {
  Launch twice{.launcher = Launcher::Manager, .exchanges = 2};
  // Two hosts, no bytes: 1 + 2 + 3 s up, and as long down to host 1. The second time it publishes at 12.
  const auto all = beginnings(twice, std::vector<platform::HostId>{0, 1}, costly_post);
  CHECK(leaves(all) == Seconds{12 + 6, 12 + 6 + 6});
}

TEST_CASE("a launch that takes less than no time is refused") {
  CHECK_THROWS_AS(beginnings({.connection_s = -1}, std::vector<platform::HostId>{0}, free_post), InputError);
}
