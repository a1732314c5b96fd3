# SPDX-License-Identifier: BSD-3-Clause
"""Runs and replays whose words are plain: read without typer, which takes longer to load than most of them take.

What is not plain (help, mistakes, values that look like options, options that are rare) is left to typer, which has
the last word on what a command line means: here is nothing that it would read in another way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from orrery.verbs import DeclaredSetting, check_given, settings_of

_OUTPUT = ("-o", "--output")
_JSON = "--json"
_OVERWRITE = "--overwrite"
_RANKS = ("-n", "-np", "--ranks")
_NUMBER = {int: re.compile(r"\d{1,9}", re.ASCII), float: re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)}
"""How numbers are written that typer reads in no other way."""


class PlainWords(NamedTuple):
    """What the words of a command say."""

    settings: dict[str, Any]
    """Values of those that are said, by name."""
    output: list[Path]
    flags: set[str]
    """Which of `--json` and `--overwrite` are there."""
    ranks: list[int]
    """What `-n` says, if it does."""
    others: list[str]
    """Words that are no options."""


def command_of(words: Sequence[str]) -> Callable[[], int] | None:
    """What does as the words behind `orrery` ask, if they are plain. Raises InputError as the command does."""
    if words[:1] == ["run"]:
        return _run(words[1:])
    return _replay(words[1:]) if words[:1] == ["replay"] else None


def _run(words: Sequence[str]) -> Callable[[], int] | None:
    from orrery.run.settings import RunSettings

    said = read(words, settings_of(RunSettings), runs=True)
    if said is None or not said.ranks:
        return None
    from orrery.cli.running import run_and_report
    from orrery.run.programs import programs_of

    as_json = _JSON in said.flags
    programs = programs_of(said.ranks[0], said.others)
    settings = RunSettings(programs=programs, output_aside=as_json, **said.settings)
    return lambda: run_and_report(settings, said.output, as_json=as_json, overwrite=_OVERWRITE in said.flags)


def _replay(words: Sequence[str]) -> Callable[[], int] | None:
    from orrery.replay.settings import ReplaySettings

    said = read(words, settings_of(ReplaySettings))
    if said is None:
        return None
    from orrery.cli.replaying import replay_and_report

    settings = ReplaySettings.of([Path(word) for word in said.others], **said.settings)
    as_json, overwrite = _JSON in said.flags, _OVERWRITE in said.flags
    return lambda: replay_and_report(settings, said.output, as_json=as_json, overwrite=overwrite)


def read(words: Sequence[str], declared: Mapping[str, DeclaredSetting], *, runs: bool = False) -> PlainWords | None:
    """What the words say, if they are plain. Raises InputError for values that cannot be read, and that nothing would use.

    `runs`: -n is an option, and what follows the first word that is none belongs to that.
    """
    variables = filter(None, (what.setting.variable for what in declared.values()))
    if not all(words) or any(variable in os.environ for variable in variables):
        return None
    named = {word: what for what in declared.values() for word in what.setting.names}
    said = PlainWords({}, [], set(), [], [])
    following = iter(words)
    for word in following:
        what = named.get(word)
        if what is not None and what.name not in said.settings and (value := _value(what, following)) is not None:
            said.settings[what.name] = value
        elif word in _OUTPUT and not (file := next(following, "-")).startswith("-"):
            said.output.append(Path(file))
        elif runs and word in _RANKS and not said.ranks and _NUMBER[int].fullmatch(count := next(following, "")):
            said.ranks.append(int(count))
        elif word in (_JSON, _OVERWRITE) and word not in said.flags:
            said.flags.add(word)
        elif word.startswith("-"):
            return None
        else:
            said.others.append(word)
            said.others.extend(following if runs else ())
    if not _is_complete(said):
        return None
    values = {name: said.settings.get(name, what.default) for name, what in declared.items()}
    check_given(declared, said.settings, lambda name: _there(values[name]), in_python=False)
    return said


def _is_complete(said: PlainWords) -> bool:
    """Whether there is all that a command needs, and no word that may be an old spelling."""
    files = _JSON not in said.flags or not any(word.endswith((".json", ".csv")) for word in said.others)
    return bool(said.others) and said.ranks != [0] and files and (_OVERWRITE not in said.flags or bool(said.output))


def _there(value: object) -> bool:
    return value not in (None, False, "", ())


def _value(what: DeclaredSetting, following: Iterator[str]) -> object:
    """What an option says, which may be the next word; None: that is not plain."""
    if what.type is bool:
        return True
    word = next(following, "-")
    if word.startswith("-") or what.setting.kind in ("paths", "words"):
        return None
    if what.setting.read is not None:
        return what.setting.read(word)
    if what.choices:
        return word if word in what.choices else None
    types = {what.type, *get_args(what.type)}
    for number, written in _NUMBER.items():
        if number in types:
            return _within(what, number(word)) if written.fullmatch(word) else None
    if Path in types:
        return Path(word)
    return word if str in types else None


def _within(what: DeclaredSetting, value: float) -> float | None:
    least, most = what.setting.least, what.setting.most
    return value if (least is None or value >= least) and (most is None or value <= most) else None
