# SPDX-License-Identifier: BSD-3-Clause
"""An experiment file: what is run, and what the paper says comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from orrery.documents import expected_value, parse_toml
from orrery.errors import InputError
from orrery.papers.claims import CheckedClaim, Claim
from orrery.papers.collectives import PaperCollectives
from orrery.papers.loops import Loops
from orrery.papers.messages import PaperMessages
from orrery.papers.programs import PaperPrograms
from orrery.papers.replays import Replays
from orrery.papers.rows import Row
from orrery.papers.used import ExperimentInputs
from orrery.papers.versus_sends import VersusSends
from orrery.platform.prepared import prepare
from orrery.simulate.description import digest_of

KINDS = ("collectives", "loops", "messages", "programs", "replays", "versus_sends")
"""Names of the tables, one of which an experiment has."""


class ExperimentKind(Protocol):
    """A kind of experiments."""

    def used(self, folder: Path) -> ExperimentInputs:
        """What it rests on. `folder`: where the files of the experiment are."""

    def in_quick_form(self) -> ExperimentKind:
        """Less of it, for a run of seconds."""

    def rows(self, folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Run it. `advanced` is told how many simulations are done, and of how many."""


class ExperimentFile(BaseModel):
    """One TOML file of a paper."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: str
    where: str
    """Section, figure or table of the paper."""
    about: str = ""
    assumed: list[str] = []
    """What the paper does not say, a sentence each."""
    claim: list[Claim] = []
    collectives: PaperCollectives | None = None
    loops: Loops | None = None
    messages: PaperMessages | None = None
    programs: PaperPrograms | None = None
    replays: Replays | None = None
    versus_sends: VersusSends | None = None

    @property
    def kind(self) -> ExperimentKind:
        """The one that it is."""
        return next(kind for kind in self._kinds() if kind is not None)

    def _kinds(self) -> list[ExperimentKind | None]:
        return [getattr(self, name) for name in KINDS]

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(kind is not None for kind in self._kinds()) != 1:
            raise ValueError(f"expected one of {', '.join(f'[{name}]' for name in KINDS)}")
        return self


@dataclass(frozen=True, kw_only=True)
class PaperExperiment:
    """An experiment of a paper."""

    name: str
    """Name of its file, such as `figure-4`."""
    file: Path
    content: ExperimentFile

    @classmethod
    def read(cls, file: Path) -> PaperExperiment:
        """Raises InputError naming file and key."""
        data = parse_toml(file, file.read_text(encoding="utf-8"))
        try:
            content = ExperimentFile.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            raise InputError(f"{file}: {f'{key}: ' if key else ''}{expected_value(first)}") from None
        return cls(name=file.stem, file=file, content=content)

    def rows(self, advanced: Callable[[int, int], object], *, quick: bool) -> list[Row]:
        """Run it.

        Args:
            advanced: is told how many simulations are done, and of how many.
            quick: in its quick form.
        Raises:
            InputError: something cannot be simulated.
            OrreryError: a program failed.
        """
        kind = self.content.kind
        return (kind.in_quick_form() if quick else kind).rows(self.file.parent, advanced)

    def check(self, rows: Sequence[Row]) -> list[CheckedClaim]:
        """The verdicts on what it gave."""
        content = self.content
        found = [claim.check(rows, content.where) for claim in content.claim]
        if content.versus_sends is not None:
            found += content.versus_sends.check(self.file.parent, rows, content.where)
        return found

    def digest(self, *, quick: bool) -> str:
        """Identifies what it gives: the file, its platforms, the form."""
        parts = [self.file.read_text(encoding="utf-8"), str(quick)]
        used = self.content.kind.used(self.file.parent)
        parts += [digest_of(prepare(platform)) for platform in used.platforms]
        parts += [sha256(file.read_bytes()).hexdigest() for file in used.files]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]
