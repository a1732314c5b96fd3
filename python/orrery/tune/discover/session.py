# SPDX-License-Identifier: BSD-3-Clause
"""A discovery: few sizes are measured and simulated, choices inferred, and more sizes measured where that tells more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from math import log
from pathlib import Path
from statistics import median

from orrery.benchmark.cases import COLLECTIVES, NUMBER_BYTES, LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.real import RealLibrary
from orrery.collective.call import REDUCTIONS
from orrery.collective.laboratory import Laboratory
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError
from orrery.evidence.statement import statement_of
from orrery.noise.student import error_of_mean
from orrery.platform.trusted import cautions_of
from orrery.published import UNWRITTEN, published
from orrery.temporary import temporary_folder
from orrery.tune.discover.barriers import SHORT, barrier_behind
from orrery.tune.discover.candidates import Candidates
from orrery.tune.discover.error import Error
from orrery.tune.discover.infer import Inference, LibraryChoice, ObservedCell, infer
from orrery.tune.discover.simulate import Advanced, SimulatedTurns
from orrery.tune.discover.sizes import further
from orrery.tune.library import LIBRARIES, Library, library
from orrery.tune.measuring import LoopSample, MeasuredLibrary, PendingLoop, measure
from orrery.tune.settings import KINDS, RANKS, SIZES, DiscoveryRequest
from orrery.tune.timing import BARRIER

_BATCHES = 3
"""Batches of further sizes, each chosen by what the one before has told."""
_FACTOR = 4
"""Between the first sizes."""
_COMMAND = "orrery tune discover"
_SECONDS = 100.0
"""Time of the loops on one number of ranks in each round, at most."""


@dataclass(frozen=True, kw_only=True)
class DiscoverySettings:
    """What is to be found out: what the user asks for, and what follows from that."""

    request: DiscoveryRequest
    kinds: Sequence[str]
    ranks: Sequence[int]
    sizes: tuple[int, int]
    """The least and the largest, in bytes."""
    libraries: tuple[Library, ...]
    """Whose algorithms it may have."""
    real: RealLibrary

    @classmethod
    def of(cls, request: DiscoveryRequest) -> DiscoverySettings:
        """Raises InputError for a name, a number of ranks or a size that cannot be used."""
        ranks = rank_counts(request.ranks or RANKS, 0)
        if min(ranks) < 2:
            raise InputError(f"-n {request.ranks}: a message needs two ranks")
        kinds = request.kinds or KINDS
        if strange := [kind for kind in kinds if kind not in COLLECTIVES]:
            raise InputError(f'"{strange[0]}" is no collective that can be timed; there are: {", ".join(COLLECTIVES)}')
        sizes = byte_sizes(request.sizes or SIZES)
        names = LIBRARIES if request.library is None else [request.library]
        return cls(
            request=request,
            kinds=list(dict.fromkeys(kinds)),
            ranks=sorted(set(ranks)),
            sizes=(min(sizes), max(sizes)),
            libraries=tuple(library(name) for name in names),
            real=replace(request.real, seconds=_SECONDS),
        )


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """What came of it."""

    inferred: Inference = field(metadata=UNWRITTEN)
    missing: list[tuple[str, int, int]]
    """Collective, ranks and bytes of what Ctrl-C left, or the time for measurements."""
    interrupted: bool = field(default=False, metadata=UNWRITTEN)
    """By Ctrl-C."""
    platform: str
    mapping: str
    loops: int
    """That were measured."""
    exhaustive: int
    """That measuring each algorithm in each of the cells would have taken."""
    cautions: list[str] = field(default_factory=list)

    @property
    @published
    def families(self) -> dict[str, float]:
        """Probability that all algorithms are those of a library; `any`: of none alone."""
        return self.inferred.families

    @property
    @published
    def cells(self) -> list[LibraryChoice]:
        """What the MPI chooses in each."""
        return self.inferred.choices


def first_cases(kinds: Iterable[str], ranks: Sequence[int], sizes: tuple[int, int]) -> list[LoopCase]:
    """A coarse grid. Raises InputError for sizes that a reduction cannot have, or of which the least is not the least."""
    low, high = sizes
    if not 0 < low <= high:
        raise InputError(f"-s {low}:{high}: expected the least size and the largest")
    every = [low]
    while every[-1] * _FACTOR < high:
        every.append(every[-1] * _FACTOR)
    every += [high] if high > low else []
    found = []
    for kind in kinds:
        if kind in REDUCTIONS and (odd := [size for size in every if size % NUMBER_BYTES]):
            raise InputError(f"-s {odd[0]}: {kind} reduces numbers of {NUMBER_BYTES} bytes")
        found += [LoopCase(kind, count, size) for count in ranks for size in ([0] if kind == BARRIER else every)]
    return found


def discover(asked: DiscoverySettings, said: Callable[[str], object], advanced: Advanced) -> Discovery:
    """Find out. Ctrl-C ends it with what follows from what is there by then.

    Raises:
        InputError: a platform, a launcher or a file that cannot be used.
        LaunchError: the launcher or the program of loops failed.
        KeyboardInterrupt: before there was anything.
    """
    request = asked.request
    laboratory = request.laboratory()
    with laboratory.open(), ExitStack() as stack:
        folder = request.keep or stack.enter_context(temporary_folder(".orrery-tune-", Path.cwd()))
        return _Session(asked, laboratory, _kept(folder, asked), said, advanced).run()


def _kept(folder: Path, asked: DiscoverySettings) -> LoopStore[LoopSample]:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"--keep {folder}: {error.strerror}; expected a folder") from None
    subject = sha256(repr([asked.real.mpirun, asked.real.mpicc]).encode()).hexdigest()[:16]
    kept = LoopStore(folder / "discovered.csv", subject, LoopSample, _COMMAND)
    kept.begin()
    return kept


class _Session:
    def __init__(
        self,
        asked: DiscoverySettings,
        laboratory: Laboratory,
        kept: LoopStore[LoopSample],
        said: Callable[[str], object],
        advanced: Advanced,
    ) -> None:
        self._asked = asked
        self._laboratory = laboratory
        self._kept = kept
        self._said = said
        self._advanced = advanced
        self._first = first_cases(asked.kinds, asked.ranks, asked.sizes)
        self._barriers = [LoopCase(BARRIER, ranks, 0) for ranks in asked.ranks]
        self._wanted = list(dict.fromkeys([*self._barriers, *self._first]))
        candidates = Candidates.of(asked.libraries, self._wanted, laboratory)
        self._simulated = SimulatedTurns(laboratory, candidates)
        self._fences: dict[int, str] = {}
        self._interrupted = False
        self._error = Error(statement_of(laboratory.platform))

    def run(self) -> Discovery:
        try:
            inferred = self._know(self._wanted)
            for batch in range(_BATCHES):
                limit = int(self._asked.request.share * self._exhaustive()) - len(self._wanted)
                more = further(inferred.choices, -(-limit // (_BATCHES - batch)))
                if not more:
                    break
                self._wanted += more
                inferred = self._know(more)
        except KeyboardInterrupt:
            self._said("interrupted")
            self._interrupted = True
            if not self._simulated.times:
                raise
            inferred = self._inferred(self._wanted)
        return self._discovery(inferred)

    def _know(self, cases: Sequence[LoopCase]) -> Inference:
        """Measure and simulate cells, and infer all. Barriers come first: they follow each call of the others."""
        self._said(f"measuring {len(cases)} loops, {self._asked.request.rounds} times")
        measuring = MeasuredLibrary(
            library=self._asked.libraries[0], real=self._asked.real, rounds=self._asked.request.rounds
        )
        measure(
            [PendingLoop(case=case, variant=None) for case in cases], measuring, self._kept, self._said, self._advanced
        )
        self._said("simulating them by each algorithm")
        self._simulated.add(self._barriers, {}, self._advanced)
        if not self._fences:
            self._fences = self._barriers_behind()
        measured = self._measured()
        timed = [case for case in cases if case in measured and case.ranks in self._fences]
        self._simulated.add(timed, self._fences, self._advanced)
        return self._inferred(self._wanted)

    def _barriers_behind(self) -> dict[int, str]:
        """By numbers of ranks the algorithm of the barrier."""
        families = self._simulated.candidates.families
        found = {}
        for choice in self._inferred(self._barriers).choices:
            ranks = choice.observed.case.ranks
            short = [case for case in self._first if case.ranks == ranks and 0 < case.bytes <= SHORT]
            found[ranks] = barrier_behind(choice, partial(self._trial, short), families)
        return found

    def _trial(self, cases: Sequence[LoopCase], barrier: str) -> list[ObservedCell]:
        """Cells simulated with a barrier, if it were that one."""
        tried = SimulatedTurns(self._laboratory, self._simulated.candidates)
        tried.add(cases, dict.fromkeys((case.ranks for case in cases), barrier), self._advanced)
        return self._cells(cases, tried.times)

    def _cells(self, cases: Iterable[LoopCase], times: Mapping[LoopCase, dict[str, float]]) -> list[ObservedCell]:
        """Those that are measured and simulated."""
        measured = self._measured()
        return [
            ObservedCell(
                *case,
                measured_s=measured[case].median_s,
                spread=self._error.spread(case, measured[case].spread),
                times=times[case],
            )
            for case in cases
            if case in measured and case in times
        ]

    def _inferred(self, cases: Iterable[LoopCase]) -> Inference:
        cells = self._cells(cases, self._simulated.times)
        if not cells:
            raise InputError(f'--mpirun "{self._asked.real.mpirun}": none of the loops was timed')
        return infer(cells, self._simulated.candidates.families)

    def _measured(self) -> Mapping[LoopCase, _Turn]:
        """Turns of loops, of all rounds."""
        found: dict[LoopCase, list[float]] = {}
        for sample, timed in self._kept.read().items():
            if sample.algorithm == "":
                case = LoopCase(sample.collective, sample.ranks, sample.bytes)
                found.setdefault(case, []).append(timed.mean_s)
        return {case: _Turn.of(times) for case, times in found.items()}

    def _exhaustive(self) -> int:
        return sum(len(set(times.values())) for times in self._simulated.times.values())

    def _discovery(self, inferred: Inference) -> Discovery:
        there = {choice.observed.case for choice in inferred.choices}
        counts = self._asked.ranks
        return Discovery(
            inferred=inferred,
            missing=[(*case,) for case in self._wanted if case not in there],
            interrupted=self._interrupted,
            platform=self._laboratory.platform["name"],
            mapping=self._laboratory.mapping,
            loops=len(there),
            exhaustive=sum(len(set(choice.observed.times.values())) for choice in inferred.choices),
            cautions=[*cautions_of(self._laboratory.platform), *self._laboratory.cautions(counts)],
        )


@dataclass(frozen=True)
class _Turn:
    median_s: float
    spread: float
    """Spread of the median, in ln of time; 0: of a single round."""

    @classmethod
    def of(cls, times: Sequence[float]) -> _Turn:
        return cls(median(times), error_of_mean([log(time_s) for time_s in times]))
