# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask for, each verb declared once: a class whose fields are its settings.

    @dataclass(frozen=True, kw_only=True)
    class TuningRequest:
        mpirun: Annotated[str | None, setting("--mpirun", metavar="COMMAND")] = None
        \"\"\"What starts programs with the real library.\"\"\"
        share: Annotated[float, setting("--share", metavar="SHARE", least=0, most=1, needs="mpirun")] = 0.1
        \"\"\"Share of the loops that are measured at most; needs {mpirun}.\"\"\"

The command line (`orrery.cli.command`) makes options of them, Python (`orrery.api.verbs`) the parameters of a function. A
field's docstring is the help of both: "{mpirun}" in it names another setting as its reader writes it. Braces around a single
letter, such as the {n} of a launcher, stay as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from orrery import docstrings, units
from orrery.errors import InputError

Kind = Literal["", "file", "numbers", "paths", "platform", "text", "words"]
"""What Python takes for a setting besides its type: a path for the name of a file, numbers or sizes for text such as "8,1KiB", a
`Platform` for the name of one, a number for text that may be one, and a single path or word for several.
"""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How a setting is written and what it goes with; type, default and docstring are those of its field."""

    names: tuple[str, ...]
    """On the command line, such as ("-o", "--output"), or ("--own/--no-own",); none: a word without a name."""
    metavar: str | None = None
    """What stands for its value in help."""
    least: float | None = None
    """The smallest value that it may have; None: any."""
    most: float | None = None
    """The largest one; None: any."""
    read: Callable[[str], Any] | None = None
    """Makes a value of the text that the command line has, where the type of the field does not say how. Python's value goes through
    it, too, where `kind` makes text of that ("numbers", "text"); otherwise Python gives the value itself.
    """
    written: str | None = None
    """The default as the command line has it, where `read` makes something else of it."""
    kind: Kind = ""
    """What Python takes for it."""
    needs: tuple[str, ...] = ()
    """Other settings that must be given, too: it changes nothing without them."""
    beside: Mapping[str, str]
    """Other settings that must not be given, as it would change nothing beside them, each with the reason that users read."""
    shown_default: str | bool | None = None
    """The default as help shows it, where it depends on something."""
    values: Mapping[str, str]
    """What "{NAME}" in the docstring stands for, where it is not the name of a setting."""
    variable: str | None = None
    """A variable of the environment that says it where the command line does not."""
    in_python: bool = True
    """Whether the function of Python has it."""
    text: str = ""
    """Its help, where several verbs have it; otherwise the docstring of its field."""
    listed: Callable[[], Sequence[str]] | None = None
    """Gives the values that there are, for the end of its help, where its type does not list them."""


@dataclass(frozen=True, kw_only=True)
class Same:
    """A setting that another verb declares, under the same name: with its docstring, and all but what is changed."""

    verb: type
    changes: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Every:
    """All settings of a verb. It marks a field of a command's own class, whose value is a mapping of them by name."""

    verb: type
    given_only: bool
    """Those that the user does not give are left out: something else, such as a recording, says what they are."""


def every(verb: type, *, given_only: bool = False) -> Every:
    """Return all settings of a verb."""
    return Every(verb=verb, given_only=given_only)


def same(verb: type, **changes: Any) -> Same:
    """Return the setting of this name of another verb; `changes`: as the fields of `Setting` are called."""
    return Same(verb=verb, changes=changes)


def setting(
    *names: str,
    needs: str | Sequence[str] = (),
    beside: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    **more: Any,
) -> Setting:
    """Return a setting with these names; `more`: as the fields of `Setting` are called."""
    needed = (needs,) if isinstance(needs, str) else tuple(needs)
    return Setting(names=names, needs=needed, beside=beside or {}, values=values or {}, **more)


@dataclass(frozen=True, kw_only=True)
class DeclaredSetting:
    """A setting of a verb, with what its field says."""

    name: str
    type: Any
    default: Any
    """`dataclasses.MISSING` where a value has to be given."""
    setting: Setting
    classes: tuple[type, ...]
    """Classes whose docstring of this field may explain it: its own, then those that `same` names."""

    @property
    def text(self) -> str:
        """The docstring, in which "{...}" is not yet filled in."""
        texts = (docstrings.of_fields(owner).get(self.name, "") for owner in self.classes)
        return next(filter(None, texts), self.setting.text)

    def help(self, spelled: Callable[[str], str]) -> str:
        """Return the text of its help. `spelled`: how the reader writes a setting, by the name of its field."""
        text = _filled(self.text, spelled, self.setting.values)
        return text if self.setting.listed is None else f"{text} There are: {', '.join(self.setting.listed())}."

    @property
    def options(self) -> tuple[str, ...]:
        """How the command line writes it, usually and at length, such as -o and --output."""
        names = [name.split("/")[0] for name in self.setting.names]
        long = next((name for name in names if name.startswith("--")), self.setting.metavar or self.name)
        return (names or [long])[0], long

    @property
    def choices(self) -> tuple[object, ...]:
        """The values that there are, if its type lists them."""
        literals = [kind for kind in (self.type, *get_args(self.type)) if get_origin(kind) is Literal]
        return get_args(literals[0]) if literals else ()


@cache
def settings_of(verb: type) -> dict[str, DeclaredSetting]:
    """Return the settings of a verb by name, in the order of its fields."""
    types = get_type_hints(verb, include_extras=True)
    found = {}
    for field in fields(verb):
        if get_origin(types[field.name]) is not Annotated:
            continue
        plain, about = get_args(types[field.name])[:2]
        classes: tuple[type, ...] = (verb,)
        if isinstance(about, Same):
            other = settings_of(about.verb)[field.name]
            about, classes = replace(other.setting, **about.changes), (verb, *other.classes)
        if isinstance(about, Setting):
            found[field.name] = DeclaredSetting(
                name=field.name, type=plain, default=_default(field), setting=about, classes=classes
            )
    return found


_FINITE = sys.float_info.max


def budget(text: str) -> float:
    """Seconds of "5min", "90s" or "5", which are minutes. Raises InputError for anything else, and for less than a second."""
    try:
        budget_s = units.duration(text, 60.0)
    except ValueError:
        budget_s = 0.0
    if not 1 <= budget_s < float("inf"):
        raise InputError(
            f'--budget "{text}": expected a time of a second or more, such as 5min or 90s; a number: minutes'
        )
    return budget_s


def check_given(
    declared: Mapping[str, DeclaredSetting], given: Collection[str], there: Callable[[str], bool], *, in_python: bool
) -> None:
    """Refuse settings that would be ignored.

    Args:
        declared: all settings that there are, by name.
        given: names of the settings that the user gave.
        there: whether a setting has a value that is neither None, nor False, nor empty.
        in_python: the user wrote them as parameters; otherwise as options.
    Raises:
        InputError: a setting lacks another one that it needs, or is given beside one that leaves it nothing to act on.
    """

    def usual(name: str) -> str:
        return name if in_python else declared[name].options[0]

    for name, what in declared.items():
        if name not in given:
            continue
        written = name if in_python else what.options[1]
        if missing := [usual(needed) for needed in what.setting.needs if not there(needed)]:
            raise InputError(f"{written}: acts only with {' and '.join(missing)}")
        for other, why in what.setting.beside.items():
            if there(other):
                raise InputError(f"{written}: {_filled(why, usual, {})}")


def check_value(declared: DeclaredSetting, value: Any, written: str) -> None:
    """Raise InputError for a number outside of the setting's range. `written`: how the user writes the setting."""
    least, most = declared.setting.least, declared.setting.most
    if value is None or (least is None and most is None):
        return
    whole = int in (declared.type, *get_args(declared.type))
    wrong_type = not isinstance(value, int if whole else int | float) or isinstance(value, bool)
    if wrong_type or (least is not None and not value >= least) or not value <= (_FINITE if most is None else most):
        number = "a whole number" if whole else "a number"
        limits = f"{number} from {least:g} to {most:g}" if most is not None else f"{number}, {least:g} or more"
        raise InputError(f"{written} {value!r}: expected {limits}")


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _filled(text: str, spelled: Callable[[str], str], values: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Za-z_]{2,})\}", lambda word: values.get(word[1]) or spelled(word[1]), text)
