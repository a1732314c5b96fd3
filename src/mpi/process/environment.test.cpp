// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/environment.hpp"

#include "catch.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::run;

TEST_CASE("A level above 0 begins a phase, others end the innermost one that is open") {
  const auto record = run(1, [](int) {
    pcontrol(0);  // nothing is open: nothing to end
    pcontrol(3);
    pcontrol(7);
    pcontrol(-7);
    pcontrol(0);
    pcontrol(-3);
  });
  CHECK(record.all_ended_well());
  using op::Kind;
  CHECK(record.kinds(0) == std::vector{Kind::PhaseBegin, Kind::PhaseBegin, Kind::PhaseEnd, Kind::PhaseEnd});
  CHECK(record.sent[0][0].operation.tag == 3);
  CHECK(record.sent[0][1].operation.tag == 7);
}
