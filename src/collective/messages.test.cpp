// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "collective/collective.hpp"

/// What the algorithms send, against closed forms and against the runs that their descriptions draw.
namespace orrery::collective {
namespace {

struct Message {
  int to;
  std::int64_t bytes;
  bool operator==(const Message&) const = default;
};
using Messages = std::vector<Message>;

Messages sent_by(std::string_view kind, std::string_view algorithm, Call call) {
  call.kind = kind_named(kind).value();
  Messages sent;
  op::Script script = find(call.kind, algorithm)->stream(call);
  while (const op::Operation* operation = script.next()) {
    if (operation->kind == op::Kind::Isend) sent.push_back({operation->peer, operation->bytes.count});
  }
  return sent;
}

struct Traffic {
  std::int64_t most_messages = 0;  ///< sent by one rank
  std::int64_t messages = 0;       ///< sent by all
  std::int64_t bytes = 0;          ///< sent by all
  bool operator==(const Traffic&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Traffic& t) {
  return out << t.most_messages << ' ' << t.messages << ' ' << t.bytes;
}

/// All ranks of a call with vectors or blocks of `bytes`; with as many equal counts as any kind needs.
Traffic traffic(std::string_view kind, std::string_view algorithm, int size, std::int64_t bytes, Bytes segment = {}) {
  const std::vector<std::int64_t> counts(2 * static_cast<std::size_t>(size), bytes);
  Traffic total;
  for (int self = 0; self < size; ++self) {
    Call call{.kind = kind_named(kind).value(), .self = self, .size = size, .bytes = {bytes}, .segment = segment};
    call.counts = std::span(counts).first(counts_needed(call));
    const Messages sent = sent_by(kind, algorithm, call);
    const auto messages = static_cast<std::int64_t>(sent.size());
    total.most_messages = std::max(total.most_messages, messages);
    total.messages += messages;
    for (const Message& message : sent) total.bytes += message.bytes;
  }
  return total;
}

TEST_CASE("barriers send the messages of the closed forms, without content") {
  REQUIRE(traffic("barrier", "dissemination", 5, 0) == Traffic{3, 15, 0});       // ⌈log2 5⌉ each
  REQUIRE(traffic("barrier", "recursive_doubling", 8, 0) == Traffic{3, 24, 0});  // log2 8 each
  REQUIRE(traffic("barrier", "recursive_doubling", 6, 0) == Traffic{3, 12, 0});  // 4 · log2 4 + 2 · 2 for the fold
  REQUIRE(traffic("barrier", "linear", 7, 0) == Traffic{6, 12, 0});              // 6 reports, 6 releases by rank 0
  REQUIRE(traffic("barrier", "dissemination", 1, 0) == Traffic{0, 0, 0});
}

TEST_CASE("broadcasts send the messages of the closed forms") {
  const std::int64_t n = 1600;
  REQUIRE(traffic("bcast", "binomial", 16, n) == Traffic{4, 15, 15 * n});  // a tree has p − 1 edges; the root log2 p
  REQUIRE(traffic("bcast", "linear", 16, n) == Traffic{15, 15, 15 * n});
  // Scatter: 15 messages, each of the 4 levels moves n / 2. Ring: 15 messages and 15 n / 16 bytes per rank.
  REQUIRE(traffic("bcast", "scatter_allgather_ring", 16, n) == Traffic{19, 15 + 16 * 15, 4 * n / 2 + 15 * n});
  // 10 segments over 15 edges.
  REQUIRE(traffic("bcast", "pipeline", 16, n, {160}) == Traffic{10, 150, 15 * n});
  REQUIRE(traffic("bcast", "pipeline", 16, n) == Traffic{1, 15, 15 * n});
}

TEST_CASE("reductions send the messages of the closed forms") {
  const std::int64_t n = 1600;
  REQUIRE(traffic("reduce", "binomial", 16, n) == Traffic{1, 15, 15 * n});
  REQUIRE(traffic("reduce", "linear", 16, n) == Traffic{1, 15, 15 * n});
  // Halving: 4 messages and 15 n / 16 bytes per rank; gather: a tree of 15 edges that moves n / 2 per level.
  REQUIRE(traffic("reduce", "rabenseifner", 16, n) == Traffic{5, 16 * 4 + 15, 15 * n + 4 * n / 2});
}

TEST_CASE("allreduces send the messages of the closed forms") {
  const std::int64_t n = 1600;
  REQUIRE(traffic("allreduce", "recursive_doubling", 16, n) == Traffic{4, 64, 64 * n});  // log2 p per rank
  REQUIRE(traffic("allreduce", "recursive_doubling", 6, n) == Traffic{3, 12, 12 * n});   // 4 · 2, fold 2, unfold 2
  REQUIRE(traffic("allreduce", "rabenseifner", 16, n) == Traffic{8, 128, 2 * 15 * n});   // 2 log2 p, 2 n (p−1)/p each
  REQUIRE(traffic("allreduce", "ring", 16, n) == Traffic{30, 480, 2 * 15 * n});  // 2 (p − 1), 2 n (p−1)/p each
  REQUIRE(traffic("allreduce", "ring", 5, n) == Traffic{8, 40, 2 * 4 * n});
  REQUIRE(traffic("allreduce", "reduce_bcast", 16, n) == Traffic{4, 30, 30 * n});  // two trees
}

TEST_CASE("a ring of more ranks than elements gives way to recursive doubling") {
  // 4 of 5 ranks in two rounds, and one message to and from the surplus one.
  REQUIRE(traffic("allreduce", "ring", 5, 2).messages == 10);
}

TEST_CASE("reduce-scatters send the messages of the closed forms") {
  const std::int64_t block = 100, n = 8 * block;
  for (const char* kind : {"reduce_scatter", "reduce_scatter_block"}) {
    REQUIRE(traffic(kind, "recursive_halving", 8, block) == Traffic{3, 24, 7 * n});  // log2 p, n (p−1)/p each
    REQUIRE(traffic(kind, "pairwise", 8, block) == Traffic{7, 56, 7 * n});           // p − 1, n (p−1)/p each
    REQUIRE(traffic(kind, "reduce_scatterv", 8, block) == Traffic{7, 14, 7 * n + 7 * block});
  }
  // p = 6: two whole vectors are folded in and two blocks out; between them ranks 1 and 3 give 2 blocks and get 4, 4
  // and 5 the reverse; then each gives half of what it has, 2 or 1.
  REQUIRE(traffic("reduce_scatter_block", "recursive_halving", 6, block) ==
          Traffic{3, 2 + 8 + 2, (2 * 6 + 2 * (4 + 2) + (2 + 2 + 1 + 1) + 2) * block});
}

TEST_CASE("prefix reductions send the messages of the closed forms") {
  const std::int64_t n = 100;
  for (const char* kind : {"scan", "exscan"}) {
    REQUIRE(traffic(kind, "recursive_doubling", 8, n) == Traffic{3, 24, 24 * n});
    REQUIRE(traffic(kind, "recursive_doubling", 5, n) == Traffic{3, 10, 10 * n});  // pairs 01 23, 02 13, 04
    REQUIRE(traffic(kind, "linear", 8, n) == Traffic{1, 7, 7 * n});
  }
}

TEST_CASE("gathers and scatters send the messages of the closed forms") {
  const std::int64_t n = 100;
  // Tree: 15 edges, 8 blocks on each of 4 levels.
  REQUIRE(traffic("gather", "binomial", 16, n) == Traffic{1, 15, 32 * n});
  REQUIRE(traffic("scatter", "binomial", 16, n) == Traffic{4, 15, 32 * n});
  for (const char* kind : {"gather", "gatherv"}) REQUIRE(traffic(kind, "linear", 16, n) == Traffic{1, 15, 15 * n});
  for (const char* kind : {"scatter", "scatterv"}) REQUIRE(traffic(kind, "linear", 16, n) == Traffic{15, 15, 15 * n});
}

TEST_CASE("allgathers send the messages of the closed forms, and p − 1 blocks per rank") {
  const std::int64_t n = 100;
  REQUIRE(traffic("allgather", "ring", 6, n) == Traffic{5, 30, 30 * n});
  REQUIRE(traffic("allgather", "bruck", 6, n) == Traffic{3, 18, 30 * n});              // ⌈log2 6⌉ each
  REQUIRE(traffic("allgather", "neighbor_exchange", 6, n) == Traffic{3, 18, 30 * n});  // p / 2 each
  REQUIRE(traffic("allgather", "recursive_doubling", 8, n) == Traffic{3, 24, 56 * n});
  REQUIRE(traffic("allgatherv", "ring", 6, n) == Traffic{5, 30, 30 * n});
  REQUIRE(traffic("allgatherv", "bruck", 6, n) == Traffic{3, 18, 30 * n});
  REQUIRE(traffic("allgatherv", "linear", 6, n) == Traffic{5, 30, 30 * n});
}

TEST_CASE("all-to-alls send the messages of the closed forms") {
  const std::int64_t n = 100;
  // A block travels once per bit of its distance: 1, 10, 11, 100, 101 have 7 bits set.
  REQUIRE(traffic("alltoall", "bruck", 6, n) == Traffic{3, 18, 6 * 7 * n});
  for (const char* kind : {"alltoall", "alltoallv", "alltoallw"}) {
    REQUIRE(traffic(kind, "pairwise", 6, n) == Traffic{5, 30, 30 * n});
    REQUIRE(traffic(kind, "linear", 6, n) == Traffic{5, 30, 30 * n});
  }
}

TEST_CASE("empty blocks of an irregular all-to-all are neither sent nor received") {
  const std::vector<std::int64_t> counts{0, 8, 0, /* from */ 0, 0, 8};
  const Call call{.kind = CollectiveKind::Alltoallv, .self = 0, .size = 3, .counts = counts};
  for (const char* algorithm : {"pairwise", "linear"}) {
    op::Script script = find(CollectiveKind::Alltoallv, algorithm)->stream(call);
    int sends = 0, recvs = 0;
    while (const op::Operation* operation = script.next()) {
      sends += operation->kind == op::Kind::Isend && operation->peer == 1 ? 1 : 0;
      recvs += operation->kind == op::Kind::Irecv && operation->peer == 2 ? 1 : 0;
      REQUIRE((operation->bytes.count != 0) == (operation->kind != op::Kind::WaitAll));
    }
    REQUIRE(sends == 1);
    REQUIRE(recvs == 1);
  }
}

TEST_CASE("allreduce by recursive doubling on 6 ranks runs as drawn") {
  // fold 0→1 2→3 | 1↔3 4↔5 | 1↔4 3↔5 | unfold 1→0 3→2
  const std::vector<Messages> drawn{{{1, 8}},         {{3, 8}, {4, 8}, {0, 8}}, {{3, 8}}, {{1, 8}, {5, 8}, {2, 8}},
                                    {{5, 8}, {1, 8}}, {{4, 8}, {3, 8}}};
  for (int self = 0; self < 6; ++self) {
    REQUIRE(sent_by("allreduce", "recursive_doubling", {.self = self, .size = 6, .bytes = {8}}) ==
            drawn[static_cast<std::size_t>(self)]);
  }
}

TEST_CASE("reduction by Rabenseifner's algorithm on 6 ranks runs as drawn") {
  // 4 quarters of 1 byte, root 0:
  // fold 1→0 3→2 | 0:ab↔2:cd 4:ab↔5:cd | 0:a↔4:b 2:c↔5:d | gather 4→0 b, 5→2 d | 2→0 cd
  const std::vector<Messages> drawn{{{2, 2}, {4, 1}},         {{0, 4}},
                                    {{0, 2}, {5, 1}, {0, 2}}, {{2, 4}},
                                    {{5, 2}, {0, 1}, {0, 1}}, {{4, 2}, {2, 1}, {2, 1}}};
  for (int self = 0; self < 6; ++self) {
    REQUIRE(sent_by("reduce", "reduce_scatter_gather", {.self = self, .size = 6, .bytes = {4}}) ==
            drawn[static_cast<std::size_t>(self)]);
  }
}

TEST_CASE("allgather by neighbour exchange on 6 ranks runs as drawn") {
  // 0↔1 2↔3 4↔5 | 1↔2 3↔4 5↔0 | 0↔1 2↔3 4↔5: 1 block, then 2, then 2
  for (int self = 0; self < 6; ++self) {
    const int partner = self ^ 1;
    const int stranger = self % 2 == 0 ? (self + 5) % 6 : (self + 1) % 6;
    REQUIRE(sent_by("allgather", "neighbor_exchange", {.self = self, .size = 6, .bytes = {8}}) ==
            Messages{{partner, 8}, {stranger, 16}, {partner, 16}});
  }
}

TEST_CASE("a pipelined ring counts the gaps between elements as if it sent them") {
  // 100 elements of 8 bytes, one every 4,096 bytes: 8 of them lie in 32 KiB. Of 64 KiB each, one is more than that.
  const std::vector<std::int64_t> counts(2, 800);
  const Call spread{.self = 0, .size = 2, .bytes = {800}, .element = 8, .extent = 4096, .counts = counts};
  Messages eights(12, Message{1, 64});
  eights.push_back({1, 32});
  REQUIRE(sent_by("allgatherv", "pipelined_ring", spread) == eights);
  Call far = spread;
  far.extent = 65536;
  REQUIRE(sent_by("allgatherv", "pipelined_ring", far) == Messages(100, Message{1, 8}));
  far.immediate = true;  // starts from the smallest block, which takes more than 32 KiB: whole
  REQUIRE(sent_by("allgatherv", "pipelined_ring", far) == Messages{{1, 800}});
  Call close = spread;
  close.extent = 0;
  REQUIRE(sent_by("allgatherv", "pipelined_ring", close) == Messages{{1, 800}});
}

TEST_CASE("a pipeline passes segments of whole elements") {
  // Of elements of 8 bytes, 4 come closest to a segment of 30 bytes; 96 bytes are three of these.
  REQUIRE(sent_by("bcast", "pipeline", {.self = 0, .size = 3, .bytes = {96}, .element = 8, .segment = {30}}) ==
          Messages(3, Message{1, 32}));
}

}  // namespace
}  // namespace orrery::collective
