# SPDX-License-Identifier: BSD-3-Clause
"""Where platform files are."""

from __future__ import annotations

from pathlib import Path

from orrery.errors import InputError, did_you_mean

BUILTIN = Path(__file__).parent.parent / "platforms"
DEFAULT = "default"


def builtin_names() -> list[str]:
    """Names that `--platform` knows without a file."""
    return sorted(path.stem for path in BUILTIN.glob("*.toml"))


def find(name_or_file: str) -> Path:
    """File of a built-in platform, or the file itself. Raises InputError when there is neither."""
    builtin = BUILTIN / f"{name_or_file}.toml"
    if "/" not in name_or_file and builtin.is_file():
        return builtin
    path = Path(name_or_file)
    if path.is_file():
        return path
    if "/" in name_or_file or name_or_file.endswith(".toml"):
        if path.is_dir():
            raise InputError(f"platform {name_or_file}: is a folder, expected a TOML file")
        near = did_you_mean(path.name, sorted(other.name for other in path.parent.glob("*.toml")))
        cure = near or "; `orrery platform list` names the built-in ones"
        raise InputError(f"platform {name_or_file}: no such file{cure}")
    names = builtin_names()
    raise InputError(
        f'platform "{name_or_file}": no built-in platform and no file of this name'
        f"{did_you_mean(name_or_file, names)} (built in: {', '.join(names)})"
    )
