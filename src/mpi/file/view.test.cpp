// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/view.hpp"

#include <utility>
#include <vector>

#include "catch.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

using Piece = std::pair<std::int64_t, std::int64_t>;  // offset, bytes

/// Runs of bytes (displacement, length) in a filetype of this extent.
Shape filetype(const std::vector<Piece>& runs, std::int64_t extent) {
  LayoutBuilder builder;
  for (const auto& [displacement, length] : runs) builder.add(displacement, element(raw_byte()), length, 1);
  Shape shape;
  shape.layout = builder.finish();
  return resized(shape, 0, extent);
}

std::vector<Piece> parts_of_view(const View& view, std::int64_t position, std::int64_t bytes) {
  std::vector<Piece> found;
  view.parts(position, bytes, [&](std::int64_t offset, std::int64_t length) { found.emplace_back(offset, length); });
  return found;
}

/// The drawing of view.hpp: behind 4 bytes, two of six bytes, a hole, and one.
View drawn() { return {4, 1, filetype({{2, 2}, {5, 1}}, 6)}; }

int error_in_layout(const Shape& shape, bool writable) {
  try {
    check_layout_for_files(shape, "filetype", writable);
  } catch (const Error& error) {
    return error.error_class;
  }
  return success;
}

}  // namespace

TEST_CASE("a new file is seen as its bytes") {
  CHECK(parts_of_view(View(), 7, 100) == std::vector<Piece>{{7, 100}});
  CHECK(View().etypes_before(42) == 42);
}

TEST_CASE("a view shows the data of filetypes one after the other") {
  CHECK(parts_of_view(drawn(), 0, 6) == std::vector<Piece>{{6, 2}, {9, 1}, {12, 2}, {15, 1}});
  CHECK(parts_of_view(drawn(), 1, 3) == std::vector<Piece>{{7, 1}, {9, 1}, {12, 1}});
  CHECK(parts_of_view(drawn(), 3, 0).empty());
  CHECK(drawn().offset_of(5) == 15);
  CHECK(drawn().offset_of(6) == 18);
}

TEST_CASE("parts that touch are one") {
  const View view(0, 4, filetype({{0, 4}, {4, 4}}, 8));
  CHECK(parts_of_view(view, 0, 80) == std::vector<Piece>{{0, 80}});
  const View edges(0, 1, filetype({{0, 1}, {3, 1}}, 4));  // the last of one touches the first of the next
  CHECK(parts_of_view(edges, 1, 3) == std::vector<Piece>{{3, 2}, {7, 1}});
}

TEST_CASE("etypes before the end of a file count what is cut") {
  CHECK(drawn().etypes_before(3) == 0);
  CHECK(drawn().etypes_before(9) == 2);   // 6 and 7; 8 is a hole
  CHECK(drawn().etypes_before(16) == 6);  // two copies
  const View ints(0, 4, filetype({{0, 4}}, 8));
  CHECK(ints.etypes_before(9) == 2);
}

TEST_CASE("a view without data has no parts") {
  const View nothing(10, 4, filetype({}, 8));
  CHECK(nothing.empty());
  CHECK(parts_of_view(nothing, 0, 100).empty());
  CHECK(nothing.offset_of(3) == 10);
  CHECK(nothing.etypes_before(100) == 0);
}

TEST_CASE("positions that no file can have are refused") {
  const View far(0, 1, filetype({{0, 1}}, std::int64_t{1} << 61));
  CHECK(far.offset_of(3) == std::int64_t{3} << 61);
  CHECK_THROWS_AS(far.offset_of(4), Error);
  CHECK_THROWS_AS(View(10, 1, filetype({{0, 1}}, 1)).offset_of(INT64_MAX - 10), Error);
}

TEST_CASE("filetypes go forward, and in files that are written over no byte twice") {
  CHECK(error_in_layout(filetype({{0, 2}, {4, 2}}, 8), true) == success);
  CHECK(error_in_layout(filetype({{-2, 2}, {4, 2}}, 8), false) == err_io);
  CHECK(error_in_layout(filetype({{4, 2}, {0, 2}}, 8), false) == err_io);
  CHECK(error_in_layout(filetype({{0, 3}, {2, 2}}, 8), true) == err_io);
  CHECK(error_in_layout(filetype({{0, 3}, {2, 2}}, 8), false) == success);
}

}  // namespace orrery::mpi
