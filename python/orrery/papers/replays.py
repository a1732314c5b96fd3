# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with replays: of traces, workloads and programs, on platforms, under models and selectors.

A program is run once for each number of ranks, to record what its ranks do; its computation is what it declares
(`ORRERY_COMPUTE`), so a recording is the same on every computer. It is then replayed in all ways, with replicas if need be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from orrery.documents import parse_toml
from orrery.errors import OrreryError
from orrery.papers.compiled import compiled, headers
from orrery.papers.recording import recorded
from orrery.papers.rows import HIGH, LOW, TIME, Row, Value
from orrery.papers.used import ExperimentInputs
from orrery.platform.find import find
from orrery.platform.model import Model
from orrery.platform.toml_writer import write
from orrery.progress import told
from orrery.record.document import Record
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.temporary import temporary_folder


class ReplaySource(BaseModel):
    """One `[[replays.of]]`: where operations come from, a `file` or a `program`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    file: str = ""
    """A trace or a workload (TOML) beside the experiment."""
    program: str = ""
    """A C program beside the experiment."""
    arguments: list[str] = []
    """Arguments of the program."""
    ranks: Annotated[list[int], Field(max_length=64)] = []
    """Numbers of ranks of the program: it runs once for each of these."""
    parts: Annotated[float, Field(gt=0)] = 1.0
    """The program of the paper does so many times what this does: times are multiplied by it."""
    settings: dict[str, Value] = {}
    """What its rows say besides, such as the name of the benchmark."""
    quick: bool = True
    """The quick form runs it."""
    quick_ranks: list[int] | None = None
    """Ranks of the quick form, where it runs fewer."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.file) == bool(self.program):
            raise ValueError("expected one of file, program")
        if bool(self.program) != bool(self.ranks):
            raise ValueError("ranks: a program has them, and a file has its own")
        return self

    def in_quick_form(self) -> ReplaySource:
        """With fewer ranks."""
        return self.model_copy(update={"ranks": self.quick_ranks or self.ranks})


class Replays(BaseModel):
    """The table `[replays]` of an experiment: every combination is simulated."""

    model_config = ConfigDict(extra="forbid", strict=True)

    platforms: Annotated[list[str], Field(min_length=1)]
    """Names of built-in platforms, or platform files beside the experiment."""
    tables: dict[str, Any] = {}
    """Tables that the platforms have besides, as in platform files, such as `transport`."""
    models: list[Model] = []
    """By default that of the platform."""
    selectors: Annotated[list[str], Field(min_length=1)] = ["default"]
    mapping: str = "node"
    replicas: Annotated[int, Field(ge=1)] = 1
    """With more than one, rows have an interval besides the median: the range from the 5th to the 95th percentile."""
    of: Annotated[list[ReplaySource], Field(min_length=1)]

    def used(self, folder: Path) -> ExperimentInputs:
        """What it rests on."""
        names = sorted({stream.file or stream.program for stream in self.of})
        files = [*(folder / name for name in names), *headers(folder)]
        return ExperimentInputs(platforms=[_beside(name, folder) for name in self.platforms], files=files)

    def in_quick_form(self) -> Replays:
        """With what the quick form runs instead."""
        return self.model_copy(update={"of": [stream.in_quick_form() for stream in self.of if stream.quick]})

    def rows(self, folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Replay all.

        Args:
            folder: where the files of the experiment are.
            advanced: is told how many replays are done, and of how many.
        Raises:
            InputError: there is no compiler, or something cannot be simulated.
            OrreryError: a run or a replay failed.
            KeyboardInterrupt: Ctrl-C.
        """
        kinds: list[Model | None] = [*self.models] or [None]
        found: list[Row] = []
        with temporary_folder() as aside, told(_nobody):
            ways = list(product(self._platforms(folder, aside), kinds, self.selectors))
            whole = len(ways) * sum(max(1, len(stream.ranks)) for stream in self.of)
            for stream, trace in self._traces(folder, aside):
                for platform, model, selector in ways:
                    found.append(self._row(stream, trace, platform, model, selector))
                    advanced(len(found), whole)
        return found

    def _platforms(self, folder: Path, aside: Path) -> list[str]:
        """With the tables that they have besides, as files in `aside`."""
        names = [_beside(name, folder) for name in self.platforms]
        return [_with_tables(name, self.tables, aside) for name in names] if self.tables else names

    def _traces(self, folder: Path, aside: Path) -> Iterator[tuple[ReplaySource, Path]]:
        programs = {
            name: compiled(folder / name, aside) for name in {stream.program for stream in self.of if stream.program}
        }
        for stream in self.of:
            if stream.file:
                yield stream, folder / stream.file
            for ranks in stream.ranks:
                trace = recorded(programs[stream.program], stream.arguments, ranks, aside)
                yield stream, trace
                trace.unlink()

    def _row(self, stream: ReplaySource, trace: Path, platform: str, model: Model | None, selector: str) -> Row:
        settings = ReplaySettings.of(
            [trace],
            platform=platform,
            model=model,
            mapping=self.mapping,
            selector=selector,
            replicas=self.replicas,
            seed=0,
        )
        record = replay(settings)
        if record.end == "interrupted":
            raise KeyboardInterrupt
        if record.end != "completed":
            raise OrreryError(f"{stream.program or stream.file} on {platform}: {record.cause}")
        row: Row = {
            **stream.settings,
            "ranks": record.ranks,
            "platform": record.platform,
            "model": record.model,
            "selector": selector,
        }
        return {**row, **_times(record, stream.parts)}


def _times(record: Record, parts: float) -> Row:
    if record.interval is None:
        return {TIME: record.simulated_s * parts}
    interval = record.interval
    return {TIME: interval.median_s * parts, LOW: interval.low_s * parts, HIGH: interval.high_s * parts}


def _beside(name: str, folder: Path) -> str:
    return str(folder / name) if name.endswith(".toml") else name


def _with_tables(platform: str, tables: dict[str, Any], aside: Path) -> str:
    source = find(platform)
    data = parse_toml(source, source.read_text(encoding="utf-8"))
    file = aside / source.name
    file.write_text(write(data | tables), encoding="utf-8")
    return str(file)


def _nobody(_advance: object) -> None:
    """An experiment says itself how far it is."""
