# SPDX-License-Identifier: BSD-3-Clause
"""All validations that a file lists, compared with the last time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, TextIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.report.validation import write_tables
from orrery.validate.settings import Validation
from orrery.validate.stored import changes, keep, last

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
        beside = folder / self.platform
        values = self.model_dump(exclude={"name", "platform", "ingest", "models"})
        return Validation(
            **values,
            platform=str(beside) if beside.is_file() else self.platform,
            models=tuple(self.models),
            ingest=tuple(folder / name for name in self.ingest),
        )


class Suite(BaseModel):
    """A suite file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    collectives: Annotated[list[Collectives], Field(min_length=1)]


def run_suite(file: Path, store: Path, out: TextIO, *, as_json: bool) -> int:
    """Run every validation, tell what changed, keep the reports; 1 where a bound is exceeded or an error grew.

    The reports of those that ended are kept, whatever happens later. Raises InputError for a file that is wrong.
    """
    failed = False
    reports: dict[str, Any] = {}
    for one in _read(file).collectives:
        validation = one.validation(file.parent)
        kept = store / f"{one.name}.json"
        before = last(kept)
        found = validation.compare()
        reports[one.name] = found.as_json() | {"changes": changes(before, found) if before else []}
        above = validation.exceeded(found)
        grew = (
            before is not None
            and _median(reports[one.name], found.models[0]) > _median(before, found.models[0]) + _WORSE
        )
        failed = failed or bool(above) or grew
        keep(found, kept)
        if not as_json:
            out.write(f"== {one.name}\n")
            write_tables(found, out, every_case=False)
            out.write("".join(f"{line}\n" for line in [*reports[one.name]["changes"], *above]) + "\n")
    if as_json:
        json.dump(reports, out, indent=1)
        out.write("\n")
    return 1 if failed else 0


def _median(report: dict[str, Any], model: Model) -> float:
    return float(report["summary"].get(model, {}).get("all", {}).get("median", float("inf")))


def _read(file: Path) -> Suite:
    try:
        suite = Suite.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--suite {file}: {getattr(error, 'strerror', None) or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--suite {file}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"--suite {file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    names = [one.name for one in suite.collectives]
    if len(set(names)) < len(names):
        raise InputError(f"--suite {file}: two validations have one name; their reports would replace each other")
    return suite
