// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/service.hpp"

#include "catch.hpp"

using namespace orrery::mpi::channel;

TEST_CASE("words come out of memory as they went in, empty ones too") {
  Memory memory = Memory::create(1);
  const std::vector<std::string> words{"./program", "", "an argument"};
  const std::string joined = join(words);
  const Offset place = put_text(memory, joined);
  CHECK(split(take_text(memory, place, joined.size())) == words);
  CHECK(split("").empty());
}

TEST_CASE("a text that lies outside of the memory is empty") {
  Memory memory = Memory::create(1);
  CHECK(take_text(memory, 8, 4).empty());
  CHECK(take_text(memory, memory.header().file_bytes - 2, 4).empty());
  CHECK(take_text(memory, ~Offset{0}, 4).empty());
}

TEST_CASE("memory has room for ranks that are started later, and says which are there") {
  Memory memory = Memory::create(2, 3);
  CHECK(memory.header().ranks == 2);
  CHECK(memory.header().capacity == 5);
  CHECK(memory.header().born == 2);
  CHECK(memory.comm_members(0).size() == 2);  // MPI_COMM_WORLD of the first ones
  CHECK(memory.block(4).world_comm == 0);
}
