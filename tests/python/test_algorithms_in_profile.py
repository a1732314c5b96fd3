# SPDX-License-Identifier: BSD-3-Clause
"""The user sees which algorithm served which collective routine."""

from __future__ import annotations

from harness import Sandbox
from orrery.record.document import AlgorithmUse
from orrery.report.algorithms import algorithm_table


def test_the_record_of_a_run_has_calls_messages_and_bytes_by_routine_and_algorithm(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "collectives", options=("--selector", "openmpi-4.1"))
    assert ended.code == 0
    found = {
        (use["routine"], use["algorithm"]): (use["calls"], use["messages"], use["bytes"])
        for use in ended.record["algorithms"]
    }
    assert found["MPI_Allreduce", "recursive_doubling"] == (12, 3 * 8, 3 * 8 * 16)  # 2 messages per rank and call
    # Half of the vector and then a quarter to and fro: 4 messages of a rank, 2 · 3/4 of 128 KiB.
    assert found["MPI_Allreduce", "rabenseifner"] == (4, 16, 4 * 2 * 3 * 32768)
    assert found["MPI_Ibcast", "linear"] == (4, 3, 24)
    assert found["MPI_Barrier", "linear"] == (4, 6, 0)
    assert "MPI_Allreduce() by rabenseifner" in ended.err
    shown = sandbox.orrery("profile", "run.json")
    assert "MPI_Ibcast() by linear" in shown.out


def test_rules_of_a_file_decide_in_a_run_and_are_named_in_its_report(sandbox: Sandbox) -> None:
    rules = sandbox.folder / "rules.conf"
    rules.write_text("1\n2 # allreduce\n1\n2\n2\n0 1 0 0 # basic_linear\n1024 4 0 0 # ring\n")
    ended = sandbox.run(4, "collectives", options=("--selector", "openmpi-5.0", "--selector-rules", "rules.conf"))
    used = {use["algorithm"] for use in ended.record["algorithms"] if use["routine"] == "MPI_Allreduce"}
    assert used == {"basic_linear", "ring"}
    assert ended.record["rules"] == "rules.conf"
    assert "selector openmpi-5.0, rules of rules.conf" in ended.err


def test_a_rules_file_that_cannot_be_used_ends_with_its_line(sandbox: Sandbox) -> None:
    (sandbox.folder / "rules.conf").write_text("1\n2\n1\n2\n1\n0 9 0 0\n")
    ended = sandbox.run(2, "collectives", options=("--selector-rules", "rules.conf"))
    assert ended.code == 2
    assert "rules.conf:6: allreduce has no algorithm 9" in ended.err


def test_the_help_names_the_selectors_that_there_are(sandbox: Sandbox) -> None:
    for command in ("run", "collective"):
        shown = " ".join(sandbox.orrery(command, "--help").out.split())
        assert "openmpi-5.0" in shown


def test_the_table_has_a_line_for_each_routine_and_algorithm() -> None:
    uses = [
        AlgorithmUse(routine="MPI_Bcast", algorithm="chain:fanout=2", calls=12, messages=1_000, bytes=8_000_000),
        AlgorithmUse(routine="MPI_Barrier", algorithm="linear", calls=4, messages=6, bytes=0),
    ]
    assert algorithm_table(uses).splitlines() == [
        "#Call  Messages      Bytes  Collective by algorithm",
        "-" * len("#Call  Messages      Bytes  MPI_Bcast() by chain:fanout=2"),
        "   12     1,000  8,000,000  MPI_Bcast() by chain:fanout=2",
        "    4         6          0  MPI_Barrier() by linear",
    ]
    assert algorithm_table([]) == ""
