// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/info.hpp"

#include <cstring>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery::mpi;
using orrery::mpi::testing::error_of;

namespace {

struct HeldInfo {
  HeldInfo() { info_create(info); }
  HeldInfo(const HeldInfo&) = delete;
  ~HeldInfo() { info_free(info); }
  Info* info = nullptr;
};

}  // namespace

TEST_CASE("Keys keep the order in which they were first set, and a later value replaces an earlier one") {
  HeldInfo held;
  info_set(held.info, "striping", "4");
  info_set(held.info, " host ", "node7");  // the blanks do not belong to the key
  info_set(held.info, "striping", "8");
  int count = 0;
  info_get_nkeys(held.info, count);
  CHECK(count == 2);
  char text[max_info_key];
  info_get_nthkey(held.info, 1, text);
  CHECK(std::strcmp(text, "host") == 0);
  bool flag = false;
  info_get(held.info, "striping", 10, text, flag);
  CHECK(flag);
  CHECK(std::strcmp(text, "8") == 0);
  info_get(held.info, "absent", 10, text, flag);
  CHECK_FALSE(flag);
}

// MPI-4.1, chapter 10: MPI_Info_get's valuelen does not count the terminating zero, MPI_Info_get_string's buflen does
// and comes back as what the whole value needs.
TEST_CASE("Values are cut to the room that there is") {
  HeldInfo held;
  info_set(held.info, "key", "value");
  char text[16] = "...............";
  bool flag = false;
  info_get(held.info, "key", 3, text, flag);
  CHECK(std::strcmp(text, "val") == 0);
  int length = 3;
  info_get_string(held.info, "key", length, text, flag);
  CHECK(std::strcmp(text, "va") == 0);
  CHECK(length == 6);
  length = 0;
  text[0] = '!';
  info_get_string(held.info, "key", length, text, flag);
  CHECK(text[0] == '!');
  CHECK(length == 6);
  info_get_valuelen(held.info, "key", length, flag);
  CHECK(length == 5);
}

TEST_CASE("A copy of an info object has its own entries") {
  HeldInfo held;
  info_set(held.info, "a", "1");
  Info* copy = nullptr;
  info_dup(held.info, copy);
  info_delete(held.info, "a");
  int count = 0;
  info_get_nkeys(copy, count);
  CHECK(count == 1);
  info_free(copy);
  CHECK(copy == nullptr);
}

TEST_CASE("Wrong keys, values and positions have their error classes") {
  HeldInfo held;
  char text[max_info_key];
  CHECK(error_of([&] { info_set(held.info, std::string(max_info_key, 'k').c_str(), "v"); }) == err_info_key);
  CHECK(error_of([&] { info_set(held.info, "k", std::string(max_info_val, 'v').c_str()); }) == err_info_value);
  CHECK(error_of([&] { info_set(held.info, "", "v"); }) == err_info_key);
  CHECK(error_of([&] { info_delete(held.info, "k"); }) == err_info_nokey);
  CHECK(error_of([&] { info_get_nthkey(held.info, 0, text); }) == err_arg);
  CHECK(error_of([&] { info_set(nullptr, "k", "v"); }) == err_info);
}
