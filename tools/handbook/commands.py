# SPDX-License-Identifier: BSD-3-Clause
"""Reference pages of the commands: their help and their options, from the declarations that the program itself uses."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import typer

from orrery.cli import app

_NOTICE = "<!-- Written from python/orrery/cli by `make reference`; run that instead of editing it. -->"
_FACTS = re.compile(r"\s\s\[(?P<facts>[^\]]*(?:\][^\]]+)*)\]$")
_OF_64_BITS = re.compile(r"(\d+)<=x<=\d{19}")
_INDEX = """# Commands

What each command does, its options and their defaults, as `orrery COMMAND --help` prints them. One word has one meaning in
all commands: [the command line](../../design/command-line.md). What `--json` and `-o FILE.json` write of a run or a replay
is explained with [the record](../record.md), what other commands print with `--json` on [a page of its own](../json.md).
"""


def pages() -> dict[str, str]:
    """Markdown of each page, by its name below docs/reference/commands."""
    program = typer.main.get_command(app.load([]))
    commands = program.commands  # type: ignore[attr-defined]  # a group of typer's own copy of click
    made = {"index.md": _index(commands)}
    made.update({f"{name}.md": _page(name, commands) for name in commands if " " not in name})
    return made


def _index(commands: dict[str, Any]) -> str:
    parts = [_NOTICE, _INDEX]
    for title, names in app.GROUPS.items():
        rows = [f"| [`orrery {name}`]({_place(name)}) | {_text(_first_sentence(commands[name]))} |" for name in names]
        parts += [f"## {title}", "", "| command | what it does |", "|---|---|", *rows, ""]
    return "\n".join(parts).rstrip() + "\n"


def _first_sentence(command: Any) -> str:
    text: str = command.help or ""
    return " ".join(text.partition("\n\n")[0].split())


def _place(name: str) -> str:
    """Where a command is explained; those of two words are on the page of the first."""
    first, _, second = name.partition(" ")
    return f"{first}.md#orrery-{first}-{second}" if second else f"{first}.md"


def _page(name: str, commands: dict[str, Any]) -> str:
    parts = [_NOTICE, f"# orrery {name}", "", *_body(name, commands[name])]
    below = {f"{name} {sub}": command for sub, command in getattr(commands[name], "commands", {}).items()}
    below.update({two: command for two, command in commands.items() if two.startswith(f"{name} ")})
    for two, command in below.items():
        parts += ["", f"## orrery {two}", "", *_body(two, command)]
    return "\n".join(parts).rstrip() + "\n"


def _body(name: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=f"orrery {name}")
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield from ("```text", " ".join(usage.split()), "```", "")
    yield from _prose(command.help or "")
    for kind, heading in (("argument", "argument"), ("option", "option")):
        found = [
            parameter
            for parameter in command.params
            if parameter.param_type_name == kind and not getattr(parameter, "hidden", False)
        ]
        if found:
            yield from (f"| {heading} | default | meaning |", "|---|---|---|")
            yield from (_row(parameter, context) for parameter in found)
            yield ""


def _prose(text: str) -> Iterator[str]:
    """Paragraphs; those that typer must not wrap (marked by a backspace) as they are, if they are laid out in columns."""
    for paragraph in text.strip().split("\n\n"):
        as_it_is, lines = paragraph.startswith("\b"), paragraph.removeprefix("\b").strip("\n").split("\n")
        laid_out = [line for line in lines if line.startswith("  ")]
        if not as_it_is or not (laid_out or lines[0].endswith(":")):
            yield from (_text(" ".join(paragraph.removeprefix("\b").split())), "")
            continue
        if not lines[0].startswith("  "):
            yield from (f"**{_text(lines[0])}**" if lines[0].endswith(":") else _text(lines[0]), "")
            lines = lines[1:]
        yield from ("```text", *(line.removeprefix("  ") for line in lines), "```", "")


def _row(parameter: Any, context: Any) -> str:
    names, meaning = parameter.get_help_record(context)
    meaning = " ".join(meaning.split("\n"))
    facts = _FACTS.search(meaning)
    default, limits = _said_facts(facts["facts"].split("; ") if facts else [])
    meaning = _text(meaning[: facts.start()] if facts else meaning)
    return f"| {_code(names)} | {default} | {meaning}{f' ({limits})' if limits else ''} |"


def _said_facts(facts: list[str]) -> tuple[str, str]:
    """The default, and what else typer says in brackets: bounds and variables of the environment."""
    default, others = "", []
    for fact in facts:
        what, _, value = fact.partition(": ")
        if fact == "required":
            default = "required"
        elif what == "default":
            default = _code(value)
        elif what == "env var":
            others.append(f"environment: `{value}`")
        elif "x" in fact:
            others.append(_code(_OF_64_BITS.sub(r"x>=\1", fact)))
    return default, ", ".join(others)


def _code(text: str) -> str:
    """As code in a table, where Markdown's dialects do not agree on bars inside of code."""
    if "|" in text:
        return f"<code>{html.escape(text, quote=False).replace('|', '&#124;<wbr>')}</code>"
    return f"`{text}`" if text else ""


def _text(text: str) -> str:
    """Markdown of plain text with code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([*<\\])", r"\\\1", parts[place])
    return "".join(parts).replace("|", "\\|")
