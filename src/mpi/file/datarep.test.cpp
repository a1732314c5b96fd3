// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/datarep.hpp"

#include <array>
#include <cstring>

#include "catch.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

namespace orrery::mpi {
namespace {

using testing::int_type;

/// A value of 8 bytes and an index of 4, padded to 16 in memory.
Datatype& type_double_int() { return *predefined_datatype(0x229); }

int error_in_file(const Datatype& type, const Datarep& representation) {
  try {
    static_cast<void>(shape_in_file(type, representation));
  } catch (const Error& error) {
    return error.error_class;
  }
  return success;
}

int twice(void* /*type*/, std::intptr_t* extent, void* /*extra*/) {
  *extent = 8;
  return success;
}

int half(void* /*type*/, std::intptr_t* extent, void* /*extra*/) {
  *extent = 2;
  return success;
}

int unchanged(void*, void*, int, void*, std::int64_t, void*) { return success; }

/// Every element takes 8 bytes in a file.
Datarep wide() {
  return {.name = "wide",
          .kind = Datarep::Kind::User,
          .read = reinterpret_cast<void (*)()>(unchanged),
          .write = reinterpret_cast<void (*)()>(unchanged),
          .extent = reinterpret_cast<void (*)()>(twice)};
}

}  // namespace

TEST_CASE("native and internal data lie in a file as in memory") {
  CHECK_FALSE(find_datarep("native").converts());
  CHECK_FALSE(find_datarep("internal").converts());
  CHECK(shape_in_file(type_double_int(), find_datarep("native")).extent() == extent_of(type_double_int()));
}

TEST_CASE("types whose elements have other sizes in a file are made again of these") {
  Datatype* vector = nullptr;
  type_vector(2, 1, 3, int_type(), vector);
  const Shape shape = shape_in_file(*vector, wide());
  CHECK(shape.size() == 16);
  CHECK(shape.extent() == 3 * 8 + 8);  // the second block begins three extents after the first
  type_free(vector);
}

TEST_CASE("without conversion functions, elements lie as far apart as the extent function says") {
  Datarep spread = wide();
  spread.read = spread.write = nullptr;
  REQUIRE(spread.converts());
  CHECK(shape_in_file(int_type(), spread).extent() == 8);  // MPI-4.1, section 14.5.1
  const std::array<int, 2> values{7, 9};
  const std::vector<std::byte> data = to_file(values.data(), 2, int_type(), spread);
  REQUIRE(data.size() == 16);
  CHECK(std::memcmp(&data[0], &values[0], 4) == 0);
  CHECK(std::memcmp(&data[8], &values[1], 4) == 0);
  std::array<int, 2> back{};
  CHECK(from_file(data, back.data(), 2, int_type(), spread) == 2);
  CHECK(back == values);
}

TEST_CASE("an element that has less room in a file than in memory needs a conversion function") {
  Datarep narrow = wide();
  narrow.read = narrow.write = nullptr;
  narrow.extent = reinterpret_cast<void (*)()>(half);
  const int value = 7;
  int class_of_error = success;
  try {
    (void)to_file(&value, 1, int_type(), narrow);
  } catch (const Error& error) {
    class_of_error = error.error_class;
  }
  CHECK(class_of_error == err_conversion);
}

TEST_CASE("displacements in bytes cannot follow elements that change their size") {
  Datatype* type = nullptr;
  const std::array<std::int64_t, 2> displacements{0, 4};
  type_create_hindexed_block(2, 1, displacements.data(), int_type(), type);
  CHECK(error_in_file(*type, wide()) == err_unsupported_datarep);
  CHECK(error_in_file(*type, find_datarep("external32")) == success);  // an int has 4 bytes there too
  type_free(type);
}

TEST_CASE("external32 data are big-endian, and only whole elements come back") {
  const std::array<int, 2> values{0x01020304, 5};
  const Datarep external = find_datarep("external32");
  std::vector<std::byte> data = to_file(values.data(), 2, int_type(), external);
  REQUIRE(data.size() == 8);
  CHECK(data[0] == std::byte{1});
  CHECK(data[7] == std::byte{5});
  data.resize(7);
  std::array<int, 2> back{};
  CHECK(from_file(data, back.data(), 2, int_type(), external) == 1);
  CHECK(back[0] == 0x01020304);
  CHECK(back[1] == 0);
}

}  // namespace orrery::mpi
