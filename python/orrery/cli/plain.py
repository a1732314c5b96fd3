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
    """The settings, files and flags that the words of a command name."""

    settings: dict[str, Any]
    """Values of the settings that are given, by name."""
    output: list[Path]
    flags: set[str]
    """Which of `--json` and `--overwrite` are there."""
    ranks: list[int]
    """The number behind `-n`; empty without it."""
    others: list[str]
    """Words that are no options."""


def command_of(words: Sequence[str]) -> Callable[[], int] | None:
    """Return the function that carries out the words behind `orrery`, or None where typer has to read them.

    Raises InputError as the command does.
    """
    if words[:1] == ["run"]:
        return _run(words[1:])
    return _replay(words[1:]) if words[:1] == ["replay"] else None


def _run(words: Sequence[str]) -> Callable[[], int] | None:
    from orrery.run.settings import RunSettings

    plain = read(words, settings_of(RunSettings), runs=True)
    if plain is None or not plain.ranks:
        return None
    from orrery.cli.running import run_and_report
    from orrery.run.programs import programs_of

    as_json = _JSON in plain.flags
    programs = programs_of(plain.ranks[0], plain.others)
    settings = RunSettings(programs=programs, output_aside=as_json, **plain.settings)
    return lambda: run_and_report(settings, plain.output, as_json=as_json, overwrite=_OVERWRITE in plain.flags)


def _replay(words: Sequence[str]) -> Callable[[], int] | None:
    from orrery.replay.settings import ReplaySettings

    plain = read(words, settings_of(ReplaySettings))
    if plain is None:
        return None
    from orrery.cli.replaying import replay_and_report

    settings = ReplaySettings.of([Path(word) for word in plain.others], **plain.settings)
    as_json, overwrite = _JSON in plain.flags, _OVERWRITE in plain.flags
    return lambda: replay_and_report(settings, plain.output, as_json=as_json, overwrite=overwrite)


def read(words: Sequence[str], declared: Mapping[str, DeclaredSetting], *, runs: bool = False) -> PlainWords | None:
    """Read the words of a command; None if any of them is not plain.

    `runs`: `-n` is an option, and all words behind the first that is no option belong to the program.
    Raises InputError for a value that cannot be read, and for a setting that nothing would use.
    """
    variables = filter(None, (what.setting.variable for what in declared.values()))
    if not all(words) or any(variable in os.environ for variable in variables):
        return None
    named = {word: what for what in declared.values() for word in what.setting.names}
    plain = PlainWords({}, [], set(), [], [])
    following = iter(words)
    for word in following:
        what = named.get(word)
        if what is not None and what.name not in plain.settings and (value := _value(what, following)) is not None:
            plain.settings[what.name] = value
        elif word in _OUTPUT and not (file := next(following, "-")).startswith("-"):
            plain.output.append(Path(file))
        elif runs and word in _RANKS and not plain.ranks and _NUMBER[int].fullmatch(count := next(following, "")):
            plain.ranks.append(int(count))
        elif word in (_JSON, _OVERWRITE) and word not in plain.flags:
            plain.flags.add(word)
        elif word.startswith("-"):
            return None
        else:
            plain.others.append(word)
            plain.others.extend(following if runs else ())
    if not _is_complete(plain):
        return None
    values = {name: plain.settings.get(name, what.default) for name, what in declared.items()}
    check_given(declared, plain.settings, lambda name: _there(values[name]), in_python=False)
    return plain


def _is_complete(plain: PlainWords) -> bool:
    """Whether there is all that a command needs, and no word that may be an old spelling."""
    files = _JSON not in plain.flags or not any(word.endswith((".json", ".csv")) for word in plain.others)
    return bool(plain.others) and plain.ranks != [0] and files and (_OVERWRITE not in plain.flags or bool(plain.output))


def _there(value: object) -> bool:
    return value not in (None, False, "", ())


def _value(what: DeclaredSetting, following: Iterator[str]) -> object:
    """Read the value of an option, which may be the next word; None if it is not plain."""
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
