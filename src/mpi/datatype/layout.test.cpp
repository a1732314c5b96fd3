// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype/layout.hpp"

#include "catch.hpp"
#include "mpi/datatype/walk.hpp"

/// Layouts stay small: what a datatype costs depends on how it was made, not on how much data it has.
namespace orrery::mpi {
namespace {

const Basic& basic_double() { return *find_basic(0x214); }
const Basic& basic_int() { return *find_basic(0x209); }

std::size_t places(const Layout& layout) {
  if (!layout) return 0;
  std::size_t sum = layout->length();
  for (const Part& part : layout->parts) sum += places(part.child);
  return sum;
}

struct Run {
  std::int64_t displacement;
  std::int64_t bytes;
  friend bool operator==(const Run&, const Run&) = default;
};

std::vector<Run> runs(const Layout& layout, std::int64_t begin, std::int64_t end) {
  std::vector<Run> all;
  auto visit = [&](std::int64_t displacement, std::int64_t bytes, const Basic*) {
    all.push_back({displacement, bytes});
  };
  visit_range(*layout, 0, begin, end, visit);
  return all;
}

}  // namespace

TEST_CASE("a vector of a million blocks is one place") {
  const Layout block = repeat(element(basic_double()), 3, 8);
  CHECK(block->is_run());
  const Layout vector = repeat(block, 1'000'000, 80);
  CHECK(places(vector) == 1);
  CHECK(vector->size == 24'000'000);
  CHECK(vector->elements == 3'000'000);
}

TEST_CASE("loops that continue each other are one") {
  const Layout vector = repeat(element(basic_double()), 10, 16);
  const Layout longer = repeat(vector, 5, 160);
  CHECK(longer->count == 50);
  CHECK(places(longer) == 1);
}

TEST_CASE("a block of a matrix is two loops") {
  const Layout column = repeat(element(basic_double()), 100, 800);
  const Layout columns = repeat(column, 3, 16);  // not adjacent
  CHECK(places(columns) == 2);
  CHECK(columns->size == 2400);
}

TEST_CASE("members of a struct that touch are one run of bytes, but not one of elements") {
  LayoutBuilder builder;
  builder.add(0, element(basic_double()), 1, 8);
  builder.add(8, element(basic_int()), 2, 4);
  const Layout structure = repeat(builder.finish(), 1000, 16);
  CHECK(places(structure) == 2);
  const Layout bytes = without_types(structure);
  CHECK(bytes->is_run());
  CHECK(bytes->size == 16'000);
}

TEST_CASE("a long list at constant distances is a loop, an irregular one 16 bytes per place") {
  LayoutBuilder regular, irregular, almost;
  for (std::int64_t i = 0; i < 1000; ++i) {
    regular.add(i * 24, element(basic_double()), 1, 8);
    irregular.add(i * i * 16, element(basic_double()), 1, 8);
    almost.add(i * 24 + (i == 501 ? 8 : 0), element(basic_double()), 1, 8);
  }
  CHECK(places(regular.finish()) == 1);
  const Layout list = irregular.finish();
  CHECK(list->length() == 1000);
  CHECK(list->parts.size() == 1);
  CHECK(almost.finish()->length() == 1000);
}

TEST_CASE("a range of the packed form is cut anywhere") {
  const Layout vector = repeat(repeat(element(basic_int()), 2, 4), 3, 20);  // 8 bytes at 0, 20, 40
  CHECK(runs(vector, 0, 24) == std::vector<Run>{{0, 8}, {20, 8}, {40, 8}});
  CHECK(runs(vector, 3, 5) == std::vector<Run>{{3, 2}});
  CHECK(runs(vector, 6, 17) == std::vector<Run>{{6, 2}, {20, 8}, {40, 1}});
  CHECK(runs(vector, 8, 16) == std::vector<Run>{{20, 8}});
  CHECK(runs(vector, 11, 11).empty());
}

TEST_CASE("long lists are shared by the types made of them, not copied") {
  LayoutBuilder builder;
  for (std::int64_t i = 0; i < 1000; ++i) builder.add(i * i * 16, element(basic_double()), 1, 8);
  const Layout list = builder.finish();
  LayoutBuilder outer;
  for (std::int64_t i = 0; i < 100; ++i) outer.add(i * i << 30, list, 1, 0);
  const Layout lists = outer.finish();
  CHECK(lists->length() == 100);
  CHECK(lists->part(7).child == list);
  CHECK(lists->elements == 100'000);
}

}  // namespace orrery::mpi
