# SPDX-License-Identifier: BSD-3-Clause
"""Replays whose words are plain: read without typer, which takes longer to load than most of them run.

What is not plain (help, mistakes, values that look like options, options that are rare) is left to typer, which has
the last word on what a command line means: here is nothing that it would read in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.replay.settings import ReplaySettings
from orrery.verbs import DeclaredSetting, settings_of

_OUTPUT = ("-o", "--output")
_JSON = "--json"
_RARE = (
    "launcher",
    "compute",
    "match",
    "rules",
    "replicas",
    "vary",
    "seed",
    "sharing_error",
    "exact",
    "force",
    "loggops",
)
"""Settings that typer reads."""


class PlainReplay(NamedTuple):
    """A replay to be done."""

    settings: ReplaySettings
    output: list[Path]
    as_json: bool


def replay_of(words: Sequence[str]) -> PlainReplay | None:
    """What the words behind `orrery` ask for, if it is a plain replay. Raises InputError as the command does."""
    if not words or words[0] != "replay" or not all(words):
        return None
    settings = {name: what for name, what in settings_of(ReplaySettings).items() if name not in _RARE}
    named = {word: what for what in settings.values() for word in what.setting.names}
    traces: list[Path] = []
    output: list[Path] = []
    said: dict[str, Any] = {}
    as_json = False
    following = iter(words[1:])
    for word in following:
        what = named.get(word)
        if what is not None and what.name not in said and (value := _value(what, following)) is not None:
            said[what.name] = value
        elif word in _OUTPUT and not (file := next(following, "-")).startswith("-"):
            output.append(Path(file))
        elif word == _JSON and not as_json:
            as_json = True
        elif word.startswith("-"):
            return None
        else:
            traces.append(Path(word))
    if not traces or (as_json and any(trace.suffix == ".json" for trace in traces)):
        return None
    return PlainReplay(ReplaySettings.of(traces, **said), output, as_json)


def _value(what: DeclaredSetting, following: Iterator[str]) -> object:
    """What an option says, which may be the next word; None: it says nothing."""
    if what.type is bool:
        return True
    word = next(following, "-")
    if word.startswith("-") or (what.choices and word not in what.choices):
        return None
    return word if what.setting.read is None else what.setting.read(word)
