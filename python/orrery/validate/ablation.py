# SPDX-License-Identifier: BSD-3-Clause
"""Ablation: the worth of each table and key of a suite's platform files, as errors without it minus errors with it.

A key is removed from every platform file that has it, together with keys that have no effect without it, and all measured
cases are predicted again. The other values stay as they are; they are not fitted again.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from orrery.errors import InputError, Interrupt
from orrery.platform import schema, toml_writer
from orrery.platform.dependent import dependent_mistakes
from orrery.platform.find import find
from orrery.platform.load import contradictions
from orrery.published import UNWRITTEN, published
from orrery.temporary import temporary_folder
from orrery.validate.suite import simulate_programs
from orrery.validate.suite_file import Suite, SuiteCollectives, SuitePrograms, beside, read_suite
from orrery.validate.summaries import EntryErrors, GroupSummary, summarise

Names = tuple[str, ...]
"""Path of a table or key, such as ("transport", "connections", "queue"); without indices of arrays of tables."""

_MODEL_TABLES = ("network", "transport", "node", "compute")
"""Tables of the model, which are left out as a whole as well as key by key."""
_CLUSTER = ("cluster",)
"""Tables that stay; only single keys in them are left out."""
NOTEWORTHY = 0.002
"""Smallest worth that counts: 0.2 percentage points of an error."""


@dataclass(frozen=True)
class Ablation:
    """A table or key that was left out of all platforms of the suite, and its worth."""

    key: str
    also: tuple[str, ...]
    """Keys that were left out too, because they have no effect without it."""
    platforms: int
    """Platform files that have the key."""
    needed: bool = False
    """A platform file is invalid without it; then nothing was simulated."""
    worth: dict[str, dict[str, float]] = field(default_factory=dict)
    """By group and figure (`median`, `p90`, `mean`): error without it minus error with it, as fractions. Above 0: it helps."""

    @property
    def most(self) -> float:
        """The largest value of `worth`; 0 if there are none."""
        return max((value for figures in self.worth.values() for value in figures.values()), default=0.0)

    @property
    def noteworthy(self) -> bool:
        """Whether an error is larger without the key by at least `NOTEWORTHY`."""
        return self.most >= NOTEWORTHY


@dataclass(frozen=True)
class Ablations:
    """What each table and key of a suite's platforms is worth."""

    suite: str
    """Its file."""
    about: str
    """What it says of its evidence."""
    platforms: tuple[str, ...]
    """Names of the platform files, relative to the suite file, or of built-in platforms."""
    whole: list[GroupSummary] = field(metadata=UNWRITTEN)
    """Errors of the unchanged platforms."""
    ablations: list[Ablation]
    missing: tuple[str, ...] = ()
    """Tables and keys that were still to come when Ctrl-C came."""

    @property
    @published
    def groups(self) -> dict[str, dict[str, float]]:
        """By group and figure: errors of the unchanged platforms, as fractions."""
        return {summary.group: summary.figures() for summary in self.whole}


def ablate(
    file: Path,
    *,
    force: bool = False,
    only: tuple[str, ...] = (),
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> Ablations:
    """Leave out each table and key in turn. Ctrl-C ends it; those that are there by then are kept.

    Raises InputError for a suite that cannot be used, KeyboardInterrupt for Ctrl-C before the first key.

    Args:
        file: the suite file.
        force: use platforms with poor calibrations, too.
        only: tables and keys to leave out, such as `transport.connections.queue`; empty: all that the platforms have.
        advanced: function that is called with the number of finished ablations and the number of all ablations.
    """
    suite = read_suite(file)
    study = _Study(suite, file.parent, force=force)
    keys = study.chosen(only)
    found: list[Ablation] = []
    whole = study.errors({})
    try:
        for key in keys:
            advanced(len(found), len(keys))
            found.append(study.without(key, whole))
    except (KeyboardInterrupt, Interrupt):
        if not found:
            raise
    advanced(len(found), len(keys))
    missing = tuple(".".join(key) for key in keys[len(found) :])
    return Ablations(str(file), suite.about.strip(), tuple(study.documents), summarise(whole), found, missing)


class _Study:
    """Simulations of a suite on changed platforms. An entry is simulated again only if its platform is changed."""

    def __init__(self, suite: Suite, folder: Path, *, force: bool) -> None:
        self._suite = suite
        self._folder = folder
        self._force = force
        self._known: dict[tuple[str, str], list[EntryErrors]] = {}
        entries = [*suite.collectives, *suite.programs]
        self.documents = {entry.platform: _document(beside(folder, entry.platform)) for entry in entries}

    def chosen(self, only: tuple[str, ...]) -> list[Names]:
        """Keys to leave out. Raises InputError for a key in `only` that no platform has."""
        every = list(dict.fromkeys(key for document in self.documents.values() for key in keys_of(document)))
        known = {".".join(key): key for key in every}
        for name in only:
            if name not in known:
                raise InputError(f"--ablate {name}: no platform of the suite has this key ({', '.join(known)})")
        return [known[name] for name in only] if only else every

    def without(self, key: Names, whole: list[EntryErrors]) -> Ablation:
        """The ablation of one key; `whole`: errors of the unchanged platforms."""
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
        before = {summary.group: summary.figures() for summary in summarise(whole)}
        after = {summary.group: summary.figures() for summary in summarise(self.errors(changed))}
        worth = {
            group: {figure: after[group][figure] - value for figure, value in figures.items()}
            for group, figures in before.items()
        }
        return Ablation(".".join(key), tuple(dict.fromkeys(map(".".join, also))), having, worth=worth)

    def errors(self, changed: Mapping[str, dict[str, Any]]) -> list[EntryErrors]:
        """Errors of all entries; `changed` has changed platforms by name, which replace the original ones."""
        out = []
        entries: list[SuiteCollectives | SuitePrograms] = [*self._suite.collectives, *self._suite.programs]
        with temporary_folder("orrery-ablation-") as folder:
            for entry in entries:
                text = toml_writer.write(changed[entry.platform]) if entry.platform in changed else ""
                if (entry.name, text) not in self._known:
                    self._known[entry.name, text] = self._simulate(_on(entry, text, folder))
                out += self._known[entry.name, text]
        return out

    def _simulate(self, entry: SuiteCollectives | SuitePrograms) -> list[EntryErrors]:
        """Errors of one entry, without messages on standard error: the verdict on a platform would be repeated for each key."""
        with redirect_stderr(io.StringIO()):
            return self._errors_of(entry)

    def _errors_of(self, entry: SuiteCollectives | SuitePrograms) -> list[EntryErrors]:
        if isinstance(entry, SuiteCollectives):
            judged = entry.model_copy(update={"models": entry.models[:1]})
            found = judged.validation(self._folder, force=self._force).compare()
            if found.missing:
                raise KeyboardInterrupt  # errors of a part of the cases are not those of the entry
            return [
                EntryErrors(
                    entry.group, collectives=tuple(abs(case.predicted[found.models[0]].error) for case in found.cases)
                )
            ]
        validations = entry.validations(self._folder, force=self._force)
        programs = [program for _, program in simulate_programs(validations)]
        if any(program.interrupted for program in programs):
            raise KeyboardInterrupt
        return [EntryErrors(entry.group, programs=(abs(program.total.error),)) for program in programs]


def _on(entry: SuiteCollectives | SuitePrograms, text: str, folder: Path) -> SuiteCollectives | SuitePrograms:
    """The entry on a platform whose file has this text; unchanged if the text is empty."""
    if not text:
        return entry
    file = folder / f"{entry.name}.toml"
    file.write_text(text, encoding="utf-8")
    return entry.model_copy(update={"platform": str(file)})


def keys_of(document: Mapping[str, Any]) -> Iterator[Names]:
    """Tables of the model and all keys in them, each table before its keys, and then the keys of clusters."""
    for name in _MODEL_TABLES:
        if name in document:
            yield (name,)
            yield from _below(document[name], (name,))
    for name in _CLUSTER:
        yield from ((name, key) for key in dict.fromkeys(key for table in document[name] for key in table))


def _below(table: Mapping[str, Any], path: Names) -> Iterator[Names]:
    for name, value in table.items():
        yield (*path, name)
        tables = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
        inner = dict.fromkeys(key for entry in tables for key in _below(entry, (*path, name)))
        yield from inner


def without(document: Mapping[str, Any], key: Names) -> tuple[dict[str, Any], list[Names]] | None:
    """The platform without a table or key and without keys that then have no effect, and these keys; None if it is invalid."""
    left = deepcopy(dict(document))
    _remove(left, key)
    also: list[Names] = []
    while (mistaken := _ignored(left)) is not None:
        if not mistaken:
            return left, also
        for ignored in mistaken:
            _remove(left, ignored)
        also += mistaken
    return None


def _ignored(document: Mapping[str, Any]) -> list[Names] | None:
    """Keys that have no effect because another one is missing; None if the platform is invalid."""
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
    for entry in inner if isinstance(inner, list) else [inner]:
        _remove(entry, tuple(rest))


def _has(table: Mapping[str, Any], key: Names) -> bool:
    first, *rest = key
    if first not in table:
        return False
    inner = table[first] if isinstance(table[first], list) else [table[first]]
    return not rest or any(_has(entry, tuple(rest)) for entry in inner)


def _document(platform: str) -> dict[str, Any]:
    """The values of a platform file, without the draws of its calibration, which refer to keys that may be removed."""
    document = tomllib.loads(find(platform).read_text(encoding="utf-8"))
    document.get("calibration", {}).pop("draws", None)
    return document
