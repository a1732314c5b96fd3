# SPDX-License-Identifier: BSD-3-Clause
"""One word, one meaning; what there was is refused with what there is."""

from __future__ import annotations

import os
import subprocess

import pytest

from harness import ORRERY, Sandbox
from orrery.cli.replaced import _REPLACED
from orrery.errors import unknown_key


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("run -n 2 --json run.json ./a", "-o FILE.json"),
        ("run -n 2 --json=run.json ./a", "-o FILE.json"),
        ("run -n 2 --trace a.trace ./a", "-o FILE.trace"),
        ("run -n 2 --start exec ./a", "--launch"),
        ("run -n 2 --sample-loops ./a", "ORRERY_SAMPLE_LOCAL"),
        ("replay a.trace --trace b.trace", "-o FILE.trace"),
        ("replay a.trace --json b.json", "-o FILE.json"),
        ("replay a.trace --print-json", "now --json"),
        ("capture --json a.json -- true", "flag"),
        ("profile a.trace --plot a.html", "-o FILE.html"),
        ("collective bcast -n 4 --plot a.html", "-o FILE.html"),
        ("collective bcast -n 4 --ranks-per-node 2", "--ppn"),
        ("validate --ingest a.csv --plot a.html", "-o FILE.html"),
        ("validate --mpirun mpirun -n 4 --seconds 3", "--budget"),
        ("platform show default --svg a.svg", "-o FILE.svg"),
        ("trace convert a.trace a.csv --to csv", "--format"),
        ("trace convert a.trace a.csv", "-o FILE"),
        ("trace slice a.trace b.trace", "-o FILE"),
        ("trace slice a.trace b.trace -o c.trace", "-o FILE"),
        ("trace slice a.trace -o b.trace --ranks 1", "--only"),
        ("trace import a.otf2 b.trace", "-o FILE"),
        ("trace dump a.trace -n 3", "--most"),
        ("trace dump a.trace --ranks 3", "--only"),
    ],
)
def test_an_old_spelling_is_refused_with_the_new_one_named(sandbox: Sandbox, line: str, now: str) -> None:
    ended = sandbox.orrery(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert now in ended.err
    assert ended.err.count("\n") == 1


def test_commands_with_old_spellings_are_there() -> None:
    for command in _REPLACED:
        done = subprocess.run([ORRERY, *command.split(), "--help"], check=False, capture_output=True)
        assert done.returncode == 0


def test_ranks_are_said_as_every_launcher_has_it(sandbox: Sandbox) -> None:
    for words in (["-np", "3"], ["-n", "3"], ["-n3"], ["--ranks", "3"], ["--ranks=3"]):
        ended = sandbox.orrery("run", *words, "-o", "run.json", sandbox.program("hello"))
        assert ended.code == 0, ended.err
        assert ended.record["ranks"] == 3


def test_sizes_are_said_as_benchmarks_have_it(sandbox: Sandbox) -> None:
    said = [sandbox.orrery("collective", "bcast", "-n", "4", "-s", size, "--csv").out for size in ("1M", "1MiB")]
    assert said[0] == said[1]
    assert "1048576" in said[0]


def test_the_shell_completes_commands_and_options() -> None:
    """As the function of bash does that `--show-completion bash` prints: through the program that users start."""

    def completed(line: str, word: int) -> set[str]:
        variables = {"_ORRERY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(word)}
        done = subprocess.run([ORRERY], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        return set(done.stdout.split())

    assert {"replay", "run"} <= completed("orrery r", 1)
    assert {"--platform", "--selector"} <= completed("orrery replay --", 2)
    variables = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # the test itself was started by no shell
    shown = subprocess.run(
        [ORRERY, "--show-completion", "bash"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_ORRERY_COMPLETE" in shown.stdout, shown.stderr


def test_options_without_an_effect_are_refused(sandbox: Sandbox) -> None:
    for line, said in (
        ("collective bcast -n 4 --barrier", "--barrier: acts only with --versus-sends"),
        ("collective bcast -n 4 --ppn 2", "--ppn: acts only with --messages"),
        ("collective bcast -n 4 --messages --model fluid", "--model: not with --messages"),
        ("collective bcast -n 4 --versus-sends --algorithm all", "--algorithm: not with --versus-sends"),
        ("collective allreduce -n 4 --root 1", "--root: allreduce: has none"),
        ("collective bcast -n 4 --json --csv", "print one of them"),
        ("validate suite s.toml --where a=b", "No such option: --where"),
        ("validate --suite s.toml --where a=b", "No such option: --where"),
        ("validate program --profile p.csv", "belong together"),
        ("validate --profile p.csv --record r.json --force", "No such option: --force"),
        ("validate trace a.trace --vary calibration", "--vary: acts only with --replicas"),
        ("validate collectives --ingest a.csv -s 4", "--size: acts not with --ingest"),
        ("validate collectives --mpirun m --ppn 4 bcast", "--ppn: acts on measured files (--ingest)"),
        ("trace convert a.trace -o a.csv --selector default", "--selector: is for ti, goal"),
        ("replay a.goal --loggops L=1 --map node", "--map: not with --loggops"),
        ("replay a.trace --ideal --model fluid", "--model: not with --ideal"),
        ("replay a.trace --vary calibration", "--replicas 20"),
        ("run -n 2 --vary calibration ./a", "--replicas 20"),
        ("run -n 2 --repeat 3 --replicas 3 ./a", "use one of them"),
        ("calibrate --ingest x --nodes 3", "--nodes, --ppn: not with --ingest"),
    ):
        ended = sandbox.orrery(*line.split())
        assert ended.code == 2, line
        assert said in ended.err, line


def test_a_misspelt_key_is_answered_with_the_nearest_one_and_with_all_where_none_is_near() -> None:
    many = [f"key_{number}_of_a_long_table" for number in range(31)]
    assert unknown_key("bandwith", [*many, "bandwidth"]) == 'unknown key, did you mean "bandwidth"?'
    assert unknown_key("x", many) == f"unknown key (known here: {', '.join(many)})"
    few = ["name", "nodes"]
    assert unknown_key("nmae", few) == 'unknown key, did you mean "name"? (known here: name, nodes)'
