# SPDX-License-Identifier: BSD-3-Clause
"""Tables of pages in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def markdown_table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Lines of a table whose columns but the first are aligned to the right."""
    yield f"| {' | '.join(heading)} |"
    yield f"|---|{'---:|' * (len(heading) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
