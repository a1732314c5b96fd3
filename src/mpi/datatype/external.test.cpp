// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

using Octets = std::vector<int>;

/// External form of one element.
template <class T>
Octets external(T value, std::uint32_t abi) {
  const Datatype& type = *predefined_datatype(abi);
  std::int64_t size = 0, position = 0;
  pack_external_size("external32", 1, type, size);
  std::vector<unsigned char> out(static_cast<std::size_t>(size));
  pack_external("external32", &value, 1, type, out.data(), size, position);
  CHECK(position == size);

  T again{};
  position = 0;
  unpack_external("external32", out.data(), size, position, &again, 1, type);
  CHECK(again == value);
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("external32 is big-endian, with the sizes of the standard's table") {
  CHECK(external<int>(0x01020304, 0x209) == Octets{1, 2, 3, 4});
  CHECK(external<short>(-2, 0x208) == Octets{0xff, 0xfe});
  CHECK(external<long>(-2, 0x20a) == Octets{0xff, 0xff, 0xff, 0xfe});  // MPI_LONG has 4 bytes there
  CHECK(external<long long>(1, 0x20b) == Octets{0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(external<unsigned long>(0xfedcba98, 0x20e) == Octets{0xfe, 0xdc, 0xba, 0x98});
  CHECK(external<wchar_t>(L'A', 0x23c) == Octets{0, 0x41});
  CHECK(external<float>(1.0F, 0x210) == Octets{0x3f, 0x80, 0, 0});
  CHECK(external<double>(-2.0, 0x214) == Octets{0xc0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(external<unsigned char>(7, 0x247) == Octets{7});
}

TEST_CASE("long double is binary128 outside") {
  // 1.5: exponent 16383 = 0x3fff, first bit of the fraction set
  CHECK(external<long double>(1.5L, 0x220) == Octets{0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a complex number is its two parts, each big-endian") {
  const float value[] = {1.0F, -2.0F};
  unsigned char out[8];
  std::int64_t position = 0;
  pack_external("external32", value, 1, *predefined_datatype(0x212), out, 8, position);
  CHECK(Octets(out, out + 8) == Octets{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
}

TEST_CASE("derived types are converted member by member") {
  struct Record {
    double d;
    int i;
    char c;
  };
  const int lengths[] = {1, 1, 1};
  const std::int64_t places[] = {offsetof(Record, d), offsetof(Record, i), offsetof(Record, c)};
  Datatype* const members[] = {predefined_datatype(0x214), predefined_datatype(0x209), predefined_datatype(0x243)};
  Datatype* type = nullptr;
  type_create_struct(3, lengths, places, members, type);
  type_commit(type);
  const Record records[] = {{1.0, 1, 'a'}, {2.0, 2, 'b'}};
  std::int64_t size = 0, position = 0;
  pack_external_size("external32", 2, *type, size);
  CHECK(size == 26);  // no padding outside
  std::vector<unsigned char> out(26);
  pack_external("external32", records, 2, *type, out.data(), size, position);
  CHECK(Octets(out.begin(), out.begin() + 13) == Octets{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'a'});
  Record again[2] = {};
  position = 0;
  unpack_external("external32", out.data(), size, position, again, 2, *type);
  CHECK(again[1].d == 2.0);
  CHECK(again[1].i == 2);
  CHECK(again[1].c == 'b');
  type_free(type);
}

TEST_CASE("other representations are refused") {
  std::int64_t size = 0;
  try {
    pack_external_size("internal", 1, *predefined_datatype(0x209), size);
    FAIL("only external32 is packed");
  } catch (const Error& error) {
    CHECK(error.error_class == err_unsupported_datarep);
  }
}

}  // namespace orrery::mpi
