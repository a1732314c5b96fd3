# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI: what it chooses itself comes from a file, and rules become environment variables that it takes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import real_mpis
from harness import Sandbox
from orrery.benchmark.cases import LoopCase
from orrery.benchmark.real import RealLibrary
from orrery.collective.intel_numbers import NUMBERS
from orrery.errors import InputError, OrreryError
from orrery.real_mpi.starter import release_of
from orrery.rules import MOST_BYTES
from orrery.tune import files
from orrery.tune import seen as seen_module
from orrery.tune.check import CheckResult
from orrery.tune.forced import forced
from orrery.tune.formats import intel
from orrery.tune.library import AlgorithmVariant, Library, library, library_of
from orrery.tune.readback import check
from orrery.tune.rounds import GainInterval
from orrery.tune.rules import RuleRow, RulesOrigin, SizeBand, TunedRules

NAME = "intel-2021"
BIN = real_mpis.INSTALLED / "intel" / "bin"
REAL = pytest.mark.skipif(
    not (BIN / "mpiexec").exists(), reason="there is no real Intel MPI (make test INTEL_MPI=yes gets it)"
)
OWN = """
[[rule]]
collective = "bcast"
max_bytes = 8192
algorithm = "binomial_halving"
[[rule]]
collective = "bcast"
algorithm = "scatter_ring_allgather"
[[rule]]
collective = "allreduce"
min_ranks = 6
algorithm = "reduce_scatter_allgather"
[[rule]]
collective = "allreduce"
algorithm = "recursive_doubling"
"""
MADE = RulesOrigin(orrery="0.2.0", platform="graphene, 0123", mapping="node by node")


@pytest.fixture
def of(tmp_path: Path) -> Library:
    file = tmp_path / "own.toml"
    file.write_text(OWN)
    return library(NAME, file)


def variant(of: Library, kind: str, ours: str, ranks: int = 4) -> AlgorithmVariant:
    call = LoopCase(kind, ranks, 65536).call.core(0)
    return next(candidate for candidate in of.variants(call, kind, 65536, ()) if candidate.ours == ours)


def row(kind: str, ranks: tuple[int, int], *cuts: tuple[int, AlgorithmVariant | None]) -> RuleRow:
    """From the last size of each band, and its algorithm."""
    starts = [0, *(last + 1 for last, _ in cuts)]
    bands = tuple(SizeBand(bytes_from=a, bytes_to=b, variant=c) for a, (b, c) in zip(starts, cuts, strict=False))
    return RuleRow(kind=kind, ranks_from=ranks[0], ranks_to=ranks[1], bands=bands, counts=ranks[:1])


def test_sizes_that_are_left_to_the_library_have_the_numbers_of_its_own_choices(of: Library) -> None:
    ring = variant(of, "bcast", "scatter_ring_allgather")
    tuned = TunedRules(library=of, rows=(row("bcast", (4, 7), (99, None), (999, ring), (MOST_BYTES, None)),), made=MADE)
    assert intel.variables(tuned, 5) == {"I_MPI_ADJUST_BCAST": "1:0-99;3:100-999;1:1000-8192;3:8193-2147483647"}
    assert intel.variables(tuned, 8) == {}
    whole = TunedRules(library=of, rows=(row("bcast", (4, 7), (MOST_BYTES, ring)),), made=MADE)
    assert intel.variables(whole, 4) == {"I_MPI_ADJUST_BCAST": "3"}
    assert forced(of, "bcast", ring) == {"I_MPI_ADJUST_BCAST": "3"}


def test_a_script_sets_variables_for_the_number_of_ranks_that_it_is_told(of: Library, tmp_path: Path) -> None:
    ring = variant(of, "allreduce", "ring")
    rows = (row("allreduce", (4, 9), (1023, None), (MOST_BYTES, ring)),)
    script = tmp_path / files.INTEL
    script.write_text(intel.script(TunedRules(library=of, rows=rows, made=MADE), files.INTEL, ["made by hand"]))

    def said(*arguments: str) -> tuple[int, str, str]:
        line = '. "$0" "$@"; code=$?; echo "${I_MPI_ADJUST_ALLREDUCE-none}"; exit $code'
        done = subprocess.run(["sh", "-c", line, script, *arguments], check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.strip(), done.stderr

    # From 6 ranks on the library's own choice is another one.
    assert said("4")[:2] == said("5")[:2] == (0, "1:0-1023;8:1024-2147483647")
    assert said("6")[:2] == said("9")[:2] == (0, "2:0-1023;8:1024-2147483647")
    assert said("3")[:2] == said("10")[:2] == (0, "none")
    for wrong in ((), ("x",), ("",)):
        code, value, err = said(*wrong)
        assert (code, value) == (2, "none")
        assert "expected a number of ranks" in err


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_is_written_says_what_the_rules_say(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("own") / "own.toml"
    file.write_text(OWN)
    of = library(NAME, file)
    rows = []
    for kind in data.draw(st.lists(st.sampled_from(["bcast", "allreduce"]), min_size=1, unique=True)):
        ranks = data.draw(st.integers(3, 9))
        call = LoopCase(kind, ranks, 65536).call.core(0)
        choices = st.sampled_from([None, *of.variants(call, kind, 65536, ())])
        limits = sorted(data.draw(st.sets(st.integers(0, 1 << 33), max_size=4)))
        cuts = [(last, data.draw(choices)) for last in [*limits, MOST_BYTES]]
        rows.append(row(kind, (ranks, data.draw(st.integers(ranks, 12))), *cuts))
    tuned = TunedRules(library=of, rows=tuple(rows), made=MADE)
    texts = files.files_of(tuned, file.parent)
    check(tuned, texts)
    if files.INTEL in texts and "3:" in texts[files.INTEL]:
        with pytest.raises(OrreryError):
            check(tuned, texts | {files.INTEL: texts[files.INTEL].replace("3:", "9:")})


@pytest.mark.parametrize("value", ["1:5-10", "1:0-10;3:12-20", "1:0-10;3", "99", "1:0-10@4-8", "", "ring"])
def test_what_the_library_would_ignore_or_stretch_is_refused(value: str, tmp_path: Path) -> None:
    script = tmp_path / "it.sh"
    script.write_text(f'export I_MPI_ADJUST_BCAST="{value}"\n')
    with pytest.raises(InputError, match="I_MPI_ADJUST_BCAST"):
        intel.read(script, 4)


def test_algorithms_that_run_only_on_powers_of_two_are_not_offered_for_others(of: Library) -> None:
    name = "scatter_recursive_doubling_allgather"
    names = {
        ranks: {
            variant.ours for variant in of.variants(LoopCase("bcast", ranks, 65536).call.core(0), "bcast", 65536, ())
        }
        for ranks in (6, 8)
    }
    assert names[8] - names[6] == {name}
    for kind, numbers in NUMBERS.items():
        call = LoopCase(kind, 8, 0 if kind == "barrier" else 65536).call.core(0)
        assert {variant.ours for variant in of.variants(call, kind, 65536, ())} == set(numbers)


def test_a_launcher_says_that_it_is_intels(tmp_path: Path) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\necho 'Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626'\n")
    launcher.chmod(0o755)
    assert release_of([str(launcher)]) == ("intel", "2021.18.1")
    assert library_of(f"{launcher} -n {{n}}").name == NAME


def tune(sandbox: Sandbox, *arguments: str, own: str = OWN) -> tuple[int, str, str]:
    (sandbox.folder / "own.toml").write_text(own)
    ended = sandbox.orrery("tune", *arguments)
    return ended.code, ended.out, ended.err


def test_rules_are_held_against_the_choices_of_the_file(sandbox: Sandbox) -> None:
    line = ("bcast", "--library", NAME, "-p", "graphene", "-n", "8", "-s", "1KiB,64KiB", "--no-own", "--json")
    code, out, err = tune(sandbox, *line, "--own-choices", "own.toml", "-o", "files")
    assert code == 0, err
    found = json.loads(out)
    assert [cell["default"] for cell in found["cells"]] == ["binomial_halving", "scatter_ring_allgather"]
    text = (sandbox.folder / "files" / files.INTEL).read_text()
    assert text.startswith("# Written by Orrery")
    assert "export I_MPI_ADJUST_BCAST=" in text
    assert found["load"] == [f". {sandbox.folder / 'files' / files.INTEL} 8   # the number of ranks"]


def test_a_program_is_tuned_beside_the_choices_of_the_file(sandbox: Sandbox) -> None:
    sandbox.run(
        8, "long_collectives", options=("-o", "it.trace", "-p", "graphene", "--map", "node", "--compute", "none")
    )
    line = ("--for", "it.trace", "--library", NAME, "-p", "graphene", "--no-own", "--json")
    code, out, err = tune(
        sandbox, *line, "--own-choices", "own.toml", own=OWN.replace("reduce_scatter_allgather", "recursive_doubling")
    )
    assert code == 0, err
    found = json.loads(out)
    before_s, after_s = found["program_s"], found["program_tuned_s"]
    assert {cell["collective"]: cell["default"] for cell in found["cells"]} == {
        "allreduce": "recursive_doubling",
        "bcast": "scatter_ring_allgather",
    }
    assert after_s < before_s
    assert "allreduce" in {rule["collective"] for rule in found["rules"]}


@pytest.mark.parametrize(
    ("arguments", "own", "wrong"),
    [
        ((), OWN, "--own-choices: Orrery does not know what intel-2021 chooses itself"),
        (("--own-choices", "own.toml"), OWN.replace("8192", "80000000000\nmin_bytes = 8"), "no rule says what intel-2021 chooses for bcast of 0"),
        (("--own-choices", "own.toml"), OWN.replace("scatter_ring_allgather", "chain"), "rule 2: bcast by chain: settings of intel-2021"),
        (("--own-choices", "own.toml"), OWN.replace("scatter_ring_allgather", "library"), "rule 2: bcast by library"),
        (("--own-choices", "none.toml"), OWN, "none.toml: No such file"),
        (("--own-choices", "own.toml", "--any-operation"), OWN, "right for all operations anyway"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_say_what_the_library_chooses_is_refused(
    sandbox: Sandbox, arguments: tuple[str, ...], own: str, wrong: str
) -> None:
    own = own.replace('algorithm = "scatter_ring_allgather"', 'min_bytes = 8193\nalgorithm = "scatter_ring_allgather"')
    code, _, err = tune(sandbox, "bcast", "--library", NAME, "-p", "graphene", "-n", "4", *arguments, own=own)
    assert (code, wrong in err) == (2, True), err


def test_choices_of_a_library_that_is_known_are_refused(sandbox: Sandbox) -> None:
    line = ("bcast", "--library", "openmpi-4.1", "--own-choices", "own.toml", "-p", "graphene", "-n", "4")
    code, _, err = tune(sandbox, *line)
    assert (code, "--own-choices: what openmpi-4.1 chooses itself is known" in err) == (2, True)


def test_rules_are_taken_out_where_they_slow_other_sizes_down() -> None:
    better, same, worse = GainInterval(1.5, 1.4, 1.6), GainInterval(1.0, 0.9, 1.1), GainInterval(0.8, 0.7, 0.9)
    checked = CheckResult(
        cells={LoopCase("bcast", 4, 8): better, LoopCase("bcast", 8, 8): better, LoopCase("reduce", 4, 8): same},
        left={LoopCase("bcast", 4, 16): worse, LoopCase("bcast", 8, 16): same},
    )
    assert checked.fell == {LoopCase("bcast", 4, 8), LoopCase("reduce", 4, 8)}
    assert checked.slower == [LoopCase("bcast", 4, 16)]


# The real library


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> RealLibrary:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("I_MPI_ROOT", str(BIN.parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(sandbox.built / "cache"))
    return RealLibrary(mpirun=f"{BIN / 'mpiexec'} -n {{n}}", mpicc=str(BIN / "mpicc"))


@REAL
def test_the_real_library_takes_the_settings(
    of: Library, real: RealLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert library_of(real.mpirun).name == NAME
    rows = (
        row("bcast", (3, 3), (999, variant(of, "bcast", "scatter_ring_allgather")), (MOST_BYTES, None)),
        row("allreduce", (2, 2), (MOST_BYTES, variant(of, "allreduce", "ring"))),
    )
    tuned = TunedRules(library=of, rows=rows, made=MADE)
    found = seen_module.see(tuned, tmp_path, real, print)
    assert (found.taken, found.calls) == ([2, 3], 0)
    monkeypatch.setattr(seen_module, "environment", lambda *_: {"I_MPI_ADJUST_BCAST": "99:0-10"})
    with pytest.raises(OrreryError, match=r"(?s)do not take effect.*BCAST=99"):
        seen_module.see(tuned, tmp_path, real, print)


@REAL
def test_loops_of_the_real_library_decide(sandbox: Sandbox, real: RealLibrary) -> None:
    sandbox.environment |= {"I_MPI_ROOT": str(BIN.parent), "XDG_CACHE_HOME": str(sandbox.built / "cache")}
    line = ("bcast", "-p", "default", "-n", "2", "-s", "64KiB", "--no-own", "--json", "--share", "1", "--rounds", "1")
    code, out, err = tune(sandbox, *line, "--own-choices", "own.toml", "--mpirun", real.mpirun, "-o", "files")
    assert code == 0, err
    found = json.loads(out)
    assert found["library"] == NAME
    assert found["measurements"] >= 1
