# SPDX-License-Identifier: BSD-3-Clause
"""Simulations that can be done again with other values of their platform: from their traces, or from records of replays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any, get_args

from orrery import _core
from orrery.errors import InputError
from orrery.experiment.settings import BEST
from orrery.experiment.variants import is_random
from orrery.platform.core import Plain
from orrery.platform.model import Model
from orrery.record.document import Record
from orrery.replay.recorded import recorded_selector
from orrery.replay.session import opened_as_it_was, traces_of
from orrery.replay.settings import RECORDED, ReplaySettings
from orrery.simulate.description import digest_of, mapping_in
from orrery.simulate.experiment import Experiment
from orrery.simulate.traces import Traces
from orrery.trace.sources import open_source

_BYTES_PER_EVENT = 4
"""Bytes of a trace for each event, between 2 and 6: collective calls and messages of unusual sizes differ."""


class UnrepeatableReplay(Exception):  # noqa: N818  it says why something is left out, and is no mistake
    """Why a simulation cannot be done again, in a clause."""


@dataclass(frozen=True, kw_only=True)
class ReplayOutcome:
    """A replay that came to its end."""

    time_s: float
    """Simulated."""
    files: bool
    """Whether it has accesses to files."""


class RepeatableReplay:
    """A simulation that can be done again as it was, on its platform or on one with other values."""

    def __init__(self, settings: ReplaySettings, events: int) -> None:
        """Open the traces of a replay, and find its settings in them where the user gave none.

        `events`: how many each replay processes, about. Raises UnrepeatableReplay where the times of one replay say nothing, or
        nothing that is cheap to have.
        """
        try:
            settings, opened = opened_as_it_was(settings)
            properties = [trace.properties for trace in opened]
            recorded = settings.selector == RECORDED
            self._selector = recorded_selector(settings, properties)[0] if recorded else None
            self._ranks = sum(trace.source.capacity for trace in opened)
            self._experiment = Experiment.of(
                settings, self._ranks, stop=_core.Stop(), selector=self._selector, said=False
            )
        except InputError as error:
            raise UnrepeatableReplay(str(error)) from None
        if settings.selector == BEST:
            raise UnrepeatableReplay("--selector best searches for algorithms anew with each value")
        if is_random(self._experiment.platform, self._experiment.model) and not settings.ideal:
            raise UnrepeatableReplay("the platform has noise, whose draws differ with each value")
        self._traces: Traces = traces_of(settings)
        self._running: set[_core.Replay] = set()
        self._stop = Event()
        self.events = events

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.is_set()

    @property
    def platform(self) -> Plain:
        """The values of the platform."""
        return self._experiment.platform

    @property
    def digest(self) -> str:
        """The digest of its values, as records have it."""
        return digest_of(self.platform)

    @property
    def model(self) -> str:
        """`hybrid`, `loggps`, `fluid` or `ideal`."""
        return "ideal" if self._traces.ideal else self._experiment.model

    def run(self, platform: Plain | None = None) -> ReplayOutcome | None:
        """Replay on these values, from any thread; None: they cannot be, or it did not come to its end."""
        if self._stop.is_set():
            return None
        settings = replace(self._experiment.settings, launcher="")  # the values have what it says
        try:
            experiment = self._experiment if platform is None else Experiment.of(
                settings, self._ranks, stop=_core.Stop(), selector=self._experiment.selector, platform=platform
            )  # fmt: skip
            run = self._traces.simulation(experiment, settings.seed)
        except InputError:
            return None
        self._running.add(run)
        try:
            if self._stop.is_set() or run.run() != _core.ReplayEnd.COMPLETED:
                return None
        finally:
            self._running.discard(run)
        return ReplayOutcome(time_s=run.simulated_s, files=run.file_accesses > 0)

    def stop(self) -> None:
        """End replays that are under way, and all that follow."""
        self._stop.set()
        for run in list(self._running):
            run.stop()


def again_of_trace(trace: Path) -> RepeatableReplay | None:
    """A trace that a simulation recorded; None: it was captured on a real cluster, or says nothing of a platform.

    Raises InputError when it cannot be read, and UnrepeatableReplay.
    """
    settings = ReplaySettings(traces=[trace], force=True)
    properties = open_source(trace, settings.reading).properties
    if properties.get("source") != "simulated" or not properties.get("platform"):
        return None
    return RepeatableReplay(settings, trace.stat().st_size // _BYTES_PER_EVENT)


def again_of_record(record: Record) -> RepeatableReplay:
    """A record of a replay.

    Raises UnrepeatableReplay: it is of a run, which leaves no trace behind, or its traces are not where they were.
    """
    if record.start != "replay":
        raise UnrepeatableReplay(
            "a record of a run holds nothing to replay; record traces (-o FILE.trace) and compare these"
        )
    folder = Path(record.folder)
    traces = [folder / name for name in record.command[1:]]
    if missing := [trace for trace in traces if not trace.is_file()]:
        raise UnrepeatableReplay(f"{missing[0]}: the trace of the replay is not here")
    settings: dict[str, Any] = {
        "platform": str(folder / record.platform_file),
        "mapping": mapping_in(record.mapping, folder),
        "selector": record.selector,
        "coll": record.coll,
        "rules": None if record.rules is None else folder / record.rules,
        "seed": record.seed,
        "sharing_error": record.sharing_error,
        "compute_scale": 0.0 if record.compute == "none" else float(record.compute),
        "force": True,
    }
    settings |= {"ideal": True} if record.model == "ideal" else {}
    settings |= {"model": record.model} if record.model in get_args(Model) else {}
    return RepeatableReplay(replace(ReplaySettings(traces=traces, said=frozenset(settings)), **settings), record.events)
