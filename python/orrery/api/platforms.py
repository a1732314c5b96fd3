# SPDX-License-Identifier: BSD-3-Clause
"""Platforms as values: read, changed, written, and simulated on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from orrery.api import html
from orrery.api.checks import PathLike, path_of
from orrery.api.frames import Table
from orrery.documents import parse_toml, read_text
from orrery.errors import InputError
from orrery.marks import COMMENT
from orrery.output import checked, write_at_once
from orrery.platform.find import builtin_names, find
from orrery.platform.load import check
from orrery.platform.toml_writer import write
from orrery.platform.trusted import line_of
from orrery.toml_lines import dotted

_PART = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_INDEX = re.compile(r"\[(\d+)\]")


class Platform(Mapping[str, Any]):
    """A simulated cluster: a checked platform file, with its values by dotted keys (docs/platform-keys.md).

    A mapping from dotted keys to values in base units (seconds, bytes, bytes per second), those that the file leaves to their
    defaults included: `platform["cluster[0].latency_s"]`. Without a number, `platform["cluster.latency_s"]` stands for the one
    table, or gives a list with the value of each.

    Example:
        >>> graphene = o.Platform.load("graphene")
        >>> faster = graphene.with_values({"cluster.latency_s": "1us"}, name="graphene, 1 us")
        >>> o.replay("heat.trace", platform=faster)
        >>> faster.save("faster.toml")
    """

    def __init__(self, data: dict[str, Any], where: Path, text: str) -> None:
        """A platform from the values of a file; `Platform.load` is how to get one.

        Args:
            data: as TOML has them.
            where: the file, or what messages begin with.
            text: of the file; "": it was changed, and has none.
        Raises:
            InputError: a key or a value is wrong.
        """
        self._data, self._where, self._text = data, where, text
        self._checked = check(where, data, text)
        self._values = self._checked.model_dump(by_alias=True, exclude_none=True)
        self._leaves = dict(_leaves(self._values, ()))

    @classmethod
    def load(cls, name_or_file: str | os.PathLike[str]) -> Platform:
        """A built-in platform by its name (`platforms`), or a TOML file.

        Raises InputError naming file, line and key of what is wrong.
        """
        path = find(os.fspath(name_or_file))
        text = read_text(path)
        return cls(parse_toml(path, text), path, text)

    @property
    def name(self) -> str:
        """Name of the platform, in reports."""
        return self._checked.name

    @property
    def description(self) -> str:
        """One sentence about it."""
        return self._checked.description

    @property
    def source(self) -> str:
        """Where its parameters come from, and what was changed since."""
        return self._checked.source

    @property
    def file(self) -> Path:
        """A file that has it: the one that it was read from; of a changed platform, one in the user's folder for caches.

        Raises InputError where that cannot be written.
        """
        if self._text:
            return self._where
        text = self.toml()
        try:
            base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        except RuntimeError:
            raise InputError("there is no home: save the changed platform, and use that file") from None
        path = base / "orrery" / "changed-platforms" / f"{sha256(text.encode()).hexdigest()[:16]}.toml"
        if not path.exists():
            try:
                write_at_once(path, text)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}: save the changed platform, and use that file") from None
        return path

    def with_values(self, values: Mapping[str, Any], *, name: str | None = None) -> Platform:
        """A copy of the platform with other values.

        Args:
            values: by dotted keys, as a file has them: numbers in base units, or texts with units ("1us", "10Gbit/s"). A key without
                a number counts for all tables of a list: "cluster.latency_s" for all clusters. None removes a key.
            name: of the changed platform; by default the name with "(changed)" behind it.
        Raises:
            InputError: there is no such key, or the value cannot be.
        """
        data = deepcopy(self._data)
        for key, value in values.items():
            _set(data, _parts(key), key, value)
        said = ", ".join(f"{key} = {value}" for key, value in values.items())
        data["source"] = f"{self.source}; changed: {said}".removeprefix("; ")
        data["name"] = name or (self.name if self.name.endswith("(changed)") else f"{self.name} (changed)")
        return Platform(data, Path(str(data["name"])), "")

    def toml(self) -> str:
        """The text of its platform file."""
        if self._text:
            return self._text if self._text.startswith(COMMENT) else f"{COMMENT}\n{self._text}"
        return f"{COMMENT}\n{write(self._data)}"

    def save(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Write FILE.toml, for `orrery run --platform FILE.toml`; gives the path.

        Raises InputError where it cannot be written, or is a file that Orrery did not write (unless `overwrite`).
        """
        place = path_of(path)
        checked(place, overwrite=overwrite, read=[self._where] if self._text else []).write(self.toml())
        return place

    def __getitem__(self, key: str) -> Any:
        """The value of a key, or a table. Raises KeyError where there is none."""
        if key in self._leaves:
            return self._leaves[key]
        try:
            found = _get(self._values, _parts(key))
        except (LookupError, TypeError, InputError):
            raise KeyError(key) from None
        return found[0] if len(found) == 1 else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._leaves)

    def __len__(self) -> int:
        return len(self._leaves)

    def __repr__(self) -> str:
        return f"<Platform {self.name}: {self.description}>"

    def _repr_html_(self) -> str:
        hosts = len(self._checked.cores_of_hosts())
        verdict = self._checked.calibration.verdict if self._checked.calibration else None
        rests = {
            "model": self._checked.model,
            "clusters": [cluster.name for cluster in self._checked.clusters],
            "parameters": self.source,
            "calibration": line_of(verdict.model_dump()) if verdict else None,
        }
        return html.piece(f"{self.name}: {hosts:,} hosts. {self.description}", html.facts(rests))


def platforms() -> Table:
    """Built-in platforms: name, description, source of their parameters.

    Example:
        >>> [row["name"] for row in o.platforms()]
    """
    found = {name: Platform.load(name) for name in builtin_names()}
    return Table(
        {"name": name, "description": platform.description, "source": platform.source}
        for name, platform in found.items()
    )


def named(platform: str | os.PathLike[str] | Platform) -> str:
    """As settings have it: a built-in name, or a file."""
    return str(platform.file) if isinstance(platform, Platform) else os.fspath(platform)


def _leaves(value: Any, key: tuple[str | int, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, child in value.items():
            yield from _leaves(child, (*key, name))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for index, child in enumerate(value):
            yield from _leaves(child, (*key, index))
    else:
        yield dotted(key), value


def _parts(key: str) -> list[str | int]:
    """`cluster[0].latency_s` as ["cluster", 0, "latency_s"]. Raises InputError for what is no such key."""
    found: list[str | int] = []
    for word in key.split("."):
        match = _PART.fullmatch(word)
        if match is None:
            raise InputError(f'key "{key}": expected names with dots between them, such as cluster[0].latency_s')
        found += [match[1], *map(int, _INDEX.findall(match[2]))]
    return found


def _get(value: Any, parts: list[str | int]) -> list[Any]:
    """The values of a key, one of each table where a list has no number."""
    for number, part in enumerate(parts):
        if isinstance(value, list) and isinstance(part, str):
            return [found for table in value for found in _get(table, parts[number:])]
        value = value[part]
    return [value]


def _set(table: Any, parts: list[str | int], key: str, value: Any) -> None:
    """Set a key, or remove it, in all tables where a list has no number. Tables that are not there are made."""
    part, *rest = parts
    if isinstance(table, list) and isinstance(part, str):
        for element in table:
            _set(element, parts, key, value)
        return
    if isinstance(part, int):
        if not isinstance(table, list) or part >= len(table):
            raise InputError(f'key "{key}": there is no [{part}]')
    elif not isinstance(table, dict):
        raise InputError(f'key "{key}": "{part}" is no key of a table')
    if rest:
        _set(table[part] if isinstance(part, int) else table.setdefault(part, {}), rest, key, value)
    elif value is None and isinstance(part, str):
        table.pop(part, None)
    else:
        table[part] = value
