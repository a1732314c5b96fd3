# SPDX-License-Identifier: BSD-3-Clause
"""Writes what comes from the code: docs/reference, a table of docs, and the types of `import orrery`: PYTHONPATH=tools python -m handbook (`make reference`)."""

from __future__ import annotations

from pathlib import Path

from handbook import REFERENCE, algorithms, commands, json_of_commands, operations, record, replaced, signatures


def pages() -> dict[Path, str]:
    """What each generated page has to say, by its file."""
    made = {REFERENCE / "commands" / name: text for name, text in commands.pages().items()}
    made |= {REFERENCE / "record.md": record.page(), REFERENCE / "json.md": json_of_commands.page()}
    made |= {REFERENCE / "operations.md": operations.page(), REFERENCE / "algorithms.md": algorithms.page()}
    return made | {replaced.PAGE: replaced.page(), signatures.STUB: signatures.stub()}


def main() -> None:
    """Write all pages."""
    for file, text in pages().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
