# SPDX-License-Identifier: BSD-3-Clause
"""What strangers wrote into files reaches no terminal with characters that it acts on, whichever command reads it."""

from __future__ import annotations

import ast
import gzip
import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import hostile
import orrery
from harness import ORRERY, Sandbox
from orrery import __main__, terminal
from orrery.cli import app
from orrery.cli.ending import code_of

PACKAGE = Path(orrery.__file__).parent
_SENTENCES = re.compile("\x1b\\[[0-9;]*m")
WORD = "a\x1b]0;title\x07\x1b[2J\u202eb\x9b31m\x85c\u2028d"
"""No end of a line, which some formats cannot have in a name."""


def is_plain(text: str) -> bool:
    """No character that a terminal acts on, but for ends of lines and tabs."""
    return re.sub(r"[\n\t]", "", text).isprintable()


def test_a_stream_for_reports_shows_controls_as_escapes() -> None:
    under = io.StringIO()
    stream = terminal.styling(under)
    stream.write(f"one {WORD}")
    stream.write(" two\n")
    assert under.getvalue() == f"one {terminal.visible(WORD)} two\n"
    stream.write("without an end")
    stream.flush()
    assert under.getvalue().endswith("\nwithout an end")


def test_files_and_pipes_get_scripts_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.hand_on("cd 'a\u00a0b\n'\n")
    assert capsys.readouterr().out == "cd 'a\u00a0b\n'\n"


_BY_ITSELF = {
    "terminal.py": "is where it is written",
    "output.py": "files that a user names -",
    "run/output.py": "what the user's program prints, and the live line, which is made visible",
    "simulate/live.py": "the live line, which is made visible",
    "run/python_program.py": "for another program",
    "report/collective.py": "rich, with lines that are made visible",
    "report/versus.py": "rich, with lines that are made visible",
    "cli/calibrate/measuring.py": "rich, with lines that are made visible",
    "cli/ending.py": "closes it",
}


def _prints(file: Path) -> bool:
    """Whether a module writes to standard output or standard error past `orrery.terminal`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("print", "typer.echo", "click.echo", "console.print", "bar.console.print"):
                return True
            if re.fullmatch(r"sys\.(stdout|stderr)(\.buffer)?\.write(lines)?", called):
                return True
    return False


def test_nothing_is_printed_past_the_terminal_s_module() -> None:
    found = {str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py") if _prints(file)}
    assert found <= set(_BY_ITSELF), found - set(_BY_ITSELF)


_XML = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="WORD" routing="Full"><host id="WORD" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="WORD" bandwidth="1GBps" latency="1us"/><route src="WORD" dst="b"><link_ctn id="WORD"/></route>
<prop id="WORD" value="WORD"/></zone></platform>
"""
_JOB = '<grmsJob appId="WORD"><task taskId="WORD"><resourcesDescription><topology><group groupId="WORD"/></topology></resourcesDescription></task></grmsJob>'
_TAU = """1 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>WORD</value></attribute></metadata>
"WORD" 1 0 5 5 0 GROUP="WORD"
0 aggregates
"""
_FILES = {
    "odd-workload.toml": 'ranks = 4\n[[phase]]\nkind = "WORD"\n',
    "key.toml": 'ranks = 4\n"WORD" = 1\n[[phase]]\nkind = "barrier"\n',
    "schedule.goal": "num_ranks 1\nrank 0 {\nl1: calc 5 WORD\n}\n",
    "actions.ti": "0 init\n0 WORD 5\n",
    "hosts": "WORD:4\nrank 0=WORD\n",
    "ranks": "rank 0=WORD slot=WORD\n",
    "pairs.csv": "source,target,bytes,WORD\nWORD,1,5,6\n",
    "pairs.json": '{"edges": [{"source": "WORD"}]}',
    "pairs.mtx": "%%MatrixMarket matrix coordinate real general\nWORD\n",
    "times.csv": "op,nprocs,bytes,us\nWORD,4,8,WORD\n",
    "routines.csv": "function,seconds_all_ranks\nWORD,1\n",
    "osu.txt": "# OSU MPI Broadcast Latency Test WORD\n# Size   Avg Latency(us)\n8   WORD\n",
    "rules.conf": "1 WORD\n",
    "rules.json": '{"collective=WORD": {}}',
    "rules.toml": '[[rule]]\ncollective = "WORD"\nalgorithm = "WORD"\n',
    "platform.xml": _XML,
    "job.xml": _JOB,
    "job.toml": '[[group]]\nname = "WORD"\n',
    "sites.toml": '[[cluster]]\nname = "WORD"\n',
    "suite.toml": '[[programs]]\nname = "WORD"\n',
    "places.toml": '[[place]]\nhosts = ["WORD"]\n',
    "relay.toml": 'keys = "WORD"\n',
    "it.prv": "#Paraver (WORD):5_ns:1(1):1:1(1:1)\n1:WORD\n",
    "configuration": "-n WORD\n",
}
LINES: dict[str, list[str] | str] = {
    "run": [
        "run -n 2 -p bad.toml true", "run -n 2 --map file:hosts true", "run -n 2 --groups job.toml true", "run -n 2 --selector-rules rules.conf true",
        "run -n 2 NAME",
    ],
    "replay": [
        "replay hostile.trace", "replay merged.trace", "replay odd-workload.toml", "replay key.toml", "replay schedule.goal",
        "replay schedule.goal --loggops L=1,o=1", "replay actions.ti", "replay it.prv", "replay hostile.trace --map file:ranks",
        "replay hostile.trace --selector-rules rules.toml", "replay hostile.trace --selector-rules rules.json", "replay NAME",
    ],
    "capture": ["capture -o it.trace --parts parts", "capture -o it.trace -- NAME"],
    "watch": ["watch -p bad.toml -- true", "watch -- NAME"],
    "launch": ["launch --groups job.xml -n 2 -- true", "launch --groups job.toml -- true"],
    "deploy": ["deploy --collectives rules.toml -- true", "deploy --collectives rules.toml --topology places.toml -- true"],
    "trace info": ["trace info hostile.trace", "trace info merged.trace", "trace info hostile.trace --json", "trace info it.prv", "trace info NAME"],
    "trace dump": ["trace dump merged.trace", "trace dump schedule.goal"],
    "trace diff": ["trace diff hostile.trace merged.trace", "trace diff NAME NAME"],
    "trace slice": ["trace slice hostile.trace -o a.trace --only 0", "trace slice NAME -o a.trace"],
    "trace convert": ["trace convert merged.trace -o - --format csv", "trace convert merged.trace -o - --format paje", "trace convert NAME -o a.csv"],
    "trace import": ["trace import it.prv -o a.trace"],
    "profile": [
        "profile hostile.trace", "profile merged.trace --per-node", "profile it.json", "profile it.json --json", "profile odd.json", "profile tau",
        "profile tau --json", "profile NAME",
    ],
    "compare": [
        "compare hostile.trace merged.trace", "compare it.json it.json", "compare it.json tau", "compare bad.toml graphene",
    ],
    "compare selectors": ["compare selectors rules.conf openmpi-4.1 -n 4 -s 8 --collective bcast", "compare selectors WORD openmpi-4.1"],
    "collective": [
        "collective bcast -n 4 -s 8 -p bad.toml", "collective bcast -n 4 -s 8 --selector-rules rules.json", "collective WORD -n 4 -s 8",
        "collective bcast -n 4 -s 8 --algorithm WORD",
    ],
    "benchmark": ["benchmark bcast -n 2 -s 8 -p bad.toml", "benchmark --advice hostile.trace -n 4", "benchmark bcast -n 2 -s 8 --keep hosts"],
    "tune": ["tune bcast --library mpich-4.0 -n 4 -p bad.toml -o out", "tune --library mpich-4.0 --for merged.trace -o out", "tune bcast --library WORD -n 4 -o out"],
    "tune discover": ["tune discover bcast --library WORD -n 4 --mpirun WORD -o out"],
    "tune upgrade": ["tune upgrade openmpi-4.1:rules.conf bcast -n 4 -s 8 -p bad.toml", "tune upgrade openmpi-4.1:openmpi-5.0 --for merged.trace", "tune upgrade WORD"],
    "place": [
        "place hostile.trace", "place pairs.csv -p graphene", "place pairs.json -p graphene", "place pairs.mtx -p graphene", "place --clusters sites.toml --groups job.toml -n 4",
    ],
    "papers": ["papers WORD"],
    "validate collectives": ["validate collectives --ingest times.csv", "validate collectives --ingest osu.txt"],
    "validate program": ["validate program --profile routines.csv --record it.json"],
    "validate trace": ["validate trace merged.trace", "validate trace NAME"],
    "validate suite": ["validate suite suite.toml"],
    "validate residuals": ["validate residuals suite.toml out.toml -o a.json"],
    "validate ablate": ["validate ablate suite.toml"],
    "platform list": "reads no file of a stranger",
    "platform show": ["platform show bad.toml", "platform show NAME"],
    "platform new": ["platform new NAME", "platform new ethernet-10 --name NAME"],
    "platform diff": ["platform diff bad.toml graphene"],
    "platform import": ["platform import platform.xml -o a.toml", "platform import NAME -o a.toml"],
    "platform upgrade": ["platform upgrade bad.toml -o a.toml"],
    "platform keys": ["platform keys WORD"],
    "platform schema": "reads no file",
    "relay keys": ["relay keys WORD --list"],
    "relay pairs": ["relay pairs --config relay.toml"],
    "relay serve": ["relay serve --config relay.toml --site WORD"],
    "relay run": ["relay run --config relay.toml -- true"],
    "relay node": ["relay node --config relay.toml --job WORD -- true"],
    "calibrate": ["calibrate --ingest osu.txt --ppn 1 --cores 4 --nodes 2 -o a.toml", "calibrate --ingest NAME -o a.toml"],
    "prefix": "reads no file",
    "mpiexec": ["mpiexec -n 2 -f hosts true", "mpiexec -configfile configuration", "mpiexec -n 2 NAME"],
}  # fmt: skip
"""For each command lines with files in which names are a stranger's; or why it has none. NAME is a file that is called so."""


def _commands() -> set[str]:
    waiting, found = [("", typer.main.get_command(app.load([])))], set()
    for name, command in waiting:
        inner = getattr(command, "commands", {})
        waiting += [(f"{name} {sub}".strip(), subcommand) for sub, subcommand in inner.items()]
        if not inner:
            found.add(name)
    return found


def test_each_command_has_a_line_here() -> None:
    assert _commands() == set(LINES)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files in which names are a stranger's."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, text in _FILES.items():
        (folder / name).write_text(_filled(name, text), encoding="utf-8")
    (folder / "bad.toml").write_text(hostile.platform(WORD), encoding="utf-8")
    hostile.write_trace(folder, f"{WORD}\nforged: {WORD}")
    hostile.write_merged(folder, f"{WORD}\nforged: {WORD}")
    hostile.write_record(folder, WORD)
    (folder / "tau").mkdir()
    (folder / "tau" / "profile.0.0.0").write_text(_TAU.replace("WORD", WORD.replace("\x85", "").replace("\u2028", "")))
    (folder / "parts").mkdir()
    (folder / "parts" / "0.trace").write_text(WORD)
    (folder / f"{WORD}.gz").write_bytes(gzip.compress(WORD.encode()))
    return folder


def _filled(name: str, text: str) -> str:
    """The word as the format has it, escaped where it can be."""
    if name.endswith(".toml"):
        return text.replace("WORD", "".join(f"\\U{ord(character):08x}" for character in WORD))
    if name.endswith(".xml"):  # XML 1.0 has no control characters, but marks of direction, and ends of lines
        return text.replace("WORD", "a\u202eb&#10;c&#x85;d\u2028")
    if name.endswith(".json"):
        return text.replace("WORD", "".join(f"\\u{ord(character):04x}" for character in WORD))
    return text.replace("WORD", WORD)


_CASES = [(command, line) for command, lines in LINES.items() if isinstance(lines, list) for line in lines]


@pytest.mark.parametrize(("command", "line"), _CASES, ids=[line for _, line in _CASES])
def test_no_command_hands_on_what_a_terminal_acts_on(  # noqa: PLR0917
    tmp_path: Path,
    furnished: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    line: str,
) -> None:
    for file in furnished.iterdir():
        (tmp_path / file.name).symlink_to(file)
    words = [word.replace("NAME", f"{WORD}.gz").replace("WORD", WORD) for word in shlex.split(line)]
    assert " ".join(words[: len(command.split())]) == command
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    if command in ("run", "mpiexec") or "--loggops" in line:
        subprocess.run([ORRERY, *words], check=False, timeout=120)
    else:
        monkeypatch.setattr(sys, "argv", ["orrery", *words])
        code_of(lambda: __main__._do(words))
    out, err = capfd.readouterr()
    assert is_plain(out.replace("\r\n", "\n")), out
    assert is_plain(err), err
    assert "Traceback" not in err
    assert not re.search("^forged", out + err, re.MULTILINE)


@pytest.mark.parametrize(
    "line",
    ["trace info hostile.trace", "platform show bad.toml", "profile tau", "profile it.json"],
)
def test_a_terminal_gets_colours_of_ours_alone(sandbox: Sandbox, furnished: Path, line: str) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [ORRERY, *line.split()],
        cwd=furnished,
        env=sandbox.environment | {"TERM": "xterm"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    found = b""
    try:
        while piece := os.read(master, 1 << 16):
            found += piece
    except OSError:  # nobody writes any more
        pass
    process.wait(60)
    os.close(master)
    text = _SENTENCES.sub("", found.decode()).replace("\r", "").replace("\x1b[K", "")
    assert "title" in text
    assert is_plain(text), text
