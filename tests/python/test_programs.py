# SPDX-License-Identifier: BSD-3-Clause
"""Several programs in one run, scripts, and Python files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.run.programs import MpiProgram, programs_of, startable, words_of


def test_programs_are_read_as_mpiexec_reads_them() -> None:
    words = ["a", "-n", "7", ":", "-n", "1", "b", "x", ":", "-np2", "./c", ":", "--ranks=3", "d"]
    found = programs_of(2, words)
    assert found == [  # what is behind a program is its own, -n too
        MpiProgram(["a", "-n", "7"], 2),
        MpiProgram(["b", "x"], 1),
        MpiProgram(["./c"], 2),
        MpiProgram(["d"], 3),
    ]
    assert words_of(found) == ["a", "-n", "7", ":", "-n", "1", "b", "x", ":", "-n", "2", "./c", ":", "-n", "3", "d"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a", ":"], "expected ranks and a program behind it"),
        (["a", ":", "b"], "expected ranks and a program behind it"),
        ([":", "-n", "1", "b"], "a program is missing before it"),
        (["a", ":", "-n", "0", "b"], "expected a whole number above 0"),
        (["a", ":", "-n", "x", "b"], "expected a whole number above 0"),
        (["a", ":", "-n", "2"], "a program is missing behind it"),
        (["a", ":", "-n", "2", "--label", "b"], "--label belongs before the first program"),
    ],
)
def test_programs_that_are_not_said_right_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        programs_of(1, words)


def test_all_programs_run_in_one_world_with_their_own_arguments_and_numbers(sandbox: Sandbox) -> None:
    """Ranks are numbered in the order of the command line (MPI-5.0, 11.5: mpiexec), MPI_APPNUM by program (11.10.2)."""
    program = sandbox.program("appnum")
    other = sandbox.folder / "other"
    shutil.copy(program, other)
    ended = sandbox.orrery(
        "run", "-n", "2", "--label", "-o", "run.json", program, "one", ":", "-n", "1", str(other), "two", "three"
    )
    assert ended.code == 0, ended.err
    assert sorted(ended.out.splitlines()) == [
        "[0] rank 0 of 3, program 0, arguments one",
        "[1] rank 1 of 3, program 0, arguments one",
        "[2] rank 2 of 3, program 1, arguments two three",
    ]
    assert (ended.record["ranks"], ended.record["start"]) == (3, "exec")
    assert ended.record["command"] == [program, "one", ":", "-n", "1", str(other), "two", "three"]


def test_several_programs_are_recorded_and_replayed(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    ended = sandbox.orrery(
        "run", "-n", "2", "-o", "run.json", "-o", "it.trace", ring, "100", "3", ":", "-n", "2", ring, "100", "3"
    )
    assert ended.code == 0, ended.err
    assert sandbox.replayed("it.trace")["simulated_s"] == ended.record["simulated_s"]


def test_one_program_of_several_that_is_missing_or_fails_is_told(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    ended = sandbox.orrery("run", "-n", "1", ring, ":", "-n", "1", "./nowhere")
    assert (ended.code, ended.err) == (127, "orrery: error: ./nowhere: no such program\n")
    ended = sandbox.orrery("run", "-n", "1", sandbox.program("sleeper"), ":", "-n", "1", sandbox.program("abort"))
    assert ended.code != 0
    assert "the run failed" in ended.err
    ended = sandbox.orrery("run", "-n", "1", "--launch", "fork", ring, ":", "-n", "1", ring)
    assert (ended.code, "cannot be forked" in ended.err) == (2, True)


def _script(sandbox: Sandbox, name: str, first: str, *, executable: bool) -> Path:
    path = sandbox.folder / name
    path.write_text(f"{first}\n{sandbox.program('appnum')} from script\necho afterwards\n")
    path.chmod(0o755 if executable else 0o644)
    return path


@pytest.mark.parametrize("executable", [True, False])
@pytest.mark.parametrize("named", ["./it.sh", "it.sh", "sh"])
def test_scripts_run_once_for_each_rank(sandbox: Sandbox, named: str, executable: bool) -> None:  # noqa: FBT001
    _script(sandbox, "it.sh", "#!/bin/sh", executable=executable)
    words = ["sh", "it.sh"] if named == "sh" else [named]
    ended = sandbox.orrery("run", "-n", "2", *words)
    assert ended.code == 0, ended.err
    assert sorted(ended.out.splitlines()) == [
        "afterwards",
        "afterwards",
        "rank 0 of 2, program 0, arguments from script",
        "rank 1 of 2, program 0, arguments from script",
    ]


def test_a_python_file_is_run_by_python(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.py").write_text("import sys\nprint(sys.argv)\n")
    ended = sandbox.orrery("run", "-n", "1", "it.py", "x")
    assert ended.out == "['./it.py', 'x']\n"
    assert "without calling MPI_Init" in ended.err


def test_what_starts_a_file_is_found_without_starting_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"PATH": f"{tmp_path}/bin"}
    for name, text, mode in (
        ("bin/python3", "", 0o755),
        ("bin/tool", "", 0o755),
        ("tool", "", 0o755),
        ("it.py", "print()\n", 0o644),
        ("own.py", "#!/bin/sh -e x\n", 0o644),
        ("ready.py", "#!/bin/sh\n", 0o755),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
    for command, expected in (
        (["it.py", "x"], ["python3", "./it.py", "x"]),
        (["own.py"], ["/bin/sh", "-e x", "./own.py"]),  # what is behind the interpreter is one word (execve(2))
        (["ready.py"], ["./ready.py"]),
        (["tool"], ["tool"]),  # PATH comes first
        (["nowhere"], ["nowhere"]),
    ):
        assert startable(command, environment) == expected


@pytest.mark.parametrize(
    ("name", "content", "mode", "said"),
    [
        ("it.c", b"int main(void) { return 0; }\n", 0o644, "is source code; compile it first: .*/mpicc -O2 it.c -o it"),
        ("it.f90", b"end\n", 0o644, "is source code; compile it first: .*/mpif90"),
        ("it.sh", b"echo\n", 0o755, r"is no program: .*#!/bin/sh.*put the interpreter before it: sh it.sh"),
        ("data.txt", b"1 2 3\n", 0o644, "is no program"),
        ("empty", b"", 0o755, "is no program"),
        ("it", b"#!/no/such/sh\n", 0o755, 'names the interpreter "/no/such/sh", which is not there'),
        ("dos.py", b"#!/usr/bin/env python\r\n", 0o755, "its lines end as on Windows; mend them: sed -i"),
        ("short", b"\x7fELF\x02\x01", 0o755, "is a damaged program"),
        (
            "it.o",
            b"\x7fELF\x02\x01".ljust(16, b"\0") + b"\x01\x00\x3e\x00".ljust(300, b"\0"),
            0o644,
            "is an object file",
        ),
        (
            "far",
            b"\x7fELF\x02\x01".ljust(16, b"\0") + b"\x02\x00\x08\x00".ljust(300, b"\0"),
            0o755,
            "another kind of proc",
        ),
    ],
)
def test_a_file_that_is_no_program_is_refused_with_the_cure(
    sandbox: Sandbox, name: str, content: bytes, mode: int, said: str
) -> None:
    """0x3e is x86-64, 0x08 MIPS, in the ELF header at byte 18."""
    path = sandbox.folder / name
    path.write_bytes(content)
    path.chmod(mode)
    ended = sandbox.orrery("run", "-np", "2", name)
    assert (ended.code, ended.out) == (2, "")
    assert re.search(said, ended.err), ended.err


def test_a_program_that_lost_its_permission_is_refused_with_the_cure(sandbox: Sandbox) -> None:
    path = sandbox.folder / "ring"
    shutil.copy(sandbox.program("ring"), path)
    path.chmod(0o644)
    ended = sandbox.orrery("run", "-np", "2", "./ring")
    assert (ended.code, ended.err) == (2, "orrery: error: ring: is not executable; make it so: chmod +x ring\n")
