// SPDX-License-Identifier: BSD-3-Clause
#include "launch/services.hpp"

#include "catch.hpp"
#include "launch/spawn.hpp"
#include "mpi/channel/service.hpp"

using namespace orrery;
using namespace orrery::launch;
using mpi::channel::Memory;
using mpi::channel::ServiceKind;
using Words = std::vector<std::string>;

namespace {

struct Desk {
  Memory memory = Memory::create(2, 4);
  RunServices services{memory};

  kernel::Services::Served ask(ServiceKind kind, const Words& words, std::int32_t next_rank = 2) {
    const std::string joined = mpi::channel::join(words);
    op::Operation request{.kind = op::Kind::Service};
    request.tag = static_cast<std::int32_t>(kind);
    request.bytes = {static_cast<std::int64_t>(mpi::channel::put_text(memory, joined))};
    request.element = static_cast<std::int64_t>(joined.size());
    return services.serve(0, request, next_rank);
  }
  std::string text(const kernel::Services::Served& served) {
    return mpi::channel::take_text(memory, static_cast<mpi::channel::Offset>(served.reply.bytes.count),
                                   served.reply.sequence);
  }
};

}  // namespace

TEST_CASE("a name leads to its port from when it is published until it is not") {
  Desk desk;
  CHECK_FALSE(desk.ask(ServiceKind::Lookup, {"ocean"}).reply.flag);
  CHECK_FALSE(desk.ask(ServiceKind::Unpublish, {"ocean", "port"}).reply.flag);
  CHECK(desk.ask(ServiceKind::Publish, {"ocean", "port"}).reply.flag);
  CHECK_FALSE(desk.ask(ServiceKind::Publish, {"ocean", "other"}).reply.flag);
  CHECK(desk.text(desk.ask(ServiceKind::Lookup, {"ocean"})) == "port");
  CHECK(desk.ask(ServiceKind::Unpublish, {"ocean", "port"}).reply.flag);
  CHECK_FALSE(desk.ask(ServiceKind::Lookup, {"ocean"}).reply.flag);
}

TEST_CASE("a request for a spawn lists its programs; what is no list of them names none") {
  const auto programs = programs_of({"5", "2", "", "", "./a", "x", "4", "1", "/tmp", "bin", "b"});
  REQUIRE(programs.size() == 2);
  CHECK(programs[0].command == Words{"./a", "x"});
  CHECK(programs[0].ranks == 2);
  CHECK(programs[1].directory == "/tmp");
  CHECK(programs[1].search_path == "bin");
  CHECK(programs_of({"9", "2", "", "", "./a"}).empty());
  CHECK(programs_of({"3", "2", "", ""}).empty());
  CHECK(programs_of({"nonsense"}).empty());
}

TEST_CASE("spawned ranks have a world of their own, and their parents in an inter-communicator") {
  Desk desk;
  std::vector<std::int32_t> started;
  desk.services.start_with([&](const NewProgram&, std::int32_t first) { started.push_back(first); });
  const auto served = desk.ask(ServiceKind::Spawn, {"4", "2", "", "", "a", "4", "1", "", "", "b"});
  CHECK(served.reply.flag);
  CHECK(served.new_ranks == 3);
  CHECK(started == std::vector<std::int32_t>{2, 4});
  const auto between = static_cast<op::CommId>(served.reply.tag);
  CHECK(desk.memory.comm_members(between).size() == 5);
  CHECK(desk.memory.comm_first_group(between) == 2);
  CHECK(desk.memory.block(4).parent_comm == between);
  CHECK(desk.memory.block(4).appnum == 1);
  CHECK(desk.memory.comm_members(desk.memory.block(2).world_comm).size() == 3);
  CHECK(desk.memory.header().born == 5);
}

TEST_CASE("a spawn that cannot be is refused with the reason") {
  Desk desk;
  CHECK_FALSE(desk.ask(ServiceKind::Spawn, {"4", "1", "", "", "a"}).reply.flag);  // nothing to start with
  desk.services.start_with([](const NewProgram&, std::int32_t) { throw StartError("a: not found", 127); });
  const auto full = desk.ask(ServiceKind::Spawn, {"4", "5", "", "", "a"});
  CHECK_FALSE(full.reply.flag);
  CHECK(desk.text(full) == "5 processes were asked for, but this run has room for 4 more");
  const auto missing = desk.ask(ServiceKind::Spawn, {"4", "1", "", "", "a"});
  CHECK(desk.text(missing) == "a: not found");
  CHECK(missing.new_ranks == 0);
  CHECK(desk.memory.header().born == 2);
}
