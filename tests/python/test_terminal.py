# SPDX-License-Identifier: BSD-3-Clause
"""Colours where there is a terminal, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from harness import HUNG_S, ORRERY, Sandbox
from orrery.terminal import styled, styling

_ESCAPE = re.compile("\x1b\\[[0-9;]*m")
_REPORT = """simulated time  1 s
platform        default, 2 ranks on 1 host, slot by slot
caution         a caution

%Time  Exclusive  Name
            msec
----------------------
100.0        1.0  .application
"""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_report_on_a_terminal_says_the_same_with_what_counts_in_bold() -> None:
    text = styled(_REPORT, _Terminal())
    assert _ESCAPE.sub("", text) == _REPORT
    lines = text.splitlines()
    assert lines[0] == "\x1b[1msimulated time  1 s\x1b[0m"
    assert lines[1].startswith("\x1b[2mplatform")
    assert lines[2].startswith("\x1b[33mcaution")
    assert lines[-1] == "100.0        1.0  .application"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colour_gets_plain_text(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert styled(_REPORT, _Terminal()) == _REPORT


def test_files_get_plain_text() -> None:
    assert styled(_REPORT, io.StringIO()) == _REPORT


def _on_terminal(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Standard output of `orrery WORDS` when that is a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen([ORRERY, *words], stdout=its, stderr=subprocess.DEVNULL, cwd=folder, env=environment)
    os.close(its)
    found = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            break
        found += piece
        if not piece:
            break
    os.close(ours)
    assert process.wait(timeout=HUNG_S) == 0
    return found.decode().replace("\r\n", "\n")


def test_a_profile_is_styled_on_a_terminal_only(sandbox: Sandbox) -> None:
    assert sandbox.run(2, "ring").code == 0
    plain = sandbox.orrery("profile", "run.json").out
    environment = {**sandbox.environment, "TERM": "xterm"}
    shown = _on_terminal(["profile", "run.json"], sandbox.folder, environment)
    assert _ESCAPE.search(plain) is None
    assert "\x1b[1msimulated time" in shown
    assert _ESCAPE.sub("", shown) == plain
    assert _on_terminal(["profile", "run.json"], sandbox.folder, {**environment, "NO_COLOR": "1"}) == plain


_TIMES = (
    "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\nbcast,4,8,barrier,10,9,10,11,10,12\n"
)


@pytest.mark.parametrize(
    ("words", "bold"),
    [
        ("trace info it.trace", "trace  "),
        ("compare run.json run.json", "run.json takes as long as"),
        ("validate collectives --ingest times.csv --model hybrid", "collective  ranks"),
        ("validate trace it.trace", "total  "),
        ("validate suite suite.toml", "== one"),
    ],
)
def test_what_these_commands_say_is_styled_on_a_terminal_only(sandbox: Sandbox, words: str, bold: str) -> None:
    (sandbox.folder / "times.csv").write_text(_TIMES)
    (sandbox.folder / "suite.toml").write_text(
        '[[collectives]]\nname = "one"\nplatform = "default"\ningest = ["times.csv"]\n'
    )
    assert sandbox.run(2, "ring", options=("-o", "it.trace")).code == 0
    plain = sandbox.orrery(*words.split()).out
    environment = {**sandbox.environment, "TERM": "xterm"}
    shown = _on_terminal(words.split(), sandbox.folder, environment)
    assert _ESCAPE.search(plain) is None
    assert f"\x1b[1m{bold}" in shown
    if words.startswith("validate suite"):  # the second one has a report to compare with
        plain = sandbox.orrery(*words.split()).out
    assert _ESCAPE.sub("", shown) == plain
    assert _ESCAPE.search(_on_terminal(words.split(), sandbox.folder, {**environment, "NO_COLOR": "1"})) is None


def test_what_is_wrong_or_left_out_is_in_colour() -> None:
    text = "damage          block 3\nleft out        files, 2 times\nbcast  4  8 B  outside\n"
    damage, left_out, case, claim = styled(f"{text}  not reproduced  it is so\n", _Terminal()).splitlines()
    assert claim.startswith("\x1b[33m  not reproduced")
    assert damage.startswith("\x1b[31mdamage")
    assert left_out.startswith("\x1b[33mleft out")
    assert case.endswith("\x1b[33moutside\x1b[0m")


def test_a_line_that_is_written_in_pieces_is_styled_as_a_whole() -> None:
    out = _Terminal()
    line = styling(out)
    for piece in ("== o", "ne\nne", "xt\n"):
        line.write(piece)
    assert out.getvalue() == "\x1b[1m== one\x1b[0m\nnext\n"
