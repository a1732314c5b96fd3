# SPDX-License-Identifier: BSD-3-Clause
"""One watched run: the library is built, the program runs with it, and what its ranks did is held against the platform."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import fmean

from orrery.collective.asked import remarks_on
from orrery.collective.laboratory import Laboratory
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.evidence.expectation import NO_CALIBRATION
from orrery.evidence.statement import statement_of
from orrery.experiment.mapping import check_mapping
from orrery.platform.find import DEFAULT
from orrery.platform.typical import caution_of_typical
from orrery.real_mpi.compiled import Said, build_wrappers
from orrery.real_mpi.preloaded import not_reached, run_preloaded
from orrery.real_mpi.starter import mpicc_of
from orrery.temporary import temporary_folder
from orrery.watch import compared
from orrery.watch.board import LEFT, Board, boards_in, members_in
from orrery.watch.expectation import MOST_MESSAGES_MEANWHILE, Expectation
from orrery.watch.joined import collectives_of, traffic_of
from orrery.watch.placed import placed
from orrery.watch.result import UnclassedCalls, WatchOutcome
from orrery.watch.settings import WatchSettings
from orrery.watch.slow import late_ranks, shown, slow_links, waiting_of

_SELECTORS = {
    "Open MPI v5": "openmpi-5.0",
    "Open MPI v4": "openmpi-4.1",
    "Open MPI v1.6": "openmpi-1.6",
    "Open MPI v1.": "openmpi-1.3",
    "MPICH Version:      5": "mpich-5.0",
    "MPICH Version:      4": "mpich-4.0",
}
"""By the beginning of what MPI libraries say of themselves, blanks set equal."""


def watch(settings: WatchSettings, said: Said) -> WatchOutcome:
    """Run the command with the library in front of its MPI, however the program ends.

    `said` is told before the library is compiled, and now and then while the program runs, in another thread.

    Raises:
        InputError: the platform, the selector or the mapping cannot be used, the library cannot be built, the command cannot be
            started, or its folder cannot be made.
        OrreryError: no rank was watched.
    """
    if settings.mapping is not None:
        check_mapping(settings.mapping)
    if settings.selector is not None or settings.rules is not None:
        selector_named(settings.selector or "default", rules=settings.rules)
    mpicc = settings.mpicc or mpicc_of(settings.command)
    # Placing ranks here is left to `placed`: the laboratory's own mapping is not used.
    laboratory = Laboratory(settings.platform, settings.model, "slot", force=settings.force)
    library = build_wrappers("watch", mpicc, said=said)
    with laboratory.open(), _folder() as folder:
        begin = time.monotonic()
        with _lines(folder, settings, laboratory, said):
            code = run_preloaded(
                settings.command, library, {"ORRERY_CAPTURE": str(folder)}, output_aside=settings.output_aside
            )
        wall_s = time.monotonic() - begin
        boards = boards_in(folder)
        if not boards:
            raise not_reached("no rank was watched", code, settings.command, mpicc, "--mpicc")
        return _Look(boards, members_in(folder), settings, laboratory).whole(code, wall_s)


@contextmanager
def _folder() -> Iterator[Path]:
    """Here: all ranks write to it, wherever they are."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder("orrery-watch.", Path.cwd()))
        except OSError as error:
            raise InputError(f"{Path.cwd()}: {error.strerror}: ranks write to a folder that is made here") from None
        yield folder


@contextmanager
def _lines(folder: Path, settings: WatchSettings, laboratory: Laboratory, said: Said) -> Iterator[None]:
    """A line now and then, from a thread that leaves processors to the program."""
    over = threading.Event()

    def work() -> None:
        with suppress(OSError, AttributeError):  # not on every system; children of the launcher are not concerned
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        began = time.monotonic()
        expectation: Expectation | None = None
        while not over.wait(settings.every_s):
            boards = boards_in(folder)
            if not boards:
                continue
            look = _Look(boards, members_in(folder), settings, laboratory, expectation)
            expectation = look.expectation
            said(look.line(time.monotonic() - began))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def guessed_selector(library: str) -> str:
    """The selector of the MPI that says this of itself; "default" where it is not known."""
    spaced = " ".join(library.split())
    for begin, name in _SELECTORS.items():
        if spaced.startswith(" ".join(begin.split())):
            return name
    return "default"


class _Look:
    """What boards say at one moment."""

    def __init__(
        self,
        boards: Mapping[int, Board],
        members: Mapping[int, tuple[int, ...]],
        settings: WatchSettings,
        laboratory: Laboratory,
        expectation: Expectation | None = None,
    ) -> None:
        self._boards = boards
        self._settings = settings
        self._laboratory = laboratory
        self._any = next(iter(boards.values()))
        self._classes = collectives_of(boards, members)
        self._traffic = traffic_of(boards)
        self.guessed = settings.selector is None and settings.rules is None
        self.selector = settings.selector or ("default" if settings.rules else guessed_selector(self._any.library))
        self.why_not = ""
        self.expectation = expectation or self._expectation()
        self.run_s = max(board.now_s for board in boards.values())

    def _expectation(self) -> Expectation | None:
        """None: where ranks are on the platform is not known."""
        ranks = self._any.ranks
        if len(self._boards) < ranks:
            self.why_not = "not all ranks left something: where they are on the platform is not known"
            return None
        names = [self._boards[rank].host for rank in range(ranks)]
        try:
            where = placed(names, self._laboratory.hardware, self._settings.mapping)
        except InputError as error:
            self.why_not = str(error)
            return None
        return Expectation(self._laboratory, selector_named(self.selector, rules=self._settings.rules), where, names)

    def line(self, passed_s: float) -> str:
        """What matters most by now, in one line."""
        calls = sum(board.calls for board in self._boards.values())
        share = fmean(board.mpi_s for board in self._boards.values()) / self.run_s if self.run_s > 0 else 0.0
        parts = [f"{passed_s:.0f} s: {calls:,} calls, {100 * share:.0f} % of the time in MPI"]
        if self.expectation is not None:
            compared.begin(self._classes, self.expectation, MOST_MESSAGES_MEANWHILE)
        judged = [
            class_
            for class_ in compared.compared_collectives(self._classes, self.expectation)
            if class_.compared.verdict
        ]
        parts += [
            f"{class_.kind} of {class_.bytes:,} B on {class_.ranks:,} ranks: "
            f"{class_.compared.ratio:.3g} times the expected time, {class_.compared.verdict}"
            for class_ in judged[:1]
        ]
        if self.expectation is not None:
            exchanges = compared.exchanges_of(self._traffic, self.expectation)
            parts += [finding.words for finding in slow_links(exchanges, self.expectation)[:1]]
        waiting = waiting_of(self._classes, self._traffic)
        parts += [finding.words for finding in late_ranks(waiting, self._boards, self.run_s)[:1]]
        return "; ".join(parts)

    def whole(self, code: int, wall_s: float) -> WatchOutcome:
        """At the end."""
        expectation, ranks = self.expectation, self._any.ranks
        waiting = waiting_of(self._classes, self._traffic)
        findings = late_ranks(waiting, self._boards, self.run_s) if self.run_s > 0 else []
        messages = []
        if expectation is not None:
            compared.begin(self._classes, expectation)
            exchanges = compared.exchanges_of(self._traffic, expectation)
            messages = compared.compared_messages(exchanges, expectation)
            findings = [*slow_links(exchanges, expectation), *findings]
        return WatchOutcome(
            exit_code=code,
            wall_s=wall_s,
            ranks=ranks,
            missing=[rank for rank in range(ranks) if rank not in self._boards],
            cut_off=[rank for rank, board in sorted(self._boards.items()) if not board.finalized],
            hosts=[self._boards[rank].host if rank in self._boards else "" for rank in range(ranks)],
            library=self._any.library,
            platform=str(self._laboratory.platform["name"]),
            model=self._laboratory.model,
            placed=None if expectation is None else expectation.placed.how,
            selector=self.selector,
            guessed=self.guessed,
            calls=sum(board.calls for board in self._boards.values()),
            run_s=self.run_s,
            mpi_s=fmean(board.mpi_s for board in self._boards.values()),
            collectives=compared.compared_collectives(self._classes, expectation),
            messages=messages,
            waiting=shown(waiting),
            findings=findings,
            left_out=self._left_out(),
            cautions=self._cautions(),
        )

    def _crowded(self) -> list[tuple[str, int, int]]:
        """Hosts with more ranks than cores: name, ranks, cores."""
        ranks = Counter(board.host for board in self._boards.values())
        cores = {board.host: board.cores for board in self._boards.values()}
        return [(host, count, cores[host]) for host, count in ranks.items() if count > cores[host] > 0]

    def _left_out(self) -> list[UnclassedCalls]:
        totals = [sum(board.left[number] for board in self._boards.values()) for number in range(len(LEFT))]
        found = [UnclassedCalls(what=what, calls=calls) for what, calls in zip(LEFT, totals, strict=True) if calls > 0]
        if self._traffic.unordered:
            found.append(
                UnclassedCalls(
                    what="messages to ranks that receive any tag, or what a probe has found",
                    calls=self._traffic.unordered,
                )
            )
        return found

    def _cautions(self) -> list[str]:
        found = [*([self.why_not] if self.why_not else []), *remarks_on(self._settings.rules)]
        if self._settings.platform == DEFAULT:
            found.append(
                f"platform {self._laboratory.platform['name']} is none of yours: expected times are those of a typical cluster; "
                f"measure yours (orrery calibrate) and name it (--platform)"
            )
        else:
            found += caution_of_typical(self._laboratory.platform, self._laboratory.model)
        if self._laboratory.model == "hybrid" and statement_of(self._laboratory.platform) is None:
            found.append(f"{NO_CALIBRATION}: times are expected as far off as on machines with platforms by hand")
        if self.guessed and self.selector == "default":
            found.append("which algorithms this MPI chooses is not known: those of the default selector are expected")
        found += [
            f"{name}: {ranks} ranks share {cores} cores: what they wait for their turn is in the measured times"
            for name, ranks, cores in self._crowded()
        ]
        if any(board.threads for board in self._boards.values()):
            found.append("ranks had several threads in MPI: times of calls that overlap contain each other")
        return found
