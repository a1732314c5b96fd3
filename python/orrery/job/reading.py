# SPDX-License-Identifier: BSD-3-Clause
"""From a file, TOML or XML, to a checked `Job`. Whatever is wrong becomes one line that says where, and what to do."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from orrery.documents import expected_value, parse_toml, unprintable
from orrery.errors import InputError, unknown_key
from orrery.job import xml_form
from orrery.job.profile import NAME, FoundNetwork, GroupPlacement, InterGroupDemand, JobGroup, JobProfile, NetworkDemand
from orrery.job.resolving import Job
from orrery.job.source import Key, Source
from orrery.toml_lines import line_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MOST_BYTES = 1 << 20
"""Bytes of a file: that many groups fit easily."""


def load(file: Path) -> Job:
    """Read and check a profile, XML if the file begins with "<", else TOML. Raises InputError naming file, line and key."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{file}: is larger than {MOST_BYTES >> 20} MiB, which no job profile is")
    return parse(str(file), content)


def parse(file: str, content: bytes) -> Job:
    """Read and check a profile from its content. `file`: what messages begin with."""
    if content.lstrip().startswith((b"<", b"\xef\xbb\xbf<")):
        data, lines = xml_form.read(file, content)
        return check(Source(file, lines.get), data)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file}: is neither UTF-8 text nor XML") from None
    return check(Source(file, partial(line_of, text)), parse_toml(file, text))


def check(source: Source, data: dict[str, Any]) -> Job:
    """Check the values of a profile. Raises InputError."""
    if (found := unprintable(data)) is not None:
        raise source.error(*found)
    try:
        return Job(JobProfile.model_validate(data), source)
    except ValidationError as error:
        mistakes = [(_key(details["loc"]), details) for details in error.errors(include_url=False)]
    # What is there and wrong comes before what is missing: a misspelt key is both.
    key, details = min(mistakes, key=lambda mistake: mistake[1]["type"] == "missing")
    keys = len({key for key, _ in mistakes})
    others = f" (and {keys - 1} more)" if keys > 1 else ""
    raise source.error(key, f"{_problem(key, details)}{others}")


_KINDS = {"int": "a whole number", "str": "text"}


def _key(loc: tuple[int | str, ...]) -> Key:
    """Without the names of the kinds that a value may be of."""
    return tuple(part for part in loc if part not in _KINDS and not str(part).startswith(("function-", "constrained")))


def _problem(key: Key, details: ErrorDetails) -> str:
    kind, found = details["type"], details["input"]
    if kind == "extra_forbidden":
        known = [field.alias or name for name, field in _model_at(key[:-1]).model_fields.items()]
        return unknown_key(key[-1], known)
    if kind == "missing":
        return "is missing"
    shown = f'= "{found}": ' if isinstance(found, str) else f"= {found}: " if isinstance(found, int | float) else ""
    of_group = "groups" in key or (key[-1:] == ("name",) and len(key) > 1)
    if kind == "string_pattern_mismatch" and not of_group:
        return f"= {found!r}: expected text without control characters, and without space at its ends"
    if kind == "string_pattern_mismatch":
        return f'{shown}expected a name of letters, digits, "_", "-" and ".", at most 63 of them ({NAME})'
    if kind in {"int_type", "string_type"} and key[-1:] == ("processes",):
        return f'{shown}expected a whole number, "$NPROCS", a share such as "25 %", or "rest"'
    said = expected_value(details)
    return f"{shown}{said[:1].lower()}{said[1:]}"


def _model_at(key: Key) -> type[BaseModel]:
    """The kind of table that is there."""
    tables: dict[str, type[BaseModel]] = {
        "group": JobGroup,
        "between": InterGroupDemand,
        "inside": NetworkDemand,
        "found": GroupPlacement,
        "found_between": FoundNetwork,
    }
    names = [part for part in key if isinstance(part, str)]
    if "found" in names[:-1] or names[-1:] == ["found_between"]:
        return FoundNetwork
    return tables[names[-1]] if names else JobProfile
