# SPDX-License-Identifier: BSD-3-Clause
"""What the two sides of a comparison are: told from the names and files that the user gives."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from orrery.comparison.sample import RunSample, sample_of_profile, sample_of_record, sample_of_trace
from orrery.comparison.selectors import SelectorSide, selector_names
from orrery.errors import InputError, did_you_mean
from orrery.platform.find import builtin_names
from orrery.record.document import read
from orrery.record.tau import is_tau
from orrery.trace.sources import is_any_trace, is_trace

Kind = Literal["record", "trace", "profile", "platform", "selector"]

SEPARATOR = "vs"
"""Between the runs of the first side and those of the second."""
_RULES = (".conf", ".rules")


def divided(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Both sides: two names, or several with `vs` between the sides.

    Raises InputError where that leaves a side empty, or more than two names have no `vs`.
    """
    if SEPARATOR in given:
        at = given.index(SEPARATOR)
        first, second = list(given[:at]), list(given[at + 1 :])
        if not first or not second or SEPARATOR in second:
            raise InputError("vs: expected runs on both sides, and once: A1 A2 vs B1 B2")
        return first, second
    if len(given) != 2:
        raise InputError(f"{len(given)} given: expected two, or several of each side: A1 A2 A3 vs B1 B2 B3")
    return [given[0]], [given[1]]


def kind_of(name: str) -> Kind:
    """What a name or a file stands for.

    Raises InputError when it is nothing that can be compared.
    """
    path = Path(name)
    if not path.exists():
        if name in selector_names():
            return "selector"
        if name in builtin_names():
            return "platform"
        near = did_you_mean(name, [*selector_names(), *builtin_names()])
        raise InputError(
            f"{name}: no such file, selector or platform; expected records (.json), traces or folders of TAU's profiles; "
            f"platforms (.toml, or {', '.join(builtin_names())}); selectors ({', '.join(selector_names())}) or their rules files{near}"
        )
    if path.is_file() and path.suffix == ".toml":
        return "platform"
    if path.is_file() and (path.suffix in _RULES or _is_rules(path)):
        return "selector"
    if is_tau(path):
        return "profile"
    if is_any_trace(path):
        return "trace"
    return "record"


def _is_rules(path: Path) -> bool:
    """Whether a JSON file has an MPI's rules for collectives, not a record."""
    if path.suffix != ".json":
        return False
    with path.open("rb") as file:
        return b'"orrery"' not in file.read(4096) and not is_trace(path)


def common_kind(first: Sequence[str], second: Sequence[str]) -> Kind:
    """The kind of all of them; records, traces and profiles are runs, and of a mixture `trace` is said.

    Raises InputError where they cannot be compared with each other.
    """
    kinds = {name: kind_of(name) for name in (*first, *second)}
    if "platform" in kinds.values():  # a name that stands for both is a platform beside one
        kinds |= {name: "platform" for name, kind in kinds.items() if kind == "selector" and name in builtin_names()}
    found = set(kinds.values())
    if found <= {"record", "trace", "profile"}:
        return "record" if found == {"record"} else "trace"
    if len(found) > 1:
        listed = ", ".join(f"{name} is a {kind}" for name, kind in kinds.items())
        raise InputError(f"{listed}: compare what is of one kind; records, traces and profiles of runs go together")
    kind = found.pop()
    if len(first) > 1 or len(second) > 1:
        raise InputError(f"{SEPARATOR}: is for runs; compare two {kind}s at a time")
    return kind


def sample(name: str) -> RunSample:
    """One run. Raises InputError when it cannot be read."""
    path, kind = Path(name), kind_of(name)
    if kind == "profile":
        return sample_of_profile(path, name)
    return sample_of_record(read(path), name) if kind == "record" else sample_of_trace(path, name)


def selector_side(name: str) -> SelectorSide:
    """A selector, or the rules in a file on top of the default one. Raises InputError for anything else."""
    if not Path(name).exists() and name not in (known := (*selector_names(), *builtin_names())):
        names = ", ".join(selector_names())
        raise InputError(f'"{name}" is no selector, nor a rules file; there are: {names}{did_you_mean(name, known)}')
    if (kind := kind_of(name)) != "selector":
        raise InputError(f"{name} is a {kind}: orrery compare {shlex.quote(name)} OTHER compares it")
    return SelectorSide(name, "default", Path(name)) if Path(name).exists() else SelectorSide(name, name)
