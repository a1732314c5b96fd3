# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with programs: a C program beside the experiment's file, on platforms, under models, with several numbers of ranks.

A program declares its computation (`ORRERY_COMPUTE`), so its times are the same in every run. It prints a line "check: ok" when what
it computed is right, and a line "NAME: SECONDS s" for each part of its time that a claim is about, such as "barotropic: 1.25 s". The part
`total` is the time of the whole run. "NAME of BYTES B: SECONDS s" is a part by size: its row has `bytes`. With `routines` each
routine of MPI is a part, too, as in TAU's tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from orrery.errors import Interrupt, OrreryError
from orrery.papers.compiled import compiled, headers
from orrery.papers.on_clusters import on_clusters
from orrery.papers.routines import rows_of_routines
from orrery.papers.rows import ASKED, TIME, USED, Row
from orrery.papers.used import ExperimentInputs
from orrery.platform.model import Model
from orrery.progress import told
from orrery.record.document import Record
from orrery.run.programs import MpiProgram
from orrery.run.session import simulate
from orrery.run.settings import RunSettings
from orrery.temporary import temporary_folder

TOTAL = "total"
_CHECK = "check: ok"
_PART = re.compile(r"^([A-Za-z][\w-]*)(?: of (\d+) B)?: ([0-9.eE+-]+) s$", re.MULTILINE)


class QuickPrograms(BaseModel):
    """What the quick form runs instead."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ranks: list[int] | None = None
    cases: dict[str, list[str]] | None = None
    platforms: list[str] | None = None
    algorithms: list[str] | None = None


class PaperPrograms(BaseModel):
    """The table `[programs]` of an experiment: every combination is simulated."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: str
    """A C file beside the experiment; it may include headers that are there, too."""
    cases: Annotated[dict[str, list[str]], Field(min_length=1)]
    """Arguments of the program, by the name of the case, such as `class B`."""
    ranks: Annotated[list[int], Field(min_length=1)]
    platforms: Annotated[list[str], Field(min_length=1)]
    """Names of built-in platforms."""
    models: list[Model] = []
    """By default that of the platform."""
    selector: str = "default"
    selectors: dict[str, str] = {}
    """By platform, where that is not `selector`."""
    algorithms: list[str] = []
    """Texts of `--coll`, such as `allreduce=ring`; by default what the selector chooses."""
    mapping: str = "slot"
    places: dict[str, list[str]] = {}
    """Clusters of the platform on which ranks are, in equal parts one after the other, by the name of the place; each fills the
    cores of a node before the next. By default where `mapping` puts them."""
    routines: bool = False
    """Each routine of MPI is a part, too, and so are `all`, `application` and `mpi`: times and calls of all ranks together."""
    own: list[str] = []
    """Routines that stand for what the paper's program does without MPI: `routines` counts them as `application`."""
    of_ranks: list[int] = []
    """Ranks whose own times are parts besides, such as `MPI_Bcast of rank 0`, where `routines` is true."""
    quick: QuickPrograms | None = None

    @model_validator(mode="after")
    def _acts(self) -> Self:
        if (self.own or self.of_ranks) and not self.routines:
            raise ValueError("own and of_ranks act only with routines = true")
        return self

    def used(self, folder: Path) -> ExperimentInputs:
        """What it rests on."""
        return ExperimentInputs(platforms=self.platforms, files=[folder / self.source, *headers(folder)])

    def in_quick_form(self) -> PaperPrograms:
        """With what the quick form runs instead."""
        less = self.quick.model_dump(exclude_none=True) if self.quick else {}
        return self.model_copy(update={**less, "quick": None})

    def rows(self, folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Compile the program and run it in all ways.

        Args:
            folder: where its source is.
            advanced: is told how many runs are done, and of how many.
        Raises:
            InputError: there is no compiler, or it refuses the program.
            OrreryError: a run failed, or its result is wrong.
            KeyboardInterrupt: Ctrl-C.
        """
        models: list[Model | None] = [*self.models] or [None]
        places = [*self.places] or [""]
        ways = list(product(self.cases, self.ranks, self.platforms, models, self.algorithms or [""], places))
        found: list[Row] = []
        with temporary_folder() as place:
            program = compiled(folder / self.source, place)
            for done, (case, ranks, platform, model, algorithm, place_name) in enumerate(ways, 1):
                settings = RunSettings(
                    programs=[MpiProgram([str(program), *self.cases[case]], ranks)],
                    platform=platform,
                    model=model,
                    mapping=self._mapping(place_name, platform, ranks),
                    selector=self.selectors.get(platform, self.selector),
                    coll=algorithm,
                    compute="none",
                )
                named: Row = {"case": case, **({"place": place_name} if place_name else {})}
                record, parts = _run(settings, named)
                found += parts
                if self.routines:
                    found += [parts[0] | row for row in rows_of_routines(record.profile, self.own, self.of_ranks)]
                advanced(done, len(ways))
        return found

    def _mapping(self, place_name: str, platform: str, ranks: int) -> str:
        return on_clusters(self.places[place_name], platform, ranks) if place_name else self.mapping


@dataclass
class _ProgramOutput:
    """What the ranks wrote."""

    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)

    def write(self, _rank: int, error_stream: bool, text: bytes) -> None:  # noqa: FBT001  the core calls it by position
        (self.errors if error_stream else self.output).extend(text)


def _run(settings: RunSettings, named: Row) -> tuple[Record, list[Row]]:
    """A run, and its parts that the program prints; `total` is the first."""
    heard = _ProgramOutput()
    with told(lambda _advance: None):
        record = simulate(replace(settings, writer=heard.write))
    output = heard.output.decode(errors="replace")
    _check(record, settings, output, heard.errors.decode(errors="replace"))
    base: Row = {
        **named,
        "ranks": settings.ranks,
        "platform": record.platform,
        "model": record.model,
        "selector": settings.selector,
        "algorithm": settings.coll or "as selected",
    }
    if record.folded is not None:
        base |= {ASKED: record.folded.asked_bytes, USED: record.peak_rss_bytes or 0}
    parts: list[Row] = [{**base, "part": TOTAL, TIME: record.simulated_s}]
    for name, size, seconds in _PART.findall(output):
        sized: Row = {"bytes": int(size)} if size else {}
        parts.append({**base, "part": name, **sized, TIME: float(seconds)})
    return record, parts


def _check(record: Record, settings: RunSettings, output: str, errors: str) -> None:
    """Raises OrreryError for a run that failed or computed something wrong, KeyboardInterrupt after Ctrl-C."""
    if record.exit_code == Interrupt.exit_code:
        raise KeyboardInterrupt
    name = f"{Path(settings.command[0]).name} {' '.join(settings.command[1:])} with {settings.ranks} ranks on {settings.platform}"
    if record.exit_code != 0:
        raise OrreryError(f"{name}: {record.cause or errors.strip() or f'exit code {record.exit_code}'}")
    if _CHECK not in output.splitlines():
        raise OrreryError(f'{name}: it did not print "{_CHECK}": {(errors or output).strip()[-300:]}')
