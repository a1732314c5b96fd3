// SPDX-License-Identifier: BSD-3-Clause
#include "collective/test_calls.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace orrery::collective::test {
namespace {

using Data = std::vector<std::uint8_t>;
constexpr std::int64_t element = 2;

void add(const std::uint8_t* lower, std::uint8_t* higher) {
  higher[0] = static_cast<std::uint8_t>(lower[0] + higher[0]);
  higher[1] = static_cast<std::uint8_t>(lower[1] + higher[1]);
}

/// (a x + b) after (c x + d) is a c x + a d + b.
void compose(const std::uint8_t* lower, std::uint8_t* higher) {
  const int a = lower[0], b = lower[1], c = higher[0], d = higher[1];
  higher[0] = static_cast<std::uint8_t>(a * c % 251);
  higher[1] = static_cast<std::uint8_t>((a * d + b) % 251);
}

/// Bytes in [1, 250] that differ from rank to rank: no factor of an affine map is 0.
Data input_of(int rank, std::int64_t bytes) {
  Data data(static_cast<std::size_t>(bytes));
  std::uint32_t state = 2654435769U * static_cast<std::uint32_t>(rank + 1);
  for (std::uint8_t& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(1 + (state >> 16) % 250);
  }
  return data;
}

Data slice(const Data& data, std::int64_t begin, std::int64_t bytes) {
  return {data.begin() + begin, data.begin() + begin + bytes};
}

Data joined(const std::vector<Data>& parts) {
  Data all;
  for (const Data& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// first op ... op last - 1, element by element.
Data reduced(const std::vector<Data>& inputs, int first, int last, const Reduction& reduction) {
  Data result = inputs[static_cast<std::size_t>(last - 1)];
  for (int rank = last - 2; rank >= first; --rank) {
    const Data& lower = inputs[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < result.size(); i += element) reduction.combine(&lower[i], &result[i]);
  }
  return result;
}

/// Bytes from one rank to another in irregular calls; of each rank's block where there is one only.
std::int64_t irregular(const Shape& shape, int from, int to = 0) {
  if (shape.equal_blocks) return shape.elements * element;
  return shape.elements * ((from * 3 + to * 5 + 1) % 4) * element;
}

class Builder {
 public:
  explicit Builder(const Shape& shape)
      : shape_(shape), size_(static_cast<std::size_t>(shape.size)), bytes_(shape.elements * element) {
    example_.reduction = {.element = element, .combine = shape.commutative ? add : compose};
    example_.counts.resize(size_);
    for (int self = 0; self < shape.size; ++self) {
      example_.calls.push_back({.kind = shape.kind,
                                .self = self,
                                .size = shape.size,
                                .root = shape.root,
                                .bytes = {bytes_},
                                .element = element,
                                .commutative = shape.commutative,
                                .immediate = shape.immediate,
                                .segment = shape.segment,
                                .fanout = shape.fanout});
    }
  }

  Example build() && {
    switch (shape_.kind) {
      case CollectiveKind::Barrier:
        for (Call& call : example_.calls) call.bytes = {};
        [[fallthrough]];
      case CollectiveKind::NewComm:
        give(std::vector<Data>(size_));
        want(std::vector<Data>(size_));
        break;
      case CollectiveKind::Bcast: bcast(); break;
      case CollectiveKind::Reduce: reduction(); break;
      case CollectiveKind::Allreduce: reduction(); break;
      case CollectiveKind::Scan: prefixes(0); break;
      case CollectiveKind::Exscan: prefixes(1); break;
      case CollectiveKind::ReduceScatter: reduce_scatter(irregular_blocks()); break;
      case CollectiveKind::ReduceScatterBlock: reduce_scatter(equal_blocks()); break;
      case CollectiveKind::Gather: gather(equal_blocks()); break;
      case CollectiveKind::Allgather: gather(equal_blocks()); break;
      case CollectiveKind::Gatherv: gather(irregular_blocks()); break;
      case CollectiveKind::Allgatherv: gather(irregular_blocks()); break;
      case CollectiveKind::Scatter: scatter(equal_blocks()); break;
      case CollectiveKind::Scatterv: scatter(irregular_blocks()); break;
      case CollectiveKind::Alltoall: alltoall([&](int, int) { return bytes_; }); break;
      case CollectiveKind::Alltoallv:
      case CollectiveKind::Alltoallw:
        alltoall([&](int from, int to) { return irregular(shape_, from, to); });
        list_counts_of_alltoall();
        break;
      case CollectiveKind::NeighborAllgather: neighborhood(true, [&](int, int) { return bytes_; }); break;
      case CollectiveKind::NeighborAllgatherv:
        neighborhood(true, [&](int from, int) { return irregular(shape_, from); });
        break;
      case CollectiveKind::NeighborAlltoall: neighborhood(false, [&](int, int) { return bytes_; }); break;
      case CollectiveKind::NeighborAlltoallv:
      case CollectiveKind::NeighborAlltoallw:
        neighborhood(false, [&](int from, int slot) { return irregular(shape_, from, slot); });
        break;
    }
    for (std::size_t rank = 0; rank < size_; ++rank) example_.calls[rank].counts = example_.counts[rank];
    return std::move(example_);
  }

 private:
  using Sizes = std::vector<std::int64_t>;

  Sizes equal_blocks() const { return Sizes(size_, bytes_); }
  Sizes irregular_blocks() const {
    Sizes sizes(size_);
    for (int rank = 0; rank < shape_.size; ++rank) sizes[static_cast<std::size_t>(rank)] = irregular(shape_, rank);
    return sizes;
  }
  bool is_root(std::size_t rank) const { return static_cast<int>(rank) == shape_.root; }

  void give(const std::vector<Data>& inputs) {
    for (const Data& input : inputs)
      example_.before.push_back({.input = Memory::of(input), .output = {}, .scratch = {}});
  }
  /// Outputs after the call; before it they are blank.
  void want(const std::vector<Data>& outputs) {
    for (std::size_t rank = 0; rank < size_; ++rank) {
      example_.before[rank].output = Memory::blank(outputs[rank].size());
      example_.output_after.push_back(Memory::of(outputs[rank]));
    }
  }
  void keep_for_root(std::vector<Data>& data) const {
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (!is_root(rank)) data[rank].clear();
    }
  }
  std::vector<Data> inputs(const Sizes& sizes) const {
    std::vector<Data> data;
    for (std::size_t rank = 0; rank < size_; ++rank) data.push_back(input_of(static_cast<int>(rank), sizes[rank]));
    return data;
  }

  void bcast() {
    const Data data = input_of(shape_.root, bytes_);
    give(std::vector<Data>(size_));
    want(std::vector<Data>(size_, data));
    // MPICH's immediate scatter sends more of the user's buffer than it has received.
    if (shape_.immediate) {
      for (RankMemory& memory : example_.before) memory.output = Memory::of(Data(data.size()));
    }
    example_.before[static_cast<std::size_t>(shape_.root)].output = Memory::of(data);
  }

  void reduction() {
    const std::vector<Data> given = inputs(equal_blocks());
    std::vector<Data> result(size_, reduced(given, 0, shape_.size, example_.reduction));
    if (shape_.kind == CollectiveKind::Reduce) keep_for_root(result);
    give(given);
    want(result);
  }

  void prefixes(int exclusive) {
    const std::vector<Data> given = inputs(equal_blocks());
    std::vector<Data> result;
    for (int rank = 0; rank < shape_.size; ++rank) {
      const int last = rank + 1 - exclusive;
      result.push_back(last > 0 ? reduced(given, 0, last, example_.reduction) : given[0]);
    }
    give(given);
    want(result);
    if (exclusive == 1) example_.output_after[0] = Memory::blank(given[0].size());
  }

  void reduce_scatter(const Sizes& blocks) {
    const std::int64_t total = std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
    const std::vector<Data> given = inputs(Sizes(size_, total));
    const Data all = reduced(given, 0, shape_.size, example_.reduction);
    give(given);
    want(cut(all, blocks));
    if (shape_.kind != CollectiveKind::ReduceScatter) return;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      example_.calls[rank].bytes = {total};
      example_.counts[rank] = blocks;
    }
  }

  static std::vector<Data> cut(const Data& all, const Sizes& blocks) {
    std::vector<Data> parts;
    std::int64_t offset = 0;
    for (const std::int64_t bytes : blocks) parts.push_back(slice(all, std::exchange(offset, offset + bytes), bytes));
    return parts;
  }

  void gather(const Sizes& blocks) {
    const std::vector<Data> given = inputs(blocks);
    std::vector<Data> result(size_, joined(given));
    if (shape_.kind == CollectiveKind::Gather || shape_.kind == CollectiveKind::Gatherv) keep_for_root(result);
    give(given);
    want(result);
    if (shape_.kind == CollectiveKind::Gatherv) list_counts_at_root(blocks);
    if (shape_.kind == CollectiveKind::Allgatherv) {
      for (std::size_t rank = 0; rank < size_; ++rank) {
        example_.calls[rank].bytes = {blocks[rank]};
        example_.counts[rank] = blocks;
      }
    }
  }

  void scatter(const Sizes& blocks) {
    std::vector<Data> given(size_);
    for (std::size_t rank = 0; rank < size_; ++rank) given[rank] = input_of(static_cast<int>(rank), blocks[rank]);
    const Data all = joined(given);
    std::vector<Data> at_root(size_, all);
    keep_for_root(at_root);
    give(at_root);
    want(given);
    if (shape_.kind == CollectiveKind::Scatterv) list_counts_at_root(blocks);
  }

  void list_counts_at_root(const Sizes& blocks) {
    example_.counts[static_cast<std::size_t>(shape_.root)] = blocks;
    for (std::size_t rank = 0; rank < size_; ++rank) example_.calls[rank].bytes = {blocks[rank]};
  }

  template <class Size>
  void alltoall(Size size_of) {
    std::vector<Data> given(size_), result(size_);
    for (int from = 0; from < shape_.size; ++from) {
      for (int to = 0; to < shape_.size; ++to) {
        const Data block = input_of(from * shape_.size + to, size_of(from, to));
        Data& out = given[static_cast<std::size_t>(from)];
        Data& in = result[static_cast<std::size_t>(to)];
        out.insert(out.end(), block.begin(), block.end());
        in.insert(in.end(), block.begin(), block.end());
      }
    }
    give(given);
    want(result);
  }

  void list_counts_of_alltoall() {
    for (int rank = 0; rank < shape_.size; ++rank) {
      Sizes& counts = example_.counts[static_cast<std::size_t>(rank)];
      for (int to = 0; to < shape_.size; ++to) counts.push_back(irregular(shape_, rank, to));
      for (int from = 0; from < shape_.size; ++from) counts.push_back(irregular(shape_, from, rank));
    }
  }

  /// A ring: each rank sends down, then up, and receives from above, then from below. With one or two ranks both
  /// neighbours are the same.
  template <class Size>
  void neighborhood(bool one_block, Size size_of) {
    std::vector<Data> given(size_), result(size_);
    const auto block = [&](int from, int slot) {
      return input_of(one_block ? from : 2 * from + slot, size_of(from, slot));
    };
    for (int self = 0; self < shape_.size; ++self) {
      const int below = (self + shape_.size - 1) % shape_.size;
      const int above = (self + 1) % shape_.size;
      const auto rank = static_cast<std::size_t>(self);
      given[rank] = one_block ? block(self, 0) : joined({block(self, 0), block(self, 1)});
      result[rank] = joined({block(above, 0), block(below, 1)});
      example_.counts[rank] = {
          2, below, size_of(self, 0), above, size_of(self, 1), above, size_of(above, 0), below, size_of(below, 1)};
    }
    give(given);
    want(result);
  }

  Shape shape_;
  std::size_t size_;
  std::int64_t bytes_;
  Example example_;
};

std::string describe(const Shape& shape) {
  return concat(shape.size, " ranks, root ", shape.root, ", ", shape.elements, " elements, ",
                shape.commutative ? "commutative" : "not commutative", ", segment ", shape.segment.count, ", radix ",
                shape.fanout, shape.immediate ? ", immediate" : "");
}

}  // namespace

Example make_example(const Shape& shape) { return Builder(shape).build(); }

std::string run(const Algorithm& algorithm, const Shape& shape, Order order, const Places* places,
                const Hierarchy& hierarchy) {
  Example example = make_example(shape);
  std::vector<op::Script> scripts;
  for (Call call : example.calls) {
    call.places = places;
    call.hierarchy = hierarchy;
    if (!algorithm.accepts(call)) return {};
    scripts.push_back(algorithm.stream(call));
  }
  try {
    static_cast<void>(execute(std::move(scripts), example.before, example.reduction, order));
  } catch (const Fault& fault) {
    return concat(describe(shape), ": ", fault.what());
  }
  for (int rank = 0; rank < shape.size; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (example.before[i].output != example.output_after[i])
      return concat(describe(shape), ": wrong output of rank ", rank);
  }
  return {};
}

}  // namespace orrery::collective::test
