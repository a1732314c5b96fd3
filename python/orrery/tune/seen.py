# SPDX-License-Identifier: BSD-3-Clause
"""Rules at work: a small job on the real library loads the files, and the messages of its calls are those of the algorithms.

`src/measure/seen` counts what each rank sends to each other one during one call. The same messages are those of an algorithm of
the selector, or of none. Ranks may share processors: nothing is timed.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, product
from pathlib import Path

from orrery import _core
from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.benchmark.real import RealLibrary, suite_command
from orrery.collective.rules_file import SelectorRules, read_rules
from orrery.errors import InputError, OrreryError
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher
from orrery.temporary import temporary_folder
from orrery.tune.files import ALGORITHMS, RULES, environment
from orrery.tune.formats.mpich_json import compositions, needs_numbers
from orrery.tune.library import Library
from orrery.tune.readback import sizes_of
from orrery.tune.rules import RuleRow, SizeBand, TunedRules
from orrery.tune.timing import BARRIER

_MOST_BYTES = 1 << 24
"""Largest buffer: calls that need more are not made."""
_SECONDS = 120.0
"""For a start."""
_SHOWN = 5
_IGNORED = "will be ignored"
"""What Intel MPI says of a variable that it cannot read."""
_FLAGS = ("-rdynamic", "-Wl,--no-as-needed", "-ldl")
_MONITORED = {"OMPI_MCA_pml_monitoring_enable": "1"}
_FLAT = {"MPIR_CVAR_NOLOCAL": "1"}
"""MPICH takes each rank for a node of its own, and sends all messages through UCX."""
_BLIND = {
    "openmpi": "its component pml/monitoring does not tell them: this build has none, or not with the transport that it uses",
    "mpich": "it does not send through UCX",
}

Totals = dict[tuple[int, int], tuple[int, int]]
"""Messages and bytes, by source and destination."""


@dataclass(frozen=True, kw_only=True)
class RulesObservation:
    """Calls of the real library with the files."""

    calls: int
    """That were looked at: each sent what it should."""
    telling: int
    """Those among them in which the rules' algorithm sends other messages than the library's own choice."""
    too_large: list[str] = field(default_factory=list)
    """Rules whose calls would need too much memory, in words."""
    taken: list[int] = field(default_factory=list)
    """Numbers of ranks for which Intel MPI took the settings without complaint; what its calls send is not looked at."""


@dataclass(frozen=True)
class _StartRecord:
    """What one start recorded."""

    nodes: list[str]
    """By rank."""
    hidden: set[tuple[int, int]]
    """Sources and destinations whose messages cannot be seen."""
    calls: dict[LoopCase, Totals]

    @property
    def is_blind(self) -> bool:
        """Whether that is so of all."""
        return len(self.hidden) == len(self.nodes) * (len(self.nodes) - 1)

    def visible(self, totals: Totals) -> Totals:
        """What can be seen of these."""
        return {pair: total for pair, total in totals.items() if pair not in self.hidden}


def see(
    tuned: TunedRules,
    folder: Path,
    real: RealLibrary,
    said: Callable[[str], object],
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> RulesObservation:
    """Look at both ends of each rule, and of what is between rules, on each number of ranks that was tuned.

    Args:
        tuned: the rules.
        folder: their files.
        real: the library.
        said: is told what is done.
        advanced: is told how many starts were made, and of how many.
    Raises:
        OrreryError: a rule does not take effect.
        InputError: a compiler or launcher that cannot be used, or a library whose messages cannot be seen.
        LaunchError: the launcher or the program failed.
    """
    if tuned.library.family == "intel":
        return _taken(tuned, folder, real, said, advanced)
    cases, too_large = _cases(tuned.rows)
    starts = [
        list(same) for _, same in groupby(sorted(cases, key=lambda case: case.ranks), key=lambda case: case.ranks)
    ]
    if not starts:
        return RulesObservation(calls=0, telling=0)
    program = build("seen", real.mpicc, options=_FLAGS, said=said)
    judge = _Judge(tuned, folder)
    ways = _ways(tuned)
    wrong: list[str] = []
    for done, (start, way) in enumerate(product(starts, ways)):
        recording = _record(program, start, way | environment(tuned, folder), real)
        wrong += judge.wrong(recording, flat=way == _FLAT)
        advanced(done + 1, len(starts) * len(ways))
    if wrong:
        more = f"\n  and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise OrreryError("rules do not take effect on the real library:\n  " + "\n  ".join(wrong[:_SHOWN]) + more)
    return RulesObservation(calls=judge.calls, telling=judge.telling, too_large=too_large)


def _taken(
    tuned: TunedRules,
    folder: Path,
    real: RealLibrary,
    said: Callable[[str], object],
    advanced: Callable[[int, int], object],
) -> RulesObservation:
    """Start the library with the settings. What it cannot read it ignores, and says so as it starts.

    What calls send is not looked at: Intel's licence forbids altering how the library runs, as counting messages inside of it does.
    """
    program = build("suite", real.mpicc, said=said)
    counts = sorted({count for row in tuned.rows for count in row.counts})
    for done, ranks in enumerate(counts):
        variables = environment(tuned, folder, ranks)
        with temporary_folder(".orrery-tune-", Path.cwd()) as place:
            log = place / "log"
            loop = suite_command(program, place / "times.csv", [LoopCase(BARRIER, ranks, 0)], real, "0.1/case")
            words = ["env", *(f"{name}={value}" for name, value in variables.items()), *loop]
            Launcher(real.mpirun, nodes=ranks).run(words, timeout_s=_SECONDS, log=log)
            wrong = [line for line in log.read_text(errors="replace").splitlines() if _IGNORED in line]
        if wrong:
            raise OrreryError("rules do not take effect on the real library:\n  " + "\n  ".join(wrong[:_SHOWN]))
        advanced(done + 1, len(counts))
    return RulesObservation(calls=0, telling=0, taken=counts)


def _ways(tuned: TunedRules) -> list[dict[str, str]]:
    """Variables of each way to look at calls. MPICH's file for its device acts only where ranks share nodes."""
    if tuned.library.family == "openmpi":
        return [_MONITORED]
    return [_FLAT, {}] if compositions(tuned) else [_FLAT]


def _cases(rows: Iterable[RuleRow]) -> tuple[list[LoopCase], list[str]]:
    """Calls to look at; and rules, in words, that have none."""
    found: dict[LoopCase, None] = {}
    left_out = []
    for row in rows:
        for ranks in row.counts:
            for band in row.bands:
                fits = [size for size in _sizes(row.kind, band, ranks) if size * ranks <= _MOST_BYTES]
                found |= dict.fromkeys(LoopCase(row.kind, ranks, size) for size in fits)
                if band.variant is not None and not fits:
                    left_out.append(_words(row, band, ranks))
    return list(found), left_out


def _sizes(kind: str, band: SizeBand, ranks: int) -> list[int]:
    """At its ends. Each rank has something to send: of calls without data, which libraries leave early, there are only barriers."""
    least = {BARRIER: 0, "reduce_scatter": NUMBER_BYTES * ranks}.get(kind, 1)
    return sizes_of(kind, replace(band, bytes_from=max(least, band.bytes_from)))


def _words(row: RuleRow, band: SizeBand, ranks: int) -> str:
    chosen = "" if band.variant is None else f": {band.variant.ours}"
    return f"{row.kind}, {ranks} ranks, from {band.bytes_from} bytes on{chosen}"


def _record(program: Path, cases: Sequence[LoopCase], variables: Mapping[str, str], real: RealLibrary) -> _StartRecord:
    """One start. Raises InputError where it tells nothing, and LaunchError where it fails."""
    with temporary_folder(".orrery-tune-", Path.cwd()) as place:
        out = place / "messages.csv"
        words = [str(program), str(out), *(f"{case.test}:{case.bytes}" for case in cases)]
        Launcher(real.mpirun, nodes=cases[0].ranks).run(
            ["env", *(f"{name}={value}" for name, value in variables.items()), *words],
            timeout_s=_SECONDS,
            log=place / "log",
        )
        if not out.exists():
            raise InputError(
                f"{Path.cwd()}: the program that records messages wrote nothing; rank 0 must see this folder"
            )
        return _read(out, cases[0].ranks)


def _read(file: Path, ranks: int) -> _StartRecord:
    found = _StartRecord([], set(), {})
    totals: Totals = {}
    with file.open(encoding="utf-8", newline="") as text:
        for what, *values in csv.reader(text):
            if what == "node":
                found.nodes.append(values[1])
            elif what == "hidden":
                found.hidden.add((int(values[0]), int(values[1])))
            elif what == "call":
                totals = found.calls[LoopCase(values[0], ranks, int(values[1]))] = {}
            elif what == "sent":
                source, destination, count, size = map(int, values)
                totals[source, destination] = (count, size)
    return found


class _Judge:
    """Compares what was sent with what the algorithms send."""

    def __init__(self, tuned: TunedRules, folder: Path) -> None:
        self._tuned = tuned
        self._file = folder / (RULES if tuned.library.family == "openmpi" else ALGORITHMS)
        self._rules = read_rules(self._file)
        self.calls = 0
        self.telling = 0

    def wrong(self, recording: _StartRecord, *, flat: bool) -> Iterator[str]:
        """A sentence for each call that sent something else. Raises InputError where nothing can be seen."""
        if recording.is_blind:
            self._check_blind(flat=flat)
            return
        library = self._tuned.library
        places = None if flat else _places(recording.nodes)
        for case, totals in recording.calls.items():
            self.calls += 1
            own = recording.visible(_totals(_sent(library, case, places)))
            if totals == recording.visible(_totals(self._chosen(case, places))):
                self.telling += totals != own
            else:
                seen = next(_same(library, case, places, recording), "messages of no algorithm that is known")
                yield (
                    f"{self._file.name}: {case.test}, {case.ranks} ranks, {case.bytes} bytes: {self._rule(case)}; "
                    f"seen instead: {seen}"
                )

    def _check_blind(self, *, flat: bool) -> None:
        """MPICH on a single node copies all messages, where its file for the device has nothing to choose for most calls."""
        family = self._tuned.library.family
        if flat or family == "openmpi":
            raise InputError(
                f"messages of this library cannot be seen: {_BLIND[family]}; --no-see writes the files without a look"
            )

    def _chosen(self, case: LoopCase, places: _core.Places | None) -> _AlgorithmCall:
        variant = self._tuned.variant(*case)
        if variant is None or (self._tuned.library.family == "mpich" and needs_numbers(variant, case)):
            return _sent(self._tuned.library, case, places, rules=self._rules)
        return _sent(self._tuned.library, case, places, f"{case.test}={variant.ours}", self._rules)

    def _rule(self, case: LoopCase) -> str:
        variant = self._tuned.variant(*case)
        return "no rule is for it, so the library's own choice" if variant is None else f"the rule says {variant.ours}"


def _places(nodes: Sequence[str]) -> _core.Places:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(nodes))}
    return _core.Places.of_nodes([numbers[name] for name in nodes])


@dataclass(frozen=True)
class _AlgorithmCall:
    """A call, and the algorithm that carries it out."""

    call: _core.CollectiveCall
    choice: _core.Choice


def _sent(
    library: Library, case: LoopCase, places: _core.Places | None, fixed: str = "", rules: SelectorRules | None = None
) -> _AlgorithmCall:
    call = case.call.core(0, places)
    return _AlgorithmCall(call, library.selector(fixed, rules).choose(call))


def _totals(sent: _AlgorithmCall) -> Totals:
    totals: Totals = {}
    for source, _, destination, size in _core.collective_messages(sent.call, sent.choice):
        count, before = totals.get((source, destination), (0, 0))
        totals[source, destination] = (count + 1, before + size)
    return totals


def _same(library: Library, case: LoopCase, places: _core.Places | None, recording: _StartRecord) -> Iterator[str]:
    """Algorithms that send what was recorded."""
    totals = recording.calls[case]
    if recording.visible(_totals(_sent(library, case, places))) == totals:
        yield "the library's own choice without rules"
    for variant in library.variants(case.call.core(0, places), case.test, case.bytes, ()):
        if recording.visible(_totals(_sent(library, case, places, f"{case.test}={variant.ours}"))) == totals:
            yield variant.ours
