// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/request.hpp"

#include <array>
#include <set>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

/// Answers tests and waits with these positions, all else as if complete.
Answers completing(std::vector<std::uint32_t> positions) {
  return [positions](int rank, const Sent& sent) -> op::Reply {
    if (sent.requests.empty()) return all_complete(rank, sent);
    return {.flag = !positions.empty(), .completed = positions};
  };
}

/// One rank that starts receives from itself with tags 0, 1, ..., then sends to itself with these tags.
struct Loop {
  explicit Loop(int count) : values(static_cast<std::size_t>(count), -1), requests(values.size()) {
    for (int i = 0; i < count; ++i) irecv(&values[at(i)], 1, int_type(), 0, i, comm_world(), requests[at(i)]);
    for (int i = 0; i < count; ++i) {
      const int value = 100 + i;
      send(&value, 1, int_type(), 0, i, comm_world());
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> values;
  std::vector<Request*> requests;
};

}  // namespace

TEST_CASE("waiting for named receives and sends asks the kernel nothing") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 20> out{}, in{};
    std::vector<Request*> requests(40);
    for (std::size_t i = 0; i < 20; ++i) {
      out[i] = static_cast<int>(i) + 100 * rank;
      irecv(&in[i], 1, int_type(), 1 - rank, static_cast<int>(i), comm_world(), requests[i]);
      isend(&out[i], 1, int_type(), 1 - rank, static_cast<int>(i), comm_world(), requests[20 + i]);
    }
    std::vector<Status> statuses(40);
    waitall(requests, statuses.data());
    for (std::size_t i = 0; i < 20; ++i) {
      expect(in[i] == static_cast<int>(i) + 100 * (1 - rank), "data");
      expect(statuses[i].source == 1 - rank && statuses[i].tag == static_cast<int>(i), "status");
      expect(requests[i] == nullptr, "null afterwards");
    }
  });
  REQUIRE(record.all_ended_well());
  const auto kinds = record.kinds(0);
  REQUIRE(kinds.size() == 41);
  CHECK(kinds.back() == Kind::WaitAll);
  CHECK(record.sent[0][40].requests.size() == 40);
}

TEST_CASE("request numbers are dense and used again") {
  const RunRecord record = run(1, [](int) {
    for (int i = 0; i < 5; ++i) {
      Loop loop(3);
      waitall(loop.requests, nullptr);
    }
  });
  REQUIRE(record.all_ended_well());
  std::set<op::RequestId> used;
  for (const Sent& sent : record.sent[0]) {
    if (sent.operation.kind == Kind::Irecv) used.insert(sent.operation.request);
  }
  CHECK(used == std::set<op::RequestId>{1, 2, 3});
}

TEST_CASE("waiting for any is answered with which one") {
  const RunRecord record = run(
      1,
      [](int) {
        Loop loop(3);
        int index = -1;
        Status status;
        waitany(loop.requests, index, &status);
        expect(index == 1 && loop.values[1] == 101 && status.tag == 1, "the kernel chose the second");
        expect(loop.requests[1] == nullptr && loop.requests[0] != nullptr, "only that one is gone");
        waitany(loop.requests, index, &status);
        expect(index == 2, "now the second of the rest");
        request_free(loop.requests[0]);
        waitany(loop.requests, index, &status);
        expect(index == undefined && status.source == any_source && status.bytes == 0, "none is left");
      },
      completing({1}));
  CHECK(record.all_ended_well());
}

TEST_CASE("waiting for some gives all that the kernel names") {
  const RunRecord record = run(
      1,
      [](int) {
        Loop loop(4);
        std::array<int, 4> indices{};
        std::array<Status, 4> statuses{};
        int count = 0;
        waitsome(loop.requests, count, indices.data(), statuses.data());
        expect(count == 2 && indices[0] == 0 && indices[1] == 3, "two");
        expect(statuses[0].tag == 0 && statuses[1].tag == 3, "their statuses, one after the other");
        std::array<Request*, 2> none{nullptr, nullptr};
        waitsome(none, count, indices.data(), nullptr);
        expect(count == undefined, "of none");
        waitall(loop.requests, nullptr);
      },
      completing({0, 3}));
  CHECK(record.all_ended_well());
}

TEST_CASE("tests do what the kernel says even if the bytes are there") {
  const RunRecord record = run(
      1,
      [](int) {
        Loop loop(2);
        bool flag = true;
        int index = 0, count = -1;
        test(loop.requests[0], flag, nullptr);
        expect(!flag && loop.requests[0] != nullptr, "test");
        testall(loop.requests, flag, nullptr);
        expect(!flag, "testall");
        testany(loop.requests, index, flag, nullptr);
        expect(!flag && index == undefined, "testany");
        std::array<int, 2> indices{};
        testsome(loop.requests, count, indices.data(), nullptr);
        expect(count == 0, "testsome");
        request_get_status(loop.requests[0], flag, nullptr);
        expect(!flag, "get_status");
        waitall(loop.requests, nullptr);
      },
      completing({}));
  REQUIRE(record.all_ended_well());
  const auto kinds = record.kinds(0);
  REQUIRE(kinds.size() >= 9);
  CHECK(std::vector(kinds.begin() + 4, kinds.end()) ==
        std::vector{Kind::TestAny, Kind::TestAll, Kind::TestAny, Kind::TestSome, Kind::TestAll, Kind::WaitAll});
  CHECK(record.sent[0][8].operation.has(op::Peek));
}

TEST_CASE("tests of null and inactive requests are true at once, with an empty status") {
  const RunRecord record = run(1, [](int) {
    Request* null = nullptr;
    int value = 0;
    Request* inactive = nullptr;
    recv_init(&value, 1, int_type(), 0, 0, comm_world(), inactive);
    for (Request** request : {&null, &inactive}) {
      bool flag = false;
      Status status{.source = 5, .tag = 5, .bytes = 5};
      test(*request, flag, &status);
      expect(flag && status.source == any_source && status.tag == any_tag && status.bytes == 0, "test");
      status.bytes = 5;
      wait(*request, &status);
      expect(status.bytes == 0, "wait");
      request_get_status(*request, flag, &status);
      expect(flag, "get_status");
    }
    request_free(inactive);
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("after waiting for receives of any source the kernel is asked what each one took") {
  // Two receives of any source and one named behind them; the kernel gives the first the second message.
  const Answers answers = [](int, const Sent& sent) -> op::Reply {
    static constexpr std::array<std::uint32_t, 4> sequence_of{0, 1, 0, 2};
    const auto request = sent.operation.request;
    return {.flag = true, .source = 1, .tag = 0, .sequence = sequence_of[request]};
  };
  const RunRecord record = run(
      2,
      [](int rank) {
        std::array<int, 3> values{10, 11, 12};
        if (rank == 1) {
          for (int& value : values) send(&value, 1, int_type(), 0, 0, comm_world());
          return;
        }
        std::array<Request*, 3> requests{};
        irecv(&values[0], 1, int_type(), any_source, 0, comm_world(), requests[0]);
        irecv(&values[1], 1, int_type(), any_source, 0, comm_world(), requests[1]);
        irecv(&values[2], 1, int_type(), 1, any_tag, comm_world(), requests[2]);
        std::array<Status, 3> statuses;
        waitall(requests, statuses.data());
        expect(values == std::array{11, 10, 12}, "data as the kernel chose");
        expect(statuses[0].source == 1, "status");
      },
      answers);
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) ==
        std::vector{Kind::Irecv, Kind::Irecv, Kind::Irecv, Kind::WaitAll, Kind::Match, Kind::Match, Kind::Match});
  for (int i = 0; i < 3; ++i) CHECK(record.sent[0][i].operation.has(op::WantsMatch));
}

TEST_CASE("a receive behind one of any source is matched here again once that one is decided") {
  const Answers answers = [](int, const Sent&) -> op::Reply { return {.flag = true, .source = 0, .sequence = 0}; };
  const RunRecord record = run(
      1,
      [](int) {
        int first = -1, second = -1;
        Request* request = nullptr;
        irecv(&first, 1, int_type(), any_source, any_tag, comm_world(), request);
        for (int value : {7, 8}) send(&value, 1, int_type(), 0, 0, comm_world());
        wait(request, nullptr);
        recv(&second, 1, int_type(), 0, 0, comm_world(), nullptr);
        expect(first == 7 && second == 8, "data");
      },
      answers);
  REQUIRE(record.all_ended_well());
  CHECK_FALSE(record.sent[0].rbegin()[1].operation.has(op::WantsMatch));
}

TEST_CASE("looking at the status of a request leaves it for the program to complete") {
  const Answers answers = [](int, const Sent&) -> op::Reply { return {.flag = true, .source = 0, .sequence = 0}; };
  const RunRecord record = run(
      1,
      [](int) {
        int value = -1;
        Request* request = nullptr;
        irecv(&value, 1, int_type(), any_source, any_tag, comm_world(), request);
        const int out = 3;
        send(&out, 1, int_type(), 0, 9, comm_world());
        bool flag = false;
        Status status;
        request_get_status(request, flag, &status);
        expect(flag && request != nullptr && status.tag == 9, "status");
        status = {};
        wait(request, &status);
        expect(request == nullptr && value == 3 && status.tag == 9, "completed");
      },
      answers);
  REQUIRE(record.all_ended_well());
  // For the kernel it was over with the question what it took: nothing is waited for.
  CHECK(record.kinds(0) == std::vector{Kind::Irecv, Kind::Isend, Kind::TestAll, Kind::TestAll, Kind::Match});
}

TEST_CASE("persistent requests are started again and again") {
  const RunRecord record = run(2, [](int rank) {
    int value = 0;
    Request* request = nullptr;
    if (rank == 0) {
      send_init(&value, 1, int_type(), 1, 4, comm_world(), request);
    } else {
      recv_init(&value, 1, int_type(), 0, 4, comm_world(), request);
    }
    for (int i = 0; i < 3; ++i) {
      value = rank == 0 ? 10 + i : -1;
      start(request);
      expect(error_of([&] { start(request); }) == err_request, "it is active already");
      wait(request, nullptr);
      expect(request != nullptr && !request->active, "inactive, not gone");
      expect(value == 10 + i, "data");
    }
    request_free(request);
    expect(request == nullptr, "gone");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(1) ==
        std::vector{Kind::Irecv, Kind::WaitAll, Kind::Irecv, Kind::WaitAll, Kind::Irecv, Kind::WaitAll});
}

TEST_CASE("a receive that is freed while active still receives") {
  const RunRecord record = run(1, [](int) {
    int freed = -1, second = -1;
    Request* request = nullptr;
    irecv(&freed, 1, int_type(), 0, 0, comm_world(), request);
    request_free(request);
    expect(request == nullptr, "gone");
    for (int value : {1, 2}) send(&value, 1, int_type(), 0, 0, comm_world());
    recv(&second, 1, int_type(), 0, 0, comm_world(), nullptr);
    expect(freed == 1 && second == 2, "the first message went to the first receive");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0)[1] == Kind::RequestFree);
}

TEST_CASE("a receive of any source that is freed while active still receives") {
  const Answers answers = [](int, const Sent& sent) -> op::Reply {
    return {.flag = true, .source = 0, .sequence = sent.operation.kind == Kind::Match ? 0u : 1u};
  };
  const RunRecord record = run(
      1,
      [](int) {
        int freed = -1, second = -1;
        Request *request = nullptr, *other = nullptr;
        irecv(&freed, 1, int_type(), any_source, 0, comm_world(), request);
        request_free(request);
        for (int value : {1, 2}) send(&value, 1, int_type(), 0, value, comm_world());
        irecv(&second, 1, int_type(), 0, 2, comm_world(), other);
        wait(other, nullptr);
        expect(second == 2, "another tag is matched here");
        expect(freed == 1, "it was looked after when something else was completed");
      },
      answers);
  // The first message has tag 1, the freed receive tag 0 would not take it: the script only decides by number.
  CHECK(record.all_ended_well());
}

TEST_CASE("a large send that is freed keeps its process until it is fetched") {
  const RunRecord record = run(2, [](int rank) {
    constexpr int count = 200'000;
    static std::vector<int> data(count, 5);
    if (rank == 0) {
      Request* request = nullptr;
      isend(data.data(), count, int_type(), 1, 0, comm_world(), request);
      request_free(request);
      return;
    }
    usleep(50'000);
    data.assign(count, 0);
    recv(data.data(), count, int_type(), 0, 0, comm_world(), nullptr);
    expect(data == std::vector<int>(count, 5), "data");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("the kernel says whether a receive could be cancelled") {
  const bool granted = GENERATE(true, false);
  const Answers answers = [granted](int, const Sent&) -> op::Reply { return {.flag = granted}; };
  const RunRecord record = run(
      1,
      [granted](int) {
        int first = -1, second = -1;
        Request* request = nullptr;
        irecv(&first, 1, int_type(), 0, 0, comm_world(), request);
        const int out = 6;
        send(&out, 1, int_type(), 0, 0, comm_world());
        this_rank().progress();
        cancel(request);
        Status status;
        wait(request, &status);
        bool cancelled = !granted;
        test_cancelled(status, cancelled);
        expect(cancelled == granted, "status");
        if (!granted) return expect(first == 6, "data");
        recv(&second, 1, int_type(), 0, 0, comm_world(), nullptr);
        expect(second == 6, "the message went to the next receive");
      },
      answers);
  CHECK(record.all_ended_well());
}

TEST_CASE("an error of one of several requests is in its status") {
  const RunRecord record = run(1, [](int) {
    std::array<int, 2> out{1, 2};
    int small = -1, fits = -1;
    std::array<Request*, 2> requests{};
    irecv(&small, 1, int_type(), 0, 0, comm_world(), requests[0]);
    irecv(&fits, 1, int_type(), 0, 1, comm_world(), requests[1]);
    send(out.data(), 2, int_type(), 0, 0, comm_world());
    send(out.data(), 1, int_type(), 0, 1, comm_world());
    std::array<Status, 2> statuses;
    expect(error_of([&] { waitall(requests, statuses.data()); }) == err_in_status, "class");
    expect(statuses[0].error == err_truncate && statuses[1].error == 0, "statuses");
    expect(requests[0] == nullptr && requests[1] == nullptr, "both are complete");

    Request* single = nullptr;
    irecv(&small, 1, int_type(), 0, 0, comm_world(), single);
    send(out.data(), 2, int_type(), 0, 0, comm_world());
    expect(error_of([&] { wait(single, nullptr); }) == err_truncate, "of one request: its own");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("wrong requests are errors") {
  const RunRecord record = run(1, [](int) {
    Request* null = nullptr;
    expect(error_of([&] { start(null); }) == err_request, "start of null");
    expect(error_of([&] { request_free(null); }) == err_request, "free of null");
    expect(error_of([&] { cancel(null); }) == err_request, "cancel of null");
    int value = 0;
    Request* request = nullptr;
    irecv(&value, 1, int_type(), 0, 0, comm_world(), request);
    expect(error_of([&] { start(request); }) == err_request, "start of one that is not persistent");
    send(&value, 1, int_type(), 0, 0, comm_world());
    wait(request, nullptr);
  });
  CHECK(record.all_ended_well());
}
