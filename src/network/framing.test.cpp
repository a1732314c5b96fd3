// SPDX-License-Identifier: BSD-3-Clause
#include "network/framing.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::network;

TEST_CASE("without framing a message is its data") {
  CHECK(Framing({}).on_wire({0}) == 0);
  CHECK(Framing({}).on_wire({1000}) == 1000);
}

TEST_CASE("each frame that a message needs adds its overhead") {
  const Framing tcp({.header_bytes = 40, .frames = settings::Frames{.payload_bytes = 1448, .overhead_bytes = 90}});
  CHECK(tcp.on_wire({0}) == 130);               // an empty message is a frame too
  CHECK(tcp.on_wire({1408}) == 1448 + 90);      // just one frame
  CHECK(tcp.on_wire({1409}) == 1449 + 2 * 90);  // one byte more: two
  CHECK(tcp.on_wire({14440}) == 14480 + 10 * 90);
  CHECK(tcp.frames({0}) == 1);
  CHECK(tcp.frames({1409}) == 2);
  CHECK(tcp.last_frame({1408}) == 0);  // the only one
  CHECK(tcp.last_frame({1409}) == 1 + 90);
  CHECK(tcp.last_frame({2 * 1448 - 40}) == 0);  // full
}
