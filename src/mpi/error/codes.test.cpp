// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/codes.hpp"

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/object/attributes.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery::mpi;
using orrery::mpi::testing::error_of;

namespace {

std::string text_of_code(int code) {
  char text[max_error_string];
  int length = 0;
  error_string(code, text, length);
  CHECK(std::string(text).size() == static_cast<std::size_t>(length));
  return text;
}

int class_of(int code) {
  int found = -1;
  error_class(code, found);
  return found;
}

}  // namespace

TEST_CASE("The library's error codes are their classes and have a text") {
  CHECK(class_of(err_truncate) == err_truncate);
  CHECK(text_of_code(err_truncate).find("MPI_ERR_TRUNCATE") == 0);
  CHECK(error_of([] { class_of(12345); }) == err_arg);
}

// MPI-4.1, section 9.5: classes and codes are added above MPI_ERR_LASTCODE, and MPI_LASTUSEDCODE follows.
TEST_CASE("A program adds classes, codes and texts, and removes them") {
  int added_class = 0;
  int code = 0;
  add_error_class(added_class);
  add_error_code(added_class, code);
  CHECK(added_class > err_lastcode);
  CHECK(code == added_class + 1);
  CHECK(*locals().predefined.find(key_lastusedcode) == code);
  CHECK(class_of(code) == added_class);
  CHECK(class_of(added_class) == added_class);
  CHECK(text_of_code(code).empty());
  add_error_string(code, "no such star");
  CHECK(text_of_code(code) == "no such star");
  remove_error_string(code);
  CHECK(text_of_code(code).empty());

  int of_predefined = 0;
  add_error_code(err_io, of_predefined);
  CHECK(class_of(of_predefined) == err_io);
  CHECK(error_of([&] { add_error_string(err_io, "mine"); }) == err_arg);
  CHECK(error_of([&] { add_error_code(code, of_predefined); }) == err_arg);

  CHECK(error_of([&] { remove_error_class(added_class); }) == err_arg);  // it still has a code
  add_error_string(code, "still there");
  CHECK(error_of([&] { remove_error_code(code); }) == err_arg);
  remove_error_string(code);
  remove_error_code(code);
  remove_error_class(added_class);
  CHECK(error_of([&] { class_of(added_class); }) == err_arg);
}

namespace {

int seen_code = 0;
void* seen_handle = nullptr;

void note_error(void** handle, int* code, ...) {
  seen_handle = *handle;
  seen_code = *code;
}

}  // namespace

TEST_CASE("A communicator's error handler is called with its handle and the code") {
  Comm comm;
  int handle = 0;
  comm.abi_handle = &handle;
  Errhandler* errhandler = nullptr;
  comm_create_errhandler(reinterpret_cast<void (*)()>(note_error), errhandler);
  comm_set_errhandler(comm, *errhandler);
  Errhandler* same = nullptr;
  comm_get_errhandler(comm, same);
  CHECK(same == errhandler);
  errhandler_free(same);
  errhandler_free(errhandler);  // the communicator still has it
  CHECK(raise(&comm, {err_tag, "the tag is -7"}, "MPI_Send") == err_tag);
  CHECK(seen_code == err_tag);
  CHECK(seen_handle == &handle);
  comm_call_errhandler(comm, err_io);
  CHECK(seen_code == err_io);
  comm_set_errhandler(comm, errors_return());
  seen_code = 0;
  CHECK(raise(&comm, {err_rank, "the rank is 9"}, "MPI_Send") == err_rank);
  CHECK(seen_code == 0);
}

TEST_CASE("Without being told otherwise, errors are fatal") {
  Comm comm;
  Errhandler* errhandler = nullptr;
  comm_get_errhandler(comm, errhandler);
  CHECK(errhandler == predefined_errhandler(0x141));  // MPI_ERRORS_ARE_FATAL of the standard ABI
  CHECK(predefined_errhandler(0x143) == &errors_return());
  CHECK(predefined_errhandler(0x140) == nullptr);
}
