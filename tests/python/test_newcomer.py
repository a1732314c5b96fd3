# SPDX-License-Identifier: BSD-3-Clause
"""A newcomer's first hour: in a fresh folder and home, the commands of README and tutorial, and what is typed wrongly.

All are run once, in this order; then there is a test for each.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness import EXAMPLES, HUNG_S, ORRERY, PROGRAMS, Sandbox
from test_commands_in_pages import DOCS, blocks

_ELSEWHERE = ("calibrate", "capture", "deploy", "mine.toml", "cg.trace", "COMMAND", "$ make", "source ")
"""Words of commands that need a cluster, a real MPI, or what these made."""
_MOST_S = 200.0
"""Processor time of all together; two cores are done with them in 40 s."""


_NO_HOME = (
    'import os, pwd, sys; del os.environ["HOME"]; pwd.getpwuid = {}.__getitem__; '
    "from orrery.__main__ import main; main()"
)
"""Starts `orrery` for a user who is not in the list of users."""


@dataclass(frozen=True)
class Step:
    """A line of shell, and what it must answer."""

    line: str
    code: int = 0
    says: tuple[str, ...] = ()
    """Patterns that are found in what it writes, to either stream."""
    writes: tuple[str, ...] = ()
    """Files that are there afterwards, and are not empty."""


@dataclass(frozen=True)
class Answer:
    """What a step did."""

    code: int
    out: str
    err: str
    missing: list[str] = field(default_factory=list)
    """Files that it should have written and has not."""


def _indented(page: Path) -> list[str]:
    """Commands of a page without blocks: indented lines; a description may follow, two or more blanks behind the command."""
    text = page.read_text(encoding="utf-8")
    lines = [re.split(r"\s{2,}", line)[0] for line in re.findall(r"^ {4}(\S.*)$", text, re.MULTILINE)]
    return [line for line in lines if line.startswith(("orrery ", "$(orrery"))]


def _readme() -> list[str]:
    return _indented(EXAMPLES.parent / "README.md") + _indented(DOCS / "recipes.md")


def _tutorial() -> list[str]:
    pages = blocks(DOCS / "tutorial.md")
    return [line for block in pages if not block.note.startswith("not run") for line in block.commands()]


def _documented(lines: list[str]) -> list[Step]:
    return [Step(line) for line in lines if not any(word in line for word in _ELSEWHERE)]


def _refused(line: str, *says: str, code: int = 2) -> Step:
    return Step(line, code, tuple(re.escape(text) for text in says))


FIRST = [
    Step("orrery", says=("Usage: orrery", "calibrate", "--install-completion")),
    Step("orrery help", says=("Usage: orrery", "calibrate")),
    Step("orrery help run", says=("Usage: orrery run", "--compute", "host noise")),
    Step("orrery help trace convert", says=("Usage: orrery trace convert", "pftrace")),
    Step("orrery --version", says=(r"^orrery \d+\.\d+",)),
    Step("orrery -V", says=(r"^orrery \d+\.\d+",)),
    _refused("orrery profile", "no run was started in this folder yet", "orrery run"),
    _refused("orrery profile --list", "no run was started in this folder yet"),
]
"""Before there is anything."""

MISSPELT = [
    _refused("orrery rnu -n 4 ./heat2d", "Did you mean 'run'?"),
    _refused("orrery help rnu", "Did you mean 'run'?"),
    _refused("orrery nonsense", "No such command 'nonsense'", "`orrery --help`"),
    _refused("orrery platform shw graphene", "Did you mean 'show'?"),
    _refused("orrery run -n 4 --plattform graphene ./heat2d", "--plattform", "--platform"),
    _refused("orrery run -n 4 --modell loggps ./heat2d", "--modell", "--model"),
    _refused("orrery run -n 4 --model logps ./heat2d", "'logps'", "'loggps'"),
    _refused("orrery run -n 4 --map nodes ./heat2d", "expected slot, node"),
    _refused("orrery run -n 4 -p grafene ./heat2d", 'did you mean "graphene"?'),
    _refused("orrery run -n 4 -p two_rack.toml ./heat2d", 'no such file, did you mean "two_racks.toml"?'),
    _refused("orrery run -n 4 -p other/cluster.toml ./heat2d", "no such file", "`orrery platform list`"),
    _refused("orrery run -n 4 -p wrong.toml ./heat2d", "wrong.toml:", "latencys", 'did you mean "latency_s"?'),
    _refused("orrery run -n 4 -p notes.txt ./heat2d", "notes.txt:1:", "not TOML"),
    _refused("orrery replay heat.trace --coll allreduce=rings", '"rings"', "there are: recursive_doubling"),
    _refused("orrery replay heat.trace --selector openmpi", '"openmpi"', "openmpi-5.0"),
    _refused("orrery run -n 4 --seed x ./heat2d", "'--seed': 'x': expected a whole number"),
    _refused("orrery run -n 4 --repeat 0 ./heat2d", "'--repeat': 0: expected 1 or more"),
    _refused("orrery tune allreduce --share x", "'--share': 'x': expected a number"),
    _refused("orrery tune upgrad openmpi-4.1:openmpi-5.0", '"tune upgrad" is no command, did you mean "upgrade"?'),
    _refused(
        "orrery compare selector openmpi-4.1 mpich-4.0", '"compare selector" is no command, did you mean "selectors"?'
    ),
    _refused("orrery compare selectors openmpi-4.1 opnmpi-5.0", 'did you mean "openmpi-5.0"?'),
    _refused("orrery tune --upgrade openmpi-4.1:openmpi-5.0", "--upgrade: now `orrery tune upgrade OLD:NEW`"),
    _refused("orrery collective bcast -n 4 -s 8 --overwrite", "--overwrite: acts only with -o or --report"),
    _refused("orrery tune allreduce --least-gain inf", "--least-gain inf: expected a number, 0 or more"),
    _refused("orrery tune allreduce --share 2", "'--share': 2.0: expected a number from 0 to 1"),
    _refused("orrery tune allreduce -n 8", "Name it, one of openmpi-4.1,", "intel-2021"),
    _refused("orrery collective bcas -n 4", '"bcas"', "bcast"),
    _refused("orrery collective bcast -n 4 -s 8x", '"8x"', "64KiB"),
]

PROGRAMS_THAT_ARE_NONE = [
    _refused("orrery run -n 4", "Missing argument 'PROGRAM'", "`orrery run --help`"),
    _refused("orrery run ./heat2d", "Missing option '-n'", "`orrery run --help`"),
    _refused("orrery run -n 0 ./heat2d", '"0"', "a whole number above 0"),
    _refused("orrery run -n ./heat2d", '"./heat2d"', "a whole number above 0"),
    _refused("orrery run -n 100000000 ./heat2d", "each rank is a process", "start fewer ranks"),
    _refused("orrery run -n four ./heat2d", '"four"', "a whole number above 0"),
    _refused("orrery run -n 4 ./heat3d", './heat3d: no such program, did you mean "heat2d"?', code=127),
    _refused("orrery run -n 4 ./nothing", "./nothing: no such program", code=127),
    _refused("orrery run -n 4 examples", "is a folder"),
    _refused("orrery run -n 4 ./notes.txt", "is no program", "#!/bin/sh"),
    _refused("orrery run -n 4 examples/heat2d.c", "is source code; compile it first", "mpicc"),
    _refused("cp heat2d plain; chmod -x plain; orrery run -n 4 ./plain", "chmod +x plain"),
    Step("orrery run -n 4 /bin/true", 1, ("without calling MPI_Init", r"\$\(orrery prefix\)/bin/mpicc")),
]

OUTPUTS = [
    _refused("orrery run -n 4 -o results/run.json ./heat2d", "there is no folder results", "mkdir -p results"),
    _refused("orrery run -n 4 -o mine.json ./heat2d", "Orrery did not write it", "--overwrite"),
    Step("cat mine.json", says=("^mine$",)),
    _refused("orrery run -n 4 -o run.txt ./heat2d", "its ending says what is written", ".json, .trace"),
    _refused("orrery run -n 4 --report page.txt ./heat2d", "the report is a page; name it FILE.html"),
    _refused("orrery run -n 4 --report ./heat2d 64 10", "the report is a page; name it FILE.html"),
    _refused("orrery replay heat.trace -o heat.trace", "heat.trace: is what is read"),
    Step("orrery run -n 4 --json --report r.html -o r.json -o r.trace ./heat2d 64 10 2> said.txt | python3 -m json.tool",
         says=('"simulated_s"',), writes=("r.html", "r.json", "r.trace", "said.txt")),
    Step("orrery profile r.trace --report t.html --json", says=('"routine',), writes=("t.html",)),
    Step("orrery collective bcast -n 4 -s 8,64 --csv --report c.html", says=("^collective,ranks,",), writes=("c.html",)),
]  # fmt: skip

INPUTS = [
    _refused("orrery replay notes.txt", "notes.txt: is no trace", "orrery run -o FILE.trace"),
    _refused("orrery replay nothing.trace", "nothing.trace: No such file"),
    _refused("orrery profile notes.txt", "orrery run -o FILE.json"),
    _refused("orrery profile heat2d", "heat2d: is neither a record, a trace nor a profile", "orrery run -o FILE.json"),
    _refused("orrery compare r.json", "1 given: expected two", "A1 A2 A3 vs B1 B2 B3"),
    Step("orrery compare r.json r.trace", says=("takes as long as r.json", "MPI_Waitall")),
    _refused("orrery trace info notes.txt", "is no trace"),
    _refused("orrery trace convert r.trace", "Missing option '-o'"),
    _refused("orrery trace convert r.trace -o r.foo", "names no format", "perfetto"),
    Step("orrery trace", says=("Usage: orrery trace", "convert")),
    Step("orrery platform", says=("Usage: orrery platform", "show")),
    _refused("orrery validate", "--ingest FILE"),
    _refused("orrery validate suite", "orrery validate suite FILE"),
    _refused("orrery calibrate", "--nodes is missing"),
    _refused("orrery calibrate --nodes 2 --mpirun nothing", "write {n} where the number belongs"),
    _refused("orrery capture", "-- mpirun -n 4 ./cg"),
    Step("mkdir -p empty && cd empty && orrery profile", 2, ("the last one elsewhere was in",)),
]

ENDINGS = [
    Step("orrery run -n 4 ./deadlock d.mark", 1, ("wait for each other in a circle", r"rank 0: MPI_Recv\(source=1")),
    Step("orrery run -n 4 ./crash c.mark", 139, ("rank 1", "SIGSEGV|[Ss]egmentation")),
    Step("timeout --preserve-status -s INT 3 orrery run -n 2 ./endless e.mark", 130,
         (r"MPI_Allreduce\(\)", "^orrery: interrupted: .*the same command begins anew$")),
    Step("orrery profile", 1, ("^the run failed: interrupted", "./endless e.mark", r"MPI_Allreduce\(\)")),
    Step("orrery run -n 4 --timeout 1 ./endless e.mark", 124, ("longer than its time limit of 1 s",)),
    Step("orrery run -n 4 ./heat2d 64 10 > /dev/full", 1, ("output cannot be written: No space left on device$",)),
    Step("orrery profile > /dev/full", 1, ("^orrery: error: standard output: No space left on device$",)),
    Step("ln -s /dev/full full.html; orrery profile r.trace --report full.html", 2, ("full.html: No space left on device",)),
    Step("ln -s /dev/full full.trace; orrery run -n 4 -o full.trace ./heat2d 64 10", 2,
         ("full.trace: No space left on device",)),
    Step("orrery run -n 4 ./heat2d 64 10 2> err.txt | true; head -n 1 err.txt", says=("Broken pipe",)),
]  # fmt: skip

HOMELESS = [
    _refused("HOME=/dev/null orrery profile", "where nothing can be kept: set XDG_STATE_HOME"),
    Step(f"python3 -c '{_NO_HOME}' profile", 2, ("set XDG_STATE_HOME to a folder that can be written",)),
    Step(f"python3 -c '{_NO_HOME}' replay heat.trace", says=("^simulated time",)),
    Step(f"python3 -c '{_NO_HOME}' calibrate --nodes 2 --mpirun \"nothing {{n}}\"", 2, ("set HOME or XDG_CACHE_HOME",)),
]
"""As in a container whose user has no name."""

_GROUPS = {"trace": ("info", "convert"), "platform": ("show", "import"), "validate": ("collectives", "suite")}
HELP = [
    Step(f"orrery {name} --help", says=(f"Usage: orrery {name} ",))
    for name in ("run", "replay", "capture", "profile", "compare", "collective", "calibrate", "prefix", *_GROUPS,
                 *(f"{group} {sub}" for group, names in _GROUPS.items() for sub in names))
]  # fmt: skip

PYTHON = Step("python3 -c 'import orrery as o; print(o.replay(\"heat.trace\").simulated_s > 0)'", says=("^True$",))

STEPS = [
    *FIRST,
    *_documented(_readme()),
    PYTHON,
    *_documented(_tutorial()),
    *MISSPELT,
    *PROGRAMS_THAT_ARE_NONE,
    *OUTPUTS,
    *INPUTS,
    *ENDINGS,
    *HOMELESS,
    *HELP,
]


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Iterator[tuple[list[Answer], float]]:
    """The answer to each step, and the processor seconds that all took."""
    sandbox = Sandbox(tmp_path_factory.mktemp("newcomer"), built)
    _furnish(sandbox)
    environment = _environment(sandbox)
    begin_s = _processor_s()
    answers = [_answer(step, sandbox.folder, environment) for step in STEPS]
    yield answers, _processor_s() - begin_s
    assert sandbox.left_behind() == []


def _processor_s() -> float:
    """Processor time of all that this process has started and that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _furnish(sandbox: Sandbox) -> None:
    """What a newcomer has: the examples, a cluster of their own with a mistake, notes, programs that fail."""
    folder = sandbox.folder
    (folder / "examples").symlink_to(EXAMPLES)
    good = (EXAMPLES / "two_racks.toml").read_text(encoding="utf-8")
    (folder / "two_racks.toml").write_text(good, encoding="utf-8")
    (folder / "wrong.toml").write_text(good.replace("latency_s", "latencys", 1), encoding="utf-8")
    (folder / "notes.txt").write_text("what I want to do\n", encoding="utf-8")
    (folder / "mine.json").write_text("mine\n", encoding="utf-8")
    for name in ("deadlock", "crash", "endless"):
        assert (PROGRAMS / f"{name}.c").exists()
        (folder / name).symlink_to(sandbox.program(name))


def _environment(sandbox: Sandbox) -> dict[str, str]:
    """With a home of its own, and nothing of ours."""
    kept = {
        key: value for key, value in sandbox.environment.items() if not key.startswith(("XDG_", "PYTHON", "PYTEST"))
    }
    path = f"{ORRERY.parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"HOME": str(sandbox.folder), "PATH": path, "COLUMNS": "100"}


def _answer(step: Step, folder: Path, environment: dict[str, str]) -> Answer:
    done = subprocess.run(
        ["bash", "-c", step.line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=HUNG_S, check=False,
    )  # fmt: skip
    places = [folder / name for name in step.writes]
    missing = [place.name for place in places if not place.exists() or place.stat().st_size == 0]
    return Answer(done.returncode, done.stdout, done.stderr, missing)


@pytest.mark.parametrize("number", range(len(STEPS)), ids=[step.line for step in STEPS])
def test_each_command_answers_as_a_newcomer_can_read_it(hour: tuple[list[Answer], float], number: int) -> None:
    step, answer = STEPS[number], hour[0][number]
    both = answer.out + answer.err
    assert answer.code == step.code, both
    assert [pattern for pattern in step.says if not re.search(pattern, both, re.MULTILINE)] == [], both
    assert answer.missing == []
    assert "Traceback" not in both
    if step.code == 2 and "/dev/full" not in step.line:  # refused before any work
        assert re.fullmatch(r"orrery: error: .+\n", answer.err), answer.err
        assert answer.out == ""


def test_all_of_them_take_about_a_minute_of_two_cores(hour: tuple[list[Answer], float]) -> None:
    assert len(STEPS) > 40
    assert hour[1] < _MOST_S


def test_what_is_taken_from_the_pages_is_there() -> None:
    assert len(_documented(_readme())) >= 12
    assert len(_documented(_tutorial())) >= 12
