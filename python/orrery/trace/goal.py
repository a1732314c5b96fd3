# SPDX-License-Identifier: BSD-3-Clause
"""How GOAL schedules are known."""

from __future__ import annotations

import re

_BINARY = (4223).to_bytes(8, "little")
_COMMENTS = re.compile(rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*+", re.DOTALL)


def is_goal(start: bytes) -> bool:
    """Whether a file that begins so is a GOAL schedule: binary, or a text that begins so behind its comments.

    Where a comment is longer than `start`, it is one: no other format that is read has such comments.
    """
    if start.startswith(_BINARY):
        return True
    found = _COMMENTS.match(start)
    return found is not None and start[found.end() :].startswith((b"num_ranks", b"/*"))
