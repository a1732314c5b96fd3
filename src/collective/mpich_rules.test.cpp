// SPDX-License-Identifier: BSD-3-Clause
#include "collective/mpich_rules.hpp"

#include "base/error.hpp"
#include "catch.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

/// The algorithm that rules choose, by Orrery's name.
std::string mpich_chosen(const MpichRules& rules, const Call& call) {
  const Choice choice = rules.choose(call);
  return choice.algorithm == nullptr ? "none" : std::string(choice.algorithm->name);
}

Call mpich_call(CollectiveKind kind, int size, std::int64_t bytes, bool immediate = false) {
  return {.kind = kind, .size = size, .bytes = {bytes}, .immediate = immediate};
}

TEST_CASE("the first line that holds is entered, and there is no way back") {
  const MpichRules rules = MpichRules::from_text(R"(
bcast
  comm_size<=4
    avg_msg_size<100: binomial
  any: scatter_ring_allgather
)");
  CHECK(mpich_chosen(rules, mpich_call(Bcast, 4, 99)) == "binomial_halving");
  CHECK(mpich_chosen(rules, mpich_call(Bcast, 4, 100)) == "none");
  CHECK(mpich_chosen(rules, mpich_call(Bcast, 5, 100)) == "scatter_ring_allgather");
  CHECK(mpich_chosen(rules, mpich_call(Reduce, 5, 100)) == "none");
}

TEST_CASE("immediate forms have lines of their own, to which those of blocking ones may refer") {
  const MpichRules rules = MpichRules::from_text(R"(
ibarrier: sched_recursive_doubling
neighbor_alltoall: nb
ineighbor_alltoall: sched_linear
)");
  CHECK(mpich_chosen(rules, mpich_call(Barrier, 4, 0)) == "none");
  CHECK(mpich_chosen(rules, mpich_call(Barrier, 4, 0, true)) == "dissemination");
  CHECK(mpich_chosen(rules, mpich_call(NeighborAlltoall, 4, 8)) == "linear");
}

TEST_CASE("a limit to the size of the communicator includes the limit once a message has been looked at") {
  // MPICH cuts what depends on the communicator alone with <, and what is left for the call with <=.
  const MpichRules before = MpichRules::from_text("bcast\n  comm_size<8: binomial\n  any: scatter_ring_allgather");
  CHECK(mpich_chosen(before, mpich_call(Bcast, 8, 1)) == "scatter_ring_allgather");
  const MpichRules after =
      MpichRules::from_text("bcast\n  avg_msg_size<=9\n    comm_size<8: binomial\n    any: scatter_ring_allgather");
  CHECK(mpich_chosen(after, mpich_call(Bcast, 8, 1)) == "binomial_halving");
  CHECK(mpich_chosen(after, mpich_call(Bcast, 9, 1)) == "scatter_ring_allgather");
}

TEST_CASE("totals count all ranks, but elements in the immediate reduce_scatter_block") {
  const MpichRules rules = MpichRules::from_text(R"(
reduce_scatter_block
  total_msg_size<800: recursive_halving
  any: pairwise
ireduce_scatter_block
  total_msg_size<800: sched_recursive_halving
  any: sched_pairwise
)");
  Call block = mpich_call(ReduceScatterBlock, 10, 80);
  block.element = 8;
  CHECK(mpich_chosen(rules, block) == "pairwise");
  block.immediate = true;
  CHECK(mpich_chosen(rules, block) == "recursive_halving");
}

TEST_CASE("settings of an algorithm become its radix and segment") {
  const MpichRules rules = MpichRules::from_text("barrier: k_dissemination k=4\nallgatherv: ring chunk_size=100");
  CHECK(rules.choose(mpich_call(Barrier, 9, 0)).fanout == 4);
  CHECK(rules.choose(mpich_call(Allgatherv, 9, 0)).segment == Bytes{100});
}

TEST_CASE("a tuning file of MPICH says the same in nested objects") {
  const MpichRules rules = MpichRules::from_json(R"({
  "collective=bcast": {
    "comm_type=intra": {
      "comm_size < 8": { "algorithm=MPIR_Bcast_intra_binomial": {} },
      "comm_size=any": { "algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {} }
    },
    "comm_type=inter": { "algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {} }
  },
  "collective=ibarrier": { "algorithm=MPIR_Ibarrier_intra_sched_recursive_doubling": {} },
  "collective=barrier": { "algorithm=MPIR_Barrier_intra_k_dissemination": { "k=4": {} } }
})");
  CHECK(mpich_chosen(rules, mpich_call(Bcast, 7, 1)) == "binomial_halving");
  CHECK(mpich_chosen(rules, mpich_call(Bcast, 8, 1)) == "scatter_ring_allgather");
  CHECK(mpich_chosen(rules, mpich_call(Barrier, 8, 0, true)) == "dissemination");
  CHECK(rules.choose(mpich_call(Barrier, 8, 0)).fanout == 4);
}

TEST_CASE("a user's operation is not built in, whether it commutes or not") {
  Call reduction = mpich_call(Reduce, 8, 100'000);
  CHECK(mpich_4_0_choice(reduction).algorithm->name == "reduce_scatter_gather");
  reduction.built_in = false;
  CHECK(mpich_4_0_choice(reduction).algorithm->name == "binomial");
}

TEST_CASE("where nodes have several ranks the compositions of MPICH's device come first") {
  const Places pairs(8, {{"node", {0, 0, 1, 1, 2, 2, 3, 3}}}), together(8, {{"node", {0, 0, 0, 0, 0, 0, 0, 0}}});
  const auto mpich = make_selector("mpich-4.0");
  const auto chosen_on = [&](const Places* places, CollectiveKind kind, std::int64_t bytes, bool immediate = false) {
    Call here = mpich_call(kind, 8, bytes, immediate);
    here.places = places;
    return mpich->choose(here).algorithm->name;
  };
  CHECK(chosen_on(&pairs, Bcast, 12287) == "composition_alpha");
  CHECK(chosen_on(&pairs, Bcast, 12288) == "composition_beta");
  CHECK(chosen_on(&pairs, Bcast, 524288) == "scatter_recursive_doubling_allgather");  // as if there were no nodes
  CHECK(chosen_on(&pairs, Reduce, 2048) == "composition_beta");
  CHECK(chosen_on(&pairs, Reduce, 2056) == "composition_alpha");
  CHECK(chosen_on(&pairs, Allreduce, 8) == "composition_alpha");
  CHECK(chosen_on(&together, Allreduce, 8) == "recursive_doubling");  // no nodes to compose of
  CHECK(chosen_on(&pairs, Scan, 8) == "composition_alpha");
  CHECK(chosen_on(&pairs, Barrier, 0) == "composition_alpha");
  CHECK(chosen_on(&pairs, Bcast, 524288, true) == "composition_alpha");  // sched_smp
  CHECK(chosen_on(&pairs, Reduce, 8, true) == "composition_beta");
  CHECK(chosen_on(&pairs, Allgather, 8) == "recursive_doubling");
}

TEST_CASE("rules of a user's come after the compositions of MPICH's device, or are compositions in their place") {
  const Places pairs(8, {{"node", {0, 0, 1, 1, 2, 2, 3, 3}}});
  Call flat = mpich_call(Bcast, 8, 100);
  Call on_nodes = flat;
  on_nodes.places = &pairs;
  const auto name = [](const Selector& selector, const Call& call) { return selector.choose(call).algorithm->name; };

  const MpichRules limits = MpichRules::from_json(R"({
  "collective=bcast": { "comm_type=intra": { "comm_hierarchy=parent": {
    "avg_msg_size<=100": { "composition=MPIDI_Bcast_intra_composition_beta": {} },
    "avg_msg_size=any": { "composition=MPIDI_Bcast_intra_composition_gamma": {} }
  }, "comm_hierarchy=any": { "composition=MPIDI_Bcast_intra_composition_gamma": {} } } }
})");
  CHECK(limits.composes());
  const auto composed = make_selector("mpich-4.0", {}, {}, &limits);
  CHECK(name(*composed, on_nodes) == "composition_beta");
  CHECK(name(*composed, flat) == "binomial_halving");
  on_nodes.bytes = {101};
  CHECK(name(*composed, on_nodes) == "binomial_halving");  // gamma: as if there were no nodes
  Call barrier = mpich_call(Barrier, 8, 0);
  barrier.places = &pairs;
  CHECK(name(*composed, barrier) == "dissemination");  // the file takes the place of all that is built in

  const MpichRules ring = MpichRules::from_text("bcast: scatter_ring_allgather");
  const auto ruled = make_selector("mpich-4.0", {}, {}, &ring);
  CHECK(name(*ruled, flat) == "scatter_ring_allgather");
  CHECK(name(*ruled, on_nodes) == "composition_alpha");  // whose parts go by the file
}

TEST_CASE("trees as MPICH has them name kinds of communicators, and what an algorithm calls where it does not serve") {
  const MpichRules rules = MpichRules::from_text(R"(
reduce
  intra
    avg_msg_size<=100: intra_smp or binomial
    avg_msg_size=any: intra_reduce_scatter_gather
  inter
    avg_msg_size<=8: inter_of_another_kind
    avg_msg_size=any: inter_local_reduce_remote_send
gatherv: allcomm_linear
iscan: intra_sched_smp or sched_recursive_doubling
)");
  CHECK(mpich_chosen(rules, mpich_call(Reduce, 8, 100)) == "binomial");
  CHECK(mpich_chosen(rules, mpich_call(Reduce, 8, 101)) == "reduce_scatter_gather");
  CHECK(mpich_chosen(rules, mpich_call(Gatherv, 8, 1)) == "linear");
  const Places pairs(8, {{"node", {0, 0, 1, 1, 2, 2, 3, 3}}}), in_turn(8, {{"node", {0, 1, 2, 3, 0, 1, 2, 3}}});
  Call scan = mpich_call(Scan, 8, 8, true);
  scan.places = &pairs;
  CHECK(mpich_chosen(rules, scan) == "composition_alpha");
  scan.places = &in_turn;
  CHECK(mpich_chosen(rules, scan) == "recursive_doubling");
}

TEST_CASE("the tree of a release is handed out with what is between groups, without what is ours") {
  for (const bool of_device : {false, true}) {
    for (const char* release : {"mpich-4.0", "mpich-5.0"}) {
      const std::string tree = mpich_tree(release, of_device);
      CHECK(tree.find(" or ") == std::string::npos);
      CHECK(tree.find('@') == std::string::npos);
      CHECK(MpichRules::from_text(tree).composes() == of_device);
    }
  }
  CHECK(mpich_tree("mpich-4.0", false).find("inter: inter_remote_send_local_bcast") != std::string::npos);
  CHECK(mpich_tree("mpich-4.0", false) != mpich_tree("mpich-5.0", false));
  CHECK_THROWS_WITH(mpich_tree("mpich-3", false),
                    "no release of MPICH is named \"mpich-3\"; there are: mpich-4.0, mpich-5.0");
}

TEST_CASE("what is wrong in rules is said with the line and what would be right") {
  CHECK_THROWS_WITH(MpichRules::from_text("\nbroadcast: binomial"),
                    "line 2: \"broadcast\" is no collective; a collective is like bcast or ibcast");
  CHECK_THROWS_WITH(MpichRules::from_text("bcast\n  size<8: binomial"),
                    Catch::Matchers::StartsWith("line 2: unknown condition \"size<8\"; conditions are like "));
  CHECK_THROWS_WITH(MpichRules::from_text("exscan: ring"),
                    "line 1: no algorithm of exscan is named \"ring\"; there are: recursive_doubling");
  CHECK_THROWS_WITH(MpichRules::from_text("barrier: k_dissemination k=two"),
                    "line 1: \"k=two\": expected a whole number");
  CHECK_THROWS_WITH(MpichRules::from_text("barrier: k_dissemination radix=2"),
                    "line 1: \"radix\" is no setting of an algorithm; settings are k, tree_type, chunk_size");
  CHECK_THROWS_WITH(MpichRules::from_text("ibcast: tsp_scatterv_recexch_allgatherv scatterv_k=2 allgatherv_k=4"),
                    "line 1: two different radices are not there yet");
  CHECK_THROWS_WITH(MpichRules::from_json("{\n \"collective=bcast\" {} }"), "line 2: expected ':' and found \"{\"");
  CHECK_THROWS_WITH(MpichRules::from_json("{\n \"bcast\": {} }"),
                    "line 2: expected \"collective=...\" and found \"bcast\"");
  CHECK_THROWS_WITH(MpichRules::from_json("{ \"collective=bcast\": {}"),
                    "line 1: expected '}' and found the end of the file");
}

}  // namespace
}  // namespace orrery::collective
