# SPDX-License-Identifier: BSD-3-Clause
"""All validations that a file lists, compared with the last time."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery.documents import parse_toml
from orrery.errors import InputError
from orrery.experiment.settings import Vary
from orrery.platform.model import Model
from orrery.validate import programs
from orrery.validate.comparison import Comparison
from orrery.validate.programs import ProgramValidation
from orrery.validate.settings import Validation
from orrery.validate.stored import changes, keep, last, program_changes

_WORSE = 0.02
"""A suite fails when a median error grew by more than this."""


class Collectives(BaseModel):
    """One `[[collectives]]` table of a suite; files are looked for beside it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Names its report."""
    platform: str
    """Built-in name, or a TOML file."""
    selector: str = "default"
    """Who chooses algorithms."""
    mapping: str = "node"
    """Where ranks go."""
    models: list[Model] = ["hybrid", "loggps", "fluid"]
    """Network models, the first one is judged."""
    replicas: Annotated[int, Field(ge=1)] = 3
    """Seeds of the noise."""
    vary: Vary = "noise"
    """What replicas differ in: noise, or the parameters within their calibration as well."""
    ingest: Annotated[list[str], Field(min_length=1)]
    """CSV files of measured times."""
    where: dict[str, str] = {}
    """Only rows whose columns have these values."""
    most_median: float | None = None
    """Bound of the median error."""
    most_p90: float | None = None
    """Bound of the 90th percentile."""

    def validation(self, folder: Path) -> Validation:
        """With files beside the suite."""
        values = self.model_dump(exclude={"name", "platform", "ingest", "models"})
        return Validation(
            **values,
            platform=_beside(folder, self.platform),
            models=tuple(self.models),
            ingest=tuple(folder / name for name in self.ingest),
        )


class Program(BaseModel):
    """One `[[programs]]` table of a suite; files are looked for beside it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Names its report."""
    platform: str
    """Built-in name, or a TOML file."""
    traces: Annotated[list[str], Field(min_length=1)]
    """Captured runs, of `orrery capture`."""
    selector: str = "default"
    """Who chooses algorithms."""
    mapping: str = "node"
    """Where ranks go."""
    model: Model | None = None
    """Network model; by default the platform's own."""
    replicas: Annotated[int, Field(ge=1)] = 1
    """Seeds of the noise."""
    vary: Vary = "noise"
    """What replicas differ in: noise, or the parameters within their calibration as well."""
    most_error: float | None = None
    """Bound of the error of the total, and of each routine as a share of all time."""

    def validation(self, folder: Path) -> ProgramValidation:
        """With files beside the suite."""
        values = self.model_dump(exclude={"name", "platform", "traces"})
        traces = tuple(folder / name for name in self.traces)
        return ProgramValidation(**values, platform=_beside(folder, self.platform), traces=traces)


class Suite(BaseModel):
    """A suite file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    collectives: list[Collectives] = []
    programs: list[Program] = []


@dataclass(frozen=True)
class Tables:
    """What writes for people what was found; whoever runs a suite brings it."""

    collectives: Callable[[Comparison, TextIO], object]
    program: Callable[[programs.Program, TextIO], object]


def run_suite(file: Path, store: Path, out: TextIO, tables: Tables, *, as_json: bool, force: bool = False) -> int:
    """Run every validation, tell what changed, keep the reports; 1 where a bound is exceeded or an error grew.

    `force`: on poor calibrations, too. The reports of those that ended are kept, whatever happens later. Raises InputError for a
    file that is wrong.
    """
    failed = False
    reports: dict[str, Any] = {}
    suite = _read(file)
    _check_store(store, [*(one.name for one in suite.collectives), *(one.name for one in suite.programs)])
    told = io.StringIO() if as_json else out
    jobs = [(one.name, partial(_run_collectives, one, tables=tables, force=force)) for one in suite.collectives]
    jobs += [(one.name, partial(_run_program, one, tables=tables, force=force)) for one in suite.programs]
    for name, run in jobs:
        told.write(f"== {name}\n")
        reports[name], above, grew = run(file.parent, store / f"{name}.json", told)
        told.write("".join(f"{line}\n" for line in [*reports[name]["changes"], *above]) + "\n")
        failed = failed or bool(above) or grew
    if as_json:
        json.dump(reports, out, indent=1)
        out.write("\n")
    return 1 if failed else 0


def _check_store(store: Path, names: Sequence[str]) -> None:
    """Before the work: raises InputError where reports cannot be written, or others than reports are there."""
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--store {store}: {error.strerror}; name another folder") from None
    if not os.access(store, os.W_OK | os.X_OK):
        raise InputError(f"--store {store}: no file can be written there; name another folder")
    for name in names:
        last(store / f"{name}.json", needed=())


_Outcome = tuple[dict[str, Any], list[str], bool]
"""The report with what changed, bounds that are exceeded, and whether the error grew."""


def _run_collectives(
    one: Collectives, folder: Path, kept: Path, told: TextIO, *, tables: Tables, force: bool
) -> _Outcome:
    validation = replace(one.validation(folder), force=force)
    before = last(kept)
    found = validation.compare()
    report = found.as_json()
    model = found.models[0]
    grew = before is not None and _median(report, model) > _median(before, model) + _WORSE
    keep(report, kept)
    tables.collectives(found, told)
    return report | {"changes": changes(before, found) if before else []}, validation.exceeded(found), grew


def _run_program(one: Program, folder: Path, kept: Path, told: TextIO, *, tables: Tables, force: bool) -> _Outcome:
    validation = replace(one.validation(folder), force=force)
    before = last(kept, needed=("total", "routines"))
    found = validation.compare()
    report = found.as_json()
    lines = program_changes(before, report) if before else []
    grew = before is not None and abs(found.error) > abs(before["total"]["error"]) + _WORSE
    keep(report, kept)
    tables.program(found, told)
    return report | {"changes": lines}, validation.exceeded(found), grew


def _beside(folder: Path, platform: str) -> str:
    beside = folder / platform
    return str(beside) if beside.is_file() else platform


def _median(report: dict[str, Any], model: Model) -> float:
    return float(report["summary"].get(model, {}).get("all", {}).get("median", float("inf")))


def _read(file: Path) -> Suite:
    try:
        suite = Suite.model_validate(parse_toml(f"--suite {file}", file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--suite {file}: {getattr(error, 'strerror', None) or error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"--suite {file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    names = [one.name for one in suite.collectives] + [one.name for one in suite.programs]
    if not names:
        raise InputError(f"--suite {file}: lists nothing: [[collectives]] or [[programs]] are expected")
    if len(set(names)) < len(names):
        raise InputError(f"--suite {file}: two validations have one name; their reports would replace each other")
    return suite
