# SPDX-License-Identifier: BSD-3-Clause
"""NPB: fetched and built by one command; and programs of ours that send the same messages."""

from __future__ import annotations

import csv
import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import pytest

from harness import Sandbox
from orrery import _core
from orrery.errors import InputError
from orrery.papers import npb
from orrery.papers.compiled import compiled
from orrery.papers.library import FOLDER
from orrery.papers.recording import recorded
from orrery.trace.reading import operations

# Messages that NPB 3.4 sent under Orrery (gfortran 12, gcc 12 with -fwrapv): of CG all, of LU those of its loop over time steps,
# which is what it sends after the second barrier and before its last three allreduces.
MESSAGES = Path(__file__).parent.parent / "data" / "npb-messages.csv"

_MAKEFILE = """
include config/make.def
cg:
\t$(MPICC) $(CFLAGS) cg.c -o bin/cg.$(CLASS).x
"""
_SOURCE = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n"


def _tarball(place: Path, files: dict[str, str]) -> Path:
    file = place / "npb.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"NPB9/NPB9-MPI/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return file


def test_a_tarball_is_unpacked_and_built_with_orrerys_compilers(sandbox: Sandbox) -> None:
    files = {"config/make.def.template": "", "Makefile": _MAKEFILE, "cg.c": _SOURCE}
    _tarball(sandbox.folder, files)
    line = ("papers", "get", "npb", "--from", "npb.tar.gz", "--build", "cg.S")
    got = sandbox.orrery(*line)
    assert (got.code, got.out) == (0, "npb/bin/cg.S.x\n"), got.err
    assert sandbox.orrery("run", "-n", "2", "npb/bin/cg.S.x").code == 0
    again = sandbox.orrery(*line)
    assert (again.code, "-o npb: is there already" in again.err) == (2, True), again.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("get", "npb", "--build", "cg"), "expected a program and a class, as in cg.B"),
        (("get", "npb", "--build", "xy.B"), "programs are bt, cg"),
        (("get", "npb", "--from", "none.tar.gz"), "none.tar.gz: No such file"),
        (("get", "nbp"), "expected npb"),
        (("get",), "expected npb"),
        (("get", "npb", "--quick"), "--quick: does not act with get"),
        (("smpi", "--build", "cg.B"), "--build: acts only with get"),
    ],
)
def test_what_cannot_be_got_is_refused(sandbox: Sandbox, line: tuple[str, ...], said: str) -> None:
    ended = sandbox.orrery("papers", *line)
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_a_tarball_of_something_else_and_sources_that_do_not_compile_are_named(tmp_path: Path) -> None:
    other = _tarball(tmp_path, {"README": "hello"})
    with pytest.raises(InputError, match=r"has no NPB\*-MPI"):
        npb.get(other, tmp_path / "a", ["cg.S"], print)
    broken = _tarball(tmp_path, {"config/make.def.template": "", "Makefile": _MAKEFILE, "cg.c": "int x = ;"})
    with pytest.raises(InputError, match=r"make cg CLASS=S: .*error: expected expression"):
        npb.get(broken, tmp_path / "b", ["cg.S"], print)


def test_a_tarball_that_writes_elsewhere_is_refused(tmp_path: Path) -> None:
    outside = _tarball(tmp_path, {"../../../outside": "hello"})
    with pytest.raises(InputError, match=r"outside.*expected a tarball of NPB"):
        npb.get(outside, tmp_path / "a", ["cg.S"], print)
    assert [entry.name for entry in tmp_path.iterdir()] == ["npb.tar.gz"]


def test_without_a_network_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(_url: str, timeout: float) -> None:
        raise URLError(f"no route within {timeout} s")

    monkeypatch.setattr(npb, "urlopen", no_network)
    with pytest.raises(InputError, match=r"no route.*fetch it where there is a network.*--from NPB3\.4\.1\.tar\.gz"):
        npb.get(None, tmp_path / "npb", ["cg.S"], print)
    monkeypatch.setattr(npb, "urlopen", lambda _url, timeout: io.BytesIO(f"not NPB {timeout}".encode()))
    with pytest.raises(InputError, match=rf"expected {npb.SHA256}"):
        npb.get(None, tmp_path / "npb", ["cg.S"], print)
    assert not (tmp_path / "npb").exists()


def _cases() -> Iterator[tuple[str, int, dict[tuple[int, int, int], int]]]:
    with MESSAGES.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(line for line in table if not line.startswith("#")))
    for program, ranks in sorted({(row["program"], int(row["ranks"])) for row in rows}):
        mine = [row for row in rows if (row["program"], int(row["ranks"])) == (program, ranks)]
        yield program, ranks, {(int(r["from"]), int(r["to"]), int(r["bytes"])): int(r["messages"]) for r in mine}


@pytest.mark.parametrize(("program", "ranks", "expected"), list(_cases()))
def test_programs_of_ours_send_the_messages_of_npb(
    program: str, ranks: int, expected: dict[tuple[int, int, int], int], tmp_path: Path
) -> None:
    name, *arguments = program.split()
    file = _core.TraceFile(str(recorded(compiled(FOLDER / "smpi" / f"{name}.c", tmp_path), arguments, ranks, tmp_path)))
    sent: Counter[tuple[int, int, int]] = Counter()
    for rank in range(ranks):
        for operation in operations(file, rank):
            if operation.kind == "isend":
                sent[rank, operation.peer, operation.bytes] += 1
    assert sent == expected


def test_the_kernel_of_sweep3d_keeps_the_balance_of_particles_on_any_grid_of_ranks(sandbox: Sandbox) -> None:
    program = str(compiled(FOLDER / "smpi" / "sweep3d.c", sandbox.folder))
    for ranks, points, planes in ((1, 8, 8), (6, 13, 4), (16, 9, 1)):
        ran = sandbox.orrery("run", "-n", str(ranks), program, str(points), str(planes), "1e8")
        assert (ran.code, "check: ok" in ran.out) == (0, True), ran.err
