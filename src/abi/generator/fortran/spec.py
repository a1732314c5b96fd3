# SPDX-License-Identifier: BSD-3-Clause
"""What parameters are in Fortran: src/abi/fortran.toml, whose head says what the keys mean."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import TableError
from generator.kinds import ParameterKind
from generator.table import Form, Parameter, Routine, RoutineTable


@dataclass(frozen=True)
class FortranKind:
    """A kind of parameter in Fortran; `converted` holds C++ expressions by use (`in`, `out_array`, ...)."""

    type: str
    f08: str
    large: str
    dimension: str | None
    c: str | None
    absent: str | None
    converted: Mapping[str, str]

    @property
    def is_choice(self) -> bool:
        """Whether it is a buffer of any type and rank."""
        return self.type == "choice"

    @property
    def is_text(self) -> bool:
        """Whether its length is passed behind all parameters."""
        return self.type.startswith("character")


@dataclass(frozen=True)
class Dummy:
    """A parameter as Fortran has it."""

    parameter: Parameter
    name: str
    fortran: FortranKind
    kind: ParameterKind


_KEYS = {"type", "f08", "dimension", "c", "absent"}
_USES = {f"{direction}{array}" for direction in ("in", "out", "inout") for array in ("", "_array")} | {"large_in"}


def _defaults(kind: ParameterKind, entries: Mapping[str, Mapping[str, object]]) -> dict[str, object] | None:
    """What a kind is by its C type alone; none if that says nothing."""
    numbers, handles = entries["numbers"], entries["handles"]
    if kind.callback is not None:
        return dict(entries["functions"])
    if kind.c in handles["c_types"]:  # type: ignore[operator]
        shared = {key: value for key, value in handles.items() if key != "c_types"}
        return {**shared, "f08": f"type({kind.c})"}
    if kind.c in numbers:
        return {"type": numbers[kind.c], "large": numbers[kind.large]}
    return None


def _fortran_kind(path: Path, name: str, entry: Mapping[str, object]) -> FortranKind:
    if unknown := set(entry) - _KEYS - _USES - {"large"}:
        raise TableError(path, None, f"kind {name}: unknown keys {', '.join(sorted(unknown))}")

    def text(key: str) -> str | None:
        return str(entry[key]) if key in entry else None

    type_ = str(entry["type"])
    f08 = text("f08") or type_
    return FortranKind(
        type=type_,
        f08=f08,
        large=text("large") or f08,
        dimension=text("dimension"),
        c=text("c"),
        absent=text("absent"),
        converted={use: str(entry[use]) for use in _USES if use in entry},
    )


@dataclass(frozen=True)
class FortranSpec:
    """How the table looks from Fortran."""

    kinds: Mapping[str, FortranKind]
    only_c: re.Pattern[str]
    by_hand_names: re.Pattern[str]
    renamed: Mapping[str, str]
    other_kind: Mapping[str, tuple[str, str]]
    c_kinds: Mapping[str, ParameterKind]

    def has(self, routine: Routine) -> bool:
        """Whether Fortran has the routine."""
        return self.only_c.fullmatch(routine.name) is None

    def by_hand(self, routine: Routine) -> bool:
        """Whether its entry point is in src/abi/fortran."""
        return self.by_hand_names.fullmatch(routine.name) is not None

    def dummies(self, form: Form, *, f08: bool) -> list[Dummy]:
        """Its parameters in Fortran, with those that only C has (`absent`), without the error code."""
        return [self._dummy(form, p, f08=f08) for p in form.parameters]

    def _dummy(self, form: Form, parameter: Parameter, *, f08: bool) -> Dummy:
        kind = parameter.kind
        if other := self.other_kind.get(f"{form.routine.name}.{parameter.name}"):
            kind = self.c_kinds[other[f08]]
        fortran = self.kinds[kind.name]
        return Dummy(parameter, self.renamed.get(parameter.name, parameter.name), fortran, kind)


def read_spec(path: Path, table: RoutineTable) -> FortranSpec:
    """The file, checked against the table.

    Raises:
        TableError: a kind has unknown keys, or none of the file is for a kind that Fortran's routines have.
    """
    with path.open("rb") as file:
        entries = tomllib.load(file)
    said = entries["kinds"]
    kinds = {}
    for name, kind in table.kinds.items():
        defaults = _defaults(kind, entries) or {}
        if "type" in said.get(name, {}):
            defaults.pop("large", None)
        entry = {**defaults, **said.get(name, {})}
        if "type" in entry:
            kinds[name] = _fortran_kind(path, name, entry)
    if unknown := set(said) - set(kinds):
        raise TableError(path, None, f"there is no kind {', '.join(sorted(unknown))}")
    spec = FortranSpec(
        kinds=kinds,
        only_c=re.compile(entries["only_c"]["names"]),
        by_hand_names=re.compile(entries["by_hand"]["names"]),
        renamed=entries["renamed"],
        other_kind={name: (old, new) for name, (old, new) in entries["other_kind"].items()},
        c_kinds=table.kinds,
    )
    for routine in table.routines():
        for parameter in routine.parameters:
            if spec.has(routine) and parameter.kind.name not in kinds:
                raise TableError(path, None, f"kind {parameter.kind.name} of {routine.name} is missing")
    return spec
