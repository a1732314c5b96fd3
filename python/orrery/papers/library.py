# SPDX-License-Identifier: BSD-3-Clause
"""The papers that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from orrery.documents import expected_value, parse_toml
from orrery.errors import InputError, did_you_mean
from orrery.papers.experiment import PaperExperiment
from orrery.papers.places import shows

FOLDER = Path(__file__).with_name("library")
_PAPER = "paper.toml"


class PaperFile(BaseModel):
    """`paper.toml` of a folder."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: str
    authors: str
    year: int | None = None
    """None: the text does not say it."""
    about: str
    """A sentence on what it measured."""
    missing: list[str] = []
    """What of the paper is not run yet, a sentence each."""

    @property
    def by(self) -> str:
        """Authors and year."""
        return self.authors if self.year is None else f"{self.authors}, {self.year}"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper and its experiments, in the order of their names."""

    name: str
    content: PaperFile
    experiments: list[PaperExperiment]

    def only(
        self, names: Sequence[str], figures: Sequence[str] = (), tables: Sequence[str] = ()
    ) -> list[PaperExperiment]:
        """Those of these names, and those that show these figures or tables; all, if none are named.

        Raises InputError for one that there is not.
        """
        known = {experiment.name: experiment for experiment in self.experiments}
        for name in names:
            if name not in known:
                raise InputError(f"--only {name}: {self.name} has {', '.join(known)}{did_you_mean(name, list(known))}")
        chosen = set(names)
        for kind, number in [*(("figure", figure) for figure in figures), *(("table", table) for table in tables)]:
            found = [
                experiment.name for experiment in self.experiments if shows(experiment.content.where, kind, number)
            ]
            if not found:
                there = "; ".join(dict.fromkeys(experiment.content.where for experiment in self.experiments))
                raise InputError(f"--{kind} {number}: no experiment of {self.name} shows it; there are: {there}")
            chosen.update(found)
        return (
            [experiment for experiment in self.experiments if experiment.name in chosen] if chosen else self.experiments
        )


def names(folder: Path = FOLDER) -> list[str]:
    """Names of all papers."""
    return sorted(file.parent.name for file in folder.glob(f"*/{_PAPER}"))


def paper(name: str, folder: Path = FOLDER) -> Paper:
    """A paper by its name. Raises InputError for one that there is not, or whose files are wrong."""
    place = folder / name
    if not (place / _PAPER).is_file():
        known = names(folder)
        raise InputError(f'"{name}": there is no such paper: {", ".join(known)}{did_you_mean(name, known)}')
    file = place / _PAPER
    try:
        content = PaperFile.model_validate(parse_toml(file, file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{file}: {'.'.join(str(part) for part in first['loc'])}: {expected_value(first)}") from None
    files = sorted(path for path in place.glob("*.toml") if path.name != _PAPER)
    return Paper(name=name, content=content, experiments=[PaperExperiment.read(path) for path in files])
