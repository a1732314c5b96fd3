// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <utility>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

/// Type maps worked out by hand, most of them in MPI-4.1, section 5.1.
namespace orrery::mpi {
namespace {

using testing::error_of;
using testing::int_type;
using testing::predefined_type;

Datatype& type_char() { return predefined_type(0x243); }
Datatype& type_float() { return predefined_type(0x210); }
Datatype& type_double() { return predefined_type(0x214); }

/// Frees the handle at the end.
struct Handle {
  Datatype* type = nullptr;

  Handle() = default;
  Handle(const Handle&) = delete;
  ~Handle() {
    if (type != nullptr) type_free(type);
  }
  operator Datatype*&() { return type; }
  Datatype& operator*() const { return *type; }
};

/// Displacements of the basic elements, in the order of the type map.
std::vector<std::int64_t> displacements(const Datatype& type) {
  std::vector<std::int64_t> all;
  auto visit = [&](std::int64_t displacement, std::int64_t bytes, const Basic* basic) {
    for (std::int64_t at = 0; at < bytes; at += basic->size) all.push_back(displacement + at);
  };
  const Layout& layout = type.shape.layout;
  if (layout) visit_range(*layout, 0, 0, layout->size, visit);
  return all;
}

using List = std::vector<std::int64_t>;

struct Bounds {
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

Bounds bounds(const Datatype& type) {
  Bounds found;
  type_get_extent(type, found.lb, found.extent);
  return found;
}

Bounds true_bounds(const Datatype& type) {
  Bounds found;
  type_get_true_extent(type, found.lb, found.extent);
  return found;
}

/// {(double, 0), (char, 8)}, extent 16: the old type of the standard's examples.
void make_double_char(Datatype*& type) {
  const int lengths[] = {1, 1};
  const std::int64_t places[] = {0, 8};
  Datatype* const types[] = {&type_double(), &type_char()};
  type_create_struct(2, lengths, places, types, type);
}

}  // namespace

TEST_CASE("a struct is padded to the alignment of its strictest member") {
  Handle type;
  make_double_char(type);
  CHECK(displacements(*type) == List{0, 8});
  CHECK(size_of(*type) == 9);
  CHECK(bounds(*type) == Bounds{0, 16});  // Example 5.1: 9 rounded up to a multiple of 8
  CHECK(true_bounds(*type) == Bounds{0, 9});
  CHECK_FALSE(is_contiguous(*type));
}

TEST_CASE("contiguous copies lie an extent apart") {
  Handle old, type;
  make_double_char(old);
  type_contiguous(3, *old, type);
  CHECK(displacements(*type) == List{0, 8, 16, 24, 32, 40});  // Example 5.2
  CHECK(bounds(*type) == Bounds{0, 48});
}

TEST_CASE("a vector's stride counts extents and may be negative") {
  Handle old, forward, backward;
  make_double_char(old);
  type_vector(2, 3, 4, *old, forward);
  CHECK(displacements(*forward) == List{0, 8, 16, 24, 32, 40, 64, 72, 80, 88, 96, 104});  // Example 5.3
  CHECK(bounds(*forward) == Bounds{0, 112});
  type_vector(3, 1, -2, *old, backward);
  CHECK(displacements(*backward) == List{0, 8, -32, -24, -64, -56});  // Example 5.4
  CHECK(bounds(*backward) == Bounds{-64, 80});                        // from -64 to 9, 73 rounded up to 80
  CHECK(true_bounds(*backward) == Bounds{-64, 73});
}

TEST_CASE("indexed blocks keep the order in which they are given") {
  Handle old, type;
  make_double_char(old);
  const int lengths[] = {3, 1}, places[] = {4, 0};
  type_indexed(2, lengths, places, *old, type);
  CHECK(displacements(*type) == List{64, 72, 80, 88, 96, 104, 0, 8});  // Example 5.5
  CHECK(bounds(*type) == Bounds{0, 112});
}

TEST_CASE("a struct takes blocks of different types") {
  Handle inner, type;
  make_double_char(inner);
  const int lengths[] = {2, 1, 3};
  const std::int64_t places[] = {0, 16, 26};
  Datatype* const types[] = {&type_float(), inner.type, &type_char()};
  type_create_struct(3, lengths, places, types, type);
  CHECK(displacements(*type) == List{0, 4, 16, 24, 26, 27, 28});  // Example 5.6
  CHECK(bounds(*type) == Bounds{0, 32});                          // 29 rounded up to a multiple of 8
}

TEST_CASE("a member ends where its padding ends") {
  // As Open MPI 4.1.4 says (480); MPICH 4.0.2 does not pad vectors, but counts a padded struct in the same way.
  Handle inner, outer;
  type_create_hvector(3, 4, 25, int_type(), inner);
  CHECK(bounds(*inner) == Bounds{0, 68});
  type_create_hvector(2, 3, 4 * 68 + 1, *inner, outer);
  CHECK(bounds(*outer) == Bounds{0, 480});
  CHECK(true_bounds(*outer) == Bounds{0, 475});
}

TEST_CASE("bounds that were set stay set in types made of the type") {
  Handle resized, type;
  type_create_resized(int_type(), -3, 9, resized);
  CHECK(bounds(*resized) == Bounds{-3, 9});
  CHECK(true_bounds(*resized) == Bounds{0, 4});
  type_contiguous(2, *resized, type);
  CHECK(displacements(*type) == List{0, 9});  // section 5.1.7: {(lb, -3), (int, 0), (int, 9), (ub, 15)}
  CHECK(bounds(*type) == Bounds{-3, 18});

  Handle mixed;  // the markers outrank the double, which lies beyond them
  const int lengths[] = {1, 1};
  const std::int64_t places[] = {0, 64};
  Datatype* const types[] = {resized.type, &type_double()};
  type_create_struct(2, lengths, places, types, mixed);
  CHECK(bounds(*mixed) == Bounds{-3, 9});
  CHECK(true_bounds(*mixed) == Bounds{0, 72});
}

TEST_CASE("no elements, no type map") {
  Handle none, vector, type;
  type_contiguous(0, int_type(), none);
  CHECK(size_of(*none) == 0);
  CHECK(bounds(*none) == Bounds{0, 0});
  type_vector(5, 0, 7, type_double(), vector);
  CHECK(bounds(*vector) == Bounds{0, 0});
  const int lengths[] = {0, 1};  // a block of no doubles moves no bound and asks for no alignment
  const std::int64_t places[] = {-100, 4};
  Datatype* const types[] = {&type_double(), &int_type()};
  type_create_struct(2, lengths, places, types, type);
  CHECK(bounds(*type) == Bounds{4, 4});
  pack(nullptr, 3, *none, nullptr);  // touches nothing
}

TEST_CASE("absolute addresses are displacements from MPI_BOTTOM") {
  int first = 17, second = 42;
  std::int64_t places[2];
  get_address(&first, places[0]);
  get_address(&second, places[1]);
  Handle type;
  type_create_hindexed_block(2, 1, places, int_type(), type);
  int packed[2];
  pack(nullptr, 1, *type, reinterpret_cast<std::byte*>(packed));
  CHECK(packed[0] == 17);
  CHECK(packed[1] == 42);
  CHECK(aint_diff(aint_add(places[0], 8), places[0]) == 8);
}

TEST_CASE("pair types are C structs of their members") {
  struct ShortInt {
    short value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  CHECK(size_of(predefined_type(0x22c)) == 6);
  CHECK(extent_of(predefined_type(0x22c)) == sizeof(ShortInt));
  CHECK(displacements(predefined_type(0x22c)) == List{0, 4});
  CHECK(extent_of(predefined_type(0x22d)) == sizeof(LongDoubleInt));
  CHECK(size_of(predefined_type(0x228)) == 8);
  CHECK(is_contiguous(predefined_type(0x228)));        // float and int leave no gap
  CHECK_FALSE(is_contiguous(predefined_type(0x229)));  // double and int do, at the end
  Datatype* pair = nullptr;
  type_get_value_index(type_float(), int_type(), pair);
  CHECK(pair == &predefined_type(0x228));
  type_get_value_index(int_type(), type_float(), pair);
  CHECK(pair == nullptr);
}

TEST_CASE("predefined types have the size of their C type and their own name") {
  const std::pair<std::uint32_t, std::size_t> sizes[] = {{0x201, sizeof(std::intptr_t)},
                                                         {0x203, 8},
                                                         {0x208, sizeof(short)},
                                                         {0x20a, sizeof(long)},
                                                         {0x210, sizeof(float)},
                                                         {0x216, 2 * sizeof(double)},
                                                         {0x220, sizeof(long double)},
                                                         {0x238, sizeof(bool)},
                                                         {0x23c, sizeof(wchar_t)},
                                                         {0x219, 4},
                                                         {0x21c, 8},
                                                         {0x2c9, 2},
                                                         {0x2e3, 16}};
  for (const auto& [abi, size] : sizes) {
    CAPTURE(abi);
    CHECK(size_of(predefined_type(abi)) == static_cast<std::int64_t>(size));
    CHECK(extent_of(predefined_type(abi)) == static_cast<std::int64_t>(size));
  }
  char name[128];
  int length = 0;
  type_get_name(&predefined_type(0x21c), name, length);
  CHECK(std::string(name) == "MPI_DOUBLE_PRECISION");
  CHECK(length == 20);
  CHECK(predefined_datatype(0x200) == nullptr);  // MPI_DATATYPE_NULL
  CHECK(predefined_datatype(0x2ca) == nullptr);  // MPI_REAL2
  CHECK(predefined_datatype(0x300) == nullptr);
  CHECK(named_datatype(0x300) == nullptr);
  type_get_name(nullptr, name, length);  // allowed since MPI-4.0, section 7.8
  CHECK(std::string(name) == "MPI_DATATYPE_NULL");
}

TEST_CASE("a predefined type that the platform lacks has a name, an envelope, and neither size nor extent") {
  for (const auto& [abi, expected] : {std::pair{0x2ca, "MPI_REAL2"}, std::pair{0x2d3, "MPI_COMPLEX4"}}) {
    Datatype* const type = named_datatype(static_cast<std::uint32_t>(abi));
    REQUIRE(type != nullptr);
    char name[128];
    int length = 0;
    type_get_name(type, name, length);
    CHECK(std::string(name) == expected);
    std::int64_t size = 0, lb = 0, extent = 0;
    type_size(*type, size);
    CHECK(size == undefined);  // MPI-5.0, section 20.4
    type_get_extent(*type, lb, extent);
    CHECK(extent == undefined);
    type_get_true_extent(*type, lb, extent);
    CHECK(extent == undefined);
    std::int64_t counts[4];
    int combiner = 0;
    type_get_envelope(*type, counts[0], counts[1], counts[2], counts[3], combiner);
    CHECK(combiner == static_cast<int>(Combiner::Named));
  }
}

TEST_CASE("counts tell whole elements, elements tell basic ones") {
  Handle two_reals;
  type_contiguous(2, predefined_type(0x21a), two_reals);
  std::int64_t count = 0;
  Status status;
  status.bytes = 8;  // Example 5.12: two reals into pairs of reals
  get_count(status, *two_reals, count);
  CHECK(count == 1);
  get_elements(status, *two_reals, count);
  CHECK(count == 2);
  status.bytes = 12;  // three
  get_count(status, *two_reals, count);
  CHECK(count == undefined);
  get_elements(status, *two_reals, count);
  CHECK(count == 3);
  status.bytes = 13;
  get_elements(status, *two_reals, count);
  CHECK(count == undefined);
  status_set_elements(status, *two_reals, 5);
  CHECK(status.bytes == 20);
}

TEST_CASE("a freed type lives on in the types made of it") {
  Handle outer;
  Datatype* inner = nullptr;
  type_vector(2, 1, 2, int_type(), inner);
  type_contiguous(2, *inner, outer);
  type_free(inner);
  CHECK(inner == nullptr);
  Datatype* used = nullptr;
  int integers[1];
  type_get_contents(*outer, 1, 0, 0, 1, integers, nullptr, nullptr, &used);
  CHECK(integers[0] == 2);
  CHECK(displacements(*used) == List{0, 8});
  type_free(used);
  CHECK(displacements(*outer) == List{0, 8, 12, 20});
}

TEST_CASE("a type tells how it was made") {
  Handle type;
  const int lengths[] = {2, 3};
  const std::int64_t places[] = {8, 40};
  type_create_hindexed(2, lengths, places, int_type(), type);
  std::int64_t integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  int combiner = 0;
  type_get_envelope(*type, integers, addresses, large_counts, datatypes, combiner);
  CHECK(combiner == 107);  // MPI_COMBINER_HINDEXED
  CHECK(integers == 3);    // section 5.1.13: count, block lengths
  CHECK(addresses == 2);
  CHECK(large_counts == 0);
  CHECK(datatypes == 1);
  int numbers[3];
  std::int64_t found[5];
  Datatype* old = nullptr;
  type_get_contents(*type, 3, 2, 0, 1, numbers, found, nullptr, &old);
  CHECK(std::vector<int>(numbers, numbers + 3) == std::vector<int>{2, 2, 3});
  CHECK(List(found, found + 2) == List{8, 40});
  CHECK(old == &int_type());
  CHECK(error_of([&] { type_get_contents(*type, 2, 2, 0, 1, numbers, found, nullptr, &old); }) == err_arg);

  mark_large_count(*type);  // the large-count form has counts and displacements together
  type_get_envelope(*type, integers, addresses, large_counts, datatypes, combiner);
  CHECK(integers == 0);
  CHECK(addresses == 0);
  CHECK(large_counts == 5);
  type_get_contents(*type, 0, 0, 5, 1, nullptr, nullptr, found, &old);
  CHECK(List(found, found + 5) == List{2, 2, 3, 8, 40});
  CHECK(error_of([&] { type_get_contents(int_type(), 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr); }) == err_type);
}

TEST_CASE("a count beyond int is decoded as a large count") {
  Handle type;
  const std::int64_t many = std::int64_t{3} << 31;
  type_contiguous(many, type_char(), type);
  CHECK(size_of(*type) == many);
  std::int64_t integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  int combiner = 0;
  type_get_envelope(*type, integers, addresses, large_counts, datatypes, combiner);
  CHECK(large_counts == 1);
}

TEST_CASE("a duplicate is committed if its original is") {
  Handle type, early, late;
  type_contiguous(2, int_type(), type);
  type_dup(*type, early);
  type_commit(type);
  type_dup(*type, late);
  CHECK(error_of([&] { check_committed(*early); }) == err_type);
  CHECK(error_of([&] { check_committed(*late); }) == success);
  CHECK(bounds(*late) == Bounds{0, 8});
}

TEST_CASE("predefined types cannot be freed, bad arguments have their class") {
  Datatype* type = &int_type();
  CHECK(error_of([&] { type_free(type); }) == err_type);
  CHECK(error_of([&] { type_contiguous(-1, int_type(), type); }) == err_count);
  CHECK(error_of([&] { type_vector(1, -1, 1, int_type(), type); }) == err_arg);
}

TEST_CASE("Fortran's types are found by precision, range and size") {
  Datatype *type = nullptr, *again = nullptr;
  type_create_f90_real(15, 307, type);  // what DOUBLE PRECISION has, exactly
  CHECK(size_of(*type) == 8);
  type_create_f90_real(15, 307, again);
  CHECK(type == again);
  type_create_f90_real(6, undefined, type);
  CHECK(size_of(*type) == 4);
  type_create_f90_complex(7, undefined, type);
  CHECK(size_of(*type) == 16);
  type_create_f90_integer(9, type);  // 10^9 < 2^31 < 10^10
  CHECK(size_of(*type) == 4);
  type_create_f90_integer(10, type);
  CHECK(size_of(*type) == 8);
  CHECK(element_type(*type) == &predefined_type(0x2d9));
  CHECK(error_of([&] { type_create_f90_real(100, undefined, type); }) == err_arg);
  type_match_size(typeclass_real, 8, type);
  CHECK(type == &predefined_type(0x2da));
  CHECK(error_of([&] { type_match_size(typeclass_real, 5, type); }) == err_arg);
}

TEST_CASE("one-sided communication sees the predefined type that a type is made of") {
  Handle vector, pairs, mixed;
  type_vector(3, 2, 5, int_type(), vector);
  CHECK(element_type(*vector) == &int_type());
  type_contiguous(3, predefined_type(0x22b), pairs);
  CHECK(element_type(*pairs) == &predefined_type(0x22b));  // MPI_2INT, not MPI_INT
  make_double_char(mixed);
  CHECK(element_type(*mixed) == nullptr);
}

TEST_CASE("packing moves a position and stops where there is no room") {
  Handle column;
  type_vector(3, 1, 4, int_type(), column);
  type_commit(column);
  int matrix[12], packed[6] = {}, column_again[12] = {};
  for (int i = 0; i < 12; ++i) matrix[i] = i;
  Comm comm;
  std::int64_t position = 0;
  pack(matrix, 1, *column, packed, sizeof packed, position, comm);
  pack(matrix + 1, 1, *column, packed, sizeof packed, position, comm);
  CHECK(position == 24);
  CHECK(std::vector<int>(packed, packed + 6) == std::vector<int>{0, 4, 8, 1, 5, 9});
  CHECK(error_of([&] { pack(matrix, 1, *column, packed, sizeof packed, position, comm); }) == err_truncate);
  position = 12;
  unpack(packed, sizeof packed, position, column_again, 1, *column, comm);
  CHECK(position == 24);
  CHECK(column_again[8] == 9);
  CHECK(column_again[1] == 0);
}

namespace {

/// Copies a counter's address, and counts in it how often it was copied and deleted.
int copy_counted(void* handle, int, void* extra, void* value, void* new_value, int* flag) {
  CHECK(handle == extra);
  ++static_cast<int*>(value)[0];
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return success;
}

int delete_counted(void*, int, void* value, void*) {
  ++static_cast<int*>(value)[1];
  return success;
}

int refuse(void*, int, void*, void*) { return err_other; }

}  // namespace

TEST_CASE("attributes follow a type's duplicates and go with its handle") {
  Datatype *type = nullptr, *copy = nullptr;
  type_contiguous(2, int_type(), type);
  set_abi_handle(*type, &type);
  int key = keyval_invalid, counts[2] = {0, 0};
  type_create_keyval(reinterpret_cast<void (*)()>(&copy_counted), reinterpret_cast<void (*)()>(&delete_counted), key,
                     &type);
  type_set_attr(*type, key, counts);
  type_dup(*type, copy);
  CHECK(counts[0] == 1);
  void* value = nullptr;
  bool flag = false;
  type_get_attr(*copy, key, &value, flag);
  CHECK(flag);
  CHECK(value == counts);
  type_free(type);
  CHECK(counts[1] == 1);
  type_delete_attr(*copy, key);
  CHECK(counts[1] == 2);
  type_get_attr(*copy, key, &value, flag);
  CHECK_FALSE(flag);
  type_free_keyval(key);
  type_free(copy);
}

TEST_CASE("a type whose attribute refuses to go stays") {
  Datatype* type = nullptr;
  type_contiguous(2, int_type(), type);
  int key = keyval_invalid;
  type_create_keyval(nullptr, reinterpret_cast<void (*)()>(&refuse), key, nullptr);
  type_set_attr(*type, key, nullptr);
  CHECK(error_of([&] { type_free(type); }) == err_other);
  CHECK(size_of(*type) == 8);
  type->attributes.list.clear();  // as no routine can
  type_free(type);
}

}  // namespace orrery::mpi
