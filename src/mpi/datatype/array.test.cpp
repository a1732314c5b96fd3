// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

namespace orrery::mpi {
namespace {

using testing::int_type;

/// What a type takes from an array whose elements are their own numbers.
std::vector<int> taken(const Datatype& type, int elements) {
  std::vector<int> array(static_cast<std::size_t>(elements));
  std::iota(array.begin(), array.end(), 0);
  std::vector<int> packed(static_cast<std::size_t>(size_of(type)) / sizeof(int));
  pack(array.data(), 1, type, reinterpret_cast<std::byte*>(packed.data()));
  return packed;
}

}  // namespace

TEST_CASE("a subarray in the order of C and of Fortran") {
  const int sizes[] = {4, 5}, sub_sizes[] = {2, 3}, starts[] = {1, 2};
  Datatype* type = nullptr;
  type_create_subarray(2, sizes, sub_sizes, starts, order_c, int_type(), type);
  CHECK(taken(*type, 20) == std::vector<int>{7, 8, 9, 12, 13, 14});  // row 1 starts at 5, row 2 at 10
  CHECK(extent_of(*type) == 80);
  CHECK(lower_bound_of(*type) == 0);
  type_free(type);
  type_create_subarray(2, sizes, sub_sizes, starts, order_fortran, int_type(), type);
  CHECK(taken(*type, 20) == std::vector<int>{9, 10, 13, 14, 17, 18});  // column 2 starts at 8
  type_free(type);
}

TEST_CASE("a subarray must lie in its array") {
  const int sizes[] = {4}, sub_sizes[] = {3}, starts[] = {2};
  Datatype* type = nullptr;
  try {
    type_create_subarray(1, sizes, sub_sizes, starts, order_c, int_type(), type);
    FAIL("elements 2 to 4 of 4");
  } catch (const Error& error) {
    CHECK(error.error_class == err_arg);
  }
}

TEST_CASE("blocks dealt out in turn, the last one cut") {
  const int sizes[] = {11}, distributions[] = {distribute_cyclic}, arguments[] = {2}, processes[] = {2};
  Datatype* type = nullptr;
  type_create_darray(2, 0, 1, sizes, distributions, arguments, processes, order_c, int_type(), type);
  CHECK(taken(*type, 11) == std::vector<int>{0, 1, 4, 5, 8, 9});
  type_free(type);
  type_create_darray(2, 1, 1, sizes, distributions, arguments, processes, order_c, int_type(), type);
  CHECK(taken(*type, 11) == std::vector<int>{2, 3, 6, 7, 10});
  CHECK(extent_of(*type) == 44);
  type_free(type);
}

TEST_CASE("the standard's example of a distributed array") {
  // MPI-4.1, section 5.1.4: FILEARRAY(100, 200, 300) distributed (CYCLIC(10), *, BLOCK) on 2 x 1 x 3 processes:
  // each has 50 x 200 x 100 elements.
  const int sizes[] = {100, 200, 300}, processes[] = {2, 1, 3};
  const int distributions[] = {distribute_cyclic, distribute_none, distribute_block};
  const int arguments[] = {10, distribute_default, distribute_default};
  for (int rank = 0; rank < 6; ++rank) {
    Datatype* type = nullptr;
    type_create_darray(6, rank, 3, sizes, distributions, arguments, processes, order_fortran, int_type(), type);
    CHECK(size_of(*type) == 4'000'000);
    CHECK(extent_of(*type) == 24'000'000);
    std::int64_t true_lb = 0, true_extent = 0;
    type_get_true_extent(*type, true_lb, true_extent);
    // the grid is row-major: rank = 3 · first coordinate + third
    CHECK(true_lb == 4 * (10 * (rank / 3) + 100 * 200 * 100 * (rank % 3)));
    type_free(type);
  }
}

TEST_CASE("blocks must cover the array") {
  const int sizes[] = {10}, distributions[] = {distribute_block}, arguments[] = {4}, processes[] = {2};
  Datatype* type = nullptr;
  try {
    type_create_darray(2, 0, 1, sizes, distributions, arguments, processes, order_c, int_type(), type);
    FAIL("2 blocks of 4 are not 10");
  } catch (const Error& error) {
    CHECK(error.error_class == err_arg);
  }
}

}  // namespace orrery::mpi
