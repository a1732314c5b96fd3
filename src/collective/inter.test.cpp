// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "catch.hpp"
#include "collective/collective.hpp"
#include "collective/test_execution.hpp"

/// Algorithms for inter-communicators: executed on real buffers for two groups, of which the ranks of the first come
/// first. MPI-4.1, section 6.8, says what each group gets: what the other one gives.
namespace orrery::collective {
namespace {

using test::Memory;
using test::Order;
using test::RankMemory;
using Bytes8 = std::vector<std::uint8_t>;
using enum CollectiveKind;

constexpr std::int64_t element = 2;

/// Affine maps modulo 251, which do not commute.
void compose(const std::uint8_t* lower, std::uint8_t* higher) {
  const int a = lower[0], b = lower[1], c = higher[0], d = higher[1];
  higher[0] = static_cast<std::uint8_t>(a * c % 251);
  higher[1] = static_cast<std::uint8_t>((a * d + b) % 251);
}

/// Bytes in [1, 250] that depend on who gives them to whom.
Bytes8 data_of(int from, int to, std::int64_t bytes) {
  Bytes8 data(static_cast<std::size_t>(bytes));
  auto state = static_cast<std::uint32_t>(from * 977 + to * 31 + 7);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(1 + ((state = state * 1664525U + 1013904223U) >> 16) % 250);
  return data;
}

void append(Bytes8& to, const Bytes8& more) { to.insert(to.end(), more.begin(), more.end()); }

struct InterShape {
  CollectiveKind kind;
  int first, second;  ///< sizes of the groups
  int root;           ///< of all ranks
  std::int64_t elements;
};

/// One call of all ranks, built from what each gives each rank of the other group.
class InterExample {
 public:
  explicit InterExample(const InterShape& shape) : shape_(shape) {
    for (int rank = 0; rank < total(); ++rank) add(rank);
  }

  /// Executes the algorithm; what is wrong, or nothing.
  std::string run(const Algorithm& algorithm, Order order) {
    std::vector<op::Script> scripts;
    for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
      calls_[rank].counts = counts_[rank];
      if (!algorithm.accepts(calls_[rank])) return "the call is not accepted";
      scripts.push_back(algorithm.stream(calls_[rank]));
    }
    try {
      heard = test::execute(std::move(scripts), memory_, {element, compose}, order, shape_.first);
    } catch (const test::Fault& fault) {
      return fault.what();
    }
    for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
      if (memory_[rank].output.bytes != wanted_[rank]) return concat("wrong output of rank ", rank);
    }
    return {};
  }

  std::vector<std::uint64_t> heard;

 private:
  [[nodiscard]] int total() const { return shape_.first + shape_.second; }
  [[nodiscard]] bool in_first(int rank) const { return rank < shape_.first; }
  [[nodiscard]] int group_begin(int rank) const { return in_first(rank) ? 0 : shape_.first; }
  [[nodiscard]] int group_end(int rank) const { return in_first(rank) ? shape_.first : total(); }
  [[nodiscard]] int size_of(int rank) const { return group_end(rank) - group_begin(rank); }
  [[nodiscard]] bool rooted() const {
    return std::ranges::count(std::array{Bcast, Reduce, Gather, Gatherv, Scatter, Scatterv}, shape_.kind) > 0;
  }
  [[nodiscard]] bool is_root(int rank) const { return rank == shape_.root; }
  [[nodiscard]] bool opposite(int rank) const { return in_first(rank) != in_first(shape_.root); }
  template <class Body>
  void for_others(int rank, Body body) const {
    for (int other = in_first(rank) ? shape_.first : 0; other < (in_first(rank) ? total() : shape_.first); ++other) {
      body(other);
    }
  }

  /// Bytes of the block that `from` gives `to`; groups give blocks of different sizes.
  [[nodiscard]] std::int64_t block(int from, int to) const {
    switch (shape_.kind) {
      case Gatherv: return element * shape_.elements * (from % 3);
      case Allgatherv: return element * shape_.elements * (from % 4);
      case Scatterv: return element * shape_.elements * (to % 3);
      case Alltoallv:
      case Alltoallw: return element * shape_.elements * ((from + 2 * to) % 3);
      case Allgather:
      case Alltoall: return element * shape_.elements * (in_first(from) ? 1 : 3);
      default: return element * shape_.elements;
    }
  }
  /// The whole vector of a reduce-scatter, which both groups can share evenly.
  [[nodiscard]] std::int64_t vector() const { return element * shape_.elements * shape_.first * shape_.second; }

  [[nodiscard]] Bytes8 reduced_from_others(int rank, std::int64_t bytes) const {
    std::vector<Bytes8> given;
    for_others(rank, [&](int other) { given.push_back(data_of(other, 0, bytes)); });
    Bytes8 result = given.back();
    for (std::size_t i = given.size() - 1; i-- > 0;) {
      for (std::size_t at = 0; at < result.size(); at += element) compose(&given[i][at], &result[at]);
    }
    return result;
  }

  void add(int rank) {
    Call call{.kind = shape_.kind,
              .self = rank - group_begin(rank),
              .size = size_of(rank),
              .remote_size = total() - size_of(rank),
              .in_first = in_first(rank),
              .element = element,
              .commutative = false};
    if (rooted()) {
      call.root = is_root(rank) ? op::root_here : op::no_part;
      if (opposite(rank)) call.root = shape_.root - group_begin(shape_.root);
    }
    Bytes8 input, output, wanted;
    std::vector<std::int64_t> counts;
    describe(rank, call, input, wanted, counts);
    RankMemory memory{Memory::of(input), Memory::blank(wanted.size()), {}};
    if (shape_.kind == Bcast && is_root(rank)) memory.output = Memory::of(wanted);
    calls_.push_back(call);
    memory_.push_back(std::move(memory));
    counts_.push_back(std::move(counts));
    wanted_.push_back(std::move(wanted));
  }

  void describe(int rank, Call& call, Bytes8& input, Bytes8& wanted, std::vector<std::int64_t>& counts) const {
    switch (shape_.kind) {
      case Barrier: return;
      case NewComm: call.bytes = {block(0, 0)}; return;
      case Bcast:
        call.bytes = {block(0, 0)};
        if (is_root(rank) || opposite(rank)) wanted = data_of(shape_.root, 0, block(0, 0));
        return;
      case Reduce:
        call.bytes = {block(0, 0)};
        if (opposite(rank)) input = data_of(rank, 0, block(0, 0));
        if (is_root(rank)) wanted = reduced_from_others(rank, block(0, 0));
        return;
      case Allreduce:
        call.bytes = {block(0, 0)};
        input = data_of(rank, 0, block(0, 0));
        wanted = reduced_from_others(rank, block(0, 0));
        return;
      case ReduceScatter:
      case ReduceScatterBlock: return describe_reduce_scatter(rank, call, input, wanted, counts);
      case Gather:
      case Gatherv:
        call.bytes = {block(rank, shape_.root)};
        if (opposite(rank)) input = data_of(rank, shape_.root, block(rank, shape_.root));
        if (!is_root(rank)) return;
        call.bytes = {block(0, 0)};
        return come(rank, wanted, counts);
      case Scatter:
      case Scatterv:
        call.bytes = {block(shape_.root, rank)};
        if (opposite(rank)) wanted = data_of(shape_.root, rank, block(shape_.root, rank));
        if (is_root(rank)) go(rank, input, counts);
        return;
      case Allgather:
      case Allgatherv:
        call.bytes = {block(rank, 0)};
        input = data_of(rank, 0, block(rank, 0));
        for_others(rank, [&](int other) {
          append(wanted, data_of(other, 0, block(other, 0)));
          counts.push_back(block(other, 0));
        });
        return;
      default:
        call.bytes = {block(rank, 0)};
        go(rank, input, counts);
        if (shape_.kind == Alltoall) counts.clear();
        return come(rank, wanted, counts);
    }
  }

  void describe_reduce_scatter(int rank, Call& call, Bytes8& input, Bytes8& wanted,
                               std::vector<std::int64_t>& counts) const {
    input = data_of(rank, 0, vector());
    const Bytes8 all = reduced_from_others(rank, vector());
    const std::int64_t equal = vector() / size_of(rank);
    counts.assign(static_cast<std::size_t>(size_of(rank)), equal);
    if (shape_.kind == ReduceScatter && size_of(rank) > 1) counts[0] -= equal, counts[1] += equal;
    call.bytes = {shape_.kind == ReduceScatter ? vector() : equal};
    const auto before = std::accumulate(counts.begin(), counts.begin() + call.self, std::int64_t{0});
    wanted.assign(all.begin() + before, all.begin() + before + counts[static_cast<std::size_t>(call.self)]);
  }
  void come(int rank, Bytes8& wanted, std::vector<std::int64_t>& counts) const {
    for_others(rank, [&](int other) {
      append(wanted, data_of(other, rank, block(other, rank)));
      counts.push_back(block(other, rank));
    });
  }
  void go(int rank, Bytes8& input, std::vector<std::int64_t>& counts) const {
    for_others(rank, [&](int other) {
      append(input, data_of(rank, other, block(rank, other)));
      counts.push_back(block(rank, other));
    });
  }

  InterShape shape_;
  std::vector<Call> calls_;
  std::vector<RankMemory> memory_;
  std::vector<std::vector<std::int64_t>> counts_;
  std::vector<Bytes8> wanted_;
};

constexpr int group_sizes[] = {1, 2, 3, 4, 7, 8};

TEST_CASE("on inter-communicators each group gets what the other gives, whatever the sizes, root and count") {
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.inter) continue;
    DYNAMIC_SECTION(name(algorithm.kind) << " " << algorithm.name) {
      for (const int first : group_sizes) {
        for (const int second : group_sizes) {
          for (int root = 0; root < first + second; ++root) {
            for (const std::int64_t elements : {0, 1, 5}) {
              InterExample example({algorithm.kind, first, second, root, elements});
              const auto wrong = example.run(algorithm, root % 2 == 0 ? Order::Ascending : Order::Descending);
              if (!wrong.empty()) FAIL_CHECK(concat(first, "+", second, " ranks, root ", root, ": ", wrong));
            }
          }
        }
      }
      SUCCEED();
    }
  }
}

TEST_CASE("nobody leaves a barrier of two groups, or has a communicator out of them, before all of both have come") {
  for (const int first : group_sizes) {
    for (const int second : group_sizes) {
      for (const auto& [kind, algorithm] : {std::pair{Barrier, "inter_bcast"}, std::pair{NewComm, "inter_number"}}) {
        InterExample example({kind, first, second, 0, 0});
        REQUIRE(example.run(*find(kind, algorithm), Order::Descending).empty());
        const std::uint64_t all = (std::uint64_t{1} << (first + second)) - 1;
        REQUIRE(example.heard == std::vector<std::uint64_t>(static_cast<std::size_t>(first + second), all));
      }
    }
  }
}

TEST_CASE("the selector has an algorithm for inter-communicators wherever MPI allows the call") {
  const auto selector = make_selector();
  const std::vector<std::int64_t> counts(8, 8);
  for (int i = 0; i < op::collective_kinds; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (kind == Scan || kind == Exscan || op::is_among_neighbors(kind)) continue;  // not defined (MPI-4.1, 6.8, 8.6)
    const Call call{.kind = kind, .size = 3, .remote_size = 4, .root = op::root_here, .bytes = {8}, .counts = counts};
    const Choice choice = selector->choose(call);
    CHECK(choice.algorithm->inter);
    CHECK(choice.algorithm->kind == kind);
  }
}

}  // namespace
}  // namespace orrery::collective
