// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/attributes.hpp"

#include <optional>
#include <string>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery::mpi;
using orrery::mpi::testing::error_of;

namespace {

using Callback = void (*)();

std::string journal;  // what callbacks did, in order

/// Copies by adding 100 to the value; leaves out values below 10.
int copy_big(void*, int, void* extra, void* value, void* new_value, int* flag) {
  const auto number = reinterpret_cast<std::intptr_t>(value);
  journal += "copy " + std::to_string(number) + " " + static_cast<const char*>(extra) + "; ";
  *flag = number >= 10 ? 1 : 0;
  *static_cast<void**>(new_value) = reinterpret_cast<void*>(number + 100);
  return 0;
}

int note_delete(void*, int, void* value, void* extra) {
  journal +=
      "delete " + std::to_string(reinterpret_cast<std::intptr_t>(value)) + " " + static_cast<const char*>(extra) + "; ";
  return 0;
}

int refuse_delete(void*, int, void*, void*) { return 77; }

void* number(std::intptr_t value) { return reinterpret_cast<void*>(value); }

int new_key(Callback copy, Callback destroy, const char* extra = "") {
  int key = keyval_invalid;
  comm_create_keyval(copy, destroy, key, const_cast<char*>(extra));
  return key;
}

std::optional<std::intptr_t> value_of(Comm& comm, int key) {
  void* value = nullptr;
  bool flag = false;
  comm_get_attr(comm, key, &value, flag);
  if (!flag) return std::nullopt;
  return reinterpret_cast<std::intptr_t>(value);
}

const auto null_function = reinterpret_cast<Callback>(null_copy);
const auto dup_function = reinterpret_cast<Callback>(dup_value);

}  // namespace

TEST_CASE("An attribute is set, replaced and deleted, and the callback sees each value that goes") {
  journal.clear();
  Comm comm;
  int key = new_key(null_function, reinterpret_cast<Callback>(note_delete), "k");
  CHECK_FALSE(value_of(comm, key));
  comm_set_attr(comm, key, number(1));
  comm_set_attr(comm, key, number(2));
  CHECK(value_of(comm, key) == 2);
  comm_delete_attr(comm, key);
  CHECK_FALSE(value_of(comm, key));
  CHECK(journal == "delete 1 k; delete 2 k; ");
  CHECK(error_of([&] { comm_delete_attr(comm, key); }) == err_keyval);
}

TEST_CASE("A duplicate has what the copy callbacks agree to") {
  journal.clear();
  Comm comm;
  Comm copy;
  const int counted = new_key(reinterpret_cast<Callback>(copy_big), null_function, "c");
  const int small = new_key(reinterpret_cast<Callback>(copy_big), null_function, "s");
  const int same = new_key(dup_function, null_function);
  const int left = new_key(null_function, null_function);
  comm_set_attr(comm, counted, number(11));
  comm_set_attr(comm, small, number(9));
  comm_set_attr(comm, same, number(33));
  comm_set_attr(comm, left, number(44));
  copy_attributes(comm.attributes, nullptr, copy.attributes);
  CHECK(journal == "copy 11 c; copy 9 s; ");
  CHECK(value_of(copy, counted) == 111);
  CHECK_FALSE(value_of(copy, small));
  CHECK(value_of(copy, same) == 33);
  CHECK_FALSE(value_of(copy, left));
}

// MPI-4.1, section 11.2.4, asks this of MPI_COMM_SELF in MPI_Finalize.
TEST_CASE("All attributes are deleted in the reverse order of their setting") {
  journal.clear();
  Comm comm;
  const int first = new_key(null_function, reinterpret_cast<Callback>(note_delete), "a");
  const int second = new_key(null_function, reinterpret_cast<Callback>(note_delete), "b");
  comm_set_attr(comm, second, number(2));
  comm_set_attr(comm, first, number(1));
  comm_set_attr(comm, second, number(3));  // replaces: the place in the order stays
  journal.clear();
  delete_attributes(comm.attributes, nullptr);
  CHECK(journal == "delete 1 a; delete 3 b; ");
}

// MPI-4.1, section 7.7.2: a freed key value lives until no attribute uses it.
TEST_CASE("A freed key value can be used as long as an attribute has it") {
  journal.clear();
  Comm comm;
  int key = new_key(null_function, reinterpret_cast<Callback>(note_delete), "k");
  const int old_key = key;
  comm_set_attr(comm, key, number(5));
  comm_free_keyval(key);
  CHECK(key == keyval_invalid);
  CHECK(value_of(comm, old_key) == 5);
  int again = old_key;
  comm_free_keyval(again);
  CHECK(again == keyval_invalid);
  comm_delete_attr(comm, old_key);
  CHECK(journal == "delete 5 k; ");
  CHECK(error_of([&] { comm_set_attr(comm, old_key, number(6)); }) == err_keyval);
  again = old_key;
  CHECK(error_of([&] { comm_free_keyval(again); }) == err_keyval);
}

TEST_CASE("The code of a callback that fails is that of the routine, and the attribute stays") {
  Comm comm;
  const int key = new_key(null_function, reinterpret_cast<Callback>(refuse_delete));
  comm_set_attr(comm, key, number(5));
  CHECK(error_of([&] { comm_delete_attr(comm, key); }) == 77);
  CHECK(value_of(comm, key) == 5);
  CHECK(error_of([&] { delete_attributes(comm.attributes, nullptr); }) == 77);
}

TEST_CASE("Key values of other objects, and MPI's own, cannot be set") {
  Comm comm;
  int type_key = keyval_invalid;
  create_keyval(Cacher::Type, nullptr, nullptr, type_key, nullptr);
  CHECK(error_of([&] { comm_set_attr(comm, type_key, nullptr); }) == err_keyval);
  CHECK(error_of([&] { comm_set_attr(comm, key_tag_ub, nullptr); }) == err_keyval);
  int tag_ub = key_tag_ub;
  CHECK(error_of([&] { comm_free_keyval(tag_ub); }) == err_keyval);
}

TEST_CASE("Predefined attributes are addresses of ints") {
  Comm comm;
  const auto value = [&](int key) { return *reinterpret_cast<const int*>(*value_of(comm, key)); };
  CHECK(value(key_tag_ub) == tag_upper_bound);
  CHECK(value(key_wtime_is_global) == 1);
  CHECK(value(key_host) == proc_null);
  CHECK(value(key_io) == any_source);
  CHECK(value(key_lastusedcode) == locals().codes.last_used);
}
