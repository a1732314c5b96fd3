# SPDX-License-Identifier: BSD-3-Clause
"""How GOAL schedules are known."""

_BINARY = (4223).to_bytes(8, "little")


def is_goal(start: bytes) -> bool:
    """Whether a file that begins so is a GOAL schedule: binary, or a text whose first line that says something does."""
    if start.startswith(_BINARY):
        return True
    inside = False
    for line in start.decode(errors="replace").splitlines():
        text = line.strip()
        inside = (inside or text.startswith("/*")) and "*/" not in text
        if text and not inside and not text.startswith(("//", "/*")):
            return text.startswith("num_ranks")
    return False
