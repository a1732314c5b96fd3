# SPDX-License-Identifier: BSD-3-Clause
"""Suite files: all validations that a TOML file lists, in groups that have bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from orrery.documents import parse_toml
from orrery.errors import InputError
from orrery.experiment.settings import Vary
from orrery.platform.model import Model
from orrery.validate.programs import ProgramValidation
from orrery.validate.settings import Validation

_Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]


class _Entry(BaseModel):
    """What all entries have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    """Names its report."""
    group: _Name = "all"
    """What it is summarised with."""
    platform: str
    """Built-in name, or a TOML file beside the suite."""
    selector: str = "default"
    """Who chooses algorithms."""
    mapping: str = "node"
    """Where ranks go."""
    vary: Vary = "noise"
    """What replicas differ in: noise, or the parameters within their calibration as well."""
    force: bool = False
    """Use the platform even where its calibration is poor."""


class Collectives(_Entry):
    """One `[[collectives]]` table of a suite; files are looked for beside it."""

    models: list[Model] = ["hybrid", "loggps", "fluid"]
    """Network models, the first one is judged."""
    replicas: Annotated[int, Field(ge=1)] = 3
    """Seeds of the noise."""
    ingest: Annotated[list[str], Field(min_length=1)]
    """CSV files of measured times."""
    where: dict[str, str] = {}
    """Only rows whose columns have these values."""
    most_median: float | None = None
    """Bound of the median error."""
    most_p90: float | None = None
    """Bound of the 90th percentile."""

    def validation(self, folder: Path, *, force: bool) -> Validation:
        """With files beside the suite."""
        values = self.model_dump(exclude={"name", "group", "platform", "ingest", "models", "force"})
        return Validation(
            **values,
            platform=beside(folder, self.platform),
            models=tuple(self.models),
            ingest=tuple(folder / name for name in self.ingest),
            force=force or self.force,
        )


class Programs(_Entry):
    """One `[[programs]]` table of a suite; files are looked for beside it."""

    traces: list[str] = []
    """Captured runs of one program, of `orrery capture`; each may be compressed by xz or gzip."""
    each: str | None = None
    """Or a pattern, such as "traces/*.trace.xz": each file is a program of its own, named after the file."""
    model: Model | None = None
    """Network model; by default the platform's own."""
    replicas: Annotated[int, Field(ge=1)] = 1
    """Seeds of the noise."""
    most_error: float | None = None
    """Bound of the error of the total, and of each routine as a share of all time."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.traces) == (self.each is not None):
            raise ValueError('expected either traces = ["FILE", ...], runs of one program, or each = "PATTERN"')
        return self

    def validations(self, folder: Path, *, force: bool) -> dict[str, ProgramValidation]:
        """By the name of the report, with files beside the suite. Raises InputError for a pattern without files."""
        if self.each is None:
            return {self.name: self._validation(folder, tuple(folder / name for name in self.traces), force=force)}
        files = sorted(folder.glob(self.each))
        if not files:
            raise InputError(f'{self.name}: each = "{self.each}": no file of {folder} has such a name')
        return {f"{self.name}.{_stem(file)}": self._validation(folder, (file,), force=force) for file in files}

    def _validation(self, folder: Path, traces: tuple[Path, ...], *, force: bool) -> ProgramValidation:
        values = self.model_dump(exclude={"name", "group", "platform", "traces", "each", "force"})
        platform = beside(folder, self.platform)
        return ProgramValidation(**values, platform=platform, traces=traces, force=force or self.force)


class Group(BaseModel):
    """One `[[groups]]` table: bounds of all entries of a group together."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    """What entries name as their group."""
    most_median: float | None = None
    """Bound of the median error of its collectives."""
    most_p90: float | None = None
    """Bound of their 90th percentile."""
    most_mean: float | None = None
    """Bound of the mean absolute error of its programs' totals."""


class Suite(BaseModel):
    """A suite file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    about: str = ""
    """What the evidence is, and what it cannot show: a paragraph of the page of an ablation."""
    collectives: list[Collectives] = []
    programs: list[Programs] = []
    groups: list[Group] = []


def read_suite(file: Path) -> Suite:
    """A suite file, checked. Raises InputError for one that is wrong."""
    try:
        suite = Suite.model_validate(parse_toml(f"--suite {file}", file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--suite {file}: {getattr(error, 'strerror', None) or error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"--suite {file}: {where}: {first['msg'].removeprefix('Value error, ')}") from None
    entries = [*suite.collectives, *suite.programs]
    names = [one.name for one in entries]
    if not names:
        raise InputError(f"--suite {file}: lists nothing: [[collectives]] or [[programs]] are expected")
    if len(set(names)) < len(names):
        raise InputError(f"--suite {file}: two validations have one name; their reports would replace each other")
    used = {one.group for one in entries}
    for group in suite.groups:
        if group.name not in used:
            raise InputError(
                f'--suite {file}: groups: no entry has the group "{group.name}" ({", ".join(sorted(used))})'
            )
    return suite


def beside(folder: Path, platform: str) -> str:
    """A platform file beside the suite, or the name of a built-in platform."""
    file = folder / platform
    return str(file) if file.is_file() else platform


def _stem(file: Path) -> str:
    """`cg.S.8` of `cg.S.8.trace.xz`."""
    return file.name.removesuffix(file.suffix if file.suffix in {".xz", ".gz"} else "").removesuffix(".trace")
