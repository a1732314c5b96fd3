# SPDX-License-Identifier: BSD-3-Clause
"""An algorithm or a rule that is asked for and serves nothing is told, or refused where that is known before."""

from __future__ import annotations

import json

from harness import Ended, Sandbox
from orrery import _core

FORCED = ("--coll", "allreduce=ring,alltoall=two_proc")
RING = "--coll: ring served none of 60 calls of MPI_Allreduce (each rank counted): the operation does not commute"
CCL = {
    "collective=allreduce": {
        "comm_type=intra": {
            "avg_msg_size<=2": {"algorithm=MPIR_Allreduce_intra_ring": {}},
            "avg_msg_size=any": {"algorithm=MPIR_Allreduce_intra_ccl": {"ccl=rccl": {}}},
        }
    }
}


def test_a_run_says_first_that_forced_algorithms_served_no_call_and_what_did(sandbox: Sandbox) -> None:
    ended = sandbox.run(6, "not_commuting", options=(*FORCED, "--report", "run.html"))
    assert ended.code == 0
    first, second, *_ = [line for line in ended.err.splitlines() if line.strip()]
    assert first.startswith("CAUTION")
    assert RING in first
    assert "recursive_doubling served instead" in first
    assert "two_proc served none of 6 calls of MPI_Alltoall" in second
    assert "it is for two ranks. linear served instead" in second
    assert "MPI_Alltoall() by linear instead of two_proc: it is for two ranks" in ended.err
    assert "which did not serve all calls: see CAUTION" in ended.err
    assert sum(RING in caution for caution in ended.record["cautions"]) == 1
    missed = {use["routine"]: use["instead_of"] for use in ended.record["algorithms"] if use["instead_of"]}
    assert missed == {"MPI_Allreduce": "ring", "MPI_Alltoall": "two_proc"}
    assert RING in (sandbox.folder / "run.html").read_text()


def test_calls_that_a_forced_algorithm_serves_are_told_apart_from_those_that_it_does_not(sandbox: Sandbox) -> None:
    ended = sandbox.run(6, "not_commuting", "too", options=("--coll", "allreduce=ring"))
    assert "--coll: ring served not 60 of 66 calls of MPI_Allreduce" in ended.err
    by = {(use["algorithm"], use["instead_of"]): use["calls"] for use in ended.record["algorithms"]
          if use["routine"] == "MPI_Allreduce"}  # fmt: skip
    assert by == {("ring", ""): 6, ("recursive_doubling", "ring"): 60}


def test_an_algorithm_that_leaves_calls_to_another_is_told_like_one_that_does_not_serve(sandbox: Sandbox) -> None:
    """A ring has nothing to cut where there are fewer elements than ranks; recursive doubling's messages are sent."""
    asked = ("--algorithm", "ring", "--algorithm", "recursive_doubling", "--json")
    both = sandbox.orrery("collective", "allreduce", "-n", "16", "-s", "8,4KiB", *asked)
    document = json.loads(both.out)
    shown = [(row["bytes"], row["algorithm"]) for row in document["predictions"]]
    assert shown == [(8, "recursive_doubling"), (4096, "ring"), (4096, "recursive_doubling")]
    assert any("ring does not serve 1 of 2 calls of allreduce" in caution for caution in document["cautions"])
    refused = sandbox.orrery("collective", "allreduce", "-n", "16", "-s", "8", "--algorithm", "ring")
    assert refused.code == 2
    assert "there are fewer elements than ranks. recursive_doubling serves instead" in refused.err


def test_a_replay_with_an_algorithm_that_serves_no_call_is_refused_and_its_cure_works(sandbox: Sandbox) -> None:
    sandbox.run(6, "not_commuting", options=("-o", "it.trace"))
    refused = sandbox.orrery("replay", "it.trace", "--coll", "allreduce=ring")
    assert refused.code == 2
    assert "--coll: ring serves none of the 60 calls of allreduce" in refused.err
    assert "Leave it out, and recursive_doubling serves, or name an algorithm that serves" in refused.err
    assert sandbox.orrery("replay", "it.trace").code == 0
    assert sandbox.orrery("replay", "it.trace", "--coll", "allreduce=recursive_doubling").code == 0


def test_forcing_an_algorithm_for_what_nobody_calls_is_told(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "not_commuting", options=("--coll", "bcast=binomial,scan=linear"))
    said = "--coll: what it says of bcast or scan has no effect, since no rank calls them"
    assert said in ended.record["cautions"]


def test_rules_that_fit_no_call_are_told(sandbox: Sandbox) -> None:
    rules = '[[rule]]\ncollective = "allreduce"\nmin_ranks = 100\nalgorithm = "ring"\n'
    (sandbox.folder / "large.toml").write_text(rules)
    ended = sandbox.run(2, "not_commuting", options=("--selector-rules", "large.toml"))
    said = "rules file large.toml: no rule of allreduce fits any of its 20 calls (each rank counted)"
    assert any(caution.startswith(said) for caution in ended.record["cautions"])
    (sandbox.folder / "other.toml").write_text(rules.replace("allreduce", "bcast").replace("ring", "binomial"))
    ended = sandbox.run(2, "not_commuting", options=("--selector-rules", "other.toml"))
    said = "rules file other.toml: has no effect, since no rank calls bcast"
    assert said in ended.record["cautions"]


def test_a_leaf_for_buffers_on_gpus_is_named_with_what_served_instead(sandbox: Sandbox) -> None:
    (sandbox.folder / "ccl.json").write_text(json.dumps(CCL))
    ended = sandbox.run(4, "not_commuting", "too", options=("--selector", "mpich-5.0", "--selector-rules", "ccl.json"))
    (said,) = [caution for caution in ended.record["cautions"] if "ccl=rccl" in caution]
    assert said.startswith("rules file: ccl=rccl served none of 44 calls of MPI_Allreduce (each rank counted): ")
    assert "memory of GPUs" in said
    assert "recursive_doubling and reduce_scatter_allgather served instead" in said
    assert said in ended.err
    table = sandbox.orrery("collective", "allreduce", "-n", "4", "-s", "8", "--selector-rules", "ccl.json")
    assert table.code == 0
    assert "ccl=rccl does not serve 1 of 1 calls of allreduce, such as 4 ranks with 8 bytes" in table.out


def test_the_table_of_calls_refuses_a_forced_algorithm_that_serves_none_of_them(sandbox: Sandbox) -> None:
    forced = ("--coll", "alltoall=two_proc")
    refused = sandbox.orrery("collective", "alltoall", "-n", "6", "-s", "8", *forced)
    assert refused.code == 2
    assert "--coll: two_proc does not serve 1 of 1 calls of alltoall, such as 6 ranks with 8 bytes" in refused.err
    some = sandbox.orrery("collective", "alltoall", "-n", "2,6", "-s", "8", *forced)
    assert some.code == 0
    assert "two_proc does not serve 1 of 2 calls of alltoall" in some.out


def test_validation_refuses_a_forced_algorithm_that_serves_no_measured_case(sandbox: Sandbox) -> None:
    head = "op,nprocs,bytes,iters,tmax_min,tmax_med,tmax_p90\n"
    (sandbox.folder / "times.csv").write_text(f"{head}alltoall,6,8,2,1,2,3\nallreduce,6,4096,2,1,2,3\n")
    compare = ("validate", "collectives", "--ingest", "times.csv", "--replicas", "1", "--json")
    assert sandbox.orrery(*compare, "--coll", "alltoall=two_proc").code == 2
    ring = json.loads(sandbox.orrery(*compare, "--coll", "allreduce=ring").out)
    assert ring["selector"] == "default (allreduce=ring)"
    (sandbox.folder / "ring.toml").write_text('[[rule]]\ncollective = "allreduce"\nalgorithm = "ring"\n')
    ruled = json.loads(sandbox.orrery(*compare, "--selector-rules", "ring.toml").out)
    assert ruled["cases"] == ring["cases"]


def test_the_selector_best_leaves_to_the_user_what_is_fixed(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "not_commuting", "too", options=("--selector", "best", "--coll", "alltoall=pairwise"))
    assert {use["algorithm"] for use in ended.record["algorithms"] if use["routine"] == "MPI_Alltoall"} == {"pairwise"}


def test_comparisons_and_benchmarks_say_which_rules_are_not_obeyed(sandbox: Sandbox) -> None:
    (sandbox.folder / "ccl.json").write_text(json.dumps(CCL))
    compared = sandbox.orrery(
        "compare", "selectors", "mpich-5.0", "ccl.json", "-n", "4", "-s", "8", "--collective", "allreduce"
    )
    assert compared.code == 0, compared.err
    said = "caution: rules file ccl.json: ccl=rccl does not serve 1 of 1 calls of allreduce"
    assert said in compared.out
    timed = sandbox.orrery("benchmark", "allreduce", "-n", "4", "-s", "8", "--selector-rules", "ccl.json")
    assert said in timed.out
    refused = sandbox.orrery("benchmark", "alltoall", "-n", "6", "-s", "8", "--coll", "alltoall=two_proc")
    assert refused.code == 2


def _converted(sandbox: Sandbox, form: str, *options: str) -> Ended:
    line = ("trace", "convert", "it.trace", "-o", f"out.{form}", "--format", form, "--overwrite", *options)
    return sandbox.orrery(*line)


def test_a_conversion_with_an_algorithm_that_serves_no_call_is_refused_and_its_cure_works(sandbox: Sandbox) -> None:
    sandbox.run(6, "not_commuting", options=("-o", "it.trace"))
    refused = _converted(sandbox, "goal", "--coll", "allreduce=ring")
    assert refused.code == 2
    assert "--coll: ring serves none of the 60 calls of allreduce" in refused.err
    assert not (sandbox.folder / "out.goal").exists()
    cured = _converted(sandbox, "goal", "--coll", "allreduce=recursive_doubling")
    assert cured.code == 0
    assert "--coll" not in cured.err


def test_a_conversion_says_which_forced_algorithms_did_not_serve_all_calls_and_what_did(sandbox: Sandbox) -> None:
    sandbox.run(6, "not_commuting", "too", options=("-o", "it.trace"))
    ended = _converted(sandbox, "goal", "--coll", "allreduce=ring", "--json")
    said = "--coll: ring served not 60 of 66 calls of MPI_Allreduce (each rank counted): the operation does not commute"
    (caution,) = json.loads(ended.out)["cautions"]
    assert caution.startswith(said)
    assert caution.endswith("recursive_doubling served instead")
    assert f"orrery: it.trace: {caution}\n" in _converted(sandbox, "goal", "--coll", "allreduce=ring").err


def test_an_algorithm_that_has_to_know_where_ranks_are_is_refused_in_a_conversion(sandbox: Sandbox) -> None:
    """A replay knows the places of ranks, and `han` serves there; neither format has a word for them."""
    sandbox.run(4, "not_commuting", "too", options=("-o", "it.trace", "--map", "ppr:2"))
    refused = _converted(sandbox, "goal", "--coll", "bcast=han,allreduce=han")
    assert refused.code == 2
    assert "--coll: han serves none of the" in refused.err
    assert "calls of allreduce" in refused.err


def test_an_algorithm_for_calls_that_a_format_has_a_word_for_has_no_effect_and_that_is_told(sandbox: Sandbox) -> None:
    sandbox.run(6, "not_commuting", options=("-o", "it.trace"))
    ended = _converted(sandbox, "ti", "--coll", "allreduce=ring")
    assert ended.code == 0
    assert "--coll: what it says of allreduce has no effect, since no such call is written as messages" in ended.err


def test_a_time_independent_trace_says_which_of_the_calls_that_become_messages_were_not_served(
    sandbox: Sandbox,
) -> None:
    trace = sandbox.folder / "it.trace"
    writer = _core.TraceWriter(str(trace), 4)
    kinds = _core.operation_kinds()
    writer.communicator(1, [3, 0, 2])
    for rank in range(4):
        if rank != 1:
            writer.operation(
                rank, kinds.index("collective"), collective="alltoall", comm=1, bytes=64, element=8, flags=11
            )
        writer.operation(rank, kinds.index("finalize"), flags=2)
        writer.end(rank)
    writer.close()
    refused = _converted(sandbox, "ti", "--coll", "alltoall=two_proc")
    assert refused.code == 2
    assert (
        "--coll: two_proc serves none of the 3 calls of alltoall (each rank counted): it is for two ranks"
        in refused.err
    )
    assert not (sandbox.folder / "out.ti").exists()
    assert not (sandbox.folder / "out.ti_files").exists()
