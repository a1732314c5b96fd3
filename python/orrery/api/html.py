# SPDX-License-Identifier: BSD-3-Clause
"""Small pieces of pages for notebooks: no scripts, nothing from elsewhere, light and dark as the system is set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orrery.words import markup

_MOST_ROWS = 60
_STYLE = """<style>
.orrery { --line: #d5d8dc; --quiet: #5c6670; --text: #1c2126; font: 13px/1.45 system-ui, sans-serif; color: var(--text); }
.orrery p { margin: 0 0 .6em; font-size: 14px; }
.orrery table { border-collapse: collapse; margin: 0 0 .6em; color: var(--text); font: inherit; }
.orrery p, .orrery dl, .orrery table { background: none; }
.orrery th, .orrery td { text-align: right; padding: 2px 10px 2px 0; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; background: none; color: inherit; }
.orrery th { color: var(--quiet); font-weight: 600; }
.orrery .text { text-align: left; }
.orrery dl { display: grid; grid-template-columns: max-content auto; gap: 0 12px; margin: 0 0 .6em; color: var(--quiet); }
.orrery dd { margin: 0; }
@media (prefers-color-scheme: dark) { .orrery { --line: #3a4149; --quiet: #9aa5b1; --text: #e6e9ec; } }
</style>"""


def piece(verdict: str, *parts: str) -> str:
    """A verdict in a sentence, and what it rests on."""
    return f'<div class="orrery">{_STYLE}<p>{markup(verdict)}</p>{"".join(parts)}</div>'


def table(rows: Sequence[Mapping[str, object]], most: int = _MOST_ROWS) -> str:
    """The first rows as a table of its own."""
    return f'<div class="orrery">{_STYLE}{cells(rows, most)}</div>'


def cells(rows: Sequence[Mapping[str, object]], most: int = _MOST_ROWS) -> str:
    """The first rows, and how many more there are; nothing where there are none."""
    if not rows:
        return ""
    columns = list(rows[0])
    texts = {name for name in columns if any(isinstance(row[name], str) for row in rows[:most])}

    def cell(tag: str, name: str, text: str) -> str:
        kind = ' class="text"' if name in texts else ""
        return f"<{tag}{kind}>{markup(text)}</{tag}>"

    head = "".join(cell("th", name, name) for name in columns)
    body = "".join(
        f"<tr>{''.join(cell('td', name, _shown(row[name])) for name in columns)}</tr>" for row in rows[:most]
    )
    more = f"<div>and {len(rows) - most:,} more rows</div>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def facts(found: Mapping[str, object]) -> str:
    """Names and values, those that are there."""
    items = "".join(
        f"<dt>{markup(name)}</dt><dd>{markup(_shown(value))}</dd>"
        for name, value in found.items()
        if value not in (None, "", [], {})
    )
    return f"<dl>{items}</dl>"


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
