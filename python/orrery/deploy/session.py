# SPDX-License-Identifier: BSD-3-Clause
"""Running a program with collectives of ours: the library is built, given its rules, and asked what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from orrery.deploy.places import HostPlace
from orrery.deploy.rules import DeployRule
from orrery.errors import InputError
from orrery.real_mpi.compiled import Said, build_library
from orrery.real_mpi.preloaded import not_reached, preload, run_preloaded
from orrery.real_mpi.starter import compiler_of
from orrery.temporary import temporary_folder

_SETTINGS, _REPORT = "settings", "report"
LEFT = (
    "no rule fits",
    "no private copy of the communicator: one rank, no rule for its size, two groups, or made by MPI_Comm_idup or a session",
    "operation that does not commute",
    "reduction of a derived datatype, or of one with gaps",
    "2 GiB or more",
    "the algorithm does not serve them",
    "arguments that MPI refuses",
)
"""Why calls are left to the library, by their numbers in `src/measure/deploy/tally.hpp`."""


@dataclass(frozen=True, kw_only=True)
class DeploySettings:
    """What `orrery deploy` runs."""

    command: list[str]
    """What starts the program."""
    rules: Sequence[DeployRule]
    places: Sequence[HostPlace] = ()
    """Places of hosts; empty: only nodes and what ranks are bound to are known."""
    check: bool = False
    """Compare first uses with the library's results."""
    mpicxx: str | None = None
    """The C++ compiler of the MPI; None: what lies beside the launcher."""


@dataclass(frozen=True, kw_only=True)
class DeployUse:
    """Calls of one collective that had the same fate, summed over all ranks."""

    collective: str
    calls: int
    algorithm: str
    """An algorithm of ours, or `library`; empty where `left` has the reason."""
    rule: int | None = None
    """Which rule of the file decided, from 1 on."""
    left: str = ""
    """Why the library had them, where no rule said so."""


@dataclass(frozen=True, kw_only=True)
class DeployOutcome:
    """What came of it."""

    exit_code: int
    """That of the launcher."""
    ranks: int
    """Size of MPI_COMM_WORLD."""
    finalized: bool
    """The program came to MPI_Finalize; otherwise nothing is known of its calls."""
    multiple_threads: bool
    """It asked for MPI_THREAD_MULTIPLE: all calls were left to the library."""
    ended: list[str] = field(default_factory=list)
    """Why ranks ended the job, such as a result that differs from the library's."""
    uses: list[DeployUse] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    """Libraries that wrap MPI, too."""
    unknown_hosts: list[str] = field(default_factory=list)
    """That the topology does not name."""


def deploy(settings: DeploySettings, said: Said) -> DeployOutcome:
    """Run the command with the library in front of its MPI, however the program ends.

    Raises:
        InputError: the library cannot be built, the command cannot be started, or its folder cannot be made.
        OrreryError: no rank used the library.
    """
    with _folder() as folder:
        variables = _write_settings(settings, folder)
        code = run_preloaded(settings.command, _library(settings, said), variables)
        report = folder / _REPORT
        if not report.exists():
            raise not_reached("no rank used the library", code, settings.command, _compiler(settings), "--mpicxx")
        return _read_report(report.read_text(encoding="utf-8"), settings.rules, code)


def prepare(settings: DeploySettings, folder: Path, said: Said) -> dict[str, str]:
    """Environment variables by which ranks use the library, for launchers that are started otherwise.

    Raises InputError: the library cannot be built, or the folder cannot be written.
    """
    variables = _write_settings(settings, folder.absolute())
    return preload(_library(settings, said), variables)


def _compiler(settings: DeploySettings) -> str:
    return settings.mpicxx or compiler_of(settings.command, "mpicxx")


def _library(settings: DeploySettings, said: Said) -> Path:
    return build_library("deploy", _compiler(settings), said=said)


@contextmanager
def _folder() -> Iterator[Path]:
    """Here: rank 0 has to see it, wherever it is."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder("orrery-deploy.", Path.cwd()))
        except OSError as error:
            raise InputError(
                f"{Path.cwd()}: {error.strerror}: rank 0 reads its rules in a folder that is made here"
            ) from None
        yield folder


def _write_settings(settings: DeploySettings, folder: Path) -> dict[str, str]:
    """What tells ranks where they are. Raises InputError: a disk is full, or it is no folder to write in."""
    if not str(folder).isprintable():
        raise InputError(f"{folder}: is no line of printable characters, as the library reads names of folders")
    lines = [*(["check"] if settings.check else []), f"report {folder / _REPORT}"]
    lines += [f"place {place.site} {place.cluster} {place.cabinet} {place.pattern}" for place in settings.places]
    lines += [
        f"rule {rule.collective} {rule.min_ranks} {rule.max_ranks} {rule.min_bytes} {rule.max_bytes} {rule.algorithm}"
        for rule in settings.rules
    ]
    file = folder / _SETTINGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}: cannot write the settings there") from None
    return {"ORRERY_DEPLOY": str(file)}


def _read_report(text: str, rules: Sequence[DeployRule], code: int) -> DeployOutcome:
    lines = [line.split(maxsplit=1) for line in text.splitlines()]
    said: dict[str, list[str]] = {}
    for word, *rest in lines:
        said.setdefault(word, []).append(*rest or [""])
    return DeployOutcome(
        exit_code=code,
        ranks=int(said["ranks"][0]),
        finalized="finalized" in said,
        multiple_threads="multiple" in said,
        ended=said.get("ended", []),
        uses=[_use(line, rules) for line in said.get("calls", [])],
        tools=said.get("tool", []),
        unknown_hosts=said.get("unknown", []),
    )


def _use(line: str, rules: Sequence[DeployRule]) -> DeployUse:
    collective, what, number, calls = line.split()
    if what == "left":
        return DeployUse(collective=collective, calls=int(calls), algorithm="", left=LEFT[int(number)])
    rule = rules[int(number)]
    return DeployUse(collective=collective, calls=int(calls), algorithm=rule.algorithm, rule=int(number) + 1)
