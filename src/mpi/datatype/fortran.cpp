// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"

/// Types chosen by decimal precision and range, or by size (MPI-4.1, section 19.1.9).
namespace orrery::mpi {
namespace {

/// A kind of Fortran: precision in decimal digits and decimal exponent range, as the intrinsics of that name give them.
struct FortranKind {
  int precision;
  int range;
  std::uint32_t abi;
};

constexpr std::array real_kinds{FortranKind{6, 37, 0x2d2}, FortranKind{15, 307, 0x2da}, FortranKind{33, 4931, 0x2e2}};
constexpr std::array complex_kinds{FortranKind{6, 37, 0x2db}, FortranKind{15, 307, 0x2e3},
                                   FortranKind{33, 4931, 0x2eb}};
constexpr std::array integer_kinds{FortranKind{0, 2, 0x2c1}, FortranKind{0, 4, 0x2c9}, FortranKind{0, 9, 0x2d1},
                                   FortranKind{0, 18, 0x2d9}, FortranKind{0, 38, 0x2e1}};

/// The smallest kind that has both; `undefined` asks for nothing.
const Datatype& smallest(std::span<const FortranKind> kinds, int precision, int range) {
  for (const FortranKind& kind : kinds) {
    const bool enough =
        (precision == undefined || kind.precision >= precision) && (range == undefined || kind.range >= range);
    const Datatype* type = enough ? predefined_datatype(kind.abi) : nullptr;
    if (type != nullptr) return *type;
  }
  throw Error{err_arg, concat("no type has precision ", precision, " and range ", range)};
}

/// Gives equal questions equal handles (MPI-4.1, section 19.1.9); such types are predefined but have no name.
Datatype* remembered(Combiner combiner, std::span<const FortranKind> kinds, int precision, int range) {
  using Known = std::map<std::tuple<Combiner, int, int>, std::unique_ptr<Datatype>>;
  static Known& known = *new Known;  // never destroyed, like all predefined types
  std::unique_ptr<Datatype>& type = known[{combiner, precision, range}];
  if (type != nullptr) return type.get();
  std::vector<Contents::Section> arguments;
  if (combiner != Combiner::F90Integer) arguments.push_back({Contents::Kind::Flag, {precision}});
  arguments.push_back({Contents::Kind::Flag, {range}});
  type.reset(make_datatype(smallest(kinds, precision, range).shape,
                           {.combiner = combiner, .sections = std::move(arguments), .types = {}}));
  type->committed = true;
  type->permanent = true;
  return type.get();
}

void check_asked(int precision, int range) {
  if (precision == undefined && range == undefined) throw Error{err_arg, "neither precision nor range is asked for"};
}

struct Sized {
  int type_class;
  int size;
  std::uint32_t abi;
};

constexpr Sized sized[] = {
    {typeclass_logical, 1, 0x2c0},  {typeclass_logical, 2, 0x2c8},  {typeclass_logical, 4, 0x2d0},
    {typeclass_logical, 8, 0x2d8},  {typeclass_logical, 16, 0x2e0}, {typeclass_integer, 1, 0x2c1},
    {typeclass_integer, 2, 0x2c9},  {typeclass_integer, 4, 0x2d1},  {typeclass_integer, 8, 0x2d9},
    {typeclass_integer, 16, 0x2e1}, {typeclass_real, 4, 0x2d2},     {typeclass_real, 8, 0x2da},
    {typeclass_real, 16, 0x2e2},    {typeclass_complex, 8, 0x2db},  {typeclass_complex, 16, 0x2e3},
    {typeclass_complex, 32, 0x2eb},
};

}  // namespace

void type_create_f90_real(int precision, int range, Datatype*& new_type) {
  check_asked(precision, range);
  new_type = remembered(Combiner::F90Real, real_kinds, precision, range);
}

void type_create_f90_complex(int precision, int range, Datatype*& new_type) {
  check_asked(precision, range);
  new_type = remembered(Combiner::F90Complex, complex_kinds, precision, range);
}

void type_create_f90_integer(int range, Datatype*& new_type) {
  new_type = remembered(Combiner::F90Integer, integer_kinds, undefined, range);
}

void type_match_size(int type_class, int size, Datatype*& type) {
  for (const Sized& row : sized) {
    if (row.type_class != type_class || row.size != size) continue;
    type = predefined_datatype(row.abi);
    if (type != nullptr) return;
  }
  throw Error{err_arg, concat("no type of class ", type_class, " has ", size, " bytes")};
}

}  // namespace orrery::mpi
