// SPDX-License-Identifier: BSD-3-Clause
#include "storage/storage.hpp"

#include <map>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::storage;

namespace {

/// Two servers that read 100 B/s and write 50 B/s, stripes of 10 bytes, a latency of 1 s.
settings::Storage two_servers() {
  return {.servers = 2,
          .stripe_bytes = 10,
          .read_bandwidth_bytes_per_s = 100,
          .write_bandwidth_bytes_per_s = 50,
          .latency_s = 1};
}

FileAccess reading(AccessId id, std::int64_t bytes, std::int64_t offset = 0, platform::HostId host = 0) {
  return {.id = id, .host = host, .bytes = {bytes}, .offset = offset, .span = bytes};
}

FileAccess writing(AccessId id, std::int64_t bytes, std::int64_t offset = 0) {
  FileAccess access = reading(id, bytes, offset);
  access.writes = true;
  return access;
}

/// When each of the accesses, which all begin at 0, ends.
std::map<AccessId, double> ends(Storage& storage, const std::vector<FileAccess>& accesses) {
  for (const FileAccess& access : accesses) storage.start(access, {});
  std::map<AccessId, double> ends;
  std::vector<AccessId> ended;
  while (const auto next = storage.next_event()) {
    ended.clear();
    storage.advance(*next, ended);
    for (const AccessId id : ended) ends[id] = next->s;
  }
  return ends;
}

std::map<AccessId, double> ends(const settings::Storage& parameters, const std::vector<FileAccess>& accesses) {
  Storage storage(parameters, 4);
  return ends(storage, accesses);
}

}  // namespace

TEST_CASE("an access takes its latency and its bytes over the bandwidth of a server") {
  CHECK(ends(two_servers(), {reading(0, 10)})[0] == Approx(1 + 10.0 / 100));
  CHECK(ends(two_servers(), {writing(0, 10)})[0] == Approx(1 + 10.0 / 50));
  CHECK(ends(two_servers(), {reading(0, 0)})[0] == 1);
}

TEST_CASE("a long access uses all servers at once") {
  // 1,000 bytes are 100 stripes, 500 bytes on each server.
  CHECK(ends(two_servers(), {reading(0, 1000)})[0] == Approx(1 + 500.0 / 100));
  // From 5 on 15 bytes: 5 on the first server, 10 on the second, which is the longer.
  CHECK(ends(two_servers(), {reading(0, 15, 5)})[0] == Approx(1 + 10.0 / 100));
}

TEST_CASE("accesses to one server share it, to different servers they do not") {
  const auto same = ends(two_servers(), {reading(0, 10, 0), reading(1, 10, 20)});
  CHECK(same.at(0) == Approx(1 + 20.0 / 100));
  CHECK(same.at(1) == Approx(1 + 20.0 / 100));
  const auto different = ends(two_servers(), {reading(0, 10, 0), reading(1, 10, 10)});
  CHECK(different.at(0) == Approx(1 + 10.0 / 100));
  FileAccess elsewhere = reading(1, 10, 0);
  elsewhere.first_server = 1;  // a file that begins on the second server
  CHECK(ends(two_servers(), {reading(0, 10, 0), elsewhere})[1] == Approx(1 + 10.0 / 100));
}

TEST_CASE("a server that reads and writes reaches its larger rate together") {
  // Fair shares of 100 B/s are 50 B/s for each, which is what writing reaches at most.
  const auto both = ends(two_servers(), {reading(0, 10), writing(1, 10)});
  CHECK(both.at(0) == Approx(1 + 10.0 / 50));
  CHECK(both.at(1) == Approx(1 + 10.0 / 50));
}

TEST_CASE("ranks of one node share its way to the storage") {
  settings::Storage parameters = two_servers();
  parameters.node_bandwidth_bytes_per_s = 100;
  // Two servers could give 200 B/s; the node takes 100.
  const auto shared = ends(parameters, {reading(0, 10, 0, 3), reading(1, 10, 10, 3)});
  CHECK(shared.at(0) == Approx(1 + 10.0 / 50));
  CHECK(shared.at(1) == Approx(1 + 10.0 / 50));
  CHECK(ends(parameters, {reading(0, 10, 0, 2), reading(1, 10, 10, 3)})[1] == Approx(1 + 10.0 / 100));
}

TEST_CASE("scattered bytes lie evenly over their span") {
  // 100 bytes over 1,000: 50 on each server. 100 bytes in one piece from 0 lie on both as well, 5 stripes each.
  FileAccess scattered = reading(0, 100);
  scattered.span = 1000;
  CHECK(ends(two_servers(), {scattered})[0] == Approx(1 + 50.0 / 100));
}

TEST_CASE("numbers of accesses may be used again") {
  Storage storage(two_servers(), 1);
  CHECK(ends(storage, {reading(7, 10), reading(3, 30)}).size() == 2);
  storage.start(reading(7, 0), {10});
  std::vector<AccessId> ended;
  storage.advance(*storage.next_event(), ended);
  CHECK(ended == std::vector<AccessId>{7});
}

TEST_CASE("stripes go round the servers") {
  CHECK(striped_bytes(35, 0, 3, 10) == 15);  // [0, 10) and [30, 35)
  CHECK(striped_bytes(35, 1, 3, 10) == 10);
  CHECK(striped_bytes(25, 2, 3, 10) == 5);
}

TEST_CASE("storage that cannot be is refused") {
  settings::Storage none = two_servers();
  none.servers = 0;
  CHECK_THROWS_AS(Storage(none, 1), InputError);
  settings::Storage still = two_servers();
  still.write_bandwidth_bytes_per_s = 0;
  CHECK_THROWS_AS(Storage(still, 1), InputError);
}
