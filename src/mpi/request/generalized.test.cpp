// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/generalized.hpp"

#include <array>
#include <vector>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

/// Counts the calls of its functions, and tells of 12 bytes from 3.
struct Counted {
  int queries = 0, frees = 0;
  std::vector<bool> cancels;
  GeneralizedCalls calls() {
    return {.query = [this](Status& status) { return ++queries, status.source = 3, status.bytes = 12, success; },
            .free = [this] { return ++frees, success; },
            .cancel = [this](bool complete) { return cancels.push_back(complete), success; }};
  }
};

}  // namespace

TEST_CASE("a generalized request is complete when the program says so, and asks it for the status") {
  const RunRecord record = run(1, [](int) {
    Counted counted;
    Request* request = nullptr;
    grequest_start(counted.calls(), request);
    bool flag = true;
    test(request, flag, nullptr);
    expect(!flag && counted.queries == 0, "not yet");
    grequest_complete(request);
    Status status;
    request_get_status(request, flag, &status);
    expect(flag && status.bytes == 12 && counted.frees == 0, "looked at");
    wait(request, &status);
    expect(request == nullptr && status.source == 3 && counted.queries == 2 && counted.frees == 1, "done");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("a generalized request that is freed goes when it is complete") {
  const RunRecord record = run(1, [](int) {
    Counted counted;
    Request* request = nullptr;
    grequest_start(counted.calls(), request);
    Request* kept = request;
    request_free(request);
    expect(counted.frees == 0, "still needed");
    grequest_complete(kept);
    expect(counted.frees == 1 && counted.queries == 0, "gone, and nobody wants its status");
    grequest_start(counted.calls(), request);
    grequest_complete(request);
    request_free(request);
    expect(counted.frees == 2, "the other way round");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("to cancel a generalized request is the program's business") {
  const RunRecord record = run(1, [](int) {
    Counted counted;
    Request* request = nullptr;
    grequest_start(counted.calls(), request);
    cancel(request);
    grequest_complete(request);
    cancel(request);
    expect(counted.cancels == std::vector{false, true}, "told whether it is complete");
    wait(request, nullptr);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("an error of the query function is that of the wait") {
  const RunRecord record = run(1, [](int) {
    Request* request = nullptr;
    grequest_start({.query = [](Status&) -> int { return err_io; }}, request);
    grequest_complete(request);
    expect(error_of([&] { wait(request, nullptr); }) == err_io, "its class");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("only generalized requests can be completed") {
  const RunRecord record =
      run(1, [](int) { expect(error_of([] { grequest_complete(nullptr); }) == err_request, "null"); });
  CHECK(record.all_ended_well());
}
