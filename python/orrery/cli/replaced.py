# SPDX-License-Identifier: BSD-3-Clause
"""Spellings that there were, or that are looked for, refused with what there is. Read only once a command line was refused."""

from __future__ import annotations

from collections.abc import Sequence

_OUTPUT = "-o FILE"
_REPLACED = {
    "run": {
        "--json": "--json is a flag and prints the record; to write it: -o FILE.json",
        "--trace": "now -o FILE.trace",
        "--sample-loops": "computation cannot be left out of a program that does not say what nothing depends on; mark it by "
        "ORRERY_SAMPLE_LOCAL of orrery.h, or record the program once (-o FILE.trace) and replay that, which computes nothing",
        "--start": "now --launch auto|fork|exec; --start says when traces begin, in `orrery replay`",
    },
    "replay": {
        "--json": "--json is a flag and prints the record; to write it: -o FILE.json",
        "--print-json": "now --json",
        "--trace": "now -o FILE.trace",
    },
    "capture": {"--json": "--json is a flag and prints what was captured"},
    "compare": dict.fromkeys(
        ("-n", "-np", "--ranks", "-s", "--size", "--collective", "-p", "--platform", "--map"),
        "now `orrery compare selectors A B`",
    ),
    "profile": {"--plot": "now -o FILE.html, .svg or .png"},
    "collective": {
        "--plot": "now -o FILE.html, .svg or .png",
        "--ranks-per-node": "now --ppn",
        "--json": "--json is a flag and prints; to write times: -o FILE.json",
        "--csv": "--csv is a flag and prints; to write times: -o FILE.csv",
    },
    "validate": {
        "--plot": "now -o FILE.html, .svg or .png",
        "--seconds": "now --budget, in minutes or with a unit: --budget 240s",
        "--json": "--json is a flag and prints; to write it: -o FILE.json",
    },
    "tune": {"--discover": "now `orrery tune discover`", "--upgrade": "now `orrery tune upgrade OLD:NEW`"},
    "platform show": {"--svg": "now -o FILE.svg"},
    "trace dump": {
        "-n": "now --most N; -n is a number of ranks everywhere",
        "--ranks": "now --only RANKS; --ranks is a number of ranks everywhere",
    },
    "trace slice": {"--ranks": "now --only RANKS; --ranks is a number of ranks everywhere"},
    "trace convert": {"--to": "now --format; --to is a time, in `orrery trace slice`"},
}
"""By command: an old spelling, and what to say."""

_POSITIONAL = {"trace convert", "trace slice", "trace import"}
"""Commands that took the file to write as their second word."""


def command_of(words: Sequence[str]) -> str:
    """The command that a line begins with, if it has old spellings; else the first word."""
    two = " ".join(words[:2])
    return two if two in _REPLACED else " ".join(words[:1])


def said_of(command: str, option: str | None, refusal: str) -> str | None:
    """What to say of a word that was refused, if it was right once.

    Args:
        command: without the program's name, such as "trace slice".
        option: the one that was refused, if it was one.
        refusal: what typer says.
    """
    if option is None:
        if command in _POSITIONAL and ("unexpected extra argument" in refusal or "Missing option '-o'" in refusal):
            return f"{refusal.rstrip('.')}; the file to write, which was the second word, is {_OUTPUT} now"
        return None
    first, _, _ = command.partition(" ")  # of a command that had none below it
    replaced = {**_REPLACED.get(first, {}), **_REPLACED.get(command, {})}.get(option)
    return None if replaced is None else f"{option}: {replaced}"


def check_words(command: str, option: str, word: str) -> str | None:
    """What to say where a flag is followed by a file's name, as it was when it took one."""
    if word.endswith((".json", ".csv")) and option in _REPLACED.get(command, {}):
        return f"{option} {word}: {_REPLACED[command][option]}"
    return None
