# SPDX-License-Identifier: BSD-3-Clause
"""What git refuses of messages of commits, once `make setup` has let it (tools/hooks/commit-msg)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[2] / "tools" / "hooks" / "commit-msg"


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("tune: refuse a negative share\n\nIt was taken for 0.\n", ""),
        ("collective, kernel: name who serves\n\nWhy.\n# a comment of git's\n", ""),
        ("Merge branch 'other'\n", ""),
        ("fixup! tune: refuse a negative share\n", ""),
        ("# only comments: git itself ends here\n", ""),
        ("tune: refuse a negative share\n", "there is no body"),
        ("tune: refuse a negative share\n\n# a comment is none\n", "there is no body"),
        ("tune: refuse a negative share\nIt was taken for 0.\n", "no empty line"),
        ("refuse a negative share\n\nWhy.\n", "names no room"),
        (f"tune: {'x' * 80}\n\nWhy.\n", "86 characters"),
    ],
)
def test_a_message_says_what_and_why(tmp_path: Path, message: str, wrong: str) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message)
    ended = subprocess.run([HOOK, file], capture_output=True, text=True, check=False)
    assert ended.returncode == (1 if wrong else 0), ended.stderr
    assert wrong in ended.stderr
