# SPDX-License-Identifier: BSD-3-Clause
"""What the release does with the files of the tree."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_changes_are_named_as_the_release_looks_for_them() -> None:
    """Towncrier passes over others without a word."""
    named = re.compile(r"\+[a-z0-9-]+\.(added|changed|fixed)\.md")
    found = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert [name for name in found if not named.fullmatch(name)] == [], "changelog.d/README.md says how to name them"
