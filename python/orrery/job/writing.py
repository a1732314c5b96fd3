# SPDX-License-Identifier: BSD-3-Clause
"""Profiles as text: TOML, or XML as QCG-OMPI reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orrery.job import xml_form
from orrery.job.profile import JobProfile
from orrery.marks import COMMENT
from orrery.platform import toml_writer


def text_for(file: Path, profile: JobProfile) -> str:
    """What to write to a file: XML if its name ends in .xml, else TOML."""
    return to_xml(profile) if file.suffix.lower() == ".xml" else to_toml(profile)


def to_toml(profile: JobProfile) -> str:
    """The profile as TOML."""
    return f"{COMMENT}\n\n{toml_writer.write(_values(profile))}"


def to_xml(profile: JobProfile) -> str:
    """The profile as XML."""
    return xml_form.write(_values(profile))


def _values(profile: JobProfile) -> dict[str, Any]:
    """Without what is blank."""
    values: dict[str, Any] = profile.model_dump(by_alias=True, exclude_defaults=True)
    return values
