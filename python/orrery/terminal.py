# SPDX-License-Identifier: BSD-3-Clause
"""Reports on a terminal: what counts is bold, what it rests on is dim, what to mind is in colour.

Reports are written as plain text, and all of their styling is here. Files, pipes and dumb terminals get the plain text, and
so does who sets NO_COLOR (https://no-color.org).
"""

from __future__ import annotations

import os
import re
from typing import TextIO

_BOLD, _DIM, _RED, _YELLOW, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_RULES = (
    (r"^(?:simulated time|repeated|replicas|expected) .*$", _BOLD),
    (r"^(?:wall time|platform|parameters|model|computation|interface|peak memory|selector|times) .*$", _DIM),
    (r"^caution:? ", _YELLOW),
    (r"^ *%Time.*$|^ *msec .*$|^ *#Call  .*$|^rank \d+:$|^[a-z_]+, [\d,]+ ranks$", _BOLD),
    (r"^-{8,}$", _DIM),
    (r"^orrery: (?:error|the (?:run|replay) failed|interrupted):|^the run failed:", _RED),
)
_LINES = re.compile("|".join(f"({rule})" for rule, _ in _RULES), re.MULTILINE)


def has_colours(stream: TextIO) -> bool:
    """Whether words that go there may be styled."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, stream: TextIO) -> str:
    """A report as it is written to `stream`."""
    return _LINES.sub(_style, text) if has_colours(stream) else text


def _style(found: re.Match[str]) -> str:
    style = _RULES[(found.lastindex or 1) - 1][1]
    return f"{style}{found[0]}{_PLAIN}"


def write(text: str, stream: TextIO) -> None:
    """Write a report."""
    stream.write(styled(text, stream))
