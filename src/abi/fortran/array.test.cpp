// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/array.hpp"

#include <array>
#include <cstring>
#include <numeric>

#include "catch.hpp"

#include "abi/fortran/logicals.hpp"
#include "abi/fortran/positions.hpp"
#include "abi/fortran/text.hpp"

using namespace orrery::abi::fortran;

namespace {

/// Words of 8 bytes as a descriptor holds them, with room for all dimensions: what compilers put there, by hand.
using Words = std::array<std::int64_t, 5 + 3 * Array::max_rank>;

/// rank 2, 4-byte elements: m(2:5, 2:4) of m(6, 5), as gfortran describes it; strides in elements.
Words gnu(const int* first) {
  const std::int64_t rank_and_type = (std::int64_t{2} << 32) | (std::int64_t{1} << 40);
  return {reinterpret_cast<std::int64_t>(first), -7, 4, rank_and_type, 4, 1, 1, 4, 6, 1, 3, 0};
}

/// That array as ISO_Fortran_binding.h has it: version, rank, type; strides in bytes.
Words standard(const int* first) {
  const std::int64_t version_rank_type = 1 | (std::int64_t{2} << 32) | (std::int64_t{9} << 40);
  return {reinterpret_cast<std::int64_t>(first), 4, version_rank_type, 1, 4, 4, 1, 3, 24, 0, 0, 0};
}

std::array<int, 30> matrix() {
  std::array<int, 30> m{};
  std::iota(m.begin(), m.end(), 1);
  return m;
}

}  // namespace

TEST_CASE("Descriptors of both layouts are told apart and say the same") {
  std::array<int, 30> m = matrix();
  for (const Words& words : {gnu(&m[7]), standard(&m[7])}) {
    const Array array(words.data());
    REQUIRE(array.base == reinterpret_cast<char*>(&m[7]));
    REQUIRE(array.element == 4);
    REQUIRE(array.rank == 2);
    REQUIRE(array.dimensions[0].extent == 4);
    REQUIRE(array.dimensions[0].stride == 4);
    REQUIRE(array.dimensions[1].extent == 3);
    REQUIRE(array.dimensions[1].stride == 24);
    REQUIRE(array.bytes() == 48);
    REQUIRE_FALSE(array.is_contiguous());
  }
}

TEST_CASE("The elements of a section are gathered in Fortran's order, and those that changed are scattered") {
  std::array<int, 30> m = matrix();
  const Words words = gnu(&m[7]);
  const Array array(words.data());
  std::array<int, 12> copy{};
  array.gather(reinterpret_cast<char*>(copy.data()));
  // Column 2 of m has 7 to 12 in it, of which rows 2 to 5 are 8 to 11; and so on, 6 further for each column.
  REQUIRE(copy == std::array{8, 9, 10, 11, 14, 15, 16, 17, 20, 21, 22, 23});
  const std::array<int, 12> before = copy;
  copy.fill(-1);
  copy[1] = before[1];
  m[8] = 100;  // by the program, while a call has the copy
  array.scatter_changes(reinterpret_cast<const char*>(copy.data()), reinterpret_cast<const char*>(before.data()));
  REQUIRE(m[6] == 7);
  REQUIRE(m[7] == -1);
  REQUIRE(m[8] == 100);
  REQUIRE(m[22] == -1);
  REQUIRE(m[23] == 24);
}

TEST_CASE("Scalars, empty arrays and arrays without an end are contiguous") {
  int x = 1;
  Words words = standard(&x);
  words[7] = -1;  // the last extent of an assumed-size array
  REQUIRE(Array(words.data()).is_contiguous());
  words[7] = 0;
  REQUIRE(Array(words.data()).bytes() == 0);
  REQUIRE(Array(words.data()).is_contiguous());
  words[2] &= ~(std::int64_t{0xff} << 32);  // rank 0
  REQUIRE(Array(words.data()).bytes() == 4);
  REQUIRE(Array(words.data()).is_contiguous());
}

TEST_CASE("Texts lose their padding on the way in and get it back on the way out") {
  REQUIRE(std::strcmp(StringIn(" two words  ", 12), " two words") == 0);
  REQUIRE(info_text("  key  ", 7) == "key");
  REQUIRE(info_text("    ", 4).empty());
  char out[] = "xxxxxxxx";
  std::strcpy(StringOut(out, 6, 10), "abc");
  REQUIRE(std::string(out) == "abc   xx");
  std::strcpy(StringOut(out, 2, 10), "long");
  REQUIRE(std::string(out) == "loc   xx");
}

TEST_CASE("A text that a failing call leaves alone stays as it was") {
  char out[] = "kept";
  { const StringOut untouched(out, 4, 10); }
  REQUIRE(std::string(out) == "kept");
}

TEST_CASE("Positions count from 1 in Fortran, and what is undefined stays so") {
  int position = 7;
  *static_cast<int*>(PositionOut(&position)) = 0;
  REQUIRE(position == 1);
  *static_cast<int*>(PositionOut(&position)) = MPI_UNDEFINED;
  REQUIRE(position == MPI_UNDEFINED);
  int used = 9;
  int positions[] = {0, 0, 5};
  {
    PositionsOut out(positions, &used);
    static_cast<int*>(out)[0] = 2;
    used = 1;
  }
  REQUIRE(positions[0] == 3);
  REQUIRE(positions[2] == 5);
}

TEST_CASE("What is not false is true, whichever bits a compiler has for it") {
  REQUIRE(truth(-1) == 1);
  REQUIRE(truth(1) == 1);
  REQUIRE(truth(0) == 0);
}
