# SPDX-License-Identifier: BSD-3-Clause
"""Commands of the tutorial, of the guides and of the page of errors, run as a reader would: page by page, in order.

A page is a story in one folder, which has `examples/` in it. Of each block of `console`, lines that begin with "$ " are run,
and all must end well. A comment before a block says otherwise:

    <!-- not run: REASON -->     nothing of it is run
    <!-- exit CODE -->           its last command ends with CODE, and what is shown of it is what it says
    <!-- file: NAME -->          the block, of any language, is what a file has
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import EXAMPLES, HUNG_S, ORRERY, Sandbox

DOCS = EXAMPLES.parent / "docs"
PAGES = [DOCS / "index.md", DOCS / "tutorial.md", DOCS / "faq.md", *sorted((DOCS / "how-to").glob("*.md"))]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A block of code, with what the comment before it says."""

    language: str
    note: str
    text: str

    def commands(self) -> list[str]:
        """Its commands; a line that ends in a backslash goes on in the next one."""
        return [
            command.replace("\\\n", " ") for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", self.text, re.MULTILINE)
        ]

    def shown(self) -> list[str]:
        """Lines that are not commands."""
        return [line for line in self.text.splitlines() if not line.startswith("$ ")]


def blocks(page: Path) -> Iterator[Block]:
    for found in _BLOCK.finditer(page.read_text()):
        yield Block(found["language"], found["note"] or "", found["text"])


def shell(sandbox: Sandbox, command: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    ended = subprocess.run(
        ["bash", "-c", command], cwd=sandbox.folder, env=sandbox.environment, capture_output=True, text=True,
        timeout=HUNG_S, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


def carry_out(sandbox: Sandbox, block: Block) -> None:
    exit_code = re.match(r"exit (\d+)$", block.note)
    *first, last = block.commands()
    for command in first:
        code, said = shell(sandbox, command)
        assert code == 0, f"{command}\n{said}"
    code, said = shell(sandbox, last)
    assert code == (int(exit_code[1]) if exit_code else 0), f"{last}\n{said}"
    if exit_code:
        assert [line for line in block.shown() if line not in said] == [], f"{last}\n{said}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_do_what_the_page_says(page: Path, sandbox: Sandbox) -> None:
    shutil.copytree(EXAMPLES, sandbox.folder / "examples")
    sandbox.environment["PATH"] = f"{ORRERY.parent}{os.pathsep}{os.environ['PATH']}"
    for block in blocks(page):
        if block.note.startswith("file: "):
            (sandbox.folder / block.note.removeprefix("file: ")).write_text(block.text)
        elif block.language == "console" and not block.note.startswith("not run: "):
            carry_out(sandbox, block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notes_are_ones_that_are_known(page: Path) -> None:
    notes = re.findall(r"^<!-- (.*) -->$", page.read_text(), re.MULTILINE)
    assert [note for note in notes if not re.match(r"not run: .|exit \d+$|file: \S+$", note)] == []
    assert len(notes) == sum(1 for block in blocks(page) if block.note)


def test_the_platform_of_the_guide_is_the_example() -> None:
    page = (DOCS / "how-to" / "write-a-platform.md").read_text()
    assert (EXAMPLES / "two_racks.toml").read_text().partition("\n")[2] in page
