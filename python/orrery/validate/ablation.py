# SPDX-License-Identifier: BSD-3-Clause
"""What each table and key of the platforms of a suite is worth: the errors without it, less the errors with it.

A key is left out of every platform file that has it, as a user would leave it out, and all measured cases are predicted
again. What acts only beside it goes with it. Values that were fitted beside it stay: they are not fitted again.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from orrery.errors import InputError
from orrery.platform import schema, toml_writer
from orrery.platform.dependent import dependent_mistakes
from orrery.platform.find import find
from orrery.platform.load import contradictions
from orrery.validate.suite import simulate_programs
from orrery.validate.suite_file import Collectives, Programs, Suite, beside, read_suite
from orrery.validate.summaries import Errors, GroupSummary, summarise

Names = tuple[str, ...]
"""Tables and key, without the numbers of tables that there are several of."""

_MODEL_TABLES = ("network", "transport", "node", "compute")
"""Tables that are the model's; each may be left out as a whole, where a platform is still one without it."""
_CLUSTER = ("cluster",)
"""Of the clusters single keys are left out."""
NOTEWORTHY = 0.002
"""A key that changes no figure by so much is worth nothing: 0.2 percentage points."""


@dataclass(frozen=True)
class Ablation:
    """A table or key that was left out."""

    key: str
    also: tuple[str, ...]
    """What acts only beside it, and was left out, too."""
    platforms: int
    """How many of the suite's platform files have it."""
    needed: bool = False
    """A platform cannot be without it: nothing was simulated."""
    worth: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By group and figure (`median`, `p90`, `mean`): error without it less error with it, as fractions. Above 0: it helps."""

    @property
    def most(self) -> float:
        """The largest of its figures; 0 for none."""
        return max((value for figures in self.worth.values() for value in figures.values()), default=0.0)

    @property
    def noteworthy(self) -> bool:
        """Whether some figure is worse without it by at least `NOTEWORTHY`."""
        return self.most >= NOTEWORTHY


@dataclass(frozen=True)
class Ablations:
    """All of a suite."""

    suite: str
    about: str
    """What the suite says of its evidence."""
    platforms: tuple[str, ...]
    """Names of the platform files, beside the suite."""
    whole: list[GroupSummary]
    """Errors of the platforms as they are."""
    found: list[Ablation]

    def as_json(self) -> dict[str, Any]:
        """Errors as fractions."""
        return {
            "suite": self.suite,
            "about": self.about,
            "platforms": list(self.platforms),
            "groups": {one.group: one.figures() for one in self.whole},
            "ablations": [
                {"key": one.key, "also": list(one.also), "platforms": one.platforms, "needed": one.needed}
                | {"worth": {group: dict(figures) for group, figures in one.worth.items()}}
                for one in self.found
            ],
        }


def ablate(
    file: Path,
    *,
    force: bool = False,
    only: tuple[str, ...] = (),
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> Ablations:
    """Leave out each table and key in turn. Raises InputError for a suite that cannot be used.

    Args:
        file: of the suite.
        force: on poor calibrations, too.
        only: tables and keys to leave out, as `transport.connections.queue`; none: all that the platforms have.
        advanced: is told of what is done, and of how much there is to do.
    """
    suite = read_suite(file)
    study = _Study(suite, file.parent, force=force)
    keys = study.chosen(only)
    found = []
    whole = study.errors({})
    for done, key in enumerate(keys):
        advanced(done, len(keys))
        found.append(study.without(key, whole))
    advanced(len(keys), len(keys))
    return Ablations(str(file), suite.about.strip(), tuple(study.documents), summarise(whole), found)


class _Study:
    """The entries of a suite on changed platforms. What a change does not touch is simulated once."""

    def __init__(self, suite: Suite, folder: Path, *, force: bool) -> None:
        self._suite = suite
        self._folder = folder
        self._force = force
        self._known: dict[tuple[str, str], list[Errors]] = {}
        entries = [*suite.collectives, *suite.programs]
        self.documents = {one.platform: _document(beside(folder, one.platform)) for one in entries}

    def chosen(self, only: tuple[str, ...]) -> list[Names]:
        """Keys to leave out. Raises InputError for one that no platform has."""
        every = list(dict.fromkeys(key for document in self.documents.values() for key in keys_of(document)))
        known = {".".join(key): key for key in every}
        for name in only:
            if name not in known:
                raise InputError(f"--ablate {name}: no platform of the suite has this key ({', '.join(known)})")
        return [known[name] for name in only] if only else every

    def without(self, key: Names, whole: list[Errors]) -> Ablation:
        """What one key is worth."""
        changed, also, having = {}, list[Names](), 0
        for name, document in self.documents.items():
            if not _has(document, key):
                continue
            having += 1
            left = without(document, key)
            if left is None:
                return Ablation(".".join(key), (), having, needed=True)
            changed[name], more = left
            also += more
        before = {one.group: one.figures() for one in summarise(whole)}
        after = {one.group: one.figures() for one in summarise(self.errors(changed))}
        worth = {
            group: {figure: after[group][figure] - value for figure, value in figures.items()}
            for group, figures in before.items()
        }
        return Ablation(".".join(key), tuple(dict.fromkeys(map(".".join, also))), having, worth=worth)

    def errors(self, changed: Mapping[str, dict[str, Any]]) -> list[Errors]:
        """Of all entries, `changed` documents in the place of the platforms of these names."""
        out = []
        entries: list[Collectives | Programs] = [*self._suite.collectives, *self._suite.programs]
        with TemporaryDirectory(prefix="orrery-ablation-") as folder:
            for entry in entries:
                text = toml_writer.write(changed[entry.platform]) if entry.platform in changed else ""
                if (entry.name, text) not in self._known:
                    self._known[entry.name, text] = self._simulate(_on(entry, text, Path(folder)))
                out += self._known[entry.name, text]
        return out

    def _simulate(self, entry: Collectives | Programs) -> list[Errors]:
        """Silently: how good a calibration is would be said again for each key."""
        with redirect_stderr(io.StringIO()):
            return self._errors_of(entry)

    def _errors_of(self, entry: Collectives | Programs) -> list[Errors]:
        if isinstance(entry, Collectives):
            judged = entry.model_copy(update={"models": entry.models[:1]})
            found = judged.validation(self._folder, force=self._force).compare()
            return [Errors(entry.group, collectives=tuple(abs(case.error(found.models[0])) for case in found.cases))]
        validations = entry.validations(self._folder, force=self._force)
        return [Errors(entry.group, programs=(abs(one.error),)) for _, one in simulate_programs(validations)]


def _on(entry: Collectives | Programs, text: str, folder: Path) -> Collectives | Programs:
    """The entry with a changed platform, of which this is the text; as it is where there is none."""
    if not text:
        return entry
    file = folder / f"{entry.name}.toml"
    file.write_text(text, encoding="utf-8")
    return entry.model_copy(update={"platform": str(file)})


def keys_of(document: Mapping[str, Any]) -> Iterator[Names]:
    """Tables of the model and all keys in them, each table before its keys; and keys of the clusters."""
    for name in _MODEL_TABLES:
        if name in document:
            yield (name,)
            yield from _below(document[name], (name,))
    for name in _CLUSTER:
        yield from ((name, key) for key in dict.fromkeys(key for one in document[name] for key in one))


def _below(table: Mapping[str, Any], path: Names) -> Iterator[Names]:
    for name, value in table.items():
        yield (*path, name)
        tables = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
        inner = dict.fromkeys(key for one in tables for key in _below(one, (*path, name)))
        yield from inner


def without(document: Mapping[str, Any], key: Names) -> tuple[dict[str, Any], list[Names]] | None:
    """A platform without a table or key, and what went with it; None where it is no platform any more."""
    left = deepcopy(dict(document))
    _remove(left, key)
    also: list[Names] = []
    while (mistaken := _ignored(left)) is not None:
        if not mistaken:
            return left, also
        for one in mistaken:
            _remove(left, one)
        also += mistaken
    return None


def _ignored(document: Mapping[str, Any]) -> list[Names] | None:
    """Keys that act only beside one that is missing; None for what is no platform."""
    try:
        platform = schema.Platform.model_validate(document)
    except ValidationError:
        return None
    ignored = [key for key, _ in dependent_mistakes(platform)]
    if platform.network is None or any(key not in ignored for key, _ in contradictions(platform)):
        return None
    return [tuple(part for part in key if isinstance(part, str)) for key in ignored]


def _remove(table: dict[str, Any], key: Names) -> None:
    first, *rest = key
    if not rest:
        table.pop(first, None)
        return
    inner = table.get(first, [])
    for one in inner if isinstance(inner, list) else [inner]:
        _remove(one, tuple(rest))


def _has(table: Mapping[str, Any], key: Names) -> bool:
    first, *rest = key
    if first not in table:
        return False
    inner = table[first] if isinstance(table[first], list) else [table[first]]
    return not rest or any(_has(one, tuple(rest)) for one in inner)


def _document(platform: str) -> dict[str, Any]:
    """The values of a platform file, without draws of its calibration: these name keys that may go."""
    document = tomllib.loads(find(platform).read_text(encoding="utf-8"))
    document.get("calibration", {}).pop("draws", None)
    return document
