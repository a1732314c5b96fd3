// SPDX-License-Identifier: BSD-3-Clause
#include "abi/convert.hpp"

#include <cstring>

#include "catch.hpp"

using namespace orrery;
using namespace orrery::abi;

namespace {

struct Receive : mpi::Request {
  bool arrived() override { return false; }
};

MPI_Request handle(mpi::Request& request) { return Handle<mpi::Request>::handle(&request); }

/// What a routine does that fails after it has disposed of its first request.
void fail_after_first(std::span<mpi::Request*> requests, mpi::Status* statuses) {
  requests[0] = nullptr;
  statuses[0] = {.source = 3, .tag = 7, .error = 0, .bytes = 12};
  statuses[1] = {.error = MPI_ERR_TRUNCATE};
  throw mpi::Error{MPI_ERR_IN_STATUS, "one of them failed"};
}

}  // namespace

TEST_CASE("a null pointer where a result belongs is an MPI_ERR_ARG") {
  int* nowhere = nullptr;
  try {
    (void)at(nowhere, "size");
    FAIL("nothing was thrown");
  } catch (const mpi::Error& error) {
    CHECK(error.error_class == MPI_ERR_ARG);
    CHECK(error.text == "size is a null pointer");
  }
}

TEST_CASE("a number that does not fit an int goes out as MPI_UNDEFINED") {
  int narrow = 0;
  MPI_Count wide = 0;
  static_cast<std::int64_t&>(NumberOut(&narrow)) = 2147483648;  // 2^31, the first that does not
  static_cast<std::int64_t&>(NumberOut(&wide)) = 2147483648;
  CHECK(narrow == MPI_UNDEFINED);
  CHECK(wide == 2147483648);
  static_cast<std::int64_t&>(NumberOut(&narrow)) = 2147483647;
  CHECK(narrow == 2147483647);
}

TEST_CASE("a number that goes in and out keeps its value until it is changed") {
  int position = 8;
  {
    NumberOut inout(&position);
    static_cast<std::int64_t&>(inout) += 4;
  }
  CHECK(position == 12);
}

TEST_CASE("a datatype that is not looked at may be any value") {
  const auto nonsense = reinterpret_cast<MPI_Datatype>(std::uintptr_t{7});
  CHECK_NOTHROW(in_unless(true, nonsense, "recvtype"));
  CHECK_THROWS_AS(in_unless(false, nonsense, "recvtype"), mpi::Error);
}

TEST_CASE("the error of a status is left alone by calls with one status") {
  MPI_Status status{};
  status.MPI_ERROR = 77;
  *static_cast<mpi::Status*>(StatusOut(&status)) = {.tag = 5};
  CHECK(status.MPI_TAG == 5);
  CHECK(status.MPI_ERROR == 77);
}

TEST_CASE("ignored statuses are a null pointer inside") {
  CHECK(static_cast<mpi::Status*>(StatusOut(MPI_STATUS_IGNORE)) == nullptr);
  CHECK(static_cast<mpi::Status*>(StatusesOut(MPI_STATUSES_IGNORE, 4, nullptr)) == nullptr);
}

TEST_CASE("a call that fails for one of several requests says which are done") {
  Receive first, second;
  MPI_Request handles[2] = {handle(first), handle(second)};
  MPI_Status statuses[2] = {};
  CHECK_THROWS_AS(fail_after_first(Requests(handles, 2), StatusesOut(statuses, 2, nullptr)), mpi::Error);
  CHECK(handles[0] == MPI_REQUEST_NULL);
  CHECK(handles[1] == handle(second));
  CHECK(statuses[0].MPI_SOURCE == 3);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
  CHECK(statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
}

TEST_CASE("an empty status has no error") {
  MPI_Status status{};
  status.MPI_ERROR = 77;
  *static_cast<mpi::Status*>(StatusOut(&status)) = {};
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
  CHECK(status.MPI_ERROR == MPI_SUCCESS);
}

TEST_CASE("a status that the function does not set stays as it is, to the last byte") {
  MPI_Status statuses[2];
  std::memset(statuses, 0x5a, sizeof statuses);
  MPI_Status before[2];
  std::memcpy(before, statuses, sizeof statuses);
  (void)static_cast<mpi::Status*>(StatusOut(&statuses[0]));  // as a test that finds nothing complete
  CHECK(std::memcmp(statuses, before, sizeof statuses) == 0);
  (void)static_cast<mpi::Status*>(StatusesOut(statuses, 2, nullptr));
  CHECK(std::memcmp(statuses, before, sizeof statuses) == 0);
}

TEST_CASE("the errors of several statuses are written also when there is none") {
  MPI_Status statuses[2] = {};
  statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = 77;
  static_cast<mpi::Status*>(StatusesOut(statuses, 2, nullptr))[1] = {.tag = 5};
  CHECK(statuses[0].MPI_ERROR == 77);
  CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS);
}

TEST_CASE("only as many statuses are written as the call has filled in") {
  MPI_Status statuses[3] = {};
  statuses[2].MPI_TAG = 99;
  int used = 2;
  static_cast<mpi::Status*>(StatusesOut(statuses, 3, &used))[0] = {.tag = 1};
  CHECK(statuses[0].MPI_TAG == 1);
  CHECK(statuses[2].MPI_TAG == 99);
  used = MPI_UNDEFINED;  // no request was active
  static_cast<mpi::Status*>(StatusesOut(statuses, 3, &used))[0] = {.tag = 2};
  CHECK(statuses[0].MPI_TAG == 1);
}

TEST_CASE("arrays of any length are converted") {
  Receive request;
  for (const int length : {0, 1, 32, 33, 100}) {  // 32 need no allocation
    std::vector<MPI_Request> handles(static_cast<std::size_t>(length), handle(request));
    Requests requests(handles.data(), length);
    const std::span<mpi::Request*> inside = requests;
    CHECK(inside.size() == handles.size());
    for (const mpi::Request* element : inside) CHECK(element == &request);
  }
  CHECK_THROWS_AS(array_length(-1), mpi::Error);
}

TEST_CASE("a handle that a failing routine should have made is the null handle") {
  MPI_Group group = MPI_GROUP_EMPTY;
  { Out<mpi::Group> out(&group, "newgroup"); }
  CHECK(group == MPI_GROUP_NULL);
}

TEST_CASE("the null handle may not go where an object is needed, even to be freed") {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_THROWS_AS(InOut<mpi::Group>(&group, "group"), mpi::Error);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_NOTHROW(OptionalInOut<mpi::Request>(&request, "request"));
}
