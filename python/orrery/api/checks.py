# SPDX-License-Identifier: BSD-3-Clause
"""What the types of settings say, checked: the command line does it where it reads words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from orrery.errors import InputError, did_you_mean
from orrery.experiment.settings import MOST_SEED
from orrery.output import Output, checked

PathLike = str | os.PathLike[str]


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raises InputError for what is none of `choices`."""
    if value not in choices and value is not None:
        words = [str(choice) for choice in choices]
        raise InputError(f'{name} "{value}": expected {", ".join(words)}{did_you_mean(str(value), words)}')


def check_number(name: str, value: object, least: int) -> None:
    """Raises InputError for what is no whole number of at least so much."""
    most = MOST_SEED if name == "seed" else None
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        raise InputError(f"{name} {value!r}: expected a whole number, at least {least}")


def path_of(file: PathLike) -> Path:
    """As a path; `~` is the home."""
    return Path(file).expanduser()


def optional_path(file: PathLike | None) -> Path | None:
    """As a path, if there is one."""
    return None if file is None else path_of(file)


def numbers(value: int | str | Sequence[int | str]) -> str:
    """Numbers or sizes, as the command line has them: "8,1KiB" of [8, "1KiB"]."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ",".join(map(str, value))


def output_of(
    name: str, file: PathLike, ending: str | Sequence[str], *, overwrite: bool, read: Sequence[Path] = ()
) -> Output:
    """Where to write, checked before the work.

    Args:
        name: of the parameter.
        file: its value.
        ending: such as ".html", or several, one of which it has.
        overwrite: replace what is there, whoever wrote it.
        read: files that are read.
    Raises:
        InputError: it ends otherwise, or cannot be written.
    """
    path = path_of(file)
    endings = (ending,) if isinstance(ending, str) else tuple(ending)
    if path.suffix.lower() not in endings:
        raise InputError(f"{name} {path}: its ending says what is written; expected {' or '.join(endings)}")
    return checked(path, overwrite=overwrite, read=read)


def filled_profile(groups: PathLike | None, file: PathLike, *, overwrite: bool) -> Output:
    """Where a job profile is written back, checked before the work. Raises InputError where it cannot be, or there is none."""
    if groups is None:
        raise InputError(f"groups_out {os.fspath(file)}: acts only with groups")
    return checked(path_of(file), overwrite=overwrite, read=[path_of(groups)])
