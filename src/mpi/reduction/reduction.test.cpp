// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reduction/reduction.hpp"

#include <algorithm>
#include <complex>
#include <set>
#include <vector>

#include "catch.hpp"
#include "mpi/datatype/basic.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

/// Every predefined operation on every type against a loop written for one element.
namespace orrery::mpi {
namespace {

constexpr std::uint32_t sum = 0x21, min = 0x22, max = 0x23, product = 0x24, band = 0x28, bor = 0x29, bxor = 0x2a,
                        land = 0x30, lor = 0x31, lxor = 0x32, minloc = 0x38, maxloc = 0x39, replace = 0x3c,
                        no_op = 0x3d;

using testing::error_of;
using testing::predefined_type;
Op& operation(std::uint32_t abi) { return *predefined_op(abi); }

/// Long enough for vector instructions and a rest.
constexpr int count = 37;

/// One element, as the standard defines the operation; for types that are not complex.
template <class T>
T expected(std::uint32_t op, T a, T b) {
  switch (op) {
    case sum: return static_cast<T>(a + b);
    case product: return static_cast<T>(a * b);
    case min: return a < b ? a : b;
    case max: return a > b ? a : b;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case band: return static_cast<T>(a & b);
      case bor: return static_cast<T>(a | b);
      case bxor: return static_cast<T>(a ^ b);
      case land: return static_cast<T>(a && b);
      case lor: return static_cast<T>(a || b);
      case lxor: return static_cast<T>(!a != !b);
    }
  }
  FAIL("no such operation");
  return a;
}

/// Small values, 0 among them, so that products do not overflow: not what is tested here.
template <class T>
std::vector<T> operands(int step) {
  std::vector<T> made;
  for (int i = 0; i < count; ++i) made.push_back(static_cast<T>(i * step % 11));
  return made;
}

template <class T>
void check(std::uint32_t type, std::initializer_list<std::uint32_t> operations) {
  for (const std::uint32_t op : operations) {
    CAPTURE(type, op);
    const std::vector<T> in = operands<T>(3);
    std::vector<T> inout = operands<T>(5), wanted;
    for (std::size_t i = 0; i < in.size(); ++i) wanted.push_back(expected<T>(op, in[i], inout[i]));
    reduce_local(in.data(), inout.data(), count, predefined_type(type), operation(op));
    CHECK(inout == wanted);
  }
}

template <class Real>
void check_complex(std::uint32_t type) {
  CAPTURE(type);
  std::vector<std::complex<Real>> in, inout, sums, products;
  for (int i = 0; i < count; ++i) {
    in.emplace_back(static_cast<Real>(i), static_cast<Real>(2 - i));
    inout.emplace_back(static_cast<Real>(3), static_cast<Real>(i % 5));
    sums.push_back(in.back() + inout.back());
    products.push_back(in.back() * inout.back());  // integers: exact however it is computed
  }
  std::vector<std::complex<Real>> result = inout;
  reduce_local(in.data(), result.data(), count, predefined_type(type), operation(sum));
  CHECK(result == sums);
  result = inout;
  reduce_local(in.data(), result.data(), count, predefined_type(type), operation(product));
  CHECK(result == products);
}

constexpr auto c_integer = {sum, product, min, max, band, bor, bxor, land, lor, lxor};
constexpr auto fortran_integer = {sum, product, min, max, band, bor, bxor};
constexpr auto floating = {sum, product, min, max};
constexpr auto logical = {land, lor, lxor};
constexpr auto byte = {band, bor, bxor};

}  // namespace

TEST_CASE("operations on C integers") {
  check<short>(0x208, c_integer);
  check<int>(0x209, c_integer);
  check<long>(0x20a, c_integer);
  check<long long>(0x20b, c_integer);
  check<unsigned short>(0x20c, c_integer);
  check<unsigned>(0x20d, c_integer);
  check<unsigned long>(0x20e, c_integer);
  check<unsigned long long>(0x20f, c_integer);
  check<std::int8_t>(0x240, c_integer);
  check<std::uint8_t>(0x241, c_integer);
  check<char>(0x243, c_integer);  // an extension
  check<signed char>(0x244, c_integer);
  check<unsigned char>(0x245, c_integer);
  check<std::int16_t>(0x248, c_integer);
  check<std::uint16_t>(0x249, c_integer);
  check<std::int32_t>(0x250, c_integer);
  check<std::uint32_t>(0x251, c_integer);
  check<std::int64_t>(0x258, c_integer);
  check<std::uint64_t>(0x259, c_integer);
}

TEST_CASE("operations on integers of Fortran and of all languages") {
  check<std::int32_t>(0x219, fortran_integer);
  check<std::int8_t>(0x2c1, fortran_integer);
  check<std::int16_t>(0x2c9, fortran_integer);
  check<std::int32_t>(0x2d1, fortran_integer);
  check<std::int64_t>(0x2d9, fortran_integer);
  check<std::intptr_t>(0x201, c_integer);
  check<std::int64_t>(0x202, c_integer);
  check<std::int64_t>(0x203, c_integer);
#ifdef __SIZEOF_INT128__
  const __int128 in = static_cast<__int128>(3) << 100;
  __int128 inout = static_cast<__int128>(5) << 100;
  reduce_local(&in, &inout, 1, predefined_type(0x2e1), operation(sum));
  CHECK(static_cast<int>(inout >> 100) == 8);
#endif
}

TEST_CASE("operations on floating-point and complex numbers") {
  check<float>(0x210, floating);
  check<double>(0x214, floating);
  check<long double>(0x220, floating);
  check<float>(0x21a, floating);
  check<double>(0x21c, floating);
  check<float>(0x2d2, floating);
  check<double>(0x2da, floating);
  for (const std::uint32_t type : {0x212, 0x213, 0x21b, 0x2db}) check_complex<float>(type);
  for (const std::uint32_t type : {0x216, 0x217, 0x21d, 0x2e3}) check_complex<double>(type);
  for (const std::uint32_t type : {0x224, 0x225}) check_complex<long double>(type);
#ifdef ORRERY_HAS_HALF
  const HalfFloat half_in[] = {static_cast<HalfFloat>(1.5F), static_cast<HalfFloat>(1)};
  HalfFloat half_inout[] = {static_cast<HalfFloat>(4), static_cast<HalfFloat>(2048)};
  reduce_local(half_in, half_inout, 2, predefined_type(0x24a), operation(sum));
  CHECK(static_cast<float>(half_inout[0]) == 5.5F);
  CHECK(static_cast<float>(half_inout[1]) == 2048);  // from 2^11 on every second integer only
#endif
#ifdef ORRERY_HAS_QUAD
  const QuadFloat in[] = {static_cast<QuadFloat>(1.5), static_cast<QuadFloat>(2)};
  QuadFloat inout[] = {static_cast<QuadFloat>(4), static_cast<QuadFloat>(-1)};
  reduce_local(in, inout, 2, predefined_type(0x2e2), operation(max));
  CHECK(static_cast<double>(inout[0]) == 4);
  CHECK(static_cast<double>(inout[1]) == 2);
  reduce_local(in, inout, 1, predefined_type(0x2eb), operation(product));  // (1.5 + 2i)(4 + 2i) = 2 + 11i
  CHECK(static_cast<double>(inout[0]) == 2);
  CHECK(static_cast<double>(inout[1]) == 11);
#endif
}

TEST_CASE("operations on truth values and bytes") {
  check<std::uint8_t>(0x238, logical);  // any value but 0 is true, whatever the language
  check<std::uint8_t>(0x239, logical);
  check<std::int32_t>(0x218, logical);
  check<std::int8_t>(0x2c0, logical);
  check<std::int16_t>(0x2c8, logical);
  check<std::int32_t>(0x2d0, logical);
  check<std::int64_t>(0x2d8, logical);
  check<unsigned char>(0x247, byte);
}

TEST_CASE("what neither the standard's table nor common practice has is an error") {
  // MPI-4.1, section 6.9.2: groups of types by operation; MPI_CHAR as an integer and logical operations on
  // multi-language types are extensions.
  using enum TypeGroup;
  const std::pair<std::vector<std::uint32_t>, std::set<TypeGroup>> table[] = {
      {{min, max}, {CInteger, FortranInteger, FloatingPoint, MultiLanguage}},
      {{sum, product}, {CInteger, FortranInteger, FloatingPoint, Complex, MultiLanguage}},
      {{land, lor, lxor}, {CInteger, Logical, MultiLanguage}},
      {{band, bor, bxor}, {CInteger, FortranInteger, Byte, MultiLanguage}},
      {{minloc, maxloc, replace, no_op}, {}},
  };
  for (const auto& [operations, groups] : table) {
    for (const std::uint32_t op : operations) {
      for (const Basic& basic : basic_types()) {
        CAPTURE(op, basic.name);
        const int found = error_of([&] { check_op(operation(op), predefined_type(basic.abi)); });
        CHECK(found == (groups.count(basic.group) != 0 ? success : err_op));
      }
      for (std::uint32_t pair = 0x228; pair <= 0x232; ++pair) {
        if (predefined_datatype(pair) == nullptr) continue;
        const bool location = op == minloc || op == maxloc;
        CHECK(error_of([&] { check_op(operation(op), predefined_type(pair)); }) == (location ? success : err_op));
      }
    }
  }
}

TEST_CASE("derived types have no predefined operation") {
  Datatype* type = nullptr;
  type_contiguous(1, predefined_type(0x209), type);
  type_commit(type);
  int in = 1, inout = 2;
  CHECK(error_of([&] { reduce_local(&in, &inout, 1, *type, operation(sum)); }) == err_op);
  type_free(type);
  type_create_f90_integer(9, type);  // predefined, though without a name
  reduce_local(&in, &inout, 1, *type, operation(sum));
  CHECK(inout == 3);
}

namespace {

template <class Value, class Index>
void check_locations(std::uint32_t type) {
  struct Pair {
    Value value;
    Index index;
  };
  CAPTURE(type);
  const Pair in[] = {{1, 7}, {5, 2}, {4, 9}, {4, 3}};
  Pair least[] = {{2, 1}, {3, 8}, {4, 6}, {4, 6}}, greatest[] = {{2, 1}, {3, 8}, {4, 6}, {4, 6}};
  reduce_local(in, least, 4, predefined_type(type), operation(minloc));
  reduce_local(in, greatest, 4, predefined_type(type), operation(maxloc));
  const Pair wanted_least[] = {{1, 7}, {3, 8}, {4, 6}, {4, 3}};  // equal values: the lower index
  const Pair wanted_greatest[] = {{2, 1}, {5, 2}, {4, 6}, {4, 3}};
  for (int i = 0; i < 4; ++i) {
    CHECK(least[i].value == wanted_least[i].value);
    CHECK(least[i].index == wanted_least[i].index);
    CHECK(greatest[i].value == wanted_greatest[i].value);
    CHECK(greatest[i].index == wanted_greatest[i].index);
  }
}

}  // namespace

TEST_CASE("extremes and where they are") {
  check_locations<float, int>(0x228);
  check_locations<double, int>(0x229);
  check_locations<long, int>(0x22a);
  check_locations<int, int>(0x22b);
  check_locations<short, int>(0x22c);
  check_locations<long double, int>(0x22d);
  check_locations<float, float>(0x230);
  check_locations<double, double>(0x231);
  check_locations<std::int32_t, std::int32_t>(0x232);
}

TEST_CASE("integers wrap around") {
  const std::uint16_t in = 65535;
  std::uint16_t inout = 65535;
  reduce_local(&in, &inout, 1, predefined_type(0x20c), operation(product));
  CHECK(inout == 1);  // (2^16 - 1)^2 = 2^32 - 2^17 + 1
  const int least = INT32_MIN;
  int less = -1;
  reduce_local(&least, &less, 1, predefined_type(0x209), operation(sum));
  CHECK(less == INT32_MAX);
}

namespace {

/// 2 x 2 matrices, as Example 6.24 multiplies complex numbers: a product that does not commute.
void multiply(void* in, void* inout, int* length, void** type) {
  REQUIRE(*type == reinterpret_cast<void*>(0xabc));
  auto* a = static_cast<int*>(in);
  auto* b = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const int c[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                     a[2] * b[1] + a[3] * b[3]};
    std::copy(c, c + 4, b);
  }
}

void add_large(void* in, void* inout, std::int64_t* length, void**) {
  for (std::int64_t i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

}  // namespace

TEST_CASE("a user's function gets the lower rank's operand first, and the handle of the type") {
  Datatype* matrix = nullptr;
  type_contiguous(4, predefined_type(0x209), matrix);
  type_commit(matrix);
  set_abi_handle(*matrix, reinterpret_cast<void*>(0xabc));
  Op* op = nullptr;
  op_create(reinterpret_cast<void (*)()>(&multiply), false, op);
  CHECK_FALSE(is_commutative(*op));
  CHECK_FALSE(is_predefined(*op));
  const int in[] = {1, 1, 0, 1, 2, 0, 0, 2};
  int inout[] = {1, 0, 1, 1, 1, 2, 3, 4};
  reduce_local(in, inout, 2, *matrix, *op);
  // (1 1; 0 1)(1 0; 1 1) = (2 1; 1 1), the other way round it would be (1 1; 1 2)
  CHECK(std::vector<int>(inout, inout + 8) == std::vector<int>{2, 1, 1, 1, 2, 4, 6, 8});
  Op* used = op;  // a reduction under way outlives the handle
  retain(*used);
  op_free(op);
  CHECK(op == nullptr);
  apply(*used, in, inout, 1, *matrix);
  CHECK(inout[0] == 3);
  release(*used);
  type_free(matrix);
}

TEST_CASE("a user's function of the large-count form") {
  Op* op = nullptr;
  op_create_c(reinterpret_cast<void (*)()>(&add_large), true, op);
  const int in[] = {1, 2, 3};
  int inout[] = {10, 20, 30};
  reduce_local(in, inout, 3, predefined_type(0x209), *op);
  CHECK(std::vector<int>(inout, inout + 3) == std::vector<int>{11, 22, 33});
  op_free(op);
}

TEST_CASE("local reductions check their arguments") {
  int in = 1, inout = 2;
  Op* op = &operation(sum);
  CHECK(error_of([&] { reduce_local(&in, &inout, -1, predefined_type(0x209), *op); }) == err_count);
  CHECK(error_of([&] { reduce_local(in_place, &inout, 1, predefined_type(0x209), *op); }) == err_buffer);
  CHECK(error_of([&] { reduce_local(&in, &in, 1, predefined_type(0x209), *op); }) == err_buffer);
  CHECK(error_of([&] { op_free(op); }) == err_op);
  reduce_local(nullptr, nullptr, 0, predefined_type(0x209), *op);
}

TEST_CASE("accumulation combines packed data with a typed buffer") {
  Datatype* column = nullptr;
  type_vector(3, 1, 2, predefined_type(0x209), column);
  int target[] = {1, 2, 3, 4, 5, 6};
  const int packed[] = {10, 20, 30};
  const auto* bytes = reinterpret_cast<const std::byte*>(packed);
  accumulate(operation(sum), bytes, target, 1, *column);
  CHECK(std::vector<int>(target, target + 6) == std::vector<int>{11, 2, 23, 4, 35, 6});
  accumulate(operation(no_op), bytes, target, 1, *column);
  CHECK(target[0] == 11);
  accumulate(operation(replace), bytes, target, 1, *column);
  CHECK(std::vector<int>(target, target + 6) == std::vector<int>{10, 2, 20, 4, 30, 6});
  type_free(column);
}

TEST_CASE("accumulation of pairs skips their padding") {
  struct ShortInt {
    short value;
    int index;
  };
  Datatype* every_other = nullptr;
  type_vector(2, 1, 2, predefined_type(0x22c), every_other);
  ShortInt target[] = {{5, 1}, {0, 0}, {5, 1}};
  const ShortInt origin[] = {{3, 9}, {8, 9}};
  std::byte packed[12];
  pack(origin, 2, predefined_type(0x22c), packed);
  accumulate(operation(maxloc), packed, target, 1, *every_other);
  CHECK(target[0].value == 5);
  CHECK(target[0].index == 1);
  CHECK(target[1].value == 0);
  CHECK(target[2].value == 8);
  CHECK(target[2].index == 9);
  CHECK(error_of([&] { check_accumulate_op(operation(sum), *every_other); }) == err_op);
  type_free(every_other);
}

}  // namespace orrery::mpi
