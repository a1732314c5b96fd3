# SPDX-License-Identifier: BSD-3-Clause
"""What commands write: never over what Orrery did not write, never before there is something, never in vain."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.marks import is_own, mark_page, mark_png, mark_svg
from orrery.output import checked, checked_folder

_WORKLOAD = 'ranks = 4\n[[phase]]\nkind = "allreduce"\nbytes = "64KiB"\ncompute_s = "20us"\n'
_XML = """<?xml version="1.0"?>
<platform version="4.1"><cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/></platform>
"""
_MINE = "what somebody wrote\n"

WRITING = [
    "replay it.toml -o FILE.json",
    "replay it.toml -o FILE.trace",
    "run -n 2 -o FILE.json RING",
    "run -n 2 -o FILE.trace RING",
    "capture -o FILE.trace -- true",
    "trace slice it.trace -o FILE.trace",
    "trace import it.trace -o FILE.trace",
    "trace convert it.trace -o FILE.csv",
    "trace convert it.trace -o FILE.json",
    "trace convert it.trace -o FILE.goal",
    "trace convert it.trace -o FILE.paje",
    "trace convert it.trace -o FILE.pftrace",
    "trace convert it.trace -o FILE.parquet",
    "trace convert it.trace -o FILE.ti",
    "profile it.trace -o FILE.html",
    "collective bcast -n 4 -s 8 -o FILE.json",
    "collective bcast -n 4 -s 8 -o FILE.csv",
    "collective bcast -n 4 -s 8 -o FILE.html",
    "collective bcast -n 4 -s 8,64 --versus-sends -o FILE.html",
    "collective bcast -n 4 -s 8,64 --versus-sends -o FILE.csv",
    "collective bcast -n 4 -s 8,64 --report FILE.html",
    "collective bcast -n 4 -s 8,64 --versus-sends --report FILE.html",
    "platform show default -o FILE.svg",
    "platform import it.xml -o FILE.toml",
    "platform new ethernet-10 -o FILE.toml",
    "platform upgrade old.toml -o FILE.toml",
    "platform keys -o FILE.md",
    "platform keys -o FILE.json",
    "platform schema -o FILE.json",
    "validate --ingest times.csv -o FILE.json",
    "validate --ingest times.csv -o FILE.html",
    "validate --ingest times.csv --report FILE.html",
    "validate trace it.trace -o FILE.json",
    "validate trace it.trace --report FILE.html",
    "validate program --profile profile.csv --record it.json -o FILE.html",
    "validate program --profile profile.csv --record it.json --report FILE.html",
    "validate suite suite.toml --report FILE.html",
    "validate ablate suite.toml -o FILE.md",
    "validate residuals suite.toml -o FILE.json",
    "calibrate --nodes 2 --mpirun false{n} -o FILE.toml",
]
_ELSEWHERE = (
    "capture",
    "calibrate",
    "trace import",
    "validate ablate",
    "validate residuals",
    "platform new",
    "platform upgrade",
)
"""Commands whose outputs other tests see whole, or which are the user's own text."""
REAL = [line for line in WRITING if not line.startswith(_ELSEWHERE)]
DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def furnished(sandbox: Sandbox) -> Sandbox:
    """A folder with something of each kind to read."""
    (sandbox.folder / "it.toml").write_text(_WORKLOAD)
    (sandbox.folder / "it.xml").write_text(_XML)
    (sandbox.folder / "times.csv").write_text(
        "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\nbcast,4,8,barrier,10,9,10,11,10,12\n"
    )
    (sandbox.folder / "old.toml").write_text((DATA / "platform-0.2.toml").read_text())
    (sandbox.folder / "profile.csv").write_text("function,calls_all_ranks,seconds_all_ranks\nAllreduce,4,0.001\n")
    (sandbox.folder / "suite.toml").write_text(
        '[[collectives]]\nname = "it"\nplatform = "default"\ningest = ["times.csv"]\n'
    )
    assert sandbox.orrery("replay", "it.toml", "-o", "it.trace", "-o", "it.json").code == 0
    return sandbox


def _words(sandbox: Sandbox, line: str, name: str) -> list[str]:
    words = line.replace("FILE", name).split()
    return [sandbox.program("ring") if word == "RING" else word for word in words]


def _output(line: str, name: str) -> str:
    return next(word for word in line.split() if "FILE" in word).replace("FILE", name)


@pytest.mark.parametrize("line", WRITING)
def test_no_command_writes_over_what_orrery_did_not_write(furnished: Sandbox, line: str) -> None:
    mine = furnished.folder / _output(line, "mine")
    mine.write_text(_MINE)
    ended = furnished.finish(furnished.start(*_words(furnished, line, "mine")))
    assert ended.code == 2
    assert ended.err == (
        f"orrery: error: {mine.name}: is there, and Orrery did not write it; name another file, or replace it with --overwrite\n"
    )
    assert mine.read_text() == _MINE


@pytest.mark.parametrize("line", REAL)
def test_what_orrery_wrote_it_writes_again(furnished: Sandbox, line: str) -> None:
    words = _words(furnished, line, "again")
    for _ in range(2):
        ended = furnished.finish(furnished.start(*words))
        assert ended.code == 0, ended.err
        assert is_own(furnished.folder / _output(line, "again"))
    assert not [path for path in furnished.folder.iterdir() if path.name.startswith(".again")]


@pytest.mark.parametrize("line", WRITING)
def test_a_folder_that_is_missing_is_told_before_the_work(furnished: Sandbox, line: str) -> None:
    ended = furnished.finish(furnished.start(*_words(furnished, line, "nowhere/x")))
    assert (ended.code, ended.out) == (2, "")
    assert "there is no folder nowhere; make it first: mkdir -p nowhere" in ended.err


def test_a_record_over_the_program_is_refused_whatever_comes_behind(sandbox: Sandbox) -> None:
    program = Path(sandbox.program("ring"))
    before = program.read_bytes()
    for words in (
        ["--json", str(program)],
        ["-o", str(program)],
        ["-o", str(program), "--overwrite", "no-such-program"],
    ):
        ended = sandbox.orrery("run", "-n", "2", *words)
        assert ended.code in (0, 2)  # with --json it is the program, and runs
        assert program.read_bytes() == before


def test_overwrite_replaces_a_file_of_somebody_but_never_what_is_read(furnished: Sandbox) -> None:
    mine = furnished.folder / "mine.json"
    mine.write_text(_MINE)
    assert furnished.orrery("replay", "it.trace", "-o", "mine.json", "--overwrite").code == 0
    assert is_own(mine)
    ended = furnished.orrery("replay", "it.trace", "-o", "it.trace", "--overwrite")
    assert ended.code == 2
    assert "it.trace: is what is read" in ended.err


def test_a_run_that_does_not_start_leaves_what_was_there(sandbox: Sandbox) -> None:
    record = sandbox.folder / "run.json"
    assert sandbox.run(2, "ring").code == 0
    before = record.read_bytes()
    assert sandbox.orrery("run", "-n", "2", "-o", "run.json", "-o", "it.trace", "./no-such-program").code == 127
    assert record.read_bytes() == before
    assert not (sandbox.folder / "it.trace").exists()


def test_a_run_that_fails_leaves_its_record_and_its_trace(sandbox: Sandbox) -> None:
    ended = sandbox.run(3, "abort", options=("-o", "it.trace"))
    assert ended.code != 0
    assert ended.record["end"] == "aborted"
    assert is_own(sandbox.folder / "it.trace")


def test_json_is_all_of_standard_output(sandbox: Sandbox) -> None:
    import json

    ended = sandbox.orrery("run", "-n", "2", "--json", sandbox.program("hello"))
    assert ended.code == 0
    assert json.loads(ended.out)["ranks"] == 2
    assert "rank" in ended.err  # what the program prints


def test_a_dash_is_standard_output(furnished: Sandbox) -> None:
    ended = furnished.orrery("trace", "convert", "it.trace", "-o", "-", "--format", "csv")
    assert ended.out.startswith("rank,number,begin_s,")
    assert "[[cluster]]" in furnished.orrery("platform", "import", "it.xml", "-o", "-").out
    assert not (furnished.folder / "-").exists()


def test_links_stay_links_and_devices_are_written_into(furnished: Sandbox) -> None:
    assert furnished.orrery("replay", "it.toml", "-o", "it.json").code == 0
    link = furnished.folder / "link.json"
    link.symlink_to("it.json")
    assert furnished.orrery("replay", "it.toml", "-o", "link.json").code == 0
    assert link.is_symlink()
    for device in ("/dev/null", "/dev/full"):
        ended = furnished.orrery("trace", "convert", "it.trace", "-o", device, "--format", "csv")
        assert ended.code == (0 if device == "/dev/null" else 2)
        assert Path(device).is_char_device()


@contextmanager
def _without_root() -> Iterator[None]:
    """Root may write everywhere: be nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.parametrize(
    ("mode", "said"), [(0o555, "can be written in the folder"), (0o444, "the folder .* may not be entered")]
)
def test_a_folder_that_cannot_be_written_is_told(mode: int, said: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # others may not enter the folders of pytest
        folder = Path(name)
        folder.chmod(0o777)
        with _without_root():
            checked(folder / "x.json")
            checked_folder(folder / "x.otf2")
        folder.chmod(mode)
        with _without_root(), pytest.raises(InputError, match=said):
            checked(folder / "x.json")
        with _without_root(), pytest.raises(InputError, match=said):
            checked_folder(folder / "x.otf2")
        folder.chmod(0o700)


@pytest.mark.parametrize("line", ["run -n 2 -o /proc/x.json RING 3", "replay it.toml -o /proc/x.json"])
def test_a_file_that_cannot_be_made_is_told_before_the_work(furnished: Sandbox, line: str) -> None:
    """Permissions allow root to write there; the file system has no room for files of others."""
    ended = furnished.orrery(*line.replace("RING", str(furnished.program("ring"))).split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("orrery: error: /proc/x.json: no file can be written in the folder /proc (")
    assert ended.err.count("\n") == 1


def test_a_folder_is_no_file_and_an_empty_file_is_nobodys(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        checked(tmp_path)
    (tmp_path / "empty").touch()
    checked(tmp_path / "empty")


def test_an_interruption_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.touch()
    output = checked(file)

    def interrupted(partial: Path) -> None:
        partial.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), output.partial() as partial:
        interrupted(partial)
    assert file.read_text() == ""
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("mark", "plain"),
    [
        (lambda text: mark_page(text).encode(), "<html><head><title>t</title></head></html>"),
        (lambda text: mark_svg(text).encode(), '<?xml version="1.0"?><svg width="1"><g/></svg>'),
    ],
)
def test_a_mark_is_found_and_its_absence_too(tmp_path: Path, mark: Callable[[str], bytes], plain: str) -> None:
    file = tmp_path / "x"
    file.write_text(plain)
    assert not is_own(file)
    file.write_bytes(mark(plain))
    assert is_own(file)


def test_a_picture_with_a_mark_is_still_one(tmp_path: Path) -> None:
    """One grey pixel: signature, IHDR, IDAT, IEND, each chunk with its CRC (PNG, 5.3)."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, body = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), chunk(b"IDAT", zlib.compress(b"\0\x7f"))
    picture = b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")
    marked = mark_png(picture)
    kinds, at = [], 8
    while at < len(marked):
        (length,) = struct.unpack(">I", marked[at : at + 4])
        kind, data = marked[at + 4 : at + 8], marked[at + 8 : at + 8 + length]
        assert struct.unpack(">I", marked[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + data)
        kinds.append(kind)
        at += 12 + length
    assert kinds == [b"IHDR", b"tEXt", b"IDAT", b"IEND"]
    for name, content in (("plain.png", picture), ("marked.png", marked)):
        (tmp_path / name).write_bytes(content)
        assert is_own(tmp_path / name) == (name == "marked.png")


def test_a_calibration_neither_joins_nor_removes_files_of_somebody(sandbox: Sandbox) -> None:
    folder = sandbox.folder / "c.calibration"
    folder.mkdir()
    (folder / "notes.txt").write_text(_MINE)
    line = ("calibrate", "--nodes", "2", "--mpirun", "srun -n {n}", "--dry-run", "-o", "c.toml")
    ended = sandbox.orrery(*line)
    assert ended.code == 2
    assert "c.calibration/notes.txt: is where samples go, and Orrery did not write it" in ended.err
    (folder / "notes.txt").unlink()
    assert sandbox.orrery(*line).code == 0
    (folder / "notes.txt").write_text(_MINE)
    assert sandbox.orrery(*line, "--fresh").code == 0  # what was there is put aside, not removed
    assert (sandbox.folder / "c.calibration.1" / "notes.txt").read_text() == _MINE
    assert not (folder / "notes.txt").exists()


def test_reports_of_a_suite_are_known_to_have_a_place_before_it_runs(furnished: Sandbox) -> None:
    (furnished.folder / "suite.toml").write_text(
        '[[collectives]]\nname = "it"\nplatform = "default"\ningest = ["times.csv"]\n'
    )
    (furnished.folder / "file").write_text(_MINE)
    ended = furnished.orrery("validate", "--suite", "suite.toml", "--store", "file")
    assert (ended.code, ended.out) == (2, "")
    assert "--store file: " in ended.err
    (furnished.folder / "kept").mkdir()
    (furnished.folder / "kept" / "it.json").write_text(_MINE)
    ended = furnished.orrery("validate", "--suite", "suite.toml", "--store", "kept")
    assert (ended.code, ended.out) == (2, "")
    assert "kept/it.json: no report of `orrery validate`" in ended.err
