# SPDX-License-Identifier: BSD-3-Clause
"""Plain command lines, read without typer's converters.

Typer gives each parameter a validator of pydantic's, and loading that takes a tenth of a second: a third of what a run of a
thousand ranks takes. Most command lines have nothing to validate but words, numbers and choices. These are read here, from
the same declarations; whatever is out of the ordinary, mistakes and requests for help first of all, is left to typer, which has
the last word on what a command line means.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo


class UnusualError(Exception):
    """Typer has to look at it."""


@dataclass
class _Parameter:
    """One parameter of a command: what it is called, and what words make of it."""

    name: str
    info: OptionInfo | ArgumentInfo
    convert: Callable[[str], Any]
    is_flag: bool
    takes_many: bool
    default: Any
    words: list[str] = field(default_factory=list)

    def value(self) -> Any:
        if not self.words:
            if self.default is inspect.Parameter.empty:
                raise UnusualError
            return self.default
        if self.is_flag:
            return True
        return [self.convert(word) for word in self.words] if self.takes_many else self.convert(self.words[-1])


def arguments(command: Callable[..., Any], words: Sequence[str], *, interspersed: bool = True) -> dict[str, Any]:
    """Arguments of a function that is declared as typer wants it, from the words after the command's name.

    Args:
        command: its parameters are annotated with options and arguments of typer's.
        words: of the command line.
        interspersed: options may follow arguments.
    Raises:
        UnusualError: typer has to look at it.
    """
    parameters = _parameters(command)
    options = {name: parameter for parameter in parameters for name in _names(parameter)}
    values: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            values.append(word)
            if not interspersed:
                values += rest
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        parameter = options.get(name)
        if parameter is None or (parameter.is_flag and equals):
            raise UnusualError
        parameter.words.append(value if equals or parameter.is_flag else _next_value(rest))
    _deal([parameter for parameter in parameters if isinstance(parameter.info, ArgumentInfo)], values)
    return {parameter.name: parameter.value() for parameter in parameters}


def _next_value(rest: Iterator[str]) -> str:
    word = next(rest, "-")
    if word.startswith("-"):
        raise UnusualError
    return word


def _deal(parameters: Sequence[_Parameter], values: list[str]) -> None:
    """Positional words, in order; one that takes many takes all that are left."""
    for parameter in parameters:
        taken = len(values) if parameter.takes_many else 1
        parameter.words, values = values[:taken], values[taken:]
    if values:
        raise UnusualError


def _parameters(command: Callable[..., Any]) -> list[_Parameter]:
    hints = get_type_hints(command, include_extras=True)
    return [_declared(parameter, hints[name]) for name, parameter in inspect.signature(command).parameters.items()]


def _declared(parameter: inspect.Parameter, hint: Any) -> _Parameter:
    kind, info = get_args(hint) if get_origin(hint) is Annotated and len(get_args(hint)) == 2 else (hint, None)
    if not isinstance(info, OptionInfo | ArgumentInfo) or _is_special(info):
        raise UnusualError
    if get_origin(kind) in (Union, UnionType):
        kind, *others = (one for one in get_args(kind) if one is not type(None))
        if others:
            raise UnusualError
    takes_many = get_origin(kind) is list
    if takes_many:
        (kind,) = get_args(kind)
    return _Parameter(
        name=parameter.name,
        info=info,
        convert=_converter(kind, info),
        is_flag=kind is bool,
        takes_many=takes_many,
        default=parameter.default,
    )


def _is_special(info: OptionInfo | ArgumentInfo) -> bool:
    """Whether something else than its word decides what a parameter is."""
    names = [info.envvar] if isinstance(info.envvar, str) else info.envvar or []
    return (
        info.callback is not None
        or info.default_factory is not None
        or info.exists
        or info.resolve_path
        or info.clamp
        or not info.case_sensitive
        or (isinstance(info, OptionInfo) and (info.prompt is not False or info.count))
        or any(name in os.environ for name in names)
    )


def _names(parameter: _Parameter) -> Sequence[str]:
    if isinstance(parameter.info, ArgumentInfo):
        return ()
    # Beside an annotated type, the first name stands in the place of a default (typer's documentation of Annotated).
    said = [name for name in (parameter.info.default, *(parameter.info.param_decls or ())) if name is not ...]
    names = [name for name in said if isinstance(name, str)] or [f"--{parameter.name.replace('_', '-')}"]
    if len(names) < len(said) or any("/" in name or not name.startswith("-") for name in names):
        raise UnusualError
    return names


def _converter(kind: Any, info: OptionInfo | ArgumentInfo) -> Callable[[str], Any]:
    if (parser := info.parser) is not None:
        return lambda word: _parsed(parser, word)
    plain: Mapping[Any, Callable[[str], Any]] = {
        str: str,
        bool: bool,
        Path: Path,
        int: lambda word: _number(word, r"-?\d{1,18}", int, info),
        float: lambda word: _number(word, r"-?\d+(\.\d+)?(e-?\d+)?", float, info),
    }
    if get_origin(kind) is Literal:
        return lambda word: _choice(word, get_args(kind))
    if kind not in plain:
        raise UnusualError
    return plain[kind]


def _parsed(parser: Callable[[str], Any], word: str) -> Any:
    try:
        return parser(word)
    except Exception as error:  # whatever it is, typer says it as it says such things
        raise UnusualError from error


def _number(word: str, form: str, make: type, info: OptionInfo | ArgumentInfo) -> Any:
    if re.fullmatch(form, word, re.ASCII) is None:
        raise UnusualError
    number = make(word)
    if (info.min is not None and number < info.min) or (info.max is not None and number > info.max):
        raise UnusualError
    return number


def _choice(word: str, choices: Sequence[Any]) -> str:
    if word not in choices:
        raise UnusualError
    return word
