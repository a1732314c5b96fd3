# SPDX-License-Identifier: BSD-3-Clause
"""Commands whose options are declared once, as the fields of a class.

A field has its type with what the command line calls it, a default, and its docstring, which is its help. Settings of a verb
(`orrery.verbs`) are declared with `setting`; what the command line alone has, as what typer calls it:

    @dataclass(frozen=True, kw_only=True)
    class TuneOptions(TuningRequest):
        as_json: Annotated[bool, typer.Option("--json")] = False
        \"\"\"Print all as JSON.\"\"\"
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo

from orrery import docstrings, terminal
from orrery.cli.ending import NOTHING_KEPT
from orrery.cli.once import App
from orrery.cli.said import said
from orrery.errors import InputError, Interrupt
from orrery.verbs import DeclaredSetting, Every, check_given, check_value, settings_of

Options = TypeVar("Options")
_WRITING = {"output": "-o", "report": "--report", "groups_out": "--groups-out"}
"""Options that write files, by the names of their fields."""


def add_command(
    app: typer.Typer,
    name: str,
    options: type[Options],
    do: Callable[[typer.Context, Options], object],
    **more: Any,
) -> None:
    """Register a command of this name, which calls `do` with what the user said.

    `options`: a dataclass; `more`: as `typer.Typer.command` takes it, such as `help` and `short_help`.
    """

    def command(context: typer.Context, **values: Any) -> object:
        try:
            return do(context, _options(options, context, values))
        except KeyboardInterrupt:  # typer would end without a word
            raise Interrupt(NOTHING_KEPT) from None

    command.__signature__ = _signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {}  # those of the signature count
    app.command(name, **more)(command)


class CommandModule(Protocol):
    """A module with commands."""

    def add_to(self, app: typer.Typer) -> None:
        """Register them."""


def add_group(app: typer.Typer, name: str, parts: Iterable[CommandModule], **more: Any) -> None:
    """Register a group of commands; help names them in the order of `parts`. Its name alone says what there is.

    `more`: as `typer.Typer` takes it, such as `help` and `short_help`.
    """

    def root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            terminal.line(context.get_help())

    root.__annotations__ = {"context": typer.Context}
    group = App(rich_markup_mode=None, **more)
    group.callback(invoke_without_command=True)(root)
    for part in parts:
        part.add_to(group)
    app.add_typer(group, name=name)


def _options(options: type[Options], context: typer.Context, words: dict[str, Any]) -> Options:
    """The options of these words. Raises InputError for what would be ignored, and for words that cannot be read."""
    given = said(context)
    verbs = list(_verbs(options))
    declared = {name: setting for _, verb, _ in verbs for name, setting in settings_of(verb).items()}
    values = {name: _value(declared[name], word) if name in declared else word for name, word in words.items()}
    for name in given & declared.keys():
        check_value(declared[name], values[name], declared[name].options[1])
    check_given(declared, given, lambda name: values[name] not in (None, False, "", ()), in_python=False)
    _check_overwrite(given, words)
    for field, verb, given_only in verbs:
        if field is not None:
            every = {name: values.pop(name) for name in settings_of(verb)}
            values[field] = {name: value for name, value in every.items() if not given_only or name in given}
    return options(**values)


def _check_overwrite(given: Collection[str], words: Mapping[str, Any]) -> None:
    """Raise InputError for --overwrite where nothing is written."""
    writing = [name for name in _WRITING if name in words]
    if "overwrite" in given and writing and not any(words[name] for name in writing):
        raise InputError(f"--overwrite: acts only with {' or '.join(_WRITING[name] for name in writing)}")


def _verbs(options: type) -> Iterator[tuple[str | None, type, bool]]:
    """The class itself, then the verbs all of whose settings one of its fields has, with its name."""
    yield None, options, False
    for name, kind in get_type_hints(options, include_extras=True).items():
        about = get_args(kind)[1] if get_origin(kind) is Annotated else None
        if isinstance(about, Every):
            yield name, about.verb, about.given_only


def _value(declared: DeclaredSetting, word: Any) -> Any:
    """What a word means. Several words are a tuple."""
    if declared.setting.kind in ("paths", "words"):
        return tuple(word or ())
    if word is None:
        return None if declared.default is MISSING else declared.default
    return word if declared.setting.read is None else declared.setting.read(word)


def _signature(options: type) -> inspect.Signature:
    """The context, then a parameter for each setting and each option of the command line alone, in the order of the fields."""
    kinds, docs = get_type_hints(options, include_extras=True), docstrings.of_fields(options)
    parameters = [inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    declared = settings_of(options)
    for field in fields(options):
        about = get_args(kinds[field.name])[1]
        if field.name in declared:
            parameters.append(_of_setting(declared[field.name], declared))
        elif isinstance(about, Every):
            every = settings_of(about.verb)
            parameters += [_of_setting(setting, every, given_only=about.given_only) for setting in every.values()]
        else:
            parameters.append(_parameter(field, kinds[field.name], docs))
    parameters.sort(key=_comes_later)
    return inspect.Signature(parameters)


def _comes_later(parameter: inspect.Parameter) -> bool:
    """Whether a word without a name follows those that have to be there; the order of all else is that of the fields."""
    is_argument = any(isinstance(about, ArgumentInfo) for about in get_args(parameter.annotation)[1:])
    return is_argument and parameter.default is not inspect.Parameter.empty


def _of_setting(
    declared: DeclaredSetting, others: dict[str, DeclaredSetting], *, given_only: bool = False
) -> inspect.Parameter:
    """The parameter of a setting of a verb."""
    about, default, plain = declared.setting, declared.default, declared.type
    if about.kind in ("paths", "words"):
        plain, default = list[Path] | None if about.kind == "paths" else list[str] | None, default or None
    elif about.read is not None:
        plain, default = str | None, default if isinstance(default, str) else about.written
    if given_only and default is not False:
        plain, default = plain | None, None
    more: dict[str, Any] = {
        "metavar": about.metavar, "min": about.least, "max": about.most,
        "help": declared.help(lambda name: others[name].options[0]), "envvar": about.variable,
    }  # fmt: skip
    if about.shown_default is not None:
        more["show_default"] = about.shown_default
    if not about.names and declared.default is MISSING:
        more["show_default"] = False
    info = typer.Option(*about.names, **more) if about.names else typer.Argument(**more)
    return _keyword(declared.name, plain, default, info)


def _parameter(field: Field[Any], kind: Any, docs: dict[str, str]) -> inspect.Parameter:
    """The parameter of an option that the command line alone has."""
    plain, about = get_args(kind)
    if about.help is None:
        about = copy(about)
        about.help = docs[field.name]
    return _keyword(field.name, plain, field.default, about)


def _keyword(name: str, plain: Any, default: Any, about: Any) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=Annotated[plain, about])
