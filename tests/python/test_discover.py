# SPDX-License-Identifier: BSD-3-Clause
"""What an MPI chooses is inferred from times alone: of choices that are known, with noise."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from math import exp, inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import Sandbox, until
from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.collective.laboratory import Laboratory
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.evidence.statement import Statement
from orrery.tune.discover.candidates import Candidates
from orrery.tune.discover.chain import SizeTimes, decoded, posterior
from orrery.tune.discover.error import Error
from orrery.tune.discover.infer import ALIKE, Inference, LibraryChoice, ObservedCell, infer
from orrery.tune.discover.selector_file import bands_of, text_of
from orrery.tune.discover.session import Discovery, first_cases
from orrery.tune.discover.simulate import SimulatedTurns
from orrery.tune.discover.sizes import further
from orrery.tune.library import LIBRARIES, library
from real_mpis import MPIS, tool

KINDS = ("barrier", "bcast", "allreduce", "gather", "alltoall")
RANKS = 8
NOISE = 0.1
ALL = tuple(library(name) for name in LIBRARIES)


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedTurns]:
    """Turns of all candidates on graphene."""
    laboratory = Laboratory("graphene", None, "node", said=False)
    with laboratory.open():
        cases = first_cases(KINDS, [RANKS], (4, 1 << 20))
        found = SimulatedTurns(laboratory, Candidates.of(ALL, cases, laboratory))
        found.add(cases, {RANKS: "recursive_doubling"}, lambda _done, _all: None)
        yield found


def chosen(name: str, case: LoopCase) -> str:
    return _core.Selector(name).choose(case.call.core(0)).name


def as_measured(simulated: SimulatedTurns, hidden: str, noise: float, seed: int) -> list[ObservedCell]:
    """The times of a library's own choices, each off by a normal error, and all of them by a common one."""
    draw = np.random.default_rng(seed)
    shift = exp(draw.normal(0, noise))
    cells = []
    for case, times in simulated.times.items():
        true_s = times[chosen(hidden, case)]
        measured_s = true_s * shift * exp(draw.normal(0, noise / 2))
        cells.append(ObservedCell(*case, measured_s=measured_s, spread=noise, times=times))
    return cells


def right(choice: LibraryChoice, hidden: str) -> bool:
    """Whether the choice is the hidden one, or takes the same time."""
    times = choice.observed.times
    return abs(log(times[choice.algorithm] / times[chosen(hidden, choice.observed.case)])) < ALIKE


def tells(choice: LibraryChoice, hidden: str) -> bool:
    """Whether all alternatives but those of its class differ from the hidden choice by more than 20 %."""
    times = choice.observed.times
    own_s = times[chosen(hidden, choice.observed.case)]
    apart = [abs(log(time_s / own_s)) for time_s in times.values()]
    return all(distance < ALIKE or distance > log(1.2) for distance in apart) and max(apart) > log(1.2)


@pytest.mark.parametrize("hidden", ["openmpi-4.1", "mpich-4.0"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_choices_of_a_library_come_back_from_times_with_ten_per_cent_of_noise(
    simulated: SimulatedTurns, hidden: str, seed: int
) -> None:
    found = infer(as_measured(simulated, hidden, NOISE, seed), simulated.candidates.families)
    told = [choice for choice in found.choices if tells(choice, hidden)]
    assert len(told) >= 10
    assert sum(right(choice, hidden) for choice in told) >= 0.85 * len(told), f"seed {seed}"
    assert sum(right(choice, hidden) for choice in found.choices) >= 0.7 * len(found.choices), f"seed {seed}"


def test_without_noise_every_class_is_right_and_sure(simulated: SimulatedTurns) -> None:
    found = infer(as_measured(simulated, "openmpi-4.1", 1e-9, 1), simulated.candidates.families)
    cells = [cell for cell in found.choices if not right(cell, "openmpi-4.1")]
    assert not cells


def test_confidence_is_not_boasted(simulated: SimulatedTurns) -> None:
    """A share of p is right, to a few, of choices whose confidence is p on average."""
    choices = [
        (choice.confidence, right(choice, hidden))
        for hidden in ("openmpi-4.1", "mpich-4.0", "mpich-5.0")
        for seed in range(5)
        for choice in infer(as_measured(simulated, hidden, 0.2, seed), simulated.candidates.families).choices
    ]
    mean = sum(confidence for confidence, _ in choices) / len(choices)
    assert abs(sum(ok for _, ok in choices) / len(choices) - mean) < 0.1


def test_the_library_is_known_by_algorithms_that_others_do_not_have(simulated: SimulatedTurns) -> None:
    found = infer(as_measured(simulated, "mpich-4.0", 0.05, 1), simulated.candidates.families)
    assert max(found.families, key=lambda name: found.families[name]).startswith("mpich")
    assert sum(found.families.values()) == pytest.approx(1)


def cell(size: int, measured_s: float, times: dict[str, float], spread: float = 0.1) -> ObservedCell:
    return ObservedCell("bcast", 8, size, measured_s=measured_s, spread=spread, times=times)


FAMILY = {"one": {"bcast": frozenset({"linear", "binomial", "chain", "knomial"})}}


def test_algorithms_of_the_same_time_are_one_class() -> None:
    times = {"linear": 3.0, "binomial": 1.0, "knomial": 1.01, "chain": 5.0}
    (choice,) = infer([cell(64, 1.02, times)], FAMILY).choices
    assert choice.algorithm in {"binomial", "knomial"}
    assert {other.algorithm for other in choice.alike} == {"binomial", "knomial"} - {choice.algorithm}
    assert choice.confidence > 0.99
    assert choice.second == "linear"


def test_a_common_shift_is_not_taken_for_another_algorithm() -> None:
    """All times are 25 % more than simulated: chain would fit the second cell better, but the pattern is binomial's."""
    rows = [
        cell(4 << 2 * step, 1.25 * base, {"binomial": base, "chain": base * factor}, 0.2)
        for step, (base, factor) in enumerate([(1.0, 3.0), (2.0, 1.25), (4.0, 3.0), (8.0, 3.0)])
    ]
    assert [choice.algorithm for choice in infer(rows, FAMILY).choices] == ["binomial"] * 4


def test_forward_and_backward_sums_are_those_over_all_paths() -> None:
    """With a spread that the shift hardly moves: three sizes, two algorithms, all eight paths."""
    logs = np.array([[0.0, 1.0], [0.0, 0.2], [1.0, 0.0]])
    sizes = [SizeTimes(4 << 2 * step, 0.1, row, 0.5) for step, row in enumerate(logs)]
    found = posterior(sizes, np.array([0.5, 0.5]))
    assert found.shares.sum(axis=1) == pytest.approx(1)
    assert found.shares[0, 0] > found.shares[1, 0] > found.shares[2, 0]
    backwards = posterior(
        [SizeTimes(4 << 2 * step, 0.1, row, 0.5) for step, row in enumerate(logs[::-1])], np.array([0.5, 0.5])
    )
    assert backwards.evidence == pytest.approx(found.evidence, rel=1e-3)
    assert backwards.shares[::-1] == pytest.approx(found.shares, rel=1e-2)


def test_a_path_changes_only_where_that_is_worth_its_price() -> None:
    masses = np.array([[0.9, 0.1], [0.45, 0.5], [0.9, 0.1], [0.0, 1.0], [0.0, 1.0]])
    assert decoded(masses, 0.1) == [0, 0, 0, 1, 1]
    assert decoded(masses, 0.0) == [0, 1, 0, 1, 1]


def test_limits_are_looked_for_in_the_middle_and_doubts_where_algorithms_differ() -> None:
    low, high = infer(
        [cell(64, 1.0, {"linear": 1.0, "chain": 9.0}), cell(4096, 1.0, {"linear": 9.0, "chain": 1.0})], FAMILY
    ).choices
    assert (low.algorithm, high.algorithm) == ("linear", "chain")
    assert further([low, high], 5) == [LoopCase("bcast", 8, 512)]
    assert further([low, high], 0) == []
    doubts = infer(
        [cell(64, 1.0, {"linear": 1.0, "chain": 1.06}, 0.3), cell(4096, 1.0, {"linear": 1.0, "chain": 1.2}, 0.3)],
        FAMILY,
    ).choices
    (more,) = further(doubts, 5)
    assert 512 < more.bytes < 4096


def discovery(choices: list[LibraryChoice]) -> Discovery:
    return Discovery(
        inferred=Inference(choices=choices, families={"any": 1.0}),
        missing=[],
        platform="graphene",
        mapping="node",
        loops=len(choices),
        exhaustive=9,
    )


def test_the_file_is_a_selector(tmp_path: Path) -> None:
    """Rules decide as was inferred: at the sizes, between them, and on numbers of ranks up to the next."""
    rows = [
        ObservedCell("bcast", ranks, size, measured_s=1.0, spread=0.1, times=times)
        for ranks in (4, 16)
        for size, times in (
            (64, {"linear": 1.0, "chain:segment=1KiB:fanout=2": 9.0}),
            (4096, {"linear": 9.0, "chain:segment=1KiB:fanout=2": 1.0}),
        )
    ]
    choices = infer(rows, FAMILY).choices
    assert [(band.min_bytes, band.max_bytes) for band in bands_of(choices)][:2] == [(0, 512), (513, None)]
    file = tmp_path / "rules.toml"
    file.write_text(text_of(discovery(choices)), encoding="utf-8")
    selector = selector_named("mpich-4.0", "", file)
    for ranks in (2, 4, 15, 16, 99):
        for size, name in (
            (0, "linear"),
            (512, "linear"),
            (513, "chain:segment=1KiB:fanout=2"),
            (1 << 30, "chain:segment=1KiB:fanout=2"),
        ):
            assert selector.choose(_core.CollectiveCall("bcast", size=ranks, bytes=size)).name == name
    other = _core.CollectiveCall("allreduce", size=4, bytes=64, element=8)
    assert selector.choose(other).name == _core.Selector("mpich-4.0").choose(other).name


def test_grids_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="expected the least size and the largest"):
        first_cases(["bcast"], [4], (0, 64))
    with pytest.raises(InputError, match="allreduce reduces numbers of 4 bytes"):
        first_cases(["allreduce"], [4], (6, 64))
    assert [case.bytes for case in first_cases(["bcast"], [4], (4, 100))] == [4, 16, 64, 100]
    assert first_cases(["barrier"], [4], (4, 100)) == [LoopCase("barrier", 4, 0)]


def test_poor_calibrations_make_choices_less_sure() -> None:
    case = LoopCase("bcast", 8, 64)
    good = Error(Statement("good", "undisturbed", 0.0, ((inf, 0.05),)))
    poor = Error(Statement("poor", "disturbed", 0.5, ((inf, 2.0),)))
    assert poor.spread(case) > good.spread(case)
    assert Error(None).spread(case) > poor.spread(case)
    assert good.spread(case, 0.5) > 0.5


RULES = """
[[rule]]
collective = "bcast"
max_bytes = "1KiB"
algorithm = "chain:segment=1KiB:fanout=2"

[[rule]]
collective = "bcast"
max_ranks = 8
algorithm = "library"

[[rule]]
collective = "reduce_scatter"
algorithm = "pairwise"
"""


def test_rules_of_ours_overrule_any_selector(sandbox: Sandbox) -> None:
    (sandbox.folder / "rules.toml").write_text(RULES, encoding="utf-8")
    words = (
        "collective",
        "bcast",
        "reduce_scatter",
        "-n",
        "8",
        "-s",
        "1KiB,64KiB",
        "--json",
        "--selector",
        "mpich-4.0",
    )
    ended = sandbox.orrery(*words, "--selector-rules", "rules.toml")
    assert ended.code == 0, ended.err
    own = json.loads(sandbox.orrery(*words).out)
    names = [prediction["algorithm"] for prediction in predictions(json.loads(ended.out))]
    assert names[0].startswith("chain")
    assert names[1] == predictions(own)[1]["algorithm"]  # left to the library
    assert names[2:] == ["pairwise", "pairwise"]


def predictions(shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [prediction for prediction in shown["predictions"] if prediction["chosen"]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[rule]]\ncollective = "bcats"\nalgorithm = "ring"\n', "did you mean"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "rings"\n', 'no algorithm of bcast is named "rings"'),
        ('[[rule]]\ncollective = "gatherv"\nmax_bytes = 9\nalgorithm = "linear"\n', "need not have the same bytes"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "linear"\nsegment = 4\n', "unknown key"),
        ('[[rule]]\ncollective = "bcast"\nmin_ranks = 9\nmax_ranks = 8\nalgorithm = "linear"\n', "no call fits"),
        ("[[rule]]\n", "is missing"),
        ("[[rule]\n]", "expected"),
    ],
)
def test_rules_that_cannot_be_are_refused(sandbox: Sandbox, text: str, complaint: str) -> None:
    (sandbox.folder / "rules.toml").write_text(text, encoding="utf-8")
    ended = sandbox.orrery("collective", "bcast", "-n", "4", "-s", "8", "--selector-rules", "rules.toml")
    assert ended.code == 2
    assert "rules.toml" in ended.err
    assert complaint in ended.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "Missing option '--mpirun'"),
        (["--mpirun", "mpirun -n {n}", "--check"], "No such option: --check"),
        (["--mpirun", "mpirun -n {n}", "--for", "x.trace"], "No such option: --for"),
        (["--mpirun", "mpirun -n {n}", "--overwrite"], "--overwrite: acts only with -o"),
        (["--mpirun", "mpirun -n {n}", "-n", "1"], "a message needs two ranks"),
        (["--mpirun", "mpirun -n {n}", "--library", "lam"], '"lam" cannot be tuned'),
        (["bcats", "--mpirun", "mpirun -n {n}"], '"bcats" is no collective that can be timed'),
        (["--mpirun", "no-such-launcher -n {n}", "--mpicc", "no-such-compiler"], "no-such"),
    ],
)
def test_what_cannot_be_discovered_is_refused(sandbox: Sandbox, words: list[str], complaint: str) -> None:
    ended = sandbox.orrery("tune", "discover", "-p", "graphene", *words)
    assert ended.code == 2
    assert complaint in ended.err


def real(sandbox: Sandbox, name: str) -> tuple[str, ...]:
    more = "--oversubscribe" if name == "openmpi" else ""
    sandbox.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    mpirun = f"{tool('mpirun', name)} {more} -n {{n}}"
    return (
        "tune",
        "discover",
        "-p",
        "graphene",
        "-n",
        "2,4",
        "--mpirun",
        mpirun,
        "--mpicc",
        str(tool("mpicc", name)),
    )


@pytest.mark.parametrize("name", MPIS)
def test_a_real_mpi_is_measured_and_its_file_is_a_selector(sandbox: Sandbox, name: str) -> None:
    """On one machine nothing fits a cluster's times: what is proven is the way, not the choices."""
    words = (
        *real(sandbox, name),
        "bcast",
        "barrier",
        "-s",
        "64:4KiB",
        "--rounds",
        "2",
        "--keep",
        "kept",
        "-o",
        "found",
    )
    ended = sandbox.orrery(*words, "--json")
    assert ended.code == 0, ended.err
    shown = json.loads(ended.out)
    assert {(cell["collective"], cell["ranks"]) for cell in shown["cells"]} == {
        (kind, ranks) for kind in ("bcast", "barrier") for ranks in (2, 4)
    }
    assert all(0 < cell["confidence"] <= 1.000001 for cell in shown["cells"])
    assert shown["loops"] <= shown["exhaustive"]
    again = sandbox.orrery(*words)
    assert again.code == 0, again.err
    assert "use        --selector-rules found/selector-rules.toml" in again.out
    used = sandbox.orrery("collective", "bcast", "-n", "4", "-s", "64", "--selector-rules", "found/selector-rules.toml")
    assert used.code == 0, used.err


@pytest.mark.parametrize("name", MPIS[:1])
def test_ctrl_c_leaves_what_is_measured(sandbox: Sandbox, name: str) -> None:
    process = sandbox.start(*real(sandbox, name), "-s", "4:4MiB", "--rounds", "50", "--keep", "kept")
    kept = sandbox.folder / "kept" / "discovered.csv"
    until(lambda: kept.exists() and len(kept.read_text().splitlines()) >= 10, process)
    process.send_signal(signal.SIGINT)
    ended = sandbox.finish(process)
    assert ended.code == 130, ended.err
    assert len(kept.read_text().splitlines()) >= 10
