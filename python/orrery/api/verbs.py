# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose parameters are the settings of a verb, declared once as the fields of its class (`orrery.verbs`)."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from orrery.api.checks import check_choice, numbers, path_of
from orrery.api.platforms import named
from orrery.errors import InputError
from orrery.verbs import DeclaredSetting, check_given, check_value, settings_of

Result = TypeVar("Result")

MORE = {
    "trace": "FILE.trace, to record in; see `replay`.",
    "report": "FILE.html, a page that explains the result: timeline, waiting, who sends to whom.",
    "overwrite": "replace files that Orrery did not write.",
    "check": "raise SimulationError if it fails; otherwise the result says so (`Result.completed`).",
    "progress": "a function that is told an `Advance` some times a second; False: nobody is told.",
}
"""Texts of parameters that are no settings of a verb, but that several functions have."""


class _Form(NamedTuple):
    """What Python takes for a setting of some kind."""

    annotation: str
    read: Callable[[Any], Any]


_FORMS = {
    "file": _Form("str | os.PathLike[str]", os.fspath),
    "numbers": _Form("int | str | Sequence[int | str]", numbers),
    "text": _Form("str | float", str),
    "platform": _Form("str | os.PathLike[str] | Platform", named),
    "words": _Form("str | Sequence[str]", lambda value: (value,) if isinstance(value, str) else tuple(value)),
    "path": _Form("str | os.PathLike[str]", path_of),
    "paths": _Form(
        "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]",
        lambda value: tuple(map(path_of, [value] if isinstance(value, str | os.PathLike) else value)),
    ),
}


def function_of(
    verb: type, *positional: str, given_only: bool = False
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Make a function of the settings of a verb out of one that takes them as a mapping, and maybe more.

    The settings are checked before the function is called.

    Args:
        verb: the class of the verb.
        positional: settings that may be given without their name.
        given_only: settings that are not given are None; something else, such as a recording, says what they are.
    """

    def made(do: Callable[..., Result]) -> Callable[..., Result]:
        declared = {name: what for name, what in settings_of(verb).items() if what.setting.in_python}
        signature = _signature(do, declared, positional, given_only=given_only)
        defaults = {name: signature.parameters[name].default for name in declared}

        @wraps(do)
        def call(*words: Any, **values: Any) -> Result:
            passed = signature.bind(*words, **values).arguments
            given = {
                name: _read(declared[name], value)
                for name, value in passed.items()
                if name in declared and not _is(value, defaults[name])
            }
            more = {name: value for name, value in passed.items() if name not in declared}
            check_given(
                declared,
                given,
                lambda name: (defaults | given).get(name) not in (None, False, "", ()),
                in_python=True,
            )
            return do(given, **more)

        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {}  # those of the signature count
        call.__doc__ = _docstring(do, declared, list(signature.parameters))
        return call

    return made


def _is(value: Any, default: Any) -> bool:
    """Whether a value is the default; True is not 1."""
    return type(value) is type(default) and bool(value == default)


def _read(declared: DeclaredSetting, value: Any) -> Any:
    """What a value means, checked. Raises InputError for one that cannot be used."""
    name, form = declared.name, _FORMS.get(_kind(declared))
    if value is None or declared.choices:
        check_choice(name, value, declared.choices)
        return value
    if form is None:
        check_value(declared, value, name)
        return _of_type(declared, value)
    try:
        read = form.read(value)
    except (AttributeError, TypeError):
        raise InputError(f"{name} {value!r}: expected {form.annotation}") from None
    if isinstance(value, bool) or (form is _FORMS["numbers"] and not read):
        raise InputError(f"{name} {value!r}: expected {form.annotation}")
    if declared.setting.read is not None and declared.setting.kind in ("numbers", "text"):
        return declared.setting.read(read)
    return _of_type(declared, read)


def _of_type(declared: DeclaredSetting, value: Any) -> Any:
    """The value, if it is of the type of its field. Raises InputError for others."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(declared.type).validate_python(value, strict=True)
    except ValidationError:
        raise InputError(f"{declared.name} {value!r}: expected {_annotation(declared, given_only=False)}") from None


def _kind(declared: DeclaredSetting) -> str:
    return declared.setting.kind or ("path" if Path in (declared.type, *get_args(declared.type)) else "")


def _signature(
    do: Callable[..., object], declared: Mapping[str, DeclaredSetting], positional: tuple[str, ...], *, given_only: bool
) -> inspect.Signature:
    """What `do` takes besides the settings without a default, the settings, and the rest of what it takes."""
    _, *more = inspect.signature(do).parameters.values()
    settings = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if name in positional else inspect.Parameter.KEYWORD_ONLY,
            default=_default(what, given_only=given_only),
            annotation=_annotation(what, given_only=given_only),
        )
        for name, what in declared.items()
    ]
    first = [parameter for parameter in more if parameter.default is inspect.Parameter.empty]
    parameters = [*first, *settings, *(parameter for parameter in more if parameter not in first)]
    parameters.sort(key=lambda parameter: parameter.kind)
    return inspect.Signature(parameters, return_annotation=inspect.signature(do).return_annotation)


def _default(declared: DeclaredSetting, *, given_only: bool) -> Any:
    if given_only and declared.default is not False:
        return None
    if isinstance(declared.default, Path):
        return str(declared.default)
    return inspect.Parameter.empty if declared.default is MISSING else declared.default


def _annotation(declared: DeclaredSetting, *, given_only: bool) -> str:
    """The type, as it is written."""
    form = _FORMS.get(_kind(declared))
    if form is not None:
        written = form.annotation
    elif declared.choices:
        written = f"Literal[{', '.join(map(repr, declared.choices))}]"
    else:
        written = inspect.formatannotation(declared.type).removesuffix(" | None")
    optional = type(None) in get_args(declared.type) or (given_only and declared.default is not False)
    return f"{written} | None" if optional else written


def _docstring(do: Callable[..., object], declared: Mapping[str, DeclaredSetting], names: Sequence[str]) -> str:
    """The docstring of `do` with all parameters between its first part and what it raises."""
    text, mark, rest = inspect.cleandoc(do.__doc__ or "").partition("\nRaises:\n")
    first, _, own = text.partition("\nArgs:\n")
    others = [name for name in names if name in declared or f"    {name}: " not in own]
    lines = [
        textwrap.fill(f"{name}: {_text(name, declared)}", 116, initial_indent="    ", subsequent_indent="        ")
        for name in others
    ]
    return "\n".join(
        [first.rstrip(), "", "Args:", *own.rstrip().splitlines(), *lines, *([mark.strip(), rest] if mark else [])]
    )


def _text(name: str, declared: Mapping[str, DeclaredSetting]) -> str:
    text = declared[name].help(lambda other: f"`{other}`") if name in declared else MORE[name]
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
