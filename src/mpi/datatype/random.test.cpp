// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "catch.hpp"
#include "mpi/datatype/naive.test.hpp"

/// Random nested types against the formulas of the standard.
namespace orrery::mpi {
namespace {

/// A datatype and what it must be. The handle is freed at the end.
struct Both {
  Datatype* type;
  naive::TypeMap map;

  Both(Datatype* t, naive::TypeMap m) : type(t), map(std::move(m)) {}
  Both(Both&& other) noexcept : type(std::exchange(other.type, nullptr)), map(std::move(other.map)) {}
  Both& operator=(Both&&) = delete;
  ~Both() {
    if (type != nullptr && abi_value_of(*type) == 0) type_free(type);
  }
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Both type(int depth) {
    if (depth == 0) return predefined();
    switch (draw(0, 9)) {
      case 0: return contiguous(type(depth - 1));
      case 1: return vector(type(depth - 1));
      case 2: return hvector(type(depth - 1));
      case 3: return indexed(type(depth - 1));
      case 4: return hindexed(type(depth - 1));
      case 5: return indexed_block(type(depth - 1));
      case 6: return structure(depth);
      case 7: return resized(type(depth - 1));
      case 8: return subarray(type(depth - 1));
      default: return darray(type(depth - 1));
    }
  }

 private:
  Both predefined() {
    // char, short, int, double, double complex, long double
    const std::uint32_t values[] = {0x243, 0x208, 0x209, 0x214, 0x216, 0x220};
    const std::int64_t sizes[] = {1, 2, 4, 8, 16, sizeof(long double)};
    const std::int64_t alignments[] = {1, 2, 4, 8, 8, alignof(long double)};
    const auto i = static_cast<std::size_t>(draw(0, 5));
    return {predefined_datatype(values[i]), naive::basic(sizes[i], alignments[i])};
  }

  std::vector<int> numbers(std::int64_t count, std::int64_t low, std::int64_t high) {
    std::vector<int> drawn(static_cast<std::size_t>(count));
    for (int& number : drawn) number = static_cast<int>(draw(low, high));
    return drawn;
  }

  Both contiguous(Both old) {
    const std::int64_t count = draw(0, 5);
    Datatype* made = nullptr;
    type_contiguous(count, *old.type, made);
    return {made, naive::hvector(old.map, 1, count, 0)};
  }

  Both vector(Both old) {
    const std::int64_t count = draw(0, 6), length = draw(0, 3), stride = draw(-4, 6);
    Datatype* made = nullptr;
    type_vector(count, length, stride, *old.type, made);
    return {made, naive::hvector(old.map, count, length, stride * old.map.extent())};
  }

  Both hvector(Both old) {
    const std::int64_t count = draw(0, 6), length = draw(0, 3), stride = draw(-100, 200);
    Datatype* made = nullptr;
    type_create_hvector(count, length, stride, *old.type, made);
    return {made, naive::hvector(old.map, count, length, stride)};
  }

  Both indexed(Both old) {
    const std::int64_t count = draw(0, 14);
    const std::vector<int> lengths = numbers(count, 0, 3), places = numbers(count, -10, 30);
    naive::TypeMap map;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      map.append_block(old.map, places[i] * old.map.extent(), lengths[i]);
    Datatype* made = nullptr;
    type_indexed(count, lengths.data(), places.data(), *old.type, made);
    return {made, map};
  }

  Both hindexed(Both old) {
    const std::int64_t count = draw(0, 14);
    const std::vector<int> lengths = numbers(count, 0, 3);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i) places.push_back(draw(-200, 400));
    naive::TypeMap map;
    for (std::size_t i = 0; i < lengths.size(); ++i) map.append_block(old.map, places[i], lengths[i]);
    Datatype* made = nullptr;
    type_create_hindexed(count, lengths.data(), places.data(), *old.type, made);
    return {made, map};
  }

  /// Half of them at constant distances, as a program would write that does not know vectors.
  Both indexed_block(Both old) {
    const std::int64_t count = draw(0, 20), length = draw(0, 3), step = draw(-3, 5);
    std::vector<int> places = numbers(count, -10, 30);
    if (draw(0, 1) == 0) {
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(step * static_cast<std::int64_t>(i));
    }
    naive::TypeMap map;
    for (const int place : places) map.append_block(old.map, place * old.map.extent(), length);
    Datatype* made = nullptr;
    type_create_indexed_block(count, length, places.data(), *old.type, made);
    return {made, map};
  }

  Both structure(int depth) {
    const std::int64_t count = draw(0, 5);
    const std::vector<int> lengths = numbers(count, 0, 3);
    std::vector<std::int64_t> places;
    std::vector<Both> members;
    std::vector<Datatype*> types;
    naive::TypeMap map;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      members.push_back(type(static_cast<int>(draw(0, depth - 1))));
      types.push_back(members.back().type);
      places.push_back(draw(0, 2) == 0 ? draw(-100, 300) : end);  // often without a gap
      end = places.back() + lengths[i] * members.back().map.extent();
      map.append_block(members.back().map, places.back(), lengths[i]);
    }
    Datatype* made = nullptr;
    type_create_struct(count, lengths.data(), places.data(), types.data(), made);
    return {made, map};
  }

  Both resized(Both old) {
    const std::int64_t lb = draw(-20, 20), extent = draw(-30, 90);
    Datatype* made = nullptr;
    type_create_resized(*old.type, lb, extent, made);
    return {made, naive::resized(old.map, lb, extent)};
  }

  Both subarray(Both old) {
    const std::int64_t dimensions = draw(1, 3);
    const bool fortran = draw(0, 1) == 1;
    const std::vector<int> sizes = numbers(dimensions, 1, 5);
    std::vector<int> subsizes, starts;
    for (const int size : sizes) {
      subsizes.push_back(static_cast<int>(draw(1, size)));
      starts.push_back(static_cast<int>(draw(0, size - subsizes.back())));
    }
    const auto within = [&](const std::vector<std::int64_t>& at) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (at[i] < starts[i] || at[i] >= starts[i] + subsizes[i]) return false;
      }
      return true;
    };
    Datatype* made = nullptr;
    type_create_subarray(static_cast<int>(dimensions), sizes.data(), subsizes.data(), starts.data(),
                         fortran ? order_fortran : order_c, *old.type, made);
    return {made, naive::array_part(old.map, sizes, fortran, within)};
  }

  Both darray(Both old) {
    const std::int64_t dimensions = draw(1, 3);
    const bool fortran = draw(0, 1) == 1;
    const std::vector<int> sizes = numbers(dimensions, 1, 7);
    std::vector<int> distributions, arguments, processes, blocks;
    int size = 1;
    for (const int length : sizes) {
      const int distribution = static_cast<int>(draw(distribute_none, distribute_cyclic));
      const int across = distribution == distribute_none ? 1 : static_cast<int>(draw(1, 3));
      const bool by_default = draw(0, 1) == 0;
      const int least = distribution == distribute_block ? (length + across - 1) / across : 1;
      const int block = distribution == distribute_none ? length
                        : by_default                    ? least
                                                        : least + static_cast<int>(draw(0, 2));
      distributions.push_back(distribution);
      arguments.push_back(by_default ? distribute_default : block);
      processes.push_back(across);
      blocks.push_back(block);
      size *= across;
    }
    const int rank = static_cast<int>(draw(0, size - 1));
    const auto mine = [&](const std::vector<std::int64_t>& at) {
      std::int64_t owner = 0;
      for (std::size_t i = 0; i < at.size(); ++i) owner = owner * processes[i] + at[i] / blocks[i] % processes[i];
      return owner == rank;
    };
    Datatype* made = nullptr;
    type_create_darray(size, rank, static_cast<int>(dimensions), sizes.data(), distributions.data(), arguments.data(),
                       processes.data(), fortran ? order_fortran : order_c, *old.type, made);
    return {made, naive::array_part(old.map, sizes, fortran, mine)};
  }

  std::mt19937_64 random_;
};

/// A buffer that holds all data of `count` elements, and a margin that must not change.
struct Buffer {
  Buffer(const naive::TypeMap& map, std::int64_t count, Generator& generator) {
    std::int64_t first = 0, last = 0;
    naive::for_each_entry(map, count, [&](std::int64_t displacement, std::int64_t, std::int64_t size) {
      first = std::min(first, displacement);
      last = std::max(last, displacement + size);
    });
    bytes.resize(static_cast<std::size_t>(last - first) + 32);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator.draw(0, 255));
    offset = 16 - first;
  }
  [[nodiscard]] std::byte* origin() { return bytes.data() + offset; }

  std::vector<std::byte> bytes;
  std::int64_t offset;
};

void check_bounds(const Both& both) {
  std::int64_t lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  type_get_extent(*both.type, lb, extent);
  type_get_true_extent(*both.type, true_lb, true_extent);
  REQUIRE(size_of(*both.type) == both.map.size());
  REQUIRE(lb == both.map.lb());
  REQUIRE(extent == both.map.extent());
  REQUIRE(true_lb == both.map.true_lb());
  REQUIRE(true_extent == both.map.true_ub() - both.map.true_lb());
}

void check_span(const Both& both, std::int64_t count) {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  naive::for_each_entry(both.map, count, [&](std::int64_t displacement, std::int64_t, std::int64_t size) {
    first = std::min(first, displacement);
    last = std::max(last, displacement + size);
  });
  const Span span = span_of(*both.type, count);
  if (first > last) {
    REQUIRE(span.bytes == 0);
    return;
  }
  REQUIRE(span.first == first);
  REQUIRE(span.first + span.bytes == last);
}

void check_pack(const Both& both, std::int64_t count, Generator& generator) {
  Buffer buffer(both.map, count, generator);
  const std::vector<std::byte> expected = naive::pack(buffer.origin(), count, both.map);
  std::vector<std::byte> packed(expected.size());
  pack(buffer.origin(), count, *both.type, packed.data());
  REQUIRE(packed == expected);

  std::vector<std::byte> pieces;
  Cursor cursor(buffer.origin(), count, *both.type);
  while (cursor.position() < cursor.size()) {
    std::vector<std::byte> piece(static_cast<std::size_t>(generator.draw(1, 50)));
    piece.resize(static_cast<std::size_t>(cursor.pack(piece)));
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  REQUIRE(pieces == expected);
}

void check_unpack(const Both& both, std::int64_t count, Generator& generator) {
  const std::int64_t size = count * both.map.size();
  std::vector<std::byte> packed(static_cast<std::size_t>(size));
  for (std::byte& byte : packed) byte = static_cast<std::byte>(generator.draw(0, 255));
  const std::int64_t bytes = generator.draw(0, 1) == 0 ? size : generator.draw(0, size);

  Buffer expected(both.map, count, generator);
  Buffer whole = expected, in_pieces = expected;
  naive::unpack(packed, bytes, expected.origin(), count, both.map);
  unpack(packed.data(), bytes, whole.origin(), count, *both.type);
  REQUIRE(whole.bytes == expected.bytes);

  Cursor cursor(in_pieces.origin(), count, *both.type);
  while (cursor.position() < bytes) {
    const std::int64_t length = std::min(generator.draw(1, 50), bytes - cursor.position());
    cursor.unpack(
        std::span(packed).subspan(static_cast<std::size_t>(cursor.position()), static_cast<std::size_t>(length)));
  }
  REQUIRE(in_pieces.bytes == expected.bytes);
}

void check_copy(const Both& from, const Both& to, Generator& generator) {
  const std::int64_t from_count = generator.draw(0, 3), to_count = generator.draw(0, 3);
  Buffer source(from.map, from_count, generator), expected(to.map, to_count, generator);
  Buffer target = expected;
  const std::vector<std::byte> packed = naive::pack(source.origin(), from_count, from.map);
  const std::int64_t bytes = std::min<std::int64_t>(static_cast<std::int64_t>(packed.size()), to_count * to.map.size());
  naive::unpack(packed, bytes, expected.origin(), to_count, to.map);
  REQUIRE(copy(source.origin(), from_count, *from.type, target.origin(), to_count, *to.type) == bytes);
  REQUIRE(target.bytes == expected.bytes);
}

void check_elements(const Both& both, Generator& generator) {
  const auto per_type = static_cast<std::int64_t>(both.map.entries.size());
  const std::int64_t count = 3;
  Status status;
  status.bytes = generator.draw(0, count * both.map.size());
  std::int64_t expected = 0, covered = 0;
  naive::for_each_entry(both.map, count, [&](std::int64_t, std::int64_t position, std::int64_t size) {
    if (position + size <= status.bytes) {
      ++expected;
      covered = position + size;
    }
  });
  std::int64_t elements = 0;
  get_elements(status, *both.type, elements);
  REQUIRE(elements == (covered == status.bytes ? expected : undefined));

  const std::int64_t wanted = per_type == 0 ? 0 : generator.draw(0, count * per_type);
  status_set_elements(status, *both.type, wanted);
  get_elements(status, *both.type, elements);
  REQUIRE(elements == wanted);
}

}  // namespace

TEST_CASE("random nested datatypes are what the standard's formulas say") {
  const std::uint64_t seed = std::random_device{}();
  Generator generator(seed);
  for (int round = 0; round < 600; ++round) {
    CAPTURE(seed, round);
    const Both both = generator.type(static_cast<int>(generator.draw(0, 3)));
    const Both other = generator.type(static_cast<int>(generator.draw(0, 2)));
    if (both.map.entries.size() + other.map.entries.size() > 3000) continue;  // the formulas are slow
    check_bounds(both);
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, generator.draw(2, 4)}) {
      check_span(both, count);
      check_pack(both, count, generator);
      check_unpack(both, count, generator);
    }
    check_copy(both, other, generator);
    check_copy(other, both, generator);
    check_elements(both, generator);
  }
}

}  // namespace orrery::mpi
