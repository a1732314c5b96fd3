# SPDX-License-Identifier: BSD-3-Clause
"""An experiment file: what is run, and what the paper says comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from orrery.documents import parse_toml
from orrery.errors import InputError
from orrery.papers.claims import Checked, Claim
from orrery.papers.collectives import Collectives
from orrery.papers.messages import Messages
from orrery.papers.rows import Row
from orrery.papers.versus_sends import VersusSends
from orrery.platform.prepared import prepare
from orrery.simulate.description import digest_of


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
    collectives: Collectives | None = None
    messages: Messages | None = None
    versus_sends: VersusSends | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(one is not None for one in (self.collectives, self.messages, self.versus_sends)) != 1:
            raise ValueError("expected one of [collectives], [messages], [versus_sends]")
        return self


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment of a paper."""

    name: str
    """Of its file, such as `figure-4`."""
    file: Path
    content: ExperimentFile

    @classmethod
    def read(cls, file: Path) -> Experiment:
        """Raises InputError naming file and key."""
        data = parse_toml(file, file.read_text(encoding="utf-8"))
        try:
            content = ExperimentFile.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            raise InputError(f"{file}: {f'{key}: ' if key else ''}{first['msg']}") from None
        return cls(name=file.stem, file=file, content=content)

    def rows(self, advanced: Callable[[int, int], object], *, quick: bool) -> list[Row]:
        """Run it. `quick`: its quick form. Raises InputError for what cannot be simulated."""
        one = self.content
        if one.versus_sends is not None:
            return one.versus_sends.rows(self.file.parent, advanced, quick=quick)
        kind = one.collectives or one.messages
        if kind is None:
            return []
        return (kind.in_quick_form() if quick else kind).rows(advanced)

    def check(self, rows: Sequence[Row]) -> list[Checked]:
        """The verdicts on what it gave."""
        one = self.content
        found = [claim.check(rows, one.where) for claim in one.claim]
        if one.versus_sends is not None:
            found += one.versus_sends.check(self.file.parent, rows, one.where)
        return found

    def digest(self, *, quick: bool) -> str:
        """Identifies what it gives: the file, its platforms, the form."""
        parts = [self.file.read_text(encoding="utf-8"), str(quick)]
        parts += [digest_of(prepare(platform)) for platform in self._platforms()]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    def _platforms(self) -> list[str]:
        one = self.content
        if one.versus_sends is not None:
            from orrery.papers.versus_sends import published

            return sorted({row["platform"] for row in published(self.file.parent / one.versus_sends.table)})
        kind = one.collectives or one.messages
        return list(kind.platforms) if kind else []
