// SPDX-License-Identifier: BSD-3-Clause
#include "handles.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::abi;

namespace {

/// The handle of an object made from a handle.
template <class Object>
HandleOf<Object> there_and_back(HandleOf<Object> handle) {
  return Handle<Object>::handle(Handle<Object>::object(handle));
}

}  // namespace

TEST_CASE("predefined datatypes keep their handles") {
  int types = 0;
  for (std::uintptr_t value = 0x200; value < 0x300; ++value) {
    const auto handle = reinterpret_cast<MPI_Datatype>(value);
    if (Handle<mpi::Datatype>::object(handle) == nullptr) continue;
    ++types;
    CHECK(there_and_back<mpi::Datatype>(handle) == handle);
  }
  CHECK(types > 60);  // the C types of MPI-5.0, table A.1, and those of Fortran that this platform has
  CHECK(there_and_back<mpi::Datatype>(MPI_DATATYPE_NULL) == MPI_DATATYPE_NULL);
}

TEST_CASE("predefined handles of other kinds keep their values") {
  CHECK(there_and_back<mpi::Group>(MPI_GROUP_EMPTY) == MPI_GROUP_EMPTY);
  CHECK(there_and_back<mpi::Errhandler>(MPI_ERRORS_RETURN) == MPI_ERRORS_RETURN);
  CHECK(there_and_back<mpi::Errhandler>(MPI_ERRORS_ABORT) == MPI_ERRORS_ABORT);
  CHECK(there_and_back<mpi::MatchedMessage>(MPI_MESSAGE_NO_PROC) == MPI_MESSAGE_NO_PROC);
  CHECK(there_and_back<mpi::Request>(MPI_REQUEST_NULL) == MPI_REQUEST_NULL);
}

TEST_CASE("an object of the library is known by its address") {
  mpi::Comm comm;
  const MPI_Comm handle = Handle<mpi::Comm>::handle(&comm);
  CHECK(static_cast<void*>(handle) == &comm);
  CHECK(Handle<mpi::Comm>::object(handle) == &comm);
  CHECK(comm.abi_handle == handle);  // what its callbacks are given
}

TEST_CASE("a handle of another kind, or none, has no object") {
  CHECK(Handle<mpi::Op>::object(reinterpret_cast<MPI_Op>(MPI_INT)) == nullptr);
  CHECK(Handle<mpi::Datatype>::object(reinterpret_cast<MPI_Datatype>(MPI_COMM_WORLD)) == nullptr);
  CHECK(Handle<mpi::Datatype>::object(nullptr) == nullptr);
  const mpi::Error error = invalid<mpi::Op>(MPI_OP_NULL, "op");
  CHECK(error.error_class == MPI_ERR_OP);
  CHECK(error.text == "op is a null handle of type MPI_Op");
}

TEST_CASE("a status keeps bytes and cancellation in its reserved part") {
  MPI_Status status{};
  const mpi::Status inside{.source = 1, .tag = 2, .cancelled = true, .bytes = std::int64_t{5} << 32};
  write_status(inside, status);
  const mpi::Status back = read_status(status);
  CHECK(back.source == 1);
  CHECK(back.tag == 2);
  CHECK(back.cancelled);
  CHECK(back.bytes == std::int64_t{5} << 32);
  CHECK(sizeof status == 8 * sizeof(int));  // MPI-5.0, chapter 20: three public ints and five reserved ones
}
