# SPDX-License-Identifier: BSD-3-Clause
"""Replays whose words are plain: read without typer, which takes longer to load than most of them run.

What is not plain (help, mistakes, values that look like options, options that are rare) is left to typer, which has
the last word on what a command line means: here is nothing that it would read in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from orrery.platform.model import Model
from orrery.replay.settings import ReplaySettings, settings_of

OPTIONS = {
    "-p": "platform", "--platform": "platform", "--model": "model", "--map": "mapping", "--mapping": "mapping", "--selector": "selector",
    "--coll": "coll", "--compute-scale": "compute_scale", "--bytes-scale": "bytes_scale", "--flops": "flops",
    "--start": "start", "-o": "output", "--output": "output",
}  # fmt: skip
"""Those that take a value, by what they are called in `settings_of`."""
FLAGS = {"--ideal": "ideal", "--json": "as_json"}


class PlainReplay(NamedTuple):
    """A replay to be done."""

    settings: ReplaySettings
    output: list[Path]
    as_json: bool


def replay_of(words: Sequence[str]) -> PlainReplay | None:
    """What the words behind `orrery` ask for, if it is a plain replay. Raises InputError as the command does."""
    if not words or words[0] != "replay" or not all(words):
        return None
    traces: list[Path] = []
    output: list[Path] = []
    said: dict[str, Any] = {}
    following = iter(words[1:])
    for word in following:
        name, value = _member(word, following)
        if name is None:
            if word.startswith("-"):
                return None
            traces.append(Path(word))
        elif name in said or value is None or (name == "model" and value not in get_args(Model)):
            return None
        elif name == "output":
            output.append(Path(str(value)))
        else:
            said[name] = value
    as_json = bool(said.pop("as_json", False))
    if not traces or (as_json and any(trace.suffix == ".json" for trace in traces)):
        return None
    return PlainReplay(settings_of(traces, **said), output, as_json)


def _member(word: str, following: Iterator[str]) -> tuple[str | None, object]:
    """What a word names, if anything, and its value, which may be the next word; None: it has none."""
    if word in FLAGS:
        return FLAGS[word], True
    if word in OPTIONS:
        value = next(following, "-")
        return OPTIONS[word], None if value.startswith("-") else value
    return None, None
