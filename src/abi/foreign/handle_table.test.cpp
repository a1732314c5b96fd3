// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/handle_table.hpp"

#include "catch.hpp"

using orrery::abi::foreign::HandleTable;

TEST_CASE("a number leads back to its pointer until it is given back") {
  HandleTable table(0x84000000, false);
  int a = 0, b = 0;
  const auto number = table.number(&a);
  CHECK(number == 0x84000000);
  CHECK(table.number(&b) == 0x84000001);
  CHECK(table.pointer(number) == &a);
  table.release(number);
  CHECK(table.pointer(number) == nullptr);
  CHECK(table.pointer(0x84000001) == &b);
  CHECK(table.number(&a) == number);  // numbers are used again
}

TEST_CASE("numbers that were never given lead nowhere") {
  HandleTable table(0x84000000, false);
  for (const std::uint32_t number : {0U, 0x04000000U, 0x83ffffffU, 0x84000000U, 0xffffffffU}) {
    CHECK(table.pointer(number) == nullptr);
    table.release(number);  // and giving them back changes nothing
  }
}

TEST_CASE("a pointer that is handed out again keeps its number until it was given back as often") {
  HandleTable table(0x94000000, true);
  int a = 0;
  const auto number = table.number(&a);
  CHECK(table.number(&a) == number);
  table.release(number);
  CHECK(table.pointer(number) == &a);
  table.release(number);
  CHECK(table.pointer(number) == nullptr);
}

TEST_CASE("there is room for many handles") {
  HandleTable table(1, false);
  std::vector<int> objects(10000);  // more than a chunk
  for (std::uint32_t i = 0; i < 10000; ++i) CHECK(table.number(&objects[i]) == i + 1);
  CHECK(table.pointer(1) == objects.data());
  CHECK(table.pointer(10000) == &objects[9999]);
}
