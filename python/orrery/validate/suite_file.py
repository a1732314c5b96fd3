# SPDX-License-Identifier: BSD-3-Clause
"""Suite files: TOML files with validations, in groups that have bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from orrery.documents import expected_value, parse_toml
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING, Vary
from orrery.platform.model import Model
from orrery.validate.settings import CollectiveValidation, ProgramValidation

_Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]


class _Entry(BaseModel):
    """Settings of all kinds of entries."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    """Name of its report."""
    group: _Name = "all"
    """Group in whose summary its errors are."""
    cluster: _Name | None = None
    """Nodes and links on which it was measured; None: those of the group. Intervals are judged by leaving out whole clusters."""
    platform: str
    """Name of a built-in platform, or a TOML file relative to the suite file."""
    selector: str = "default"
    """Selector of collective algorithms."""
    mapping: str | None = None
    """Where ranks go, as `--map` takes it; None: `slot`, or of programs as their traces were recorded."""
    vary: Vary = "noise"
    """What replicas differ in: noise, or noise and parameters within the uncertainty of the calibration."""
    force: bool = False
    """Use the platform even if its calibration is poor."""


class SuiteCollectives(_Entry):
    """One `[[collectives]]` table of a suite; file names are relative to the suite file."""

    models: list[Model] = ["hybrid", "loggps", "fluid"]
    """Network models; bounds apply to the first one."""
    replicas: Annotated[int, Field(ge=1)] = 3
    """Number of simulations with different noise."""
    ingest: Annotated[list[str], Field(min_length=1)]
    """CSV files of measured times."""
    where: dict[str, str] = {}
    """Only rows whose columns have these values are compared."""
    most_median: float | None = None
    """Largest allowed median error of the first model."""
    most_p90: float | None = None
    """Largest allowed 90th percentile of its errors."""

    def validation(self, folder: Path, *, force: bool) -> CollectiveValidation:
        """The settings of the validation; `folder`: folder of the suite file."""
        values = self.model_dump(
            exclude={"name", "group", "cluster", "platform", "mapping", "ingest", "models", "force"}
        )
        return CollectiveValidation(
            **values,
            mapping=self.mapping or DEFAULT_MAPPING,
            platform=beside(folder, self.platform),
            models=tuple(self.models),
            ingest=tuple(folder / name for name in self.ingest),
            force=force or self.force,
        )


class SuitePrograms(_Entry):
    """One `[[programs]]` table of a suite; file names are relative to the suite file."""

    traces: list[str] = []
    """Traces of several runs of one program, by `orrery capture`; each may be compressed by xz or gzip."""
    each: str | None = None
    """Instead of `traces`: a pattern such as "traces/*.trace.xz". Each file is a program of its own, named after the file."""
    model: Model | None = None
    """Network model; None: the one that the platform file names."""
    replicas: Annotated[int, Field(ge=1)] = 1
    """Number of replays with different noise."""
    most_error: float | None = None
    """Largest allowed error of the total time, and of each routine relative to the total time."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.traces) == (self.each is not None):
            raise ValueError('expected either traces = ["FILE", ...], runs of one program, or each = "PATTERN"')
        return self

    def validations(self, folder: Path, *, force: bool) -> dict[str, ProgramValidation]:
        """The settings of the validations by the names of their reports. Raises InputError for a pattern without files."""
        if self.each is None:
            return {self.name: self._validation(folder, tuple(folder / name for name in self.traces), force=force)}
        files = sorted(folder.glob(self.each))
        if not files:
            raise InputError(f'{self.name}: each = "{self.each}": no file of {folder} has such a name')
        return {f"{self.name}.{_stem(file)}": self._validation(folder, (file,), force=force) for file in files}

    def _validation(self, folder: Path, traces: tuple[Path, ...], *, force: bool) -> ProgramValidation:
        values = self.model_dump(exclude={"name", "group", "cluster", "platform", "traces", "each", "force"})
        platform = beside(folder, self.platform)
        return ProgramValidation(**values, platform=platform, traces=traces, force=force or self.force)


class SuiteGroup(BaseModel):
    """One `[[groups]]` table: bounds for the errors of all entries of a group together."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    """Name of the group, as in its entries."""
    most_median: float | None = None
    """Largest allowed median error of its collectives."""
    most_p90: float | None = None
    """Largest allowed 90th percentile of the errors of its collectives."""
    most_mean: float | None = None
    """Largest allowed mean absolute error of the total times of its programs."""


class Suite(BaseModel):
    """A suite file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    about: str = ""
    """Text about the evidence and its limits, for the page of an ablation."""
    collectives: list[SuiteCollectives] = []
    programs: list[SuitePrograms] = []
    hand_written: list[str] = []
    """CSV files of collectives on machines whose platforms were written by hand: machine, platform, collective, nodes, ranks, bytes,
    algorithm, and measured and predicted microseconds. They are for intervals alone."""
    groups: list[SuiteGroup] = []


def read_suite(file: Path) -> Suite:
    """Read and check a suite file. Raises InputError if it is invalid."""
    try:
        suite = Suite.model_validate(parse_toml(f"--suite {file}", file.read_text(encoding="utf-8"), lines=True))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--suite {file}: {getattr(error, 'strerror', None) or error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"--suite {file}: {where}: {expected_value(first)}") from None
    entries = [*suite.collectives, *suite.programs]
    names = [entry.name for entry in entries]
    if not names and not suite.hand_written:
        raise InputError(f"--suite {file}: lists nothing: [[collectives]] or [[programs]] are expected")
    if len(set(names)) < len(names):
        raise InputError(f"--suite {file}: two validations have one name; their reports would replace each other")
    used = {entry.group for entry in entries}
    for group in suite.groups:
        if group.name not in used:
            raise InputError(
                f'--suite {file}: groups: no entry has the group "{group.name}" ({", ".join(sorted(used))})'
            )
    return suite


def beside(folder: Path, platform: str) -> str:
    """Path of a platform file relative to the suite's folder, or the name of a built-in platform."""
    file = folder / platform
    return str(file) if file.is_file() else platform


def _stem(file: Path) -> str:
    """The name of a trace without its suffixes: `cg.S.8` for `cg.S.8.trace.xz`."""
    return file.name.removesuffix(file.suffix if file.suffix in {".xz", ".gz"} else "").removesuffix(".trace")
