# SPDX-License-Identifier: BSD-3-Clause
"""How GOAL schedules are known."""

from __future__ import annotations

_BINARY = (4223).to_bytes(8, "little")


def is_goal(start: bytes) -> bool:
    """Whether a file that begins so is a GOAL schedule: binary, or a text that begins so behind its comments.

    Where a comment is longer than `start`, it is one: no other format that is read has such comments.
    """
    if start.startswith(_BINARY):
        return True
    return _without_comments(start).startswith((b"num_ranks", b"/*"))


def _without_comments(text: bytes) -> bytes:
    """What follows blanks and comments; the beginning of a comment that has no end."""
    rest = text.lstrip()
    while rest.startswith((b"//", b"/*")):
        end = rest.find(b"\n") if rest.startswith(b"//") else rest.find(b"*/", 2) + 1
        if end <= 0:
            break
        rest = rest[end + 1 :].lstrip()
    return rest
